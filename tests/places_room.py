"""A room for ``places`` without Node: records as the table of facts and an undisturbed machine make them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from course.session import Session
from labs import catalog
from labs.measurement import Record, Run, Source
from labs.places import computed
from labs.places.orders import ROUTES
from labs.places.script import STARTER
from labs.request import Request
from labs.spec import Scene
from tests import classroom

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
    counts = {"held_slots": pool, "pool_threads": pool, "sum_work_us": 70_000}
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
    """Return the record that an undisturbed machine makes of a request."""
    return classroom.recorded(request, runs(request), cores, **changes)


def older(made: Record) -> Record:
    """Return a record of ``own`` as it was made while the hash's own time was not taken."""
    (run,) = made.runs
    counts = {name: count for name, count in run.counts.items() if name != "sum_work_us"}
    return replace(made, runs=(replace(run, counts=counts, sources=dict.fromkeys(counts, "observed")),))


class FakeRoom(classroom.Room):
    """A room that answers by the table."""

    def record(self, request: Request) -> Record:
        """Return the record of a request."""
        return record(request, self.cores)


def rehearsed(measure: str, script: str, here: Scene) -> dict[str, Any]:
    """Return what a dry run finds."""
    if "syntax" in script:
        return dict(classroom.UNPARSED)
    return {"reports": [dict(service_run(script, 1).counts)]}


def session(folder: Path, cores: int = 2, learner: str = "mira", room: classroom.Room | None = None) -> Session:
    """Return a session of ``places`` on a machine with so many cores."""
    return classroom.session(
        folder, cores, learner, room or FakeRoom(cores), lab=catalog.load("places"), rehearse=rehearsed
    )
