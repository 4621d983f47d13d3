"""Every factual sentence of this lab that a test can hold against a Node: where it is said, and where that is written."""

from __future__ import annotations

from labs.sentence import Sentence

_POOL = "libuv 1.23.1 on; 1.52.1 src/threadpool.c"
_LOOKUP = "Node 24.19 lib/dns.js:238; libuv 1.52.1 src/unix/getaddrinfo.c:213"

CLAIMS = (
    Sentence("half", "Names may have half of the slots, rounded up, and no more.", "steps 5, 11, 14", f"{_POOL}:46"),
    Sentence("ceiling", "Other work may hold every slot, and then no name starts.", "steps 8, 11, 16", f"{_POOL}:95-117"),
    Sentence("past", "At the half a free thread passes names by: small requests behind them are back.", "steps 5, 11", f"{_POOL}:95-98"),
    Sentence("second", "From one thread to two no name more is in flight, and all small requests are back.", "step 12", f"{_POOL}:46"),
    Sentence("order", "Among names: first come, first served.", "step 11", f"{_POOL}:105-117"),
    Sentence("tail", "Names share one place in the line; as one starts it goes to the tail, and what was asked for later comes first.", "step 11",
             f"{_POOL}:113-117"),
    Sentence("exit", "process.exit works off the pool's line, but names that wait in it may never be asked for.", "further", f"{_POOL}:81-86, 113-117, 168-191"),
    Sentence("unmerged", "Equal names are not merged: six lookups of one name are six.", "step 11", _LOOKUP),
    Sentence("two-questions", "In the room a lookup asks for A and AAAA, and comes back when both are answered.", "steps 7, 20", "POSIX getaddrinfo; glibc"),
    Sentence("poll", "A thread that is in a lookup sits in poll.", "step 7", "glibc resolv/res_send.c"),
    Sentence("shared", "lookup and lookupService share the half.", "further", "libuv 1.52.1 src/unix/getnameinfo.c:112"),
    Sentence("resolve", "resolve4 asks from the loop: all at once, for A alone, on no thread of the pool.", "steps 17, 22, 23", "Node 24.19 src/cares_wrap.cc"),
    Sentence("unmerged-resolve", "resolve4 neither merges equal questions nor keeps an answer.", "step 23", "Node 24.19 src/cares_wrap.cc; c-ares 1.34.6"),
    Sentence("through", "An address, a kept connection and resolve4 need no name slot; localhost and any other name do.", "step 17",
             "Node 24.19 lib/net.js:1600"),
    Sentence("every-connection", "Each new connection to a name asks again.", "step 19", "Node 24.19 lib/net.js:1600"),
    Sentence("list", "net calls an own lookup with options.all, and one that answers without a list fails.", "step 19",
             "Node 24.19 lib/net.js; since Node 20"),
    Sentence("other-doors", "listen(port, 'localhost') and a datagram to a host name look up as well.", "further",
             "Node 24.19 lib/net.js:2438; lib/internal/dgram.js:32"),
    Sentence("no-cancel", "A timer that wins the race frees the caller and no slot.", "step 24", f"{_POOL}:299-307"),
    Sentence("alive", "A lookup that nobody waits for keeps the process alive.", "README", "libuv: active requests keep the loop alive"),
    Sentence("lost", "resolve4 reads no hosts file and adds no search domain; getaddrinfo does both.", "steps 22, 23", "Node docs: dns, implementation considerations"),
    Sentence("dispatcher", "fetch takes an own lookup through a dispatcher.", "step 22", "Node 24.19 lib/internal/deps/undici/undici.js"),
)  # fmt: skip
