"""A record of gates as lines of text: who is in the slots, who waits, what came of an opening."""

from __future__ import annotations

import math
from collections.abc import Sequence

from labs.answers import Answer
from labs.measurement import Record, Run, Step
from labs.spec import Lines, Scene
from labs.words import WIDTH, beside, spaced

CANARY = "stat"
#: A loop that did not tick for so long (seconds) was not free; one is due every millisecond.
FREE = 0.1


def run_of(scene: Scene) -> Run:
    """Return the one run of the scene's record."""
    assert scene.record is not None, "a look is only asked for where there is a record"
    return scene.record.runs[0]


def steps_of(record: Record) -> tuple[Step, ...]:
    """Return what was seen at rest, in order; nothing for a record of another form."""
    return record.runs[0].steps if record.runs else ()


def slots(step: Step) -> str:
    """Draw the slots: ``slots [1] [4] [3]``; an empty one is parked."""
    return "slots " + spaced([name or " " for name in step.slots], 14, "[{}]")


def waiting(step: Step, most: int = 8) -> str:
    """Draw the line behind the slots: ``waiting 4 5 6``; a long one is cut in its middle."""
    return f"waiting {spaced(step.waiting, most)}" if step.waiting else "nobody waits"


def rest(title: str, step: Step, right: str) -> str:
    """Draw a rest in one line with something beside it, the line of those who wait cut to what there is room for."""
    lines = [beside(f"{title}  {slots(step)}   {waiting(step, most)}", right) for most in (8, 7, 6, 5, 4, 3)]
    return next((line for line in lines if len(line) <= WIDTH), lines[-1])


def held(step: Step) -> tuple[int, ...]:
    """Return the numbers of the held tasks, ascending; the canary has none."""
    return tuple(sorted(int(name) for name in step.slots if name is not None and name.isdecimal()))


def opened(step: Step) -> int | None:
    """Return which gate was opened before this rest, or None."""
    verb, _, gate = step.action.partition(" ")
    return int(gate) if verb == "open" and gate.isdecimal() else None


def new_in(before: Step, after: Step) -> tuple[int, ...]:
    """Return the tasks that started between two rests, ascending: in a slot or through it already."""
    known = {*before.slots, *before.finished}
    names = [name for name in (*after.slots, *after.finished) if name is not None and name not in known]
    return tuple(sorted(int(name) for name in names if name.isdecimal()))


def openings_until_canary(record: Record) -> int | None:
    """Return how many gates were opened when the canary came back, or None where it never did."""
    count = 0
    for step in steps_of(record):
        count += opened(step) is not None
        if CANARY in step.finished:
            return count
    return None


def trace(run: Run, right: str = "", most: int = 4) -> Lines:
    """Draw each opening as a line; of many, the first ones share a line that shows where they led."""
    rests = [(gate, step) for step in run.steps if (gate := opened(step)) is not None]
    if not rests:
        return (beside(f"no gate  {slots(run.steps[0])}", right, 62),)
    shared, single = rests[: -most + 1], rests[-most + 1 :]
    if len(rests) <= most:
        shared, single = [], rests
    lines = [f"gate {gate}  {slots(step)}" for gate, step in single]
    if shared:
        lines.insert(0, f"gates {spaced([gate for gate, _ in shared])}  {slots(shared[-1][1])}")
    return (*lines[:-1], beside(lines[-1], right, 62))


def starts(answer: Answer | None) -> str:
    """Say which tasks start: ``4 starts``, ``none starts``."""
    numbers: Sequence[object] = answer if isinstance(answer, tuple) else ()
    if not numbers:
        return "none starts"
    return f"{numbers[0]} starts" if len(numbers) == 1 else f"{spaced(numbers, 6)} start"


def ticks(run: Run) -> str:
    """Say how many of the loop's ticks arrived: ``20 of 20``."""
    return f"{run.counts['ticks']} of {run.counts['ticks_due']}"


def loop_was(run: Run) -> str:
    """Say how the loop fared, by its ticks and the longest time between two of them in the whole run (claimed).

    It was free all the time only where every tick came and no two lay far apart.
    """
    gap = run.claims.get("longest_gap")
    if not isinstance(gap, int | float) or not 0 <= gap < math.inf:
        return f"Your loop: {ticks(run)} ticks."
    if gap < FREE and run.counts["ticks"] == run.counts["ticks_due"]:
        return f"Your loop was free all the time ({ticks(run)} ticks)."
    return f"Your loop: {ticks(run)} ticks, the longest gap {1000 * gap:.0f} ms."


def cpu_of_workers(run: Run) -> float:
    """Return the processor seconds that the held workers used."""
    return sum(thread.cpu for thread in run.threads if thread.role == "worker" and thread.state == "held")
