"""The helper process behind ``python -m labs measure`` and ``rehearse``: not the notebook's kernel, so that it can end."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from labs import cgroup, family, marker, measurement, proc, request, scratch
from labs.errors import FourThreadsError, SetupError
from labs.measurement import Clock, Machine, Record
from labs.request import Request
from labs.said import Restless
from labs.supervise import Cancelled, Conducted, Stage

#: How often a machine that is too busy is tried again.
_TRIES = 3


def measure(data: bytes, attached: int | None) -> bytes:
    """Answer one request with one record, both as JSON.

    Raises:
        FourThreadsError: With what to say to the one who asked.
        Cancelled: Nobody waits for the answer any more.
    """
    asked = request.decode(data)
    lab = procedure(asked.lab)
    with stage_for(asked, attached) as stage:
        load = proc.running()
        conducted = _conduct(lab, asked, stage)
        if stage.node is None:
            raise SetupError(f"The lab {asked.lab} started no Node for the measure {asked.measure!r}.")
        return measurement.encode(_record(asked, conducted, stage, load))


def procedure(slug: str) -> Any:
    """Return the module ``labs.SLUG.conduct``.

    Raises:
        SetupError: There is no such lab.
    """
    name = f"labs.{slug}.conduct"
    try:
        known = slug.isidentifier() and find_spec(name) is not None
    except ModuleNotFoundError:
        known = False
    if not known:
        raise SetupError(f"There is no lab called {slug!r}. `fourthreads labs` lists them.")
    return import_module(name)


@contextmanager
def stage_for(asked: Request, attached: int | None) -> Iterator[Stage]:
    """Prepare this process and this machine for one measurement; afterwards nothing of it is left."""
    family.adopt()
    marker.remove_leftovers()
    scratch.remove_leftovers()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    mark = marker.own()
    try:
        with scratch.scratch(mark) as folder:
            yield Stage(asked, folder, mark, attached)
    finally:
        family.end()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _conduct(lab: Any, asked: Request, stage: Stage) -> Conducted:
    for attempt in range(1, _TRIES + 1):
        try:
            conducted: Conducted = lab.conduct(asked, stage)
            return conducted
        except Restless:
            if attempt == _TRIES:
                raise
            stage.progress(attempt, _TRIES, "the machine is busy; trying again")
    raise AssertionError  # the loop returns or raises


def _record(asked: Request, conducted: Conducted, stage: Stage, load: float | None) -> Record:
    script = asked.script if asked.script is not None else conducted.script or procedure(asked.lab).script()
    assert stage.node is not None  # checked by measure()
    return Record(
        schema=1,
        lab=asked.lab,
        measure=asked.measure,
        parameters=asked.parameters,
        seed=asked.seed,
        draw=asked.draw,
        node=stage.node,
        machine=asked.machine or _machine(load, conducted.cores),
        room=asked.room,
        script=measurement.script_of(script),
        runs=conducted.runs,
        clock=Clock(wall=time.time(), monotonic=time.clock_gettime(time.CLOCK_BOOTTIME), boot=boot()),
        pairs=conducted.pairs,
        noise=asked.noise if conducted.noise.floor is None else conducted.noise,
        warnings=tuple(dict.fromkeys((*stage.scratch.warnings, *conducted.warnings))),
        image=os.environ.get("FOURTHREADS_IMAGE") if asked.room == "container" else None,
    )


def _machine(load: float | None, cores: int | None) -> Machine:
    """This machine as the runs had it, without a calibration (labs.machine does more, and takes longer to import)."""
    limit = cgroup.quota()
    return Machine(
        cores=len(os.sched_getaffinity(0)) if cores is None else cores,
        quota=limit.cores if limit else None,
        quota_period=limit.period if limit else None,
        load=load,
    )


def boot() -> str:
    """Return a digest that is equal within one boot of this machine and says nothing else."""
    text = Path("/proc/sys/kernel/random/boot_id").read_text()
    return hashlib.sha256(f"fourthreads:{text}".encode()).hexdigest()[:16]


def serve(verb: Callable[[bytes, int | None], bytes], *, attached: bool) -> int:
    """Read one request on stdin, answer on stdout; return the exit code.

    ``attached``: our caller keeps stdin open as long as it wants the answer; when it is closed, we stop. Without it
    the request ends with the input.
    """
    family.shut()
    # As process 1 of a container only the engine ends us, by force: a script may send us signals, and nobody else can.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if os.getpid() == 1 else _cancel)
    try:
        if attached:
            family.die_with_parent(signal.SIGTERM)
            with open(0, "rb", closefd=False, buffering=0) as stdin:
                data = _line(stdin)
            answer = verb(data, 0)
        else:
            answer = verb(sys.stdin.buffer.read(request.LARGEST_REQUEST + 1), None)
        code = 0
    except FourThreadsError as problem:
        answer, code = _problem(problem.code, str(problem)), 2
    except Cancelled:
        answer, code = _problem("cancelled", "The run was interrupted. Nothing of it is left. Run the cell again."), 2
    except Exception as problem:  # noqa: BLE001 - a fault of ours must reach the learner as a sentence, not a traceback
        import traceback

        refused = SetupError.refused(problem) if isinstance(problem, OSError) else None
        if refused is None:
            traceback.print_exc()
            answer, code = _problem("fault", f"{type(problem).__name__}: {problem}"), 2
        else:
            answer, code = _problem(refused.code, str(refused)), 2
    try:
        sys.stdout.buffer.write(answer + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os._exit(code)
    return code


def _line(stdin: Any) -> bytes:
    data = b""
    while not data.endswith(b"\n") and len(data) <= request.LARGEST_REQUEST:
        part = stdin.read(65536)
        if not part:
            raise Cancelled
        data += part
    return data


def _problem(code: str, message: str) -> bytes:
    import msgspec

    return msgspec.json.encode({"error": code, "message": message})


def _cancel(_number: int, _frame: object) -> None:
    # A second signal must not interrupt the cleaning up that the first one began.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise Cancelled
