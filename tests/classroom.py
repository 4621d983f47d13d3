"""A classroom without Node: sessions on any machine, answered by the model of the pool, and the people who use them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from course.folder import Course, Identity
from course.session import Progress, Session
from labs import catalog, journal
from labs.job import Job
from labs.libuv import Threadpool
from labs.measurement import Clock, Machine, Node, Record, Run, Step, Thread, script_of
from labs.pool import Pool, held
from labs.request import Request
from labs.spec import Scene, Shape

SOUND = (
    "for (let i = 1; i <= n; i++) {\n  fs.open(gate(i), 'r', () => done(i));\n}\nfs.stat('.', () => done('stat'));\n"
)
FIRST = (
    "fs.stat('.', () => done('stat'));\nfor (let i = 1; i <= n; i++) {\n  fs.open(gate(i), 'r', () => done(i));\n}\n"
)
SYNC = "for (let i = 1; i <= n; i++) {\n  fs.open(gate(i), 'r', () => done(i));\n}\nfs.statSync('.'); done('stat');\n"
STARTER = "for (let i = 1; i <= n; i++) {\n  fs.open(gate(i), 'r', () => done(i));\n}\n// your line here\n"

LIVES = count(1)

#: What a dry run finds in a script that does not parse.
UNPARSED: dict[str, Any] = {
    "problem": "syntax", "message": "It does not parse.", "text": "script:2\nsyntax (\n       ^\nSyntaxError: missing )",
}  # fmt: skip


def gates_record(request: Request, cores: int, **changes: Any) -> Record:
    """Return the record that an undisturbed machine makes of a request of the lab ``gates``, as libuv's model has it."""
    parameters = request.parameters
    tasks, size = int(parameters["tasks"]), parameters.get("pool")  # type: ignore[arg-type]
    pool = Pool(4 if size is None else int(size), Threadpool)  # type: ignore[arg-type]
    script = request.script if request.script is not None else STARTER
    stat = "stat" in script.replace("'stat'", "") and request.measure == "canary"
    early = script.startswith("fs.stat") or "statSync" in script
    if stat and early:
        pool.submit(Job(name="stat", kind="file", service=0.001))
    pool.submit(*[held(str(number)) for number in range(1, tasks + 1)])
    if stat and not early:
        pool.submit(Job(name="stat", kind="file", service=0.001))
    steps = [_step("start", pool)]
    opens: list[int] = []
    if request.measure == "canary":
        while "stat" not in pool.finished and (holding := [int(name) for name in pool.held]):
            opens.append(min(holding))
            pool.release(str(opens[-1]))
            steps.append(_step(f"open {opens[-1]}", pool))
    else:
        given = parameters.get("first") if request.measure == "one gate" else parameters.get("open")
        for gate in given if isinstance(given, list) else [given] if given is not None else []:
            pool.release(str(gate))
            steps.append(_step(f"open {gate}", pool))
    first = [name for name in steps[0].slots if name is not None]
    counts = {
        "held_slots": len(first), "pool_threads": len(steps[0].slots), "ticks": 20, "ticks_due": 20, "openings": len(steps) - 1,
    } | ({"stat_sync": 1} if "statSync" in script else {})  # fmt: skip
    threads = [Thread(name="MainThread", role="main", state="asleep", call="epoll_wait", cpu=0.03)]
    threads += [Thread(name="libuv-worker", role="worker", state="held", call="openat", task=name) for name in first]
    run = Run(
        name=request.measure, parameters={"pool": size}, counts=counts, sources=dict.fromkeys(counts, "observed"),
        steps=tuple(steps), threads=tuple(threads), claims={"longest_gap": 0.004}, wall=0.1, cpu=0.03,
    )  # fmt: skip
    whole = {"script": script_of(script), **changes}
    return recorded(request, whole.pop("runs", (run,)), cores, **whole)


def _lived(run: Run) -> Run:
    """Return the run of a process of its own: no two live equally long."""
    return msgspec.structs.replace(run, wall=run.wall + next(LIVES) * 1e-6)


def _step(action: str, pool: Pool) -> Step:
    return Step(action=action, slots=pool.slots, waiting=pool.waiting, finished=pool.finished)


def recorded(request: Request, runs: Sequence[Run], cores: int, **changes: Any) -> Record:
    """Return the record of a request with these runs, made on a machine with so many cores."""
    now = journal.now()
    whole: dict[str, Any] = {
        "schema": 1, "lab": request.lab, "measure": request.measure, "parameters": dict(request.parameters), "seed": request.seed,
        "draw": request.draw, "node": Node(version="24.19.0", uv="1.52.1"), "machine": Machine(cores=cores), "room": "here",
        "script": script_of(request.script or "// the lab's own\n"), "runs": tuple(_lived(run) for run in runs),
        "clock": Clock(wall=now.wall, monotonic=now.monotonic, boot=now.boot),
    }  # fmt: skip
    return Record(**(whole | changes))


class Room(ABC):
    """A room without Node: notes what it was asked, and raises what stands in ``fails`` instead of answering, once each."""

    def __init__(self, cores: int = 2) -> None:
        self.cores = cores
        self.asked: list[Request] = []
        self.fails: list[BaseException] = []

    def __call__(self, request: Request, room: str | None = None, on_progress: Progress | None = None) -> Record:
        """Return the record of a request."""
        if self.fails:
            raise self.fails.pop(0)
        self.asked.append(request)
        return self.record(request)

    @abstractmethod
    def record(self, request: Request) -> Record:
        """Return the record of a request."""


class FakeRoom(Room):
    """A room for ``gates`` that answers by the model of the pool; ``changes`` are made to every record."""

    def __init__(self, cores: int = 2) -> None:
        super().__init__(cores)
        self.changes: dict[str, Any] = {}

    def record(self, request: Request) -> Record:
        """Return the record of a request."""
        return gates_record(request, self.cores, **self.changes)


def rehearsed(measure: str, script: str, here: Scene) -> dict[str, Any]:
    """Return what the dry run finds in one of the scripts above."""
    gates: list[dict[str, Any]] = [{"api": "fs.open", "about": str(number), "gate": True} for number in (1, 2, 3)]
    stat: list[dict[str, Any]] = [
        {"api": "fs.statSync" if "statSync" in script else "fs.stat", "about": ".", "sync": "statSync" in script}
    ]
    found: dict[str, Any] = {"calls": gates, "held": 3, "done_open": ["1", "2", "3"]}
    if "syntax" in script:
        return dict(UNPARSED)
    if "stat" in script.replace("'stat'", ""):
        found["calls"] = [*stat, *gates] if script.startswith("fs.stat") else [*gates, *stat]
        found["done_open"] = ["1", "2", "3", "stat"]
    return found


def session(folder: Path, cores: int = 2, learner: str = "mira", room: Room | None = None, **changes: Any) -> Session:
    """Return a session on a machine with so many cores: of ``gates``, unless the changes say otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    whole: dict[str, Any] = {
        "lab": catalog.load("gates"), "folder": folder, "course": Course(), "learner": Identity(learner),
        "measure": room or FakeRoom(cores), "look": lambda: Shape(cores), "rehearse": rehearsed,
    }  # fmt: skip
    return Session(**(whole | changes))


def plain(value: Any) -> Any:
    """Return a value as JSON would hold it."""
    return msgspec.to_builtins(value)


def numbers(it: Session, slug: str) -> Mapping[str, Any]:
    """Return the numbers in force of a thing."""
    return it.drawn(it.work(), slug).parameters
