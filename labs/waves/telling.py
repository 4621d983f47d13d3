"""How we know: the worked record, the law in five lines, the sentence that stays, the question that comes back."""

from __future__ import annotations

from collections.abc import Mapping

from labs.measurement import Record
from labs.spec import Lines, Scene
from labs.waves import picture, reading, schedule
from labs.waves.around import Around, times
from labs.words import counted

SOURCE = "https://github.com/libuv/libuv/blob/v1.52.1/src/threadpool.c#L194"


def evidence(scene: Scene) -> Lines:
    """Return a lane a slot of the first run, and what each worker got of the cores in both."""
    assert scene.record is not None
    record = scene.record
    lines: list[str] = []
    bars = [schedule.measured(run) for run in record.runs]
    longest = max((schedule.length(one) for one in bars), default=1.0) or 1.0
    for run, drawn in zip(record.runs, bars, strict=True):
        slots = picture.slots(run)
        waited = reading.starved(run)
        told = f"{slots} slots: last one back after {schedule.length(drawn):.2f} s; processor seconds of the workers {reading.computed(run):.2f}"
        if waited is not None:
            told += f", ready without a core {waited:.2f}"
        lines += [told, *schedule.text(drawn, slots, longest)]
    lines.append(
        "A digit is a hash being computed, a point its end. Times: the pool's own trace. Core seconds: the system."
    )
    return tuple(lines)


def five_lines(scene: Scene) -> Lines:
    """Return the law, and under it where libuv keeps it."""
    return (
        "A hash needs two things: a slot of the pool, and then a core of the machine.",
        "Slots decide how many are started; the rest stand in the one line, as in gates.",
        "Those that are started share the cores. Of P slots and C cores (under a quota fewer, at least one), the smaller number does the work.",
        "So N equal hashes, if N is the largest, take N / P rounds, rounded up. With fewer cores than slots it is about N / C times one, "
        "where that is more: slots beyond the cores only move the waiting.",
        "Equal tasks that start together end nearly together: a plot of them shows waves. A wave is a pattern of equal tasks, no mechanism: "
        "each slot goes on by itself as soon as it is free.\n"
        "In libuv: src/threadpool.c, function init_threads, v1.52.1. It reads UV_THREADPOOL_SIZE, takes 4 where it "
        f"is not set, and starts so many threads. It asks nobody how many cores there are.\n{SOURCE}",
    )


def closing(records: Mapping[str, Record]) -> Lines:
    """Return the one sentence to take away, from the learner's own records."""
    told = []
    for name in ("all at once", "other cores"):
        if name in records and (seen := reading.all_over_one(records[name])).judged and seen.value is not None:
            record = records[name]
            told.append(f"{times(seen.value)} on {counted(record.machine.cores, 'core')}")
    if not told:
        return ()
    first = next(iter(records.values()))
    slots = {reading.slots_of(records[name]) for name in ("all at once", "other cores") if name in records}
    same = "; the slots never changed" if len(slots) == 1 else ""
    return (
        f"In one line: {reading.tasks_of(first)} hashes at once took {' and '.join(told)} of what one takes{same}.",
    )


def recall_ask(scene: Scene) -> str:
    """Return the question that comes back in later labs."""
    p = scene.parameters
    return f"Without looking: {p['pool']} slots, {counted(p['cores'], 'core')}, {p['tasks']} hashes. How many times one do all take, about?"


def recall_solve(scene: Scene) -> Around:
    """Return its answer: hashes over slots or cores, whichever are fewer."""
    p = scene.parameters
    return Around(p["tasks"] / min(p["pool"], p["cores"]))
