"""Schedules: when each hash ran, in which slot; measured, or by the model with the cores shared evenly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labs import engine
from labs.capacity import Capacity
from labs.job import Job
from labs.libuv import Threadpool
from labs.measurement import Run
from labs.sharing import Equal, fair
from labs.spec import Lines

#: Characters that a schedule is wide as text.
WIDE = 64


@dataclass(frozen=True)
class Bar:
    """One hash: its name, its slot from 0, and from when to when it ran (in whatever unit the schedule has)."""

    name: str
    lane: int
    start: float
    end: float


def measured(run: Run, unit: float = 1.0) -> tuple[Bar, ...]:
    """Return the hashes of a watched run, from the first request on, in units of ``unit`` seconds."""
    asked = [task.submitted for task in run.tasks if task.submitted is not None]
    begin = min(asked, default=0.0)
    return tuple(
        Bar(task.name, task.lane, (task.started - begin) / unit, (task.finished - begin) / unit)
        for task in run.tasks
        if task.lane is not None and task.started is not None and task.finished is not None
    )


def fair_share(tasks: int, pool: int, capacity: Capacity) -> tuple[Bar, ...]:
    """Return equal tasks, asked for at once, where all that run share the cores evenly; in times of one alone."""
    jobs = [Job(str(number), "cpu") for number in range(1, tasks + 1)]
    index = {job.name: place for place, job in enumerate(jobs)}
    played = engine.run(jobs, index, Threadpool(pool), Equal(fair(capacity)), {})
    return tuple(
        Bar(job.name, lane, started or 0.0, finished)
        for job, trips in zip(jobs, played.rows, strict=True)
        for _, started, finished, lane in trips
        if finished is not None
    )


def length(bars: Sequence[Bar]) -> float:
    """Return when the last one ended."""
    return max((bar.end for bar in bars), default=0.0)


def text(bars: Sequence[Bar], slots: int, scale: float, most: int = 8) -> Lines:
    """Draw a schedule: a line a slot, so many units of time across :data:`WIDE` characters, each hash as its own number.

    >>> text((Bar("1", 0, 0.0, 1.0), Bar("2", 0, 1.0, 2.0)), 1, 2.0)[0][:24]
    'slot 1   |1111111111111'
    """
    lines = []
    shown = range(slots) if slots <= most else [*range(most - 1), slots - 1]
    for lane in shown:
        row = [" "] * WIDE
        for bar in bars:
            if bar.lane == lane:
                first, last = (round(min(moment / scale, 1.0) * WIDE) for moment in (bar.start, bar.end))
                for place in range(first, max(first, last)):
                    row[place] = bar.name[-1]
                if last > first:
                    # Its first cells carry the whole number, where there is room.
                    row[first : first + min(len(bar.name), last - first)] = list(bar.name[: last - first])
                    row[last - 1] = "."
        lines.append(f"slot {lane + 1:<4}|{''.join(row).rstrip()}")
    if slots > most:
        lines.insert(most - 1, f"... {slots - most} more slots ...")
    return tuple(lines)
