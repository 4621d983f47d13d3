"""The names and addresses of the lab: what the name server answers, and where the visited hosts live. Data only."""

from __future__ import annotations

#: Hosts that are visited, and where each lives.
HOSTS = {
    name: f"127.0.0.{number}"
    for number, name in enumerate(("shop.test", "mail.test", "maps.test", "news.test", "bank.test"), 10)
}
#: A host that the name server does not know in the first round.
LATE, LATE_ADDRESS = "late.test", "127.0.0.20"
#: What is asked for behind names that hang.
KINDS = ("address", "kept", "localhost", "fresh", "resolve")
#: Of these, who needs no name slot: an address, a connection that is there, and c-ares on the loop (facts 2.4).
NEED_NO_SLOT = frozenset({"address", "kept", "resolve"})
#: The short name, and the domain in which it is found.
SHORT, DOMAIN, SHORT_ADDRESS = "short", "corp.test", "127.0.0.21"
OFTEN, OFTEN_ADDRESS = "often.test", "127.0.0.22"
#: Ways to visit a host, in the order of the table.
WAYS = ("lookup", "keep-alive", "own lookup", "dispatcher", "resolve4")
#: How the names begin that nobody answers.
HANGING = "hang-"
