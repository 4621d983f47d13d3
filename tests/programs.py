"""Random programs for the pool: requests and releases, one step after the other, each run to rest."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from msgspec import Struct

from labs.job import Job
from labs.libuv import Threadpool
from labs.pool import Pool
from tests.interleavings import MARKER, State, World, at_first


class Step(Struct, frozen=True, omit_defaults=True):
    """One step: jobs asked for in one burst, or a gate opened (a name answered)."""

    submit: tuple[Job, ...] = ()
    release: str | None = None


class Program(Struct, frozen=True):
    """A pool size and the steps."""

    pool: int
    steps: tuple[Step, ...]

    @property
    def has_names(self) -> bool:
        """Say whether it looks names up, so that it needs a name server of its own."""
        return any(job.kind == "name" for step in self.steps for job in step.submit)


class Rest(Struct, frozen=True):
    """What is seen at rest after a step, each sorted: which lane, and which callback first, is not the model's to say.

    Attributes:
        held: Gates and names inside a worker.
        finished: Jobs whose callback ran.
    """

    held: tuple[str, ...]
    finished: tuple[str, ...]


def predicted(program: Program, make: Callable[[int], Threadpool] = Threadpool) -> tuple[Rest, ...]:
    """Return what the model says is seen after every step."""
    pool = Pool(program.pool, make)
    seen = []
    for step in program.steps:
        pool.submit(*step.submit)
        if step.release is not None:
            pool.release(step.release)
        seen.append(Rest(tuple(sorted(pool.held)), tuple(sorted(pool.finished))))
    return tuple(seen)


def seen_of(state: State) -> Rest:
    """Return what is seen of a state at rest."""
    return Rest(tuple(sorted(name for name, _ in state.inside)), tuple(sorted(state.finished)))


def waiting_of(state: State) -> set[str]:
    """Return what waits at rest."""
    return {name for name, _ in (*state.line, *state.pending) if name != MARKER[0]}


@st.composite
def programs(draw: st.DrawFn, names: bool) -> Program:
    """Draw a program in which nothing is left to chance.

    A burst whose outcome depends on how fast workers wake (names before files, while workers are parked) is made of single
    requests instead; a step that still has several outcomes is left out. So a difference from Node is a difference.
    """
    size = draw(st.sampled_from([1, 2, 2, 3, 3, 4, 4, 5, 6, 8]))
    world, state = World(size), at_first(size)
    steps: list[Step] = []
    made = 0
    for _ in range(draw(st.integers(4, 14))):
        held = sorted(name for name, _ in state.inside)
        early = sorted(name for name in waiting_of(state) - state.opened if world.jobs[name].service is None)
        early = [name for name in early if world.jobs[name].kind == "file"]
        # Mostly somebody who is held is let go; sometimes a gate is opened that still waits.
        choices = early if early and draw(st.integers(0, 3)) == 0 else held
        # The more waits, the sooner somebody is let go: a short line tells little.
        if bool(choices) and draw(st.integers(0, 5)) < len(waiting_of(state)):
            name: str = draw(st.sampled_from(choices))
            rests = world.release(state, name)
            if len(rests) == 1:
                (state,) = rests
                steps.append(Step(release=name))
            continue
        burst: list[Job] = []
        length: int = draw(st.integers(1, 5))
        for _ in range(length):
            made += 1
            burst.append(draw(_job(made, names, [job.name for job in burst] + held)))
        rests = world.submit(state, burst)
        if len(rests) == 1:
            (state,) = rests
            steps.append(Step(submit=tuple(burst)))
            continue
        world.forget(burst)
        for job in burst:
            if job.after is not None and job.after not in world.jobs:
                continue
            rests = world.submit(state, [job])
            if len(rests) > 1:
                world.forget([job])
                continue
            (state,) = rests
            steps.append(Step(submit=(job,)))
    return Program(size, tuple(steps))


def _job(number: int, names: bool, before: list[str]) -> st.SearchStrategy[Job]:
    makes = {
        "gate": lambda after: Job(f"g{number}", "file", None, after=after),
        "name": lambda after: Job(f"n{number}", "name", None, after=after),
        "hash": lambda after: Job(f"h{number}", "cpu", 0.0, after=after),
        "read": lambda after: Job(f"r{number}", "file", 0.0, trips=4, after=after),
    }
    kinds = ["gate"] * 4 + ["hash", "read"] + (["name"] * 5 if names else [])
    nobody: st.SearchStrategy[str | None] = st.none()
    somebody: st.SearchStrategy[str | None] = st.sampled_from(before)
    after = st.one_of(nobody, nobody, somebody) if before else nobody
    return st.sampled_from(kinds).flatmap(lambda kind: after.map(makes[kind]))
