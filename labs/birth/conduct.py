"""How ``birth`` is measured: the pool's threads counted in ``/proc`` while the program stands still at a known line.

Threads, address space, memory, descriptors and folders made are *observed*; what the program's own ``process.env`` shows, which
module it loaded and how many callbacks it had are *claimed*.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from labs import proc
from labs.birth import situations
from labs.birth.rehearse import Findings
from labs.birth.rehearse import rehearse as dry_run
from labs.birth.situations import Situation
from labs.errors import NoisyError, ScriptError, SetupError
from labs.given import procedure, whole
from labs.launch import Bounds
from labs.measurement import Run, Source, Thread
from labs.observe import Observer
from labs.phases.further import older
from labs.request import Request
from labs.supervise import Conducted, NodeRun, Stage

BOUNDS = Bounds(wall=20.0, stall=6.0)
PRELOAD = Path(__file__).with_name("preload.cjs")
#: No tick of the timer beside the script falls into a run.
NO_TICK = 3600.0
GATES = 4
_MiB = 1024 * 1024
#: glibc may give a thread that calls malloc an arena of 64 MiB of address space: none of the pool's own, so there is only one.
_ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
#: What is left of address space in the free measure ``limit``: enough for 32 stacks, not for 1,024.
ROOM = 512 * _MiB


def script() -> str:
    """Return the lab's own script."""
    return Path(__file__).with_name("experiment.cjs").read_text(encoding="utf-8")


def conduct(request: Request, stage: Stage) -> Conducted:
    """Run one measure of the lab.

    Raises:
        SetupError: The request asks for what this lab cannot measure.
        NoisyError: The machine was too busy.
        ScriptError: The script ended the measurement.
    """
    made = procedure(request, _PROCEDURES)
    return Conducted(runs=tuple(made(request, stage)), warnings=stage.scratch.warnings)


def rehearse(request: Request, stage: Stage) -> Findings:
    """Run the learner's script once with nothing set, and say what it did; not how many threads there were."""
    return dry_run(request, stage, PRELOAD, NO_TICK, GATES)


def workers(pid: int) -> int:
    """Return how many threads of a process are workers of the pool, by name (libuv 1.50 on)."""
    return len(Observer(pid, "1.50", ()).workers())


def stand(run: NodeRun, number: int) -> bool:
    """Wait until the program stands still at its look of that number, from 1; False where it ended before.

    Raises:
        NoisyError: It neither ended nor came there in time.
    """
    if run.wait_until(lambda: len(run.reported("look")) >= number, within=15.0):
        return True
    if run.ending is None:
        raise NoisyError(
            "Your machine was too busy to get to the first job. Nothing is lost; run the cell again later."
        )
    return len(run.reported("look")) >= number and run.ending is None


def usage(pid: int) -> dict[str, int]:
    """Return a process's address space and resident memory in KiB, its threads and its descriptors."""
    text = Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return {
        "space": int(fields["VmSize"].split()[0]), "resident": int(fields["VmRSS"].split()[0]),
        "threads": int(fields["Threads"]), "files": len(proc.open_files(pid)),
    }  # fmt: skip


def counted(stage: Stage, what: Situation, size: int | str, file: Path | None = None) -> Run:
    """Run one situation and count its pool where it stands at its end."""
    place = {"ENV_FILE": str(file), "NUMBER": str(size)}
    options = [_filled(option, place) for option in what.options]
    outside = what.outside if what.outside is not True else size
    with _launched(
        stage, what.text, what.slug, {"size": size, **({"file": str(file)} if what.slug == "load" else {})},
        str(outside) if what.outside is not False else None, what.module, options,
    ) as run:  # fmt: skip
        if not stand(run, 1):
            raise run.failure()
        pid = run.pid
        if what.child:
            pid = next(iter(proc.children(run.pid)), run.pid)
        shown = run.reported("shown")[-1]
        return run.finish(counts={"pool_threads": workers(pid)}, claims={"shown": shown})


