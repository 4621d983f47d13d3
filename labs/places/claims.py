"""Every factual sentence of this lab that a test can hold against a Node: where it is said, and where that is written.

What the sentences say of other versions of Node ("on Node 20 ...") is held by no test here: the course's own Node is one.
"""

from __future__ import annotations

from labs.sentence import Sentence

_FS = "libuv 1.52.1 src/unix/fs.c:139-155, POST"
_JOB = "Node 24.19 src/threadpoolwork-inl.h, ScheduleWork"

CLAIMS = (
    Sentence("paths", "Every call of facts.py takes the path that stands there.", "facts.py, steps 6, 9, 17, further", "each row's own"),
    Sentence("twins", "Calls of one kind take one path.", "draw.py", "as above"),
    Sentence("watchers", "With every slot held and the file changed fs.watch tells of it, fs.watchFile does not.", "step 18", "libuv src/fs-poll.c:99, 183; linux.c:2692"),
    Sentence("child", "When spawn returns, the child runs its program.", "steps 9, further", "libuv src/unix/process.c:841, 938"),
    Sentence("sent", "udp.send to an address needs nobody at the other end; only a reply does.", "facts.py", "libuv src/unix/udp.c, uv__udp_send"),
    Sentence("kept", "A kept connection needs no name again.", "facts.py", "Node lib/_http_agent.js, reuseSocket"),
    Sentence("store", "randomInt with a callback needs the pool only when its store of random bytes is empty.", "facts.py", "Node lib/internal/crypto/random.js:278-281"),
    Sentence("trips_of_files", "readFile: open, fstat, a read for each 512 KiB, close; a stream reads 64 KiB a time; writeFile 3; stat 1.", "further",
             "Node lib/internal/fs/utils.js:142-143"),
    Sentence("trips_of_gzip", "gzip: two trips for ten bytes, one more for each 16 KiB of output; a hash has one.", "step 13, further", "Node src/node_zlib.cc:492-552"),
    Sentence("sync_stops", "During a Sync call no timer ticks, and the loop's own thread does the work.", "step 13",
             "Node 24.19 src/crypto/crypto_util.h, CryptoJob::Run; libuv 1.52.1 src/unix/fs.c:139-155"),
    Sentence("callback_moves", "With a callback the loop ticks, other threads do the work, and a stat waits for a hash to end.", "step 13", _JOB),
    Sentence("pieces", "Behind gzip and readFile a stat slips in between the pieces.", "step 13", "Node src/node_zlib.cc; lib/internal/fs/read/context.js"),
    Sentence("parse", "During JSON.parse of any size no timer ticks, and a longer text takes the loop longer.", "step 19, further", "V8"),
    Sentence("sockets", "A thousand connections add no thread.", "further", "libuv src/unix/linux.c, uv__io_poll"),
    Sentence("innocent", "A parse, a sort, a match and readFileSync keep /health waiting; slices of work and the pool do not.", "further", "V8; " + _FS),
    Sentence("starter", "An async function, and a promise around a Sync call, do the work on the loop.", "steps 14, 16", "ECMAScript"),
    Sentence("solution", "pbkdf2 and gzip with a callback and subtle.digest wait for a slot, and /health does not.", "step 16", _JOB),
)  # fmt: skip
