"""The clock of the simulation: one run of a program in virtual time, under one way to share the cores."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from labs.job import Job
from labs.libuv import Threadpool

#: One trip: submitted, started, finished (None: it does not), lane (-1: none).
Row = tuple[float, float | None, float | None, int]


class Cores(Protocol):
    """Tasks that compute, and when the next of them ends."""

    most: int

    def add(self, lane: int, work: float, now: float) -> None:
        """Let a task of so much work run in a lane from now on."""

    def next_end(self) -> float:
        """Return when the next task ends if nothing else happens (infinite for none)."""

    def end(self, now: float) -> int:
        """Take out the task that ends now and return its lane."""


class Outcome:
    """What one run did.

    Attributes:
        rows: For each job its trips; none where it was never asked for.
        peak: The most slots taken at once.
        names_peak: The most slow tasks at once.
        computing_peak: The most tasks that computed at once.
    """

    __slots__ = ("computing_peak", "names_peak", "peak", "rows")

    def __init__(self, jobs: int) -> None:
        self.rows: list[tuple[Row, ...]] = [()] * jobs
        self.peak = 0
        self.names_peak = 0
        self.computing_peak = 0


def run(
    jobs: Sequence[Job], index: Mapping[str, int], queue: Threadpool, cores: Cores, releases: Mapping[str, float]
) -> Outcome:
    """Run a program to the moment when nothing moves any more.

    At one moment the order is: a worker that comes out of a task takes the next one by itself; then come the script's own
    requests of that moment (one turn of the loop), one by one, each taken by a parked worker where there is one; then the
    loop hears of what ended and makes the requests that follow.
    """
    count = len(jobs)
    size = queue.size
    outcome = Outcome(count)
    rows = outcome.rows
    slow = [job.kind == "name" for job in jobs]
    computes = [job.kind == "cpu" for job in jobs]
    service = [job.service for job in jobs]
    left = [job.trips for job in jobs]
    submitted = [0.0] * count
    started = [0.0] * count
    lane_of = [-1] * count
    in_lane = [-1] * size
    parked = list(range(size))
    opened = [releases.get(job.name) if job.service is None else None for job in jobs]
    followers: dict[int, list[int]] = {}
    script: list[int] = []
    for task, job in enumerate(jobs):
        if job.after is None:
            script.append(task)
        else:
            followers.setdefault(index[job.after], []).append(task)
    script.sort(key=lambda task: jobs[task].at)
    asked = 0
    ends: list[tuple[float, int, int]] = []  # tasks that wait in a lane: (end, order, lane)
    later: list[tuple[float, int, int]] = []  # requests by callbacks, with a delay: (time, order, task)
    calls: list[int] = []  # tasks whose end the loop has not heard of
    order = 0
    now = 0.0
    busy = 0
    push, pop = heapq.heappush, heapq.heappop
    take, post, ended = queue.take, queue.post, queue.ended

    def start(task: int, lane: int) -> None:
        nonlocal order
        started[task] = now
        lane_of[task] = lane
        in_lane[lane] = task
        length = service[task]
        if length is None:
            gate = opened[task]
            if gate is None:
                return
            length = max(0.0, gate - now)
        elif computes[task]:
            cores.add(lane, length, now)
            return
        order += 1
        push(ends, (now + length, order, lane))

    def request(task: int) -> None:
        nonlocal busy
        submitted[task] = now
        post(task, slow[task])
        while parked and (taken := take()) is not None:
            busy += 1
            start(taken, pop(parked))
        if busy > outcome.peak:
            outcome.peak = busy
        if queue.slow_running > outcome.names_peak:
            outcome.names_peak = queue.slow_running

    while True:
        end_wait = ends[0][0] if ends else _NEVER
        end_work = cores.next_end()
        end = end_wait if end_wait <= end_work else end_work
        ask = jobs[script[asked]].at if asked < len(script) else _NEVER
        if calls and end > now and ask > now:
            for task in calls:
                if left[task]:
                    request(task)
                    continue
                for follower in followers.get(task, ()):
                    delay = jobs[follower].at
                    if delay:
                        order += 1
                        push(later, (now + delay, order, follower))
                    else:
                        request(follower)
            calls.clear()
            continue
        delayed = later[0][0] if later else _NEVER
        if end <= ask and end <= delayed:
            if end == _NEVER:
                break
            now = end
            lane = pop(ends)[2] if end_wait <= end_work else cores.end(now)
            task = in_lane[lane]
            left[task] -= 1
            rows[task] += ((submitted[task], started[task], now, lane),)
            lane_of[task] = -1
            ended(slow[task])
            if left[task] or task in followers:
                calls.append(task)
            next_task = take()
            if next_task is None:
                in_lane[lane] = -1
                busy -= 1
                push(parked, lane)
            else:
                start(next_task, lane)
            if queue.slow_running > outcome.names_peak:
                outcome.names_peak = queue.slow_running
        elif delayed <= ask:
            now = delayed
            request(pop(later)[2])
        else:
            now = ask
            request(script[asked])
            asked += 1
    for task in queue.waiting():
        rows[task] += ((submitted[task], None, None, -1),)
    for task in in_lane:
        if task >= 0:
            rows[task] += ((submitted[task], started[task], None, lane_of[task]),)
    outcome.computing_peak = cores.most
    return outcome


_NEVER = float("inf")

#: Makes the queues of a pool; tests put broken ones here.
Make = Callable[[int], Threadpool]