def _filled(text: str, place: Mapping[str, str]) -> str:
    for name, value in place.items():
        text = text.replace(name, value)
    return text


def _launched(
    stage: Stage, text: str, name: str, parameters: Mapping[str, Any], pool: int | str | None, module: Any = "cjs",
    options: list[str] | None = None, node: Path | None = None,
) -> AbstractContextManager[NodeRun]:  # fmt: skip
    return stage.launch(
        text, name=name, parameters=parameters, pool=pool, gates=GATES, tick=NO_TICK, module=module,
        node_args=("--require", str(PRELOAD), *(options or ())), bounds=BOUNDS, environment=_ONE_ARENA, node=node,
    )  # fmt: skip


def _size(request: Request, name: str = "size", most: int = 1024) -> int:
    return whole(request.parameters, name, 1, most)


def _first(request: Request, stage: Stage) -> list[Run]:
    size, jobs = _size(request), _size(request, "jobs", 500)
    with _launched(stage, script(), "first", {"jobs": jobs, "size": size}, size) as run:
        counts: dict[str, int] = {}
        threads: tuple[Thread, ...] = ()
        for number, name in enumerate(("before", "after", "more"), 1):
            if not stand(run, number):
                raise run.failure()
            counts[name] = workers(run.pid)
            counts[f"{name}_all"] = len(proc.tids(run.pid))
            if name == "after":
                threads = _threads(run)
            run.open_gate(number)
        return [replace(run.finish(counts=counts), threads=threads)]


def _threads(run: NodeRun) -> tuple[Thread, ...]:
    """Return the threads at rest: who fetched the one answer goes back to the pool's wait a moment after it is there."""
    seen = Observer(run.pid, "1.50", ())
    run.wait_until(seen.is_idle, within=1.0)
    return seen.details({}, seen.look())


def _line(request: Request, stage: Stage) -> list[Run]:
    size = _size(request)
    made = []
    for done, what in enumerate(situations.LINES.values()):
        stage.progress(done, len(situations.LINES), what.title)
        made.append(counted(stage, what, size))
    return made


def _value(request: Request, stage: Stage) -> list[Run]:
    values = cast(Any, request.parameters.get("values"))
    if (
        not isinstance(values, list)
        or not values
        or not all(isinstance(value, str) and len(value) < 40 for value in values)
    ):
        raise SetupError(f"The values must be texts of less than 40 characters, not {values!r}.")
    made = []
    for done, value in enumerate(values):
        stage.progress(done, len(values), f"UV_THREADPOOL_SIZE={value}")
        with _launched(stage, situations.BILL, value or "empty", {"value": value}, value) as run:
            if not stand(run, 1):
                raise run.failure()
            run.open_gate(1)
            if not stand(run, 2):
                raise run.failure()
            made.append(run.finish(counts={"pool_threads": workers(run.pid)}))
    return made


def bill(stage: Stage, size: int) -> Run:
    """Count what a pool of that size adds to the process that makes it."""
    with _launched(stage, situations.BILL, str(size), {"size": size}, size) as run:
        if not stand(run, 1):
            raise run.failure()
        before = usage(run.pid)
        run.open_gate(1)
        if not stand(run, 2):
            raise run.failure()
        # The gate that was opened between is a descriptor of this lab's own making, and is closed again by now.
        after = usage(run.pid)
        counts = {f"more_{name}": max(0, after[name] - before[name]) for name in before}
        return run.finish(counts={"pool_threads": workers(run.pid), **counts, "space_before": before["space"]})


def _bill(request: Request, stage: Stage) -> list[Run]:
    return [bill(stage, _size(request))]


def _sizes(request: Request, stage: Stage) -> list[Run]:
    sizes = (4, 8) if request.smoke else (4, 8, 128, 1024)
    return [bill(stage, size) for size in sizes]


