"""Every factual sentence of this lab that a test can hold against a Node: where it is said, and where that is written."""

from __future__ import annotations

from labs.sentence import Sentence

_TASKS = "Node 24.19 lib/internal/process/task_queues.js, processTicksAndRejections"
_TIMERS = "Node 24.19 lib/internal/timers.js"
_RUN = "libuv 1.52.1 src/unix/core.c, uv_run"

CLAIMS = (
    Sentence("poll", "From a file's callback the immediate comes before a timer that is due.", "steps 5, 13", _RUN),
    Sentence("timers", "From a timer's callback the immediate comes before a timer that is due.", "step 5", f"{_RUN}; {_TIMERS}:556-574"),
    Sentence("check", "From an immediate a due timer comes before the next immediate.", "steps 8, 13", f"{_RUN}; {_TIMERS}:466-516"),
    Sentence("closing", "From a close callback a due timer comes before an immediate.", "step 8", _RUN),
    Sentence("each", "Ticks are emptied after each callback, in the middle of a phase too (since Node 11).", "steps 10, 13", f"{_TIMERS}:501, 567"),
    Sentence("ticks-then-promises", "Ticks, then promises, until both are empty.", "steps 5, 13", _TASKS),
    Sentence("main", "A CommonJS main file: tick, promise; an ES module: promise, tick.", "step 14", "Node 24.19 lib/internal/modules/run_main.js"),
    Sentence("formats", "Not the suffix decides, but what runs the body: import a microtask, require the bare stack.", "further",
             "Node 24.19 lib/internal/modules/esm/module_job.js"),
    Sentence("starve", "Recursive ticks and promises keep a file waiting to the end; immediates and timers do not.", "step 16", _TASKS),
    Sentence("one-millisecond", "0 ms means 1 ms.", "step 13", f"{_TIMERS}:181, 203"),
    Sentence("unreferenced", "Since libuv 1.45 an unreferenced timer that is due fires once more before the loop ends.", "further",
             f"{_RUN}; commit 660095490 (1.45.0)"),
    Sentence("sleeps", "An idle loop turns about once a timer; a thousand sockets add no thread.", "further", "libuv 1.52.1 src/unix/linux.c, uv__io_poll"),
    Sentence("await", "An await of something that is there goes on as a promise does.", "step 22", "ECMAScript: await"),
    Sentence("body", "In an ES module the body itself asks from inside a promise.", "steps 14, 18", "Node 24.19 lib/internal/modules/esm/module_job.js"),
    Sentence("trace", "Node's trace tells timers and check apart, and who asked in which callback.", "step 7",
             "Node 24.19 src/env.cc, RunTimers and CheckImmediate; src/async_wrap.cc; lib/internal/trace_events_async_hooks.js"),
)  # fmt: skip
