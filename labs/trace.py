"""The pool's own trace: which job started and ended when, on which worker. Written by Node's native side, read afterwards.

Node reports jobs that go through ``ThreadPoolWork``: crypto, zlib, N-API, and on newer lines some of ``fs``; not plain file
calls and names (facts: Node 20 to 24). Times are the monotonic clock's. The writer uses the pool itself, for a few file
writes that show up in no trace; it writes when Node exits, so a process that is killed leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from labs.errors import NoisyError
from labs.measurement import Task

_FILE = "pool.trace"
#: Options for Node that make it write a trace into the folder it starts in.
OPTIONS = ("--trace-event-categories", "node.threadpoolwork", "--trace-event-file-pattern", _FILE)
#: A trace larger than this is not read (bytes): some 300 jobs make 100 kB.
_LARGEST = 16 * 1024 * 1024


class _Event(Struct, frozen=True):
    pid: int
    tid: int
    ts: int
    ph: str
    cat: str
    name: str
    tts: int = 0


class _File(Struct, frozen=True):
    traceEvents: tuple[_Event, ...]  # noqa: N815 - Chrome's name


class Trip(Struct, frozen=True):
    """One job's way through the pool (seconds of the monotonic clock).

    Attributes:
        submitted: When the loop's thread asked for it.
        started: When a worker took it, None where it never started.
        finished: When it ended there, None where it did not.
        lane: Its worker, numbered from 0 in the order in which they first took a job.
        cpu: Processor seconds the worker used for it.
    """

    submitted: float
    started: float | None = None
    finished: float | None = None
    lane: int | None = None
    cpu: float | None = None


def read(folder: Path, kind: str = "crypto") -> tuple[Trip, ...]:
    """Return the trips of one kind, in the order in which they were asked for; none where Node used no pool.

    Raises:
        NoisyError: The trace was not written to its end.
    """
    try:
        path = folder / _FILE
        data = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
        events = msgspec.json.decode(data, type=_File).traceEvents
    except (OSError, msgspec.MsgspecError, ValueError) as problem:
        raise NoisyError(
            "Node ended before it had written the trace of its pool. Nothing is lost; run the cell again."
        ) from problem
    return trips([event for event in events if event.name == kind])


def trips(events: list[_Event]) -> tuple[Trip, ...]:
    """Pair the events of one process: ``b`` asked for, ``B`` begun and ``E`` ended on a worker.

    One line, first come, first served: the k-th that begins is the k-th that was asked for (libuv `threadpool.c:143-161`).
    """
    asked = sorted(event.ts for event in events if event.ph == "b" and event.cat.endswith(".async"))
    lanes: dict[int, int] = {}
    begun: list[_Event] = []
    ended: dict[tuple[int, int], _Event] = {}
    open_on: dict[int, _Event] = {}
    for event in sorted((event for event in events if event.cat.endswith(".sync")), key=lambda event: event.ts):
        if event.ph == "B":
            lanes.setdefault(event.tid, len(lanes))
            begun.append(event)
            open_on[event.tid] = event
        elif event.ph == "E" and (start := open_on.pop(event.tid, None)) is not None:
            ended[(start.tid, start.ts)] = event
    found = []
    for index, at in enumerate(asked):
        start = begun[index] if index < len(begun) else None
        end = ended.get((start.tid, start.ts)) if start else None
        found.append(
            Trip(
                submitted=at / 1e6,
                # A worker can be so quick that its clock reading is a microsecond behind the loop's.
                started=max(start.ts, at) / 1e6 if start else None,
                finished=max(end.ts, at) / 1e6 if end else None,
                lane=lanes[start.tid] if start else None,
                cpu=(end.tts - start.tts) / 1e6 if start and end else None,
            )
        )
    return tuple(found)


def tasks(trips: tuple[Trip, ...], since_start: Callable[[float], float]) -> tuple[Task, ...]:
    """Return the trips as tasks of a run, named "1", "2", ... in the order in which they were asked for.

    ``since_start`` turns a moment of the monotonic clock into seconds since the run began.
    """

    def since(at: float | None) -> float | None:
        return None if at is None else since_start(at)

    return tuple(
        Task(
            name=str(number), kind="cpu", submitted=since(trip.submitted), started=since(trip.started),
            finished=since(trip.finished), lane=trip.lane,
        )
        for number, trip in enumerate(trips, 1)
    )  # fmt: skip


def first_end(trips: tuple[Trip, ...]) -> float | None:
    """Return when the first job ended, None where none did."""
    return min((trip.finished for trip in trips if trip.finished is not None), default=None)


def started_before(trips: tuple[Trip, ...], at: float | None) -> int:
    """Return how many jobs had started before that moment (all that ever did, for None)."""
    return sum(trip.started is not None and (at is None or trip.started < at) for trip in trips)


def asked_before(trips: tuple[Trip, ...], at: float | None) -> int:
    """Return how many jobs had been asked for before that moment (all of them, for None)."""
    return sum(at is None or trip.submitted < at for trip in trips)
