"""The learner's own records as one picture: a lane a slot, a column a rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from labs import plots
from labs.measurement import Record, Step
from labs.names import drawing as see

_TITLES = {
    "start": ("{names} names, size not set",),
    "own": ("{pool} slots, {names} names alone", "{pool} slots, {names} names behind {held} gates"),
    "second": ("one thread, {names} names, then {stats} small requests", "two threads, the same"),
    "state": ("{pool} slots, {held} gates, {names} names: your own",),
}
#: Columns that are drawn of one run.
_MOST = 4


def _panels(records: Mapping[str, Record]) -> list[tuple[str, tuple[Step, ...]]]:
    return [
        (title.format(**records[name].parameters), tuple(_brief(step) for step in run.steps[:_MOST]))
        for name, titles in _TITLES.items()
        if name in records
        for title, run in zip(titles, records[name].runs, strict=False)
    ]


def _brief(step: Step) -> Step:
    action = (
        step.action
        if not step.action.startswith("answer ")
        else f"answer {' '.join(map(see.short, step.action.split()[1:3]))}"
    )
    return msgspec.structs.replace(
        step,
        action=action if len(step.action.split()) < 4 else f"{action} ..",
        slots=tuple(see.short(name) if name else None for name in step.slots),
        waiting=tuple(see.short(name) for name in step.waiting),
        finished=(),
    )


def draw(records: Mapping[str, Record]) -> Any:
    """Return a figure with one panel a run, in the order of the lab."""
    return plots.lanes(_panels(records))


def text(records: Mapping[str, Record]) -> tuple[str, ...]:
    """Return the same as text, a line a column."""
    lines: list[str] = []
    for title, steps in _panels(records):
        lines.append(f"{title}:")
        for step in steps:
            slots = " ".join(f"[{name or ' '}]" for name in step.slots)
            lines.append(f"  {step.action:<16}{slots}   {len(step.waiting)} wait")
    return tuple(lines)
