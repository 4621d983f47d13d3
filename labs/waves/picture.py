"""The learner's own records as one picture: a lane a slot, time to the right in times of one hash alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from labs import plots
from labs.measurement import Record, Run
from labs.spec import Lines
from labs.waves import expect, reading, schedule
from labs.waves.schedule import Bar
from labs.words import counted

ORDER = ("all at once", "other cores", "own")


def unit_of(record: Record) -> float | None:
    """Return how long one hash takes alone (seconds); None where no times were compared."""
    return reading.alone(record)


def panels(records: Mapping[str, Record]) -> Iterator[tuple[str, int, tuple[Bar, ...]]]:
    """Yield title, slots and bars of each watched run, in the order of the lab."""
    for name in ORDER:
        if name in records:
            for run in records[name].runs:
                yield title(records[name], run), slots(run), schedule.measured(run, unit_of(records[name]) or 1.0)


def title(record: Record, run: Run) -> str:
    """Name a run by its numbers."""
    unit = "" if unit_of(record) else " (in seconds)"
    return f"{slots(run)} slots, {reading.tasks_of(record)} hashes, {counted(record.machine.cores, 'core')}: measured{unit}"


def slots(run: Run) -> int:
    """Return the slots of a run's pool."""
    pool = run.parameters.get("pool")
    return expect.size(pool if isinstance(pool, int) else None)


def stretches(bars: tuple[Bar, ...]) -> list[plots.Stretch]:
    """Return bars as the plot takes them."""
    return [(bar.name, bar.lane, bar.start, bar.end) for bar in bars]


def draw(records: Mapping[str, Record]) -> Any:
    """Return a figure with one panel a run."""
    return plots.schedules(
        [(name, count, stretches(bars)) for name, count, bars in panels(records)], "times of one hash alone"
    )


def text(records: Mapping[str, Record]) -> Lines:
    """Return the same as text."""
    found = list(panels(records))
    longest = max((schedule.length(bars) for _, _, bars in found), default=1.0) or 1.0
    lines: list[str] = []
    for name, count, bars in found:
        lines += [f"{name}:", *schedule.text(bars, count, longest)]
    return tuple(lines)
