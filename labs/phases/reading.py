"""How we know: the raw lines an order was read from, the law in five lines, and the sentence that stays."""

from __future__ import annotations

from collections.abc import Mapping

from labs.measurement import Record
from labs.phases import drawing as see
from labs.phases import loop, programs
from labs.phases.draw import KINDS
from labs.phases.loop import Source
from labs.spec import Lines, Scene

_COLUMNS = "{:<12}{:<15}{:<27}{:<10}{}"
SOURCE = "https://github.com/libuv/libuv/blob/v1.52.1/src/unix/core.c#L427"


def evidence(scene: Scene) -> Lines:
    """Return one line a callback of the first run: what it is to Node, who asked for it, in which phase it ran, and when."""
    run = see.record_of(scene).runs[0]
    start = run.callbacks[0].at if run.callbacks else 0.0
    lines = [_COLUMNS.format("log", "Node calls it", "asked for in", "ran in", "after")]
    node = {"tick": "TickObject", "promise": "PROMISE", "timeout": "Timeout", "immediate": "Immediate"}
    asked = {"file": "FSREQCALLBACK", "timeout": "Timeout", "immediate": "Immediate"}
    for one in run.callbacks:
        about = f"{asked.get(one.asked_in, one.asked_in)}, number {one.asked_id}"
        late = f"{(one.at - start) * 1000:.3f} ms"
        lines.append(_COLUMNS.format(one.name, node.get(one.kind, one.kind), about, one.phase, late).rstrip())
    lines.append(
        "Names are what your program logged. All else is from the trace that Node itself wrote: in which callback each was asked "
        "for, and who ran inside its look at the timers (RunTimers) or at the immediates (CheckImmediate). Who was in neither "
        "we call poll here: the program's first run was over, and nothing was closing."
    )
    return tuple(lines)


def five_lines(scene: Scene) -> Lines:
    """Return the law, and under it where libuv and Node keep it."""
    return (
        "The loop goes round: timers, poll, check, closing, timers again. It goes on from where it is, and never back.",
        "So a file's callback (poll) is followed by the immediates (check), an immediate or a closing by the timers.",
        "A delay of 0 ms means 1 ms. Where timers come first, whether that has passed is luck, or your doing.",
        "After each callback (since Node 11): all ticks, then all promises, until both are empty. That is no phase.",
        "So ask two things of a callback: where does the loop stand, and in which queue am I?\n"
        "In libuv: src/unix/core.c, function uv_run, v1.52.1. After a first look at the timers it goes round\n"
        "pending, idle, prepare, poll, pending again, check, closing, timers. Up to 1.44 timers stood at the\n"
        "head of a turn: the same ring, cut elsewhere.\n"
        "In Node 24.19: lib/internal/process/task_queues.js, function processTicksAndRejections.\n"
        f"{SOURCE}",
    )


def closing(records: Mapping[str, Record]) -> Lines:
    """Return the one sentence to take away, from the learner's own record."""
    four = records.get("four")
    file = see.order(four, "file") if four else None
    two = records.get("two")
    after = see.order(two, "immediate") if two else None
    if file is None or after is None:
        return ()
    return (
        f"In one line: from a file's callback {' '.join(file)}, from an immediate {' '.join(after)}: the phase decides, not 0 ms.",
        "At work: node --trace-event-categories node.async_hooks,node.environment writes the trace that you read here.",
    )


def recall_ask(scene: Scene) -> str:
    """Return the question that comes back in later labs."""
    what = {
        "file": "a file's callback",
        "timer": "a timer's callback",
        "immediate": "an immediate",
        "close": "a close event",
    }
    source = what[str(scene.parameters["source"])]
    return f"Without looking: in {source} you ask for a timeout of 0, an immediate, a promise and a tick, then busy(3). The order?"


def recall_solve(scene: Scene) -> tuple[str, ...]:
    """Return its answer."""
    source: Source = scene.parameters["source"]
    return loop.order(programs.four(source, KINDS))
