"""Held work without a clock: what is in the slots after each request and each release.

>>> pool = Pool(3)
>>> pool.submit(*[held(str(i)) for i in range(1, 10)])
>>> pool.slots
('1', '2', '3')
>>> pool.release("2")
('4',)
>>> pool.slots
('1', '4', '3')
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable

from labs.job import Job, Kind, ModelError, check_pool
from labs.libuv import Threadpool


def held(name: str, kind: Kind = "file") -> Job:
    """Return a job that stays in its slot until it is released."""
    return Job(name=name, kind=kind, service=None)


class Pool:
    """A pool at rest. Each call runs on until nothing moves any more, as a patient observer sees it.

    A job with a service time goes straight through its slot; one without is held. Things happen one at a time: each
    request of :meth:`submit` is taken by a parked worker, if there is one, before the next is made. In a real burst the
    workers may wake late; for files and hashes the slots hold the same in the end, for names asked for *before* files
    in one burst they may not (the marker's place in the line is then the operating system's business).

    Raises:
        ModelError: A size libuv cannot have, a name used twice, a release of something unknown or not held.
    """

    def __init__(self, size: int, make: Callable[[int], Threadpool] = Threadpool) -> None:
        check_pool(size)
        self._queue = make(size)
        self._jobs: list[Job] = []
        self._index: dict[str, int] = {}
        self._open: set[int] = set()
        self._slots: list[int | None] = [None] * self._queue.size
        self._lane: dict[int, int] = {}
        self._parked = list(range(self._queue.size))
        self._left: dict[int, int] = {}
        self._started: list[int] = []
        self._finished: list[int] = []
        self._done: set[str] = set()
        self._followers: dict[str, list[int]] = {}
        self._calls: deque[int] = deque()

    @property
    def slots(self) -> tuple[str | None, ...]:
        """Return what each lane holds, None for a parked worker. Lanes of parked workers: compare as sets."""
        return tuple(None if task is None else self._jobs[task].name for task in self._slots)

    @property
    def held(self) -> tuple[str, ...]:
        """Return the held jobs in the order in which they started."""
        return tuple(self._jobs[task].name for task in self._started if task in self._lane)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Return what was asked for and not started: the line in order (names where libuv's marker stands)."""
        return tuple(self._jobs[task].name for task in self._queue.waiting())

    @property
    def started(self) -> tuple[str, ...]:
        """Return every job that was taken by a worker at least once, in that order."""
        return tuple(self._jobs[task].name for task in self._started)

    @property
    def finished(self) -> tuple[str, ...]:
        """Return the jobs that ended, in the order in which they did."""
        return tuple(self._jobs[task].name for task in self._finished)

    @property
    def names_in_flight(self) -> int:
        """Return how many names are being looked up: slow work inside a slot."""
        return self._queue.slow_running

    def submit(self, *jobs: Job) -> None:
        """Ask for jobs in one turn of the loop: callbacks run after the last. A job with ``after`` is asked for in one."""
        for job in jobs:
            if job.name in self._index:
                raise ModelError(f"A job called {job.name!r} was asked for before; each needs a name of its own.")
            task = len(self._jobs)
            self._jobs.append(job)
            self._index[job.name] = task
            self._left[task] = job.trips
            if job.after is None or job.after in self._done:
                self._post(task)
            else:
                self._followers.setdefault(job.after, []).append(task)
        self._settle()

    def release(self, name: str) -> tuple[str, ...]:
        """Open the gate of a held job and return the names that start because of it, in order.

        A job that is still waiting is only marked: it goes straight through when its turn comes (one opening, two done).

        Raises:
            ModelError: Nothing of that name was asked for, it is not a held one, or it was released before.
        """
        task = self._index.get(name)
        if task is None or self._jobs[task].service is not None:
            raise ModelError(f"{name!r} cannot be released: no held job of that name was asked for.")
        if task in self._open:
            raise ModelError(f"{name!r} was released before; a gate is opened once.")
        self._open.add(task)
        before = len(self._started)
        lane = self._lane.get(task)
        if lane is not None:
            self._end(lane)
            self._settle()
        return tuple(self._jobs[started].name for started in self._started[before:])

    def _post(self, task: int) -> None:
        self._queue.post(task, self._jobs[task].kind == "name")
        while self._parked and (taken := self._queue.take()) is not None:
            self._start(taken, heapq.heappop(self._parked))

    def _settle(self) -> None:
        """Let the loop hear of ends, in their order, and ask for what follows, until nothing moves."""
        while self._calls:
            self._call(self._calls.popleft())

    def _start(self, task: int, lane: int) -> None:
        if self._left[task] == self._jobs[task].trips:
            self._started.append(task)
        self._slots[lane] = task
        self._lane[task] = lane
        if self._jobs[task].service is not None or task in self._open:
            self._end(lane)

    def _end(self, lane: int) -> None:
        """Take a worker out of its task; it looks for the next by itself, before anybody else wakes."""
        task = self._slots[lane]
        assert task is not None  # only lanes that hold something are ended
        while True:
            self._queue.ended(self._jobs[task].kind == "name")
            del self._lane[task]
            self._slots[lane] = None
            self._calls.append(task)
            self._left[task] -= 1
            if not self._left[task]:
                self._finished.append(task)
            follower = self._queue.take()
            if follower is None:
                heapq.heappush(self._parked, lane)
                return
            if self._left[follower] == self._jobs[follower].trips:
                self._started.append(follower)
            self._slots[lane] = task = follower
            self._lane[task] = lane
            if self._jobs[task].service is None and task not in self._open:
                return

    def _call(self, task: int) -> None:
        if self._left[task]:
            self._post(task)
            return
        self._done.add(self._jobs[task].name)
        for follower in self._followers.pop(self._jobs[task].name, ()):
            self._post(follower)


def after_openings(size: int, jobs: Iterable[Job], openings: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return what is held, by order of start, before the first and after each opening."""
    pool = Pool(size)
    pool.submit(*jobs)
    trace = [pool.held]
    for name in openings:
        pool.release(name)
        trace.append(pool.held)
    return tuple(trace)
