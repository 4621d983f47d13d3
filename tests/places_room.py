"""A room for ``places`` without Node: records as the table of facts and an undisturbed machine make them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from course.folder import Course, Identity
from course.session import Progress, Session
from labs import catalog, journal
from labs.measurement import Clock, Machine, Node, Record, Run, Source, script_of
from labs.places import computed
from labs.places.orders import ROUTES
from labs.places.script import STARTER
from labs.request import Request
from labs.spec import Scene, Shape

#: What the fake room takes for a service all of whose routes have left the loop, and for one with the sum left on it.
SOUND, SUM_LEFT = "moved: key page sum", "moved: key page"
SYNTAX = "syntax ("


def work_run(name: str, jobs: int, *, sync: bool, **changes: int) -> Run:
    """Return a run of work."""
    counts = {
        "jobs": jobs, "pool_threads": jobs, "loop_us": 90_000 if sync else 4_000, "pool_us": 100 if sync else 90_000,
        "ticks": 0 if sync else 80, "stat_after": jobs if sync else 1, "work_us": 90_000, "stall_us": 90_000 if sync else 2_000,
    } | changes  # fmt: skip
    sources: dict[str, Source] = dict.fromkeys(counts, "observed")
    return Run(name=name, counts=counts, sources=sources)


def service_run(script: str, pool: int, **changes: int) -> Run:
    """Return a run of the service: the routes named behind ``moved:`` have left the loop."""
    moved = script.removeprefix("moved:").split() if script.startswith("moved:") else []
    counts = {"held_slots": pool, "pool_threads": pool}
    for route in ROUTES:
        off = route in moved
        counts |= {
            f"{route}_early": int(not off), f"{route}_health_first": int(off), f"{route}_status": 200, f"{route}_right": 1,
            f"{route}_loop_us": 5_000 if off else 80_000, f"{route}_pool_us": 75_000 if off else 50, f"{route}_others_us": 500,
        }  # fmt: skip
    counts |= changes
    sources: dict[str, Source] = dict.fromkeys(counts, "observed")
    return Run(name="service", counts=counts, sources=sources)


def runs(request: Request) -> tuple[Run, ...]:
    """Return the runs of a request."""
    p = request.parameters
    match request.measure:
        case "victim":
            assert isinstance(p["pool"], int)
            kinds = ("pbkdf2Sync", "pbkdf2", "gzipSync", "gzip", "readFileSync", "readFile")
            return tuple(work_run(kind, p["pool"], sync=kind.endswith("Sync")) for kind in kinds)
        case "own":
            assert isinstance(p["pool"], int)
            return (service_run(request.script or STARTER, p["pool"]),)
        case _:
            assert isinstance(p["calls"], list) and isinstance(p["pool"], int)
            return computed.runs([str(call) for call in p["calls"]], p["pool"])


def record(request: Request, cores: int = 2, **changes: Any) -> Record:
    """Return the record of a request."""
    now = journal.now()
    whole: dict[str, Any] = {
        "schema": 1, "lab": "places", "measure": request.measure, "parameters": dict(request.parameters), "seed": request.seed,
        "draw": request.draw, "node": Node(version="24.19.0", uv="1.52.1"), "machine": Machine(cores=cores), "room": "here",
        "script": script_of(request.script or "lab's own"), "runs": runs(request),
        "clock": Clock(wall=now.wall, monotonic=now.monotonic, boot=now.boot),
    }  # fmt: skip
    return Record(**(whole | changes))


class FakeRoom:
    """Answers by the table and notes what it was asked; ``fails`` is raised instead, once each."""

    def __init__(self, cores: int = 2) -> None:
        self.cores = cores
        self.asked: list[Request] = []
        self.fails: list[BaseException] = []

    def __call__(self, request: Request, room: str | None = None, on_progress: Progress | None = None) -> Record:
        """Return the record of a request."""
        if self.fails:
            raise self.fails.pop(0)
        self.asked.append(request)
        return record(request, self.cores)


def rehearsed(measure: str, script: str, here: Scene) -> dict[str, Any]:
    """Return what a dry run finds."""
    if script == SYNTAX:
        return {
            "problem": "syntax",
            "message": "It does not parse.",
            "text": "script.mjs:1\nsyntax (\nSyntaxError: Unexpected end of input",
        }
    return {"reports": [dict(service_run(script, 1).counts)]}


def session(folder: Path, cores: int = 2, learner: str = "mira", room: FakeRoom | None = None) -> Session:
    """Return a session of ``places`` on a machine with so many cores."""
    folder.mkdir(parents=True, exist_ok=True)
    return Session(
        lab=catalog.load("places"), folder=folder, course=Course(), learner=Identity(learner), measure=room or FakeRoom(cores),
        look=lambda: Shape(cores), rehearse=rehearsed,
    )  # fmt: skip
