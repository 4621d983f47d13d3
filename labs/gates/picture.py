"""The learner's own records as one picture: a lane a slot, a column an opening."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs import plots
from labs.gates import drawing
from labs.measurement import Record

_TITLES = {
    "start": "{tasks} gates, size not set",
    "one gate": "{pool} slots, {tasks} gates, then gate {first}",
    "canary": "{pool} slots, {tasks} gates, then your stat",
    "state": "{pool} slots, {tasks} gates, your openings",
}


def draw(records: Mapping[str, Record]) -> Any:
    """Return a figure with one panel a record, in the order of the lab."""
    return plots.lanes(
        [(_title(name, records[name]), records[name].runs[0].steps) for name in _TITLES if name in records]
    )


def text(records: Mapping[str, Record]) -> tuple[str, ...]:
    """Return the same as text, a line a column."""
    lines: list[str] = []
    for name in _TITLES:
        if name in records:
            lines.append(f"{_title(name, records[name])}:")
            for step in records[name].runs[0].steps:
                lines.append(f"  {step.action:<9}{drawing.slots(step)}   {drawing.waiting(step)}")
    return tuple(lines)


def _title(name: str, record: Record) -> str:
    return _TITLES[name].format(**record.parameters)