def _exit(request: Request, stage: Stage) -> list[Run]:
    jobs = _size(request, "jobs", 500)
    with _launched(stage, situations.EXIT, "exit", {"jobs": jobs}, 1) as run:
        run.wait_exit()
        if run.exit_code != 0:
            raise run.failure()
        back = next(iter(run.reported("back")), 0)
        folder = run.experiment.folder
        made = sum(path.is_dir() for path in folder.glob("made-*"))
        counts = {"made": made, "jobs": jobs, "back": back if isinstance(back, int) and back >= 0 else 0}
        claimed: dict[str, Source] = {"back": "claimed"}
        return [run.finish(counts=counts, sources=claimed)]


def _own(request: Request, stage: Stage) -> list[Run]:
    """Run the learner's program with nothing set outside; in ``both`` a second time, with the operator's size set."""
    if request.script is None:
        raise SetupError("This measure runs a script of yours.")
    size, given = _size(request), _size(request, "given")
    outside: dict[str, int | None] = {"nothing set": None} | (
        {"set outside": given} if request.measure == "both" else {}
    )
    made = []
    for done, (name, pool) in enumerate(outside.items()):
        stage.progress(done, len(outside), f"your program, {name}")
        with _launched(stage, request.script, name, {"size": size}, pool) as run:
            counts: dict[str, int] = {}
            if stand(run, 1):
                counts["pool_threads"] = workers(run.pid)
            elif run.exit_code != 0:
                raise run.failure()
            shown = next(iter(run.reported("shown")), None)
            counts["token_loaded"] = run.reported("loaded").count("token")
            claimed: dict[str, Source] = {"token_loaded": "claimed"}
            made.append(run.finish(counts=counts, sources=claimed, claims={"shown": shown}))
    return made


def _ways(request: Request, stage: Stage) -> list[Run]:
    size = _size(request)
    file = stage.scratch.path / "size.env"
    file.write_text(f"UV_THREADPOOL_SIZE={size}\n", encoding="utf-8")
    ways = situations.WAYS[:4] if request.smoke else situations.WAYS
    made = on_older(stage, size)  # first: the record is of the Node that runs last
    for done, what in enumerate(ways):
        stage.progress(done, len(ways), what.title)
        made.append(counted(stage, what, size, file))
    return made


def on_older(stage: Stage, size: int) -> list[Run]:
    """Set the size in the first line of both formats on an older Node, where one is at hand. Its workers have no name.

    What it has more than with a program that asks for nothing is its pool.
    """
    if (node := older()) is None:
        return []
    alone, made = 0, []
    for what in situations.OLDER:
        with _launched(stage, what.text, what.slug, {"size": size}, None, what.module, node=node) as run:
            if not stand(run, 1):
                raise run.failure()
            threads = len(proc.tids(run.pid))
            told = {"shown": run.reported("shown")[-1], "node": run.node.version}
            if what is situations.OLDER[0]:
                alone = threads
            else:
                made.append(run.finish(counts={"pool_threads": max(0, threads - alone)}, claims=told))
    return made


def _limit(request: Request, stage: Stage) -> list[Run]:
    """Give a process a little more address space than it has, then let it make its pool."""
    made = []
    for size in (4, 1024):
        with _launched(stage, situations.BILL, str(size), {"size": size}, size) as run:
            if not stand(run, 1):
                raise run.failure()
            now = usage(run.pid)["space"] * 1024
            resource.prlimit(run.pid, resource.RLIMIT_AS, (now + ROOM, now + ROOM))
            run.open_gate(1)
            lives = False
            with suppress(ScriptError):
                lives = stand(run, 2)
            counts = {"lives": int(lives), "pool_threads": workers(run.pid) if lives else 0, "room": ROOM // _MiB}
            made.append(run.finish(counts=counts))
    return made


_PROCEDURES: dict[str, Callable[[Request, Stage], list[Run]]] = {
    "first": _first, "line": _line, "value": _value, "bill": _bill, "exit": _exit, "unset": _own, "both": _own,
    "ways": _ways, "odd": _value, "sizes": _sizes, "limit": _limit,
}  # fmt: skip
