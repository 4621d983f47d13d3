"""Intervals for hashes and their like where the scheduler decides: all-CPU programs of independent jobs.

Three arguments, each valid for every scheduler that meets the assumptions of `labs.sharing`; the tighter one counts.

*Worlds.* One line and independent jobs: if no job progresses faster, none starts or ends earlier (Kiefer and Wolfowitz 1955).
So a world in which each task always has the most it can get is never behind the real one, and one with the least never ahead.

*Work before.* When the j-th request starts, at most P - 1 of those before it are unfinished, so the rest of their work is
done, at no more than the greatest capacity. While it waits, P run and only requests before it run.

*Work beside* (Graham 1966). While a job of s seconds is unfinished, either cores are short, and W, all work, shrinks at the
full rate m; or they are not, and it has a core to itself, for at most s seconds. So it ends by W/m + s max k(1/capacity(k) - 1/m)
over k up to the cores; on ideal cores W/C + s(1 - 1/C). Fair share lies inside and is no bound: 5 equal tasks on 3 slots and
2 cores take 2.5 under it, and 3.0 on a kernel that leaves each task on its core (measured with pbkdf2).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from labs.capacity import Capacity
from labs.engine import Outcome
from labs.job import Job, Placed, Span


def _merge(low: float, high: float) -> Span:
    # Rounding may turn the ends of a point round.
    return Span(min(low, high), max(low, high))


def proved(
    jobs: Sequence[Job], pool: int, capacity: Capacity, likely: Outcome, early: Outcome, late: Outcome
) -> tuple[tuple[Placed, ...], Span]:
    """Return the jobs with their intervals and the makespan, for a pool with more slots than there are cores.

    Args:
        likely: The run under fair share, for the lanes.
        early: The run of the world with the most.
        late: The run of the world with the least.
    """
    most = max(capacity.at(k) for k in range(1, pool + 1))
    short = min(capacity.at(k) for k in range(capacity.cores + 1, pool + 1))
    alone = max(0.0, max(k * (1 / capacity.at(k) - 1 / short) for k in range(1, capacity.cores + 1)))
    order = sorted(range(len(jobs)), key=lambda task: jobs[task].at)
    work = sum(job.service or 0.0 for job in jobs)
    first = jobs[order[0]].at
    placed: dict[int, Placed] = {}
    before = 0.0  # work of all requests before this one
    unfinished: list[float] = []  # the P - 1 longest of them
    kept = 0.0  # their sum
    end = Span(0.0, 0.0)
    for task in order:
        job = jobs[task]
        service = job.service or 0.0
        soonest, latest = early.rows[task][0], late.rows[task][0]
        assert soonest[1] is not None and soonest[2] is not None and latest[1] is not None and latest[2] is not None
        start_low = max(soonest[1], first + max(0.0, before - kept) / most)
        start_high = min(latest[1], job.at + before / short)
        end_low = max(soonest[2], start_low + service)
        end_high = min(latest[2], job.at + work / short + service * alone)
        placed[task] = Placed(
            name=job.name,
            kind=job.kind,
            submitted=Span(job.at, job.at),
            started=_merge(start_low, start_high),
            finished=_merge(end_low, end_high),
            lane=likely.rows[task][0][3],
        )
        end = Span(max(end.low, end_low), max(end.high, end_high))
        before += service
        heapq.heappush(unfinished, service)
        kept += service
        if len(unfinished) >= pool:
            kept -= heapq.heappop(unfinished)
    end = _merge(max(end.low, first + work / most), end.high)
    return tuple(placed[task] for task in range(len(jobs))), end
