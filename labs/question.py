"""One DNS question and its answer as bytes on the wire; the format itself is dnspython's business.

Nothing here waits, counts or holds: :mod:`labs.resolver` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import dns.exception
import dns.flags
import dns.message
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.reversename
import dns.rrset

#: Name -> its addresses; an empty sequence means that the name does not exist.
Table = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Question:
    """What a packet asks.

    Attributes:
        name: Lower case, without the final dot.
        kind: ``"A"``, ``"AAAA"``, ``"PTR"`` ...
        message: The whole packet, for the answer.
    """

    name: str
    kind: str
    message: dns.message.Message


class Malformed(Exception):  # noqa: N818  # says what the packet is; it is no error of ours
    """The packet holds no question we answer; ``reply`` is what the sender gets, or null for silence."""

    def __init__(self, reply: bytes | None = None) -> None:
        super().__init__("no question")
        self.reply = reply


def ask(name: str) -> bytes:
    """Return a packet that asks for the A record of a name."""
    return dns.message.make_query(name, "A").to_wire()


def parse(wire: bytes) -> Question:
    """Read the question out of a packet.

    Raises:
        Malformed: Whatever else the bytes are.
    """
    try:
        message = dns.message.from_wire(wire)
    except (dns.exception.DNSException, ValueError, IndexError, OverflowError) as problem:
        raise Malformed() from problem
    if message.flags & dns.flags.QR:  # an answer; replying to it could start an endless exchange
        raise Malformed()
    if message.opcode() != dns.opcode.QUERY:
        raise Malformed(_refusal(message, dns.rcode.NOTIMP))
    if len(message.question) != 1:
        raise Malformed(_refusal(message, dns.rcode.FORMERR))
    (asked,) = message.question
    if asked.rdclass != dns.rdataclass.IN:
        raise Malformed(_refusal(message, dns.rcode.REFUSED))
    name = asked.name.to_text(omit_final_dot=True).lower()
    return Question(name, dns.rdatatype.to_text(asked.rdtype), message)


def answer(question: Question, table: Table, default: Sequence[str], ttl: int = 0) -> bytes:
    """Return the answer's bytes. Whoever asked may remember it for ``ttl`` seconds: not at all, where nothing is said.

    A name in the table has the table's addresses, any other name has ``default``; none at all means that the name
    does not exist. An address of the other family, or a kind of record we do not have, is answered empty and without
    an error: so ``getaddrinfo``, which asks for A and AAAA at once, ends with one clean address.
    """
    if question.kind == "PTR":
        return _pointer(question)
    addresses = table.get(question.name, default)
    response = _response(question.message)
    if not addresses:
        response.set_rcode(dns.rcode.NXDOMAIN)
        return response.to_wire()
    fitting = [address for address in addresses if question.kind == ("AAAA" if ":" in address else "A")]
    if fitting:
        name = question.message.question[0].name
        response.answer.append(dns.rrset.from_text_list(name, ttl, dns.rdataclass.IN, question.kind, fitting))
    return response.to_wire()


def _pointer(question: Question) -> bytes:
    """Give every address a name of its own, such as ``host-127-0-0-9.test``."""
    response = _response(question.message)
    name = question.message.question[0].name
    try:
        address = dns.reversename.to_address(name)
    except (dns.exception.DNSException, ValueError):
        response.set_rcode(dns.rcode.NXDOMAIN)
    else:
        host = "host-" + address.replace(".", "-").replace(":", "-") + ".test."
        response.answer.append(dns.rrset.from_text(name, 0, dns.rdataclass.IN, "PTR", host))
    return response.to_wire()


def _response(message: dns.message.Message) -> dns.message.Message:
    response = dns.message.make_response(message, recursion_available=True)
    response.flags |= dns.flags.AA
    return response


def _refusal(message: dns.message.Message, code: dns.rcode.Rcode) -> bytes | None:
    try:
        response = dns.message.make_response(message)
        response.set_rcode(code)
        return response.to_wire()
    except (dns.exception.DNSException, ValueError):
        return None
