"""A record of callbacks as lines of text: in which phase, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from labs.answers import Answer
from labs.measurement import Callback, Record, Run
from labs.spec import Scene
from labs.words import WIDTH

TITLES = {
    "file": "FILE", "timer": "TIMER", "immediate": "IMMEDIATE", "close": "CLOSE", "cjs": "CJS", "mjs": "MJS",
    "timers": "ORDER", "immediates": "ORDER",
}  # fmt: skip


def record_of(scene: Scene) -> Record:
    """Return the scene's record."""
    assert scene.record is not None, "a look is only asked for where there is a record"
    return scene.record


def run(record: Record, name: str) -> Run | None:
    """Return the run of that name, None for a record of another form."""
    return next((one for one in record.runs if one.name == name), None)


def names(run: Run) -> tuple[str, ...]:
    """Return the names in the order in which they ran."""
    return tuple(one.name for one in run.callbacks)


def order(record: Record, name: str) -> tuple[str, ...] | None:
    """Return the names that ran in one run of a record, in order; None where there is none."""
    found = run(record, name)
    return names(found) if found is not None and found.callbacks else None


def many(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 step``, ``12,000 steps``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def phased(callbacks: Sequence[Callback]) -> str:
    """Draw the order with the phases: ``[poll] tick promise [check] immediate [timers] timeout``."""
    parts = [
        f"[{phase}] {' '.join(one.name for one in group)}" for phase, group in groupby(callbacks, lambda one: one.phase)
    ]
    return " ".join(parts) or "nothing was logged"


def line(run: Run, said: Answer | None = None, title: str = "") -> str:
    """Draw one run, and what was said beside it: only that the bet is the same, where it is."""
    left = f"{title or TITLES.get(run.name, run.name.upper()):<10}{phased(run.callbacks)}"
    if said is None:
        return left
    right = (
        "as you said"
        if said == names(run)
        else f"you said {' '.join(map(str, said)) if isinstance(said, tuple) else said}"
    )
    gap = max(2, min(70 - len(left), WIDTH - len(left) - len(right)))
    return f"{left}{' ' * gap}{right}"
