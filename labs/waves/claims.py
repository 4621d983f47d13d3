"""Every factual sentence of this lab that a test can hold against a Node: where it is said, and what is counted."""

from __future__ import annotations

from labs.sentence import Sentence

CLAIMS = (
    Sentence("four", "Where UV_THREADPOOL_SIZE is not set, four hashes start.", "steps 5, 11", "libuv 1.52.1 threadpool.c:39, 204"),
    Sentence("size", "As many hashes start as there are slots, whatever the cores.", "steps 9, 11", "libuv 1.52.1 threadpool.c:204-249"),
    Sentence("line", "The first one in line takes the first slot that comes free.", "step 14", "libuv 1.52.1 threadpool.c:75-143"),
    Sentence("pool", "pbkdf2 with a callback computes on a thread of the pool, and the loop's own computes none of it.", "step 4",
             "Node 24.19 lib/internal/crypto/pbkdf2.js:49"),
    Sentence("one-job", "A hash stands in line once.", "further", "Node 24.19 src/threadpoolwork-inl.h: one uv_queue_work a job"),
    Sentence("sync", "pbkdf2Sync computes before the program goes on, and the pool is never born.", "steps 4, 12",
             "Node 24.19 lib/internal/crypto/pbkdf2.js; libuv 1.52.1 threadpool.c:281"),
    Sentence("await", "An await inside a for loop stops that loop: one at a time.", "step 15", "ECMAScript: await"),
    Sentence("promisify", "promisify(pbkdf2) asks the same pool; all at once by Promise.all.", "step 12", "Node docs: util.promisify"),
    Sentence("work", "More slots do not shrink the work: the workers' processor seconds stay.", "step 7", "counted"),
    Sentence("waiting-moves", "More slots than cores move the waiting from the line to the cores.", "steps 7, 11", "counted"),
    Sentence("gzip", "A gzip stands in line once for every 16 KiB it writes, and twice more.", "further", "Node 24.19 lib/zlib.js:514-586"),
    Sentence("no-cores", "The pool asks nobody how many cores there are.", "step 11", "libuv 1.52.1 threadpool.c:194-249"),
)  # fmt: skip
