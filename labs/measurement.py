"""What was measured: the record, frozen and strict on the way in.

Every time is in seconds on the room's monotonic clock, counted from the start of its run. A record is made by
``python -m labs`` inside a room and never changed afterwards; whoever reads one calls :func:`decode`, which refuses
what no real run can have produced and names the path of the field.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from labs.errors import RecordError

# Schema history, newest first.
#   1  2026-11-30  first version
SCHEMA = 1

#: A record larger than this is refused before it is parsed (bytes).
LARGEST_RECORD = 8 * 1024 * 1024

Seconds = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=0)]
Source = Literal["observed", "claimed"]
Scalar = int | float | bool | str | None
Value = Scalar | list[Scalar]
Parameters = dict[str, Value]


class _Strict(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Frozen; a key that is not a field is refused."""


class Task(_Strict, frozen=True):
    """One request to the pool.

    Attributes:
        name: What the lab calls it: ``"3"`` for gate 3, ``"stat"`` for the canary.
        kind: ``file`` (an open that is held), ``cpu`` (a hash), ``name`` (a lookup).
        submitted: When the script asked for it (seconds), null where unknown.
        started: When a worker took it, null where it never started or where that is unknown.
        finished: When it ended, null where it did not or where that is unknown.
        lane: The slot it ran in, from 0; null where unknown.
    """

    name: str
    kind: Literal["file", "cpu", "name"]
    submitted: Seconds | None = None
    started: Seconds | None = None
    finished: Seconds | None = None
    lane: Count | None = None


class Thread(_Strict, frozen=True):
    """One thread of the observed Node at a moment of rest.

    Attributes:
        name: The thread's own name, or ``"new thread"`` on Node lines that do not name pool workers.
        role: ``worker`` (of the pool), ``main`` (runs the JavaScript), ``other``.
        state: ``held`` (asleep inside a task), ``parked`` (in the pool's own wait), ``running``, ``asleep``.
        call: The system call it is in, such as ``openat``; empty while it runs.
        task: The name of the task that holds it, null where none or unknown.
        cpu: Processor seconds it has used.
        run_queue: Seconds it was ready to run and waited for a core; null where the kernel does not tell.
    """

    name: str
    role: Literal["worker", "main", "other"]
    state: Literal["held", "parked", "running", "asleep"]
    call: str
    task: str | None = None
    cpu: Seconds = 0.0
    run_queue: Seconds | None = None


class Step(_Strict, frozen=True):
    """What was seen at rest after one action of the conductor.

    Attributes:
        action: ``"start"``, or what was done: ``"open 2"``.
        slots: One entry a pool thread that exists, in a stable order: the task it holds, or null while it is parked.
        waiting: Tasks asked for and not started, in the order in which they were asked for.
        finished: Tasks that ended, in the order in which that was noticed.
        at: When rest was reached (seconds).
    """

    action: str
    slots: tuple[str | None, ...] = ()
    waiting: tuple[str, ...] = ()
    finished: tuple[str, ...] = ()
    at: Seconds = 0.0


Phase = Literal["main", "timers", "poll", "check", "closing"]


class Callback(_Strict, frozen=True):
    """One callback that ran on the loop's thread, as Node's own trace tells.

    Attributes:
        name: What the script calls it (claimed).
        kind: What asked for it: ``tick``, ``promise``, ``timeout``, ``immediate``, ``file``, ...
        phase: Where the loop stood; ticks and promises run in the phase of the callback they follow.
        asked_in: The kind of callback in which it was asked for; ``main`` for the script itself.
        asked_id: The trace's number of that very callback: equal for what was asked for in one and the same.
        at: When it began (seconds).
        turn: How often the loop had polled by then, as libuv counts (claimed); null where Node does not tell.
    """

    name: str
    kind: str
    phase: Phase
    asked_in: str
    asked_id: Count
    at: Seconds
    turn: Count | None = None


Ending = Literal["stopped", "exited", "died", "time", "output", "memory", "processes", "file-size"]


