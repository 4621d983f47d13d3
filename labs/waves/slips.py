"""What a script did instead, told by counts: in turn, on the loop, without a report. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from labs.measurement import Record, Run
from labs.spec import Lines
from labs.waves import reading
from labs.words import counted, number


@dataclass(frozen=True)
class Slip:
    """One way in which a script is not what was asked for: its permanent name, and what to say."""

    slug: str
    lines: Lines


#: What every watched run holds (labs.waves.watch).
COUNTS = frozenset({"pool_threads", "started", "asked_first", "asked", "finished", "on_main", "done", "early"})


def uncounted(record: Record) -> str | None:
    """Say that the record's first run does not hold its counts, or None where it does."""
    if not record.runs:
        return "The record holds no run."
    if missing := sorted(COUNTS - record.runs[0].counts.keys()):
        return f"The record does not hold what was counted: {', '.join(missing)}."
    return None


def label(asked_first: int, started: int, reported: str) -> str:
    """Return what a script did, in counts, as one text that verdicts compare."""
    return f"{asked_first} asked for at once, {started} started, {reported}"


def measured(run: Run) -> str:
    """Return the label of a run."""
    counts = run.counts
    if counts["asked"] == 0:
        return f"none in the pool, {counts['done']} reported"
    if counts["asked_first"] == counts["asked"] and counts["early"]:
        return label(counts["asked_first"], counts["started"], "reported before they were back")
    return label(counts["asked_first"], counts["started"], f"{counts['done']} reported")


def expected(tasks: int, slots: int) -> str:
    """Return the label of a sound script."""
    return label(tasks, min(tasks, slots), f"{tasks} reported")


def named(record: Record) -> dict[str, str]:
    """Return the slip of a record -> the label it has; empty for a sound script."""
    found = find(record)
    return {} if found is None else {found.slug: measured(record.runs[0])}


def smaller(run: Run, tasks: int, slots: int) -> bool:
    """Say whether the pool was smaller than the size given with the run: its script has set another one.

    libuv makes all threads before it takes the first job, so one that was seen at work was seen with all the others; and each of
    them took a hash: two counts that must agree. A thread that came late on a busy machine was seen all the same.
    """
    return 0 < run.counts["started"] == run.counts["pool_threads"] < min(tasks, slots)


def unsound(record: Record) -> str | None:
    """Say why the counts of this record cannot be judged, or None. libuv leaves no slot empty while a hash waits, whatever the script."""
    if (reason := uncounted(record)) is not None:
        return reason
    counts, tasks, slots = record.runs[0].counts, reading.tasks_of(record), reading.slots_of(record)
    late = counts["started"] < min(tasks, slots) and not smaller(record.runs[0], tasks, slots)
    if counts["asked_first"] >= tasks and late:
        return (
            f"Only {counts['started']} of {min(tasks, slots)} slots were seen at work before the first hash ended: the machine was too "
            "busy to watch."
        )
    return None


def find(record: Record) -> Slip | None:
    """Return what the record's script did instead of asking for all at once and reporting each.

    None where it did, and where the record does not tell (:func:`uncounted`).
    """
    if uncounted(record) is not None:
        return None
    counts, tasks, slots = record.runs[0].counts, reading.tasks_of(record), reading.slots_of(record)
    asked, first, done = counts["asked"], counts["asked_first"], counts["done"]
    if asked == 0 and done and 2 * counts["on_main"] < tasks:
        # The loop's thread did not compute that much: somebody else did.
        return Slip("unlimited", (
            f"NONE in the pool, next to nothing on your loop's thread, and still {done} were reported: computed elsewhere.",
            "A process or thread for each hash has no line, and no limit. Here, ask the pool: pbkdf2 with a callback.",
        ))  # fmt: skip
    if asked == 0 and counts["on_main"]:
        return Slip("on-the-loop", (
            f"NONE in the pool: it was never born. Your loop's own thread computed for {counted(counts['on_main'], 'hash', 'hashes')}.",
            "A call that ends in Sync answers before the program goes on. For this lab, use pbkdf2 with a callback or a promise.",
        ))  # fmt: skip
    if asked == 0:
        return Slip("nothing", ("NONE: no hash was asked for.", "Call pbkdf2 once for each i from 1 to n."))
    if asked > first == 1:
        awaits = bool(re.search(r"\bawait\b", record.script.text))
        return Slip("awaits-in-turn" if awaits else "one-by-one", (
            f"ONE at a time: hash 2 was asked for when hash 1 was back, and so on, {tasks} times; {min(slots, tasks) - 1} of "
            f"{slots} slots had nothing to do.",
            "An await inside a for loop stops that loop. Ask for all of them first, and wait for all of them after."
            if awaits else "Ask for all of them in the loop itself, not in the callback of the one before.",
        ))  # fmt: skip
    if asked != tasks:
        return Slip("another-number", (f"{asked} ASKED FOR where n is {tasks}.", "Let your loop run from 1 to n."))
    if first < tasks:
        return Slip("a-few-at-a-time", (
            f"{first} ASKED FOR at first, the others only when some of those were back.",
            "Ask for all of them in one go: the line before the pool keeps them for you.",
        ))  # fmt: skip
    if counts["started"] > slots or smaller(record.runs[0], tasks, slots):
        return Slip("own-size", (
            f"{counts['started']} STARTED on a pool of {slots}: your script set another size itself.",
            "Leave UV_THREADPOOL_SIZE alone here; the size is given with the run.",
        ))  # fmt: skip
    if done == 0:
        return Slip("no-report", (
            f"{counts['finished']} of {tasks} hashes ended in the pool, and none was reported: when is the last one back?",
            "Call done(i) where hash i is back: in its callback, or after its await.",
        ))  # fmt: skip
    if counts["early"]:
        return Slip("early-report", (
            f"{number(counts['early'], capital=True)} of your reports came before so many hashes had ended.",
            "Call done(i) where hash i is back: inside its callback, not beside the call.",
        ))  # fmt: skip
    if done < tasks:
        return Slip(
            "missing-report", (f"{done} of {tasks} hashes were reported.", "Call done(i) once for each i from 1 to n.")
        )
    return None
