"""The learner's own records as one map: a row a call, a column a place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs import plots
from labs.measurement import Record
from labs.places import drawing as see
from labs.places import paths

PLACES = {"L": "loop", "P": "pool", "K": "kernel"}
_SHOWN = ("six", "six more", "lines")


def rows(records: Mapping[str, Record]) -> list[tuple[str, str]]:
    """Return (call, path) of every call that was tried, each once, in the order of the lab."""
    found: dict[str, str] = {}
    for name in _SHOWN:
        if name in records:
            for call in paths.calls(records[name]):
                if (path := paths.seen(records[name], call)) is not None:
                    found.setdefault(see.code(call), path)
    return list(found.items())


def draw(records: Mapping[str, Record]) -> Any:
    """Return a figure."""
    return plots.places("Where your calls waited or were worked on", rows(records), PLACES)


def text(records: Mapping[str, Record]) -> tuple[str, ...]:
    """Return the same as text, a line a call."""
    lines = [f"{'':<38}" + "".join(f"{place:<9}" for place in PLACES.values())]
    for code, path in rows(records):
        marks = "".join(f"{path.index(place) + 1 if place in path else '.':<9}" for place in PLACES)
        lines.append(f"{code:<38}{marks}".rstrip())
    return tuple(lines)
