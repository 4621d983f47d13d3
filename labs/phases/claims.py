"""Every factual sentence of this lab that a test can hold against a Node: where it is said, and where that is written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """One sentence.

    Attributes:
        slug: Names the test that holds it: ``tests/test_phases_claims.py`` has one for each.
        says: The sentence, in the words of the lab or close to them.
        where: The step, or the file, that says it.
        source: Where it is written in Node, libuv or their documentation.
    """

    slug: str
    says: str
    where: str
    source: str


_TASKS = "Node 24.19 lib/internal/process/task_queues.js, processTicksAndRejections"
_TIMERS = "Node 24.19 lib/internal/timers.js"
_RUN = "libuv 1.52.1 src/unix/core.c, uv_run"

CLAIMS = (
    Claim("poll", "From a file's callback the immediate comes before a timer that is due.", "steps 4, 12", _RUN),
    Claim("timers", "From a timer's callback the immediate comes before a timer that is due.", "step 4", f"{_RUN}; {_TIMERS}:556-574"),
    Claim("check", "From an immediate a due timer comes before the next immediate.", "steps 7, 12", f"{_RUN}; {_TIMERS}:466-516"),
    Claim("closing", "From a close callback a due timer comes before an immediate.", "step 7", _RUN),
    Claim("each", "Ticks are emptied after each callback, in the middle of a phase too (since Node 11).", "steps 9, 12", f"{_TIMERS}:501, 567"),
    Claim("ticks-then-promises", "Ticks, then promises, until both are empty.", "steps 4, 12", _TASKS),
    Claim("main", "A CommonJS main file: tick, promise; an ES module: promise, tick.", "step 13", "Node 24.19 lib/internal/modules/run_main.js"),
    Claim("formats", "Not the suffix decides, but what runs the body: import a microtask, require the bare stack.", "further",
          "Node 24.19 lib/internal/modules/esm/module_job.js"),
    Claim("starve", "Recursive ticks and promises keep a file waiting to the end; immediates and timers do not.", "step 15", _TASKS),
    Claim("one-millisecond", "0 ms means 1 ms.", "step 12", f"{_TIMERS}:181, 203"),
    Claim("unreferenced", "Since libuv 1.45 an unreferenced timer that is due fires once more before the loop ends.", "further",
          f"{_RUN}; commit 660095490 (1.45.0)"),
    Claim("sleeps", "An idle loop turns about once a timer; a thousand sockets add no thread.", "further", "libuv 1.52.1 src/unix/linux.c, uv__io_poll"),
    Claim("await", "An await of something that is there goes on as a promise does.", "step 21", "ECMAScript: await"),
    Claim("body", "In an ES module the body itself asks from inside a promise.", "steps 13, 17", "Node 24.19 lib/internal/modules/esm/module_job.js"),
    Claim("trace", "Node's trace tells timers and check apart, and who asked in which callback.", "step 6",
          "Node 24.19 src/env.cc, RunTimers and CheckImmediate; src/async_wrap.cc"),
)  # fmt: skip
