"""Every rest that libuv may come to after one step, whatever thread the operating system lets run first.

A second, independent transcript of `threadpool.c`: the loop's thread and the workers are actors, each acts when the scheduler
lets it, and all orders are tried. One outcome means that the model can be held to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from labs.job import Job

#: A trip of a job: its name, and how many are left with this one.
Trip = tuple[str, int]
MARKER: Trip = ("", 0)


class State(NamedTuple):
    """The pool between two acts of any thread.

    Attributes:
        line: ``wq``.
        pending: ``slow_io_pending_wq``.
        inside: What is inside a worker.
        slow: ``slow_io_work_running``.
        parked: Workers in their wait.
        looking: Workers that will look at the line next.
        leaving: Workers that came out of a name and have not said so yet.
        told: Ends that the loop has not heard of, in order.
        todo: Requests that the loop makes next.
        opened: Gates that are open.
        finished: Jobs whose last callback ran.
    """

    line: tuple[Trip, ...]
    pending: tuple[Trip, ...]
    inside: frozenset[Trip]
    slow: int
    parked: int
    looking: int
    leaving: int
    told: tuple[Trip, ...]
    todo: tuple[Trip, ...]
    opened: frozenset[str]
    finished: frozenset[str]


def at_first(size: int) -> State:
    """Return a pool to which nothing happened yet."""
    return State((), (), frozenset(), 0, size, 0, 0, (), (), frozenset(), frozenset())


class World:
    """The jobs of a program, as far as it has come; what happens to them is in the states."""

    def __init__(self, size: int) -> None:
        self.threshold = (size + 1) // 2
        self.jobs: dict[str, Job] = {}
        self.followers: dict[str, list[Job]] = {}

    def submit(self, state: State, jobs: Sequence[Job]) -> frozenset[State]:
        """Return the rests after a burst; the jobs belong to the world from then on."""
        todo = []
        for job in jobs:
            self.jobs[job.name] = job
            if job.after is None or job.after in state.finished:
                todo.append((job.name, job.trips))
            else:
                self.followers.setdefault(job.after, []).append(job)
        return self._rests(state._replace(todo=tuple(todo)))

    def forget(self, jobs: Sequence[Job]) -> None:
        """Take a burst back."""
        for job in jobs:
            del self.jobs[job.name]
            if job in self.followers.get(job.after or "", ()):
                self.followers[job.after or ""].remove(job)

    def release(self, state: State, name: str) -> frozenset[State]:
        """Return the rests after a gate was opened."""
        return self._rests(state._replace(opened=state.opened | {name}))

    def _rests(self, state: State) -> frozenset[State]:
        seen = {state}
        todo = [state]
        rests = set()
        while todo:
            state = todo.pop()
            moved = False
            for after in self._acts(state):
                moved = True
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
            if not moved:
                rests.add(state)
        return frozenset(rests)

    def _acts(self, state: State) -> Iterator[State]:
        if state.todo:
            yield self._post(state._replace(todo=state.todo[1:]), state.todo[0])
        elif state.told:
            yield self._hear(state._replace(told=state.told[1:]), *state.told[0])
        if state.looking:
            yield self._look(state)
        if state.leaving:
            yield state._replace(leaving=state.leaving - 1, slow=state.slow - 1, looking=state.looking + 1)
        for trip in state.inside:
            job = self.jobs[trip[0]]
            if job.service is not None or job.name in state.opened:
                out = state._replace(inside=state.inside - {trip}, told=(*state.told, trip))
                name = job.kind == "name"
                yield out._replace(leaving=out.leaving + name, looking=out.looking + (not name))

    def _post(self, state: State, trip: Trip) -> State:
        if self.jobs[trip[0]].kind == "name":
            state = state._replace(pending=(*state.pending, trip))
            if MARKER in state.line:
                return state
            trip = MARKER
        return _signal(state._replace(line=(*state.line, trip)))

    def _hear(self, state: State, name: str, left: int) -> State:
        if left > 1:
            return state._replace(todo=((name, left - 1),))
        todo = tuple((job.name, job.trips) for job in self.followers.get(name, ()))
        return state._replace(todo=todo, finished=state.finished | {name})

    def _look(self, state: State) -> State:
        full = state.slow >= self.threshold
        if not state.line or (full and state.line == (MARKER,)):
            return state._replace(looking=state.looking - 1, parked=state.parked + 1)
        head, rest = state.line[0], state.line[1:]
        if head != MARKER:
            return state._replace(line=rest, inside=state.inside | {head}, looking=state.looking - 1)
        if full:
            return state._replace(line=(*rest, MARKER))
        name, *more = state.pending
        state = state._replace(
            line=rest, pending=tuple(more), inside=state.inside | {name}, slow=state.slow + 1, looking=state.looking - 1
        )
        return _signal(state._replace(line=(*rest, MARKER))) if more else state


def _signal(state: State) -> State:
    return state._replace(parked=state.parked - 1, looking=state.looking + 1) if state.parked else state
