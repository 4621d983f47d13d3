"""Every factual sentence of this lab that a test can hold against a Node: where it is said, and where that is written."""

from __future__ import annotations

from labs.sentence import Sentence

_POOL = "libuv 1.52.1 src/threadpool.c"

CLAIMS = (
    Sentence("lazy", "No pool until somebody hands in a job; then all threads at once, and none more after.", "steps 6, 11", f"{_POOL}, uv__work_submit"),
    Sentence("read-once", "The variable is read once, at the first job; set later it is only text.", "steps 9, 11", f"{_POOL}, init_threads"),
    Sentence("random-bytes", "Random bytes taken at once are no job; with a callback they are, however few.", "steps 9, 11",
             "Node 24.19 lib/internal/crypto/random.js:141"),
    Sentence("jobs", "fs, dns.lookup, pbkdf2, zlib, random bytes, answered later: whoever comes first makes the pool; no ...Sync does.", "step 11",
             "libuv 1.52.1 src/unix/fs.c, getaddrinfo.c; Node 24.19 src/threadpoolwork-inl.h"),
    Sentence("atoi", "Digits from the left; none are 0, and that is 1; more than 1,024 is 1,024; -1 is 1,024; unset is 4.", "steps 11, 13",
             f"{_POOL}:204-217"),
    Sentence("sixteen", "Since libuv 1.52 a value of 16 characters or more is not read.", "further", f"{_POOL}:206-210, commit 271d173b6"),
    Sentence("bill", "8 MiB and a guard page of addresses a thread, hardly any memory, no descriptor.", "steps 11, 15", f"{_POOL}:241"),
    Sentence("limit", "Where a thread cannot be made, libuv ends the process at its first job.", "further", f"{_POOL}, init_threads"),
    Sentence("exit", "process.exit works off what stands in the pool's line (but for names, see the lab names), and no callback runs.", "step 17",
             f"{_POOL}:168-191, uv__threadpool_cleanup"),
    Sentence("exit-hangs", "A job that cannot finish keeps the process until SIGKILL, or a signal that the program does not handle.", "step 17", f"{_POOL}:168-191"),
    Sentence("modules", "An ES module's first line counts, but its imports run before it.", "step 22", "Node 24.19 lib/internal/modules/esm"),
    Sentence("replaced", "process.env = {...} changes nothing for C.", "step 22", "Node 24.19 src/node_env_var.cc, RealEnvStore::Set"),
    Sentence("worker", "A Worker's process.env is a copy, unless SHARE_ENV.", "further", "Node 24.19 lib/internal/worker.js"),
    Sentence("files", "--env-file and process.loadEnvFile count; neither overwrites what is set already.", "further", "Node 24.19 src/node_dotenv.cc"),
    Sentence("child", "A child inherits what was set too late for its parent.", "step 21, further", "Node 24.19 lib/child_process.js"),
    Sentence("sockets", "A service that only talks over sockets, with addresses, has no pool.", "step 21", "libuv 1.52.1 src/unix/tcp.c"),
)  # fmt: skip
