"""A job for the pool, and what the model says becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from labs.errors import FourThreadsError

Kind = Literal["cpu", "file", "name"]

#: How much an answer of the model can be relied upon; see :class:`Schedule`.
Certainty = Literal["exact", "proved", "sampled"]

#: libuv's own limits (`threadpool.c`, MAX_THREADPOOL_SIZE since 1.30).
LARGEST_POOL = 1024


class ModelError(FourThreadsError):
    """The model was asked about something that cannot be."""

    code = "model"


class Span(NamedTuple):
    """A moment, or the two moments between which it lies (seconds; equal where the model is sure)."""

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Say whether this is a point."""
        return self.low == self.high


class Job(Struct, frozen=True, gc=False):
    """One call that needs the pool.

    Attributes:
        name: Unique within one program.
        kind: ``cpu`` needs a core while it runs; ``file`` and ``name`` only wait. ``name`` is libuv's slow work.
        service: Seconds of one trip, alone on an idle machine; None is *held*: it ends when it is released.
        trips: Times it goes through the pool, one after the other (`readFile`, gzip). Each goes to the end of the line.
        at: When it is asked for (seconds); with ``after``, so much later than that job's end.
        after: The job whose end asks for this one, from its callback; None: the script asks for it by itself.
    """

    name: str
    kind: Kind = "cpu"
    service: float | None = 1.0
    trips: int = 1
    at: float = 0.0
    after: str | None = None


class Placed(Struct, frozen=True, gc=False):
    """When and where a job (or one trip of it) is in the pool.

    Attributes:
        submitted: When it joined the line; None where it was never asked for.
        started: When a worker took it; None where it never starts.
        finished: When it ended; None where it does not.
        lane: The slot, from 0; None while it has none, and for a job whose trips took different ones. Which of several
            parked workers wakes first is the operating system's business: compare lanes as sets.
    """

    name: str
    kind: Kind
    submitted: Span | None
    started: Span | None
    finished: Span | None
    lane: int | None
    trip: int = 1


class Schedule(Struct, frozen=True):
    """What the model says about one program.

    Attributes:
        pool: Slots.
        tasks: One entry a job, in the order in which they were given.
        trips: One entry a trip, by job and trip; the same tuple as ``tasks`` where every job takes one.
        makespan: From 0 to the last end of a job that ends.
        peak: The most slots taken at once (at most, where the scheduler decides).
        names_peak: The most names in flight at once (likewise).
        certainty: ``exact``: cores were never short, every moment is a point. ``proved``: the scheduler decides and every
            moment lies in its interval for any scheduler that meets the assumptions of `labs.sharing`. ``sampled``: mixed
            programs with short cores; the intervals hold what a few different schedulers do, without a proof.
    """

    pool: int
    tasks: tuple[Placed, ...]
    trips: tuple[Placed, ...]
    makespan: Span
    peak: int
    names_peak: int
    certainty: Certainty


def check_pool(size: int) -> None:
    """Refuse a pool that libuv cannot have.

    Raises:
        ModelError: Not a whole number from 1 to 1,024.
    """
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= LARGEST_POOL:
        raise ModelError(
            f"A pool has 1 to {LARGEST_POOL} slots; {size!r} was given. `labs.poolsize` reads odd settings."
        )


def check_jobs(jobs: Sequence[Job]) -> dict[str, int]:
    """Return where each name stands.

    Raises:
        ModelError: Two jobs of one name, a time that is negative or no number, no trip, an unknown or circular ``after``.
    """
    index = {job.name: place for place, job in enumerate(jobs)}
    if len(index) < len(jobs):
        seen: set[str] = set()
        twice = next(job.name for job in jobs if job.name in seen or seen.add(job.name))  # type: ignore[func-returns-value]  # add() in a condition
        raise ModelError(f"Two jobs are called {twice!r}; each needs a name of its own.")
    follows = False
    for job in jobs:
        if not 0 <= job.at < float("inf") or not (job.service is None or 0 <= job.service < float("inf")):
            raise ModelError(
                f"Job {job.name!r}: times are finite and not negative (at={job.at}, service={job.service})."
            )
        if job.trips < 1:
            raise ModelError(f"Job {job.name!r} makes {job.trips} trips; a job makes at least one.")
        follows = follows or job.after is not None
    if follows:
        _check_follows(jobs, index)
    return index


def _check_follows(jobs: Sequence[Job], index: dict[str, int]) -> None:
    for job in jobs:
        path = {job.name}
        after = job.after
        while after is not None:
            if after not in index:
                raise ModelError(f"Job {job.name!r} follows {job.after!r}, and no job is called {after!r}.")
            if after in path:
                raise ModelError(f"Job {job.name!r} waits for its own end (through {job.after!r}).")
            path.add(after)
            after = jobs[index[after]].after
