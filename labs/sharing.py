"""How tasks that compute share the cores, as far as a model can know it.

With k tasks running and k at most the cores, each has a core and progresses at ``capacity(k) / k``: a point. With more, the
scheduler decides. Assumed of it, and of nothing else, when an interval is called *proved*:

1. no core idles while two tasks share one: together they progress at ``capacity(k)``;
2. no task is faster than a core to itself, and none slower than on a core that it shares with as many others as a spread over
   the cores that is off by one allows: ``ceil(k / cores) + 1`` tasks there.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from math import ceil, inf

from labs.capacity import Capacity

#: Given how many tasks compute, the rate of each (fair share and its bounds).
Rate = Callable[[int], float]
#: Given the tasks that compute, oldest first: the rate of each.
Split = Callable[[Sequence[int]], Sequence[float]]


def fair(capacity: Capacity) -> Rate:
    """Return equal shares of the capacity."""
    return lambda k: capacity.at(k) / k


def _of_a_core(capacity: Capacity, k: int) -> float:
    return capacity.at(k) / min(k, capacity.cores)


def fastest(capacity: Capacity, pool: int) -> Rate:
    """Return the most that one of k tasks can get; never rises with k, so that a faster world stays ahead."""
    rates = list(itertools.accumulate((_of_a_core(capacity, k) for k in range(pool, 0, -1)), max))
    return lambda k: rates[pool - k]


def slowest(capacity: Capacity, pool: int) -> Rate:
    """Return the least that one of k tasks can get; never rises with k, so that a slower world stays behind."""

    def least(k: int) -> float:
        sharing = ceil(k / capacity.cores) + 1 if k > capacity.cores else 1
        return min(_of_a_core(capacity, k) / sharing, capacity.at(k) / k)

    rates = list(itertools.accumulate((least(k) for k in range(1, pool + 1)), min))
    return lambda k: rates[k - 1]


class Equal:
    """Running tasks that all progress at one rate. Work is counted on a clock of its own, so a step costs O(log k)."""

    __slots__ = ("_at", "_heap", "_rate", "_seq", "_work", "most")

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._heap: list[tuple[float, int, int]] = []
        self._work = 0.0
        self._at = 0.0
        self._seq = 0
        self.most = 0

    def _advance(self, now: float) -> None:
        if self._heap and now > self._at:
            # Never past the next end, where rounding would let work go backwards.
            self._work = min(self._heap[0][0], self._work + (now - self._at) * self._rate(len(self._heap)))
        self._at = now

    def add(self, lane: int, work: float, now: float) -> None:
        """Let a task of so much work run in a lane from now on."""
        self._advance(now)
        self._seq += 1
        heapq.heappush(self._heap, (self._work + work, self._seq, lane))
        self.most = max(self.most, len(self._heap))

    def next_end(self) -> float:
        """Return when the next task ends if nothing else happens (infinite for none)."""
        if not self._heap:
            return inf
        return self._at + (self._heap[0][0] - self._work) / self._rate(len(self._heap))

    def end(self, now: float) -> int:
        """Take out the task that ends now and return its lane."""
        self._advance(now)
        self._work, _, lane = heapq.heappop(self._heap)
        return lane


class Unequal:
    """Running tasks whose rates a policy decides anew whenever one comes or goes."""

    def __init__(self, split: Split) -> None:
        self._split = split
        self._left: dict[int, float] = {}
        self._rates: Sequence[float] = ()
        self._at = 0.0
        self.most = 0

    def _advance(self, now: float) -> None:
        if now > self._at:
            for (lane, left), rate in zip(list(self._left.items()), self._rates, strict=True):
                self._left[lane] = max(0.0, left - (now - self._at) * rate)
        self._at = now

    def add(self, lane: int, work: float, now: float) -> None:
        """Let a task of so much work run in a lane from now on."""
        self._advance(now)
        self._left[lane] = work
        self.most = max(self.most, len(self._left))
        self._rates = self._split(list(self._left))

    def _ends(self) -> list[tuple[float, int]]:
        return [
            (self._at + (left / rate if left else 0.0), lane)
            for (lane, left), rate in zip(self._left.items(), self._rates, strict=True)
            if rate > 0 or not left
        ]

    def next_end(self) -> float:
        """Return when the next task ends if nothing else happens (infinite for none)."""
        return min(self._ends(), default=(inf, 0))[0]

    def end(self, now: float) -> int:
        """Take out the task that ends now and return its lane."""
        lane = min(self._ends())[1]
        self._advance(now)
        del self._left[lane]
        self._rates = self._split(list(self._left))
        return lane


def oldest_first(capacity: Capacity) -> Split:
    """Return the policy that gives whole cores to the tasks that came first, nothing to the rest."""

    def split(lanes: Sequence[int]) -> Sequence[float]:
        served = min(len(lanes), capacity.cores)
        return [capacity.at(len(lanes)) / served if place < served else 0.0 for place in range(len(lanes))]

    return split


def newest_first(capacity: Capacity) -> Split:
    """Return the policy that gives whole cores to the tasks that came last, nothing to the rest."""
    oldest = oldest_first(capacity)
    return lambda lanes: list(reversed(oldest(lanes)))


def by_core(capacity: Capacity) -> Split:
    """Return the policy of a real scheduler: a task stays on its core, the cores stay even within one.

    A task that comes goes to the emptiest core. When a core has two tasks more than another, its newest moves.
    """
    home: dict[int, int] = {}

    def split(lanes: Sequence[int]) -> Sequence[float]:
        for gone in home.keys() - set(lanes):
            del home[gone]
        load = [0] * capacity.cores
        for core in home.values():
            load[core] += 1
        for lane in lanes:
            if lane not in home:
                home[lane] = load.index(min(load))
                load[home[lane]] += 1
        while max(load) > min(load) + 1:
            full, free = load.index(max(load)), load.index(min(load))
            mover = [lane for lane in lanes if home[lane] == full][-1]
            home[mover] = free
            load[full] -= 1
            load[free] += 1
        busy = sum(1 for tasks in load if tasks)
        return [capacity.at(len(lanes)) / busy / load[home[lane]] for lane in lanes]

    return split
