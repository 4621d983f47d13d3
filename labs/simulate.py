"""libuv's pool in virtual time: every job's submit, start, finish and lane.

One line, three kinds of work, the slow-work marker and its threshold (`labs.libuv`), several trips a call, requests made by
callbacks, held jobs released from outside, and cores shared through the calibrated capacity (`labs.sharing`). Where the
operating system decides, a moment is an interval (`labs.bounds`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from labs.bounds import proved
from labs.capacity import Capacity, ideal
from labs.engine import Cores, Make, Outcome, Row, run
from labs.job import Job, Kind, ModelError, Placed, Schedule, Span, check_jobs, check_pool
from labs.libuv import Threadpool
from labs.sharing import Equal, Unequal, by_core, fair, fastest, newest_first, oldest_first, slowest

_NO_RELEASES: Mapping[str, float] = MappingProxyType({})


def simulate(
    jobs: Sequence[Job],
    pool: int,
    capacity: Capacity | None = None,
    releases: Mapping[str, float] = _NO_RELEASES,
    make: Make = Threadpool,
) -> Schedule:
    """Return what libuv does with a program.

    Args:
        jobs: The requests; those of one moment in the order in which they are made.
        pool: Slots in force, 1 to 1,024.
        capacity: The machine's; without it a core a slot.
        releases: Held job -> when its gate is opened (seconds). One opened early goes straight through when it is taken;
            one that is never opened never ends.
        make: The queues; tests pass broken ones.

    Raises:
        ModelError: A program, pool size or release that cannot be.
    """
    check_pool(pool)
    index = check_jobs(jobs)
    for name, at in releases.items():
        if name not in index or jobs[index[name]].service is not None:
            raise ModelError(f"{name!r} cannot be released: no held job is called so.")
        if not 0 <= at < float("inf"):
            raise ModelError(f"{name!r} is released at {at}; a time is finite and not negative.")
    capacity = capacity or ideal(pool)

    def play(cores: Cores) -> Outcome:
        return run(jobs, index, make(pool), cores, releases)

    likely = play(Equal(fair(capacity)))
    if likely.computing_peak <= capacity.cores:
        return _exact(jobs, pool, likely)
    if all(job.kind == "cpu" and job.service is not None and job.trips == 1 and job.after is None for job in jobs):
        early, late = play(Equal(fastest(capacity, pool))), play(Equal(slowest(capacity, pool)))
        tasks, makespan = proved(jobs, pool, capacity, likely, early, late)
        return Schedule(pool, tasks, tasks, makespan, late.peak, 0, "proved")
    splits = (oldest_first(capacity), newest_first(capacity), by_core(capacity))
    return _envelope(jobs, pool, [likely, *(play(Unequal(split)) for split in splits)])


def _point(job: Job, row: Row, trip: int) -> Placed:
    submitted, started, finished, lane = row
    return Placed(
        job.name,
        job.kind,
        Span(submitted, submitted),
        None if started is None else Span(started, started),
        None if finished is None else Span(finished, finished),
        None if lane < 0 else lane,
        trip,
    )


def _exact(jobs: Sequence[Job], pool: int, outcome: Outcome) -> Schedule:
    rows = outcome.rows
    if all(job.trips == 1 for job in jobs):
        tasks = tuple(
            _point(job, trips[0], 1) if trips else Placed(job.name, job.kind, None, None, None, None)
            for job, trips in zip(jobs, rows, strict=True)
        )
        trips = tasks
    else:
        trips = tuple(
            _point(job, row, trip) for job, many in zip(jobs, rows, strict=True) for trip, row in enumerate(many, 1)
        )
        tasks = _whole(jobs, trips)
    end = max((row[2] for many in rows for row in many if row[2] is not None), default=0.0)
    return Schedule(pool, tasks, trips, Span(end, end), outcome.peak, outcome.names_peak, "exact")


def _whole(jobs: Sequence[Job], trips: Sequence[Placed]) -> tuple[Placed, ...]:
    """Put the trips of each job together."""
    by_name: dict[str, list[Placed]] = {job.name: [] for job in jobs}
    for trip in trips:
        by_name[trip.name].append(trip)
    tasks = []
    for job in jobs:
        own = by_name[job.name]
        if not own:
            tasks.append(Placed(job.name, job.kind, None, None, None, None))
            continue
        finished = own[-1].finished if len(own) == job.trips else None
        lane = own[0].lane if len({trip.lane for trip in own}) == 1 else None
        tasks.append(Placed(job.name, job.kind, own[0].submitted, own[0].started, finished, lane))
    return tuple(tasks)


def _envelope(jobs: Sequence[Job], pool: int, outcomes: Sequence[Outcome]) -> Schedule:
    runs = [_exact(jobs, pool, outcome) for outcome in outcomes]
    likely = runs[0]
    tasks = _around([each.tasks for each in runs])
    # Beside a job that holds a slot for ever, it is up to the scheduler which trips there are: not every run reaches the same rest.
    trips = tasks if likely.tasks is likely.trips else _around([each.trips for each in runs])
    makespan = Span(min(each.makespan.low for each in runs), max(each.makespan.high for each in runs))
    peak, names_peak = max(each.peak for each in runs), max(each.names_peak for each in runs)
    return Schedule(pool, tasks, trips, makespan, peak, names_peak, "sampled")


def _around(runs: Sequence[Sequence[Placed]]) -> tuple[Placed, ...]:
    """Put the same trips of several runs together, in the order of the first run; those it does not have come last."""
    found: dict[tuple[str, int], list[Placed]] = {}
    for each in runs:
        for trip in each:
            found.setdefault((trip.name, trip.trip), []).append(trip)
    everywhere = len(runs)
    return tuple(
        Placed(
            same[0].name,
            same[0].kind,
            _hull([trip.submitted for trip in same], everywhere),
            _hull([trip.started for trip in same], everywhere),
            _hull([trip.finished for trip in same], everywhere),
            same[0].lane,
            same[0].trip,
        )
        for same in found.values()
    )


def _hull(spans: Sequence[Span | None], everywhere: int) -> Span | None:
    """Return the interval around all of them; None where one of so many schedulers never gets there."""
    known = [span for span in spans if span is not None]
    if len(known) < everywhere:
        return None
    return Span(min(span.low for span in known), max(span.high for span in known))


class Occupancy(Struct, frozen=True):
    """From ``at`` on, at least ``low`` and at most ``high`` slots are taken."""

    at: float
    low: int
    high: int


def occupancy(schedule: Schedule) -> tuple[Occupancy, ...]:
    """Return the taken slots over time; ``low`` and ``high`` are equal where the schedule is exact."""
    changes: dict[float, list[int]] = {}
    for trip in schedule.trips:
        if trip.started is None:
            continue
        changes.setdefault(trip.started.high, [0, 0])[0] += 1
        changes.setdefault(trip.started.low, [0, 0])[1] += 1
        if trip.finished is not None:
            # A trip whose end may come before its latest start is never taken for sure.
            sure_until = max(trip.finished.low, trip.started.high)
            changes.setdefault(sure_until, [0, 0])[0] -= 1
            changes.setdefault(trip.finished.high, [0, 0])[1] -= 1
    found: list[Occupancy] = []
    low = high = 0
    for at in sorted(changes):
        low += changes[at][0]
        high += changes[at][1]
        step = Occupancy(at, low, min(high, schedule.pool))
        if not found or (found[-1].low, found[-1].high) != (step.low, step.high):
            found.append(step)
    return tuple(found)


class WhatIf(Struct, frozen=True):
    """An answer of `fourthreads simulate`, in service times of one task.

    Attributes:
        makespan: From the first request to the last end, [low, high].
        peak: The most slots taken at once.
        waves: How many rounds of equal tasks the slots make: ceil(tasks / slots).
        tasks: Each task's start and finish.
    """

    makespan: Span
    peak: int
    waves: int
    tasks: tuple[Placed, ...]
    certainty: Literal["exact", "proved", "sampled"]


def what_if(tasks: int, pool: int, cores: int, kind: Kind) -> WhatIf:
    """Return what equal tasks, all asked for at once, do on ideal cores.

    Args:
        tasks: How many, 1 and more.
        pool: Slots.
        cores: Cores for ``cpu``; ``file`` and ``name`` only wait and need none.
        kind: ``name`` is bound by libuv's threshold, half the slots rounded up.

    Raises:
        ModelError: A number that cannot be.
    """
    if tasks < 1 or cores < 1:
        raise ModelError(f"At least one task and one core, please: {tasks} tasks and {cores} cores were asked for.")
    schedule = simulate([Job(str(i), kind) for i in range(1, tasks + 1)], pool, ideal(cores))
    slots = (pool + 1) // 2 if kind == "name" else pool
    return WhatIf(schedule.makespan, schedule.peak, -(-tasks // slots), schedule.tasks, schedule.certainty)
