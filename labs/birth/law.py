"""What the counts of this lab are by the rules of libuv, for records that earn nothing."""

from __future__ import annotations

from collections.abc import Mapping

from labs.law import law, observed
from labs.measurement import Record, Run
from labs.poolsize import DEFAULT, in_force

#: Programs in which the size is set too late, or where C cannot see it.
_TOO_LATE = frozenset({"nothing", "mjs token", "late", "token", "worker", "replaced", "older mjs"})
#: What the environment had before a file named another size: it stays.
_SHELL: Mapping[str, int] = {"env-file shell": 3}
#: Address space of one thread (MiB): its stack.
_STACK = 8


def _outside(run: Run, record: Record) -> int:
    """Return the size that the run's environment asks for."""
    pool = run.parameters.get("pool")
    return in_force(pool if isinstance(pool, int | str) else None, record.node.uv)


def _inside(run: Run, record: Record) -> int | None:
    """Return the size of a program that sets it itself."""
    size = run.parameters.get("size")
    if not isinstance(size, int):
        return None
    return DEFAULT if run.name in _TOO_LATE else _SHELL.get(run.name, size)


def _jobs(run: Run, record: Record) -> int | None:
    jobs = run.counts.get("jobs")
    return jobs if isinstance(jobs, int) else None


def _lives(run: Run, record: Record) -> int | None:
    size, room = run.parameters.get("size"), run.counts.get("room")
    return int(size * _STACK <= room) if isinstance(size, int) and isinstance(room, int) else None


_FROM_OUTSIDE = "Threads in the pool after the first job, by what stood in UV_THREADPOOL_SIZE when Node started."
_FROM_INSIDE = "Threads in the pool: the size counts where it came before the first job and C can see it."

LAW = (
    *(law("birth", "threads", measure, observed("pool_threads"), _outside, _FROM_OUTSIDE)
      for measure in ("value", "bill", "odd", "sizes")),
    law("birth", "threads", "first", observed("more"), _outside, _FROM_OUTSIDE),
    *(law("birth", "threads", measure, observed("pool_threads"), _inside, _FROM_INSIDE) for measure in ("line", "ways")),
    law("birth", "drained", "exit", observed("made"), _jobs, "Folders that stand there: the pool works its line off before the process ends (but for lookups that wait)."),
    law("birth", "lives", "limit", observed("lives"), _lives,
        "Whether the process outlives its first job: where the stacks have no room, libuv ends it."),
)  # fmt: skip