class Run(_Strict, frozen=True):
    """One Node process with one parameter set.

    Attributes:
        name: Which part of the measure this run is, such as ``"start"`` or ``"all-at-once"``.
        parameters: What the run was given, ``pool`` among it (an integer, a text for odd values, or null for unset).
        counts: Named integers; each is observed by the supervisor or claimed by the script.
        sources: Count name -> where it comes from; same keys as ``counts``.
        tasks: The requests of the run.
        steps: What was seen at rest, in order.
        threads: The threads at the last rest before the end.
        callbacks: Callbacks in the order in which they ran, where a lab looks at the loop.
        claims: What the script reported, as it is; never a ground for structural marks.
        text: The end of what the script printed, kept and never parsed.
        wall: How long the process lived (seconds).
        cpu: Processor seconds of the process and its children.
        ended: ``stopped`` by us at the end of the measurement, ``exited`` by itself, ``died`` of a signal or an
            uncaught error, or which bound it ran into.
        exit_code: Where it exited by itself.
    """

    name: str
    parameters: Parameters = {}
    counts: dict[str, Count] = {}
    sources: dict[str, Source] = {}
    tasks: tuple[Task, ...] = ()
    steps: tuple[Step, ...] = ()
    threads: tuple[Thread, ...] = ()
    callbacks: tuple[Callback, ...] = ()
    claims: dict[str, Any] = {}
    text: str = ""
    wall: Seconds = 0.0
    cpu: Seconds = 0.0
    ended: Ending = "stopped"
    exit_code: int | None = None


class Pair(_Strict, frozen=True):
    """Two runs made one right after the other, for a ratio, with the capacity seen beside them.

    Attributes:
        name: Which ratio this pair belongs to.
        first: Which of the two ran first.
        numerator: Seconds of the run above the line.
        denominator: Seconds of the run below the line.
        control: Capacity measured in situ with independent workers (runs' worth of work at once).
        throttled: Seconds the cgroup was throttled during the pair.
    """

    name: str
    first: Literal["numerator", "denominator"]
    numerator: Seconds
    denominator: Seconds
    control: Seconds
    throttled: Seconds = 0.0


class Node(_Strict, frozen=True):
    """Which Node: its version and libuv's, as it reports them in ``process.versions``."""

    version: str
    uv: str


class Machine(_Strict, frozen=True):
    """The machine as the room saw it.

    Attributes:
        cores: Cores this process may run on (affinity mask).
        capacity: ``capacity[k-1]``: work done per unit time by k runnable threads, in units of one thread alone.
            Empty where the measure needs no calibration.
        quota: Cores that the cgroup allows on the average, null without a limit.
        quota_period: The quota's period (seconds), null without a limit.
        load: Runnable processes beside ours when the measurement began, null where unknown.
    """

    cores: Annotated[int, Meta(ge=1)]
    capacity: tuple[Seconds, ...] = ()
    quota: Seconds | None = None
    quota_period: Seconds | None = None
    load: Seconds | None = None


class Script(_Strict, frozen=True):
    """The JavaScript that ran, with the SHA-256 of its UTF-8 bytes (hex)."""

    text: str
    sha256: str


class Noise(_Strict, frozen=True):
    """How far a measurement differs from itself: the A/A floor as a ratio (1 = no noise), null where not measured."""

    floor: Annotated[float, Meta(ge=1)] | None = None


class Clock(_Strict, frozen=True):
    """When the record was made.

    Attributes:
        wall: Seconds since 1970 (UTC).
        monotonic: Seconds since the machine started.
        boot: A digest that is equal for records of one boot and says nothing else.
    """

    wall: Seconds
    monotonic: Seconds
    boot: str


class Record(_Strict, frozen=True):
    """One measurement: everything a verdict needs, and no name of a person or a machine.

    Attributes:
        schema: :data:`SCHEMA`.
        lab: The lab's slug.
        measure: Which measure of the lab, such as ``"one gate"``.
        parameters: What was asked for (the draw, and what the learner typed).
        seed: The seed of the draw.
        draw: Which draw of the measure, from 0.
        room: ``here``, ``namespace``, ``container`` or ``replay``.
        image: Digest of the container image, null elsewhere.
    """

    schema: Literal[1]
    lab: str
    measure: str
    parameters: Parameters
    seed: Count
    draw: Count
    node: Node
    machine: Machine
    room: Literal["here", "namespace", "container", "replay"]
    script: Script
    runs: tuple[Run, ...]
    clock: Clock
    pairs: tuple[Pair, ...] = ()
    noise: Noise = Noise()
    warnings: tuple[str, ...] = ()
    image: str | None = None


def script_of(text: str) -> Script:
    """Return the script with its digest."""
    return Script(text=text, sha256=hashlib.sha256(text.encode()).hexdigest())


def encode(record: Record) -> bytes:
    """Return the record as JSON (UTF-8, one line)."""
    return msgspec.json.encode(record)


def decode(data: bytes) -> Record:
    """Read a record from JSON.

    Raises:
        RecordError: The bytes are not a record this version can trust; the message starts with the field's path.
    """
    if len(data) > LARGEST_RECORD:
        raise RecordError("$", f"is {len(data)} bytes long; at most {LARGEST_RECORD} are read")
    schema = _schema(data)
    if schema > SCHEMA:
        raise RecordError("$.schema", f"is {schema}; this version reads up to {SCHEMA}. Update Four Threads to read it")
    try:
        record = msgspec.json.decode(data, type=Record)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise RecordError.of(problem) from problem
    check(record)
    return record


def _schema(data: bytes) -> int:
    class Head(Struct):
        schema: int

    try:
        return msgspec.json.decode(data, type=Head).schema
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise RecordError.of(problem) from problem


def check(record: Record) -> None:
    """Refuse what no real run can have produced.

    Raises:
        RecordError: With the path of the first field that cannot be.
    """
    if record.script != script_of(record.script.text):
        raise RecordError("$.script.sha256", "is not the digest of $.script.text")
    for index, run in enumerate(record.runs):
        _check_run(run, f"$.runs[{index}]")


def _check_run(run: Run, path: str) -> None:
    if odd := run.counts.keys() ^ run.sources.keys():
        raise RecordError(f"{path}.sources", f"must name the same counts as {path}.counts; differs in {sorted(odd)}")
    threads = run.counts.get("pool_threads")
    held = run.counts.get("held_slots")
    if threads is not None and held is not None and held > threads:
        raise RecordError(f"{path}.counts.held_slots", f"is {held}, more than the {threads} threads of the pool")
    _check_finite(run.claims, f"{path}.claims")
    for index, task in enumerate(run.tasks):
        _check_order(task, f"{path}.tasks[{index}]")
    for index, (first, second) in enumerate(pairwise(run.callbacks), 1):
        if second.at < first.at:
            raise RecordError(
                f"{path}.callbacks[{index}].at", f"is {second.at} s, before the one it follows ({first.at} s)"
            )
    _check_lanes(run, path)
    for index, step in enumerate(run.steps):
        here = f"{path}.steps[{index}]"
        if threads is not None and len(step.slots) > threads:
            raise RecordError(f"{here}.slots", f"has {len(step.slots)} slots; the pool has {threads} threads")
        held_names = [name for name in step.slots if name is not None]
        for name, places in Counter([*held_names, *step.waiting, *step.finished]).items():
            if places > 1:
                raise RecordError(here, f"has task {name!r} in {places} places at once")


def _check_finite(value: object, path: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise RecordError(path, "is not a finite number")
    if isinstance(value, Mapping):
        for key, item in value.items():
            _check_finite(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_finite(item, f"{path}[{index}]")


def _check_order(task: Task, path: str) -> None:
    known = [(name, at) for name in ("submitted", "started", "finished") if (at := getattr(task, name)) is not None]
    for (earlier, first), (later, second) in pairwise(known):
        if second < first:
            raise RecordError(f"{path}.{later}", f"is {second} s, before {earlier} ({first} s)")


def _check_lanes(run: Run, path: str) -> None:
    lanes: dict[int, list[tuple[float, float, int]]] = {}
    for index, task in enumerate(run.tasks):
        if task.lane is None or task.started is None:
            continue
        finished = math.inf if task.finished is None else task.finished
        lanes.setdefault(task.lane, []).append((task.started, finished, index))
    for lane, spans in lanes.items():
        spans.sort()
        for (_, end, _), (start, _, index) in pairwise(spans):
            if start < end:
                problem = f"is {start} s, while lane {lane} is taken until {end} s"
                raise RecordError(f"{path}.tasks[{index}].started", problem)
    threads = run.counts.get("pool_threads")
    if threads is not None and lanes and max(lanes) >= threads:
        raise RecordError(f"{path}.tasks", f"run in lane {max(lanes)}; the pool has {threads} threads, numbered from 0")
