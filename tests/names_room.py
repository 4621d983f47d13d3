"""A classroom of ``names`` without Node: records as libuv's model makes them, and the people who use them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from course.session import Session
from labs import catalog
from labs.job import Job
from labs.measurement import Record, Run, Step, Thread, decode
from labs.names import visits
from labs.names.reference import trial
from labs.names.script import STARTER
from labs.names.setting import NEED_NO_SLOT
from labs.pool import Pool, held
from labs.request import Request
from labs.spec import Scene
from tests import classroom

LAB = catalog.load("names")
SOUND = (Path(trial.__file__).parent / "solution.mjs").read_text("utf-8")
BETS = ("start", "own", "second", "through", "cache")


def flight(pool: int | None, names: int, gates: int = 0, stats: int = 0, name: str = "start") -> Run:
    """Return the run of names in flight, as the model of the pool has it."""
    model = Pool(pool or 4)
    model.submit(*[held(str(gate)) for gate in range(1, gates + 1)])
    model.submit(*[held(f"name-{one}", "name") for one in range(1, names + 1)])
    model.submit(*[Job(name=f"stat-{one}", kind="file", service=0.001) for one in range(1, stats + 1)])
    step = Step(action="start", slots=model.slots, waiting=model.waiting, finished=model.finished)
    workers = [
        Thread(name="libuv-worker", role="worker", state="held" if slot else "parked", call="poll" if slot else "futex")
        for slot in model.slots
    ]
    counts = {
        "names_in_flight": model.names_in_flight,
        "held_slots": len(model.held),
        "pool_threads": len(model.slots),
        "stats_before_first_name": len(model.finished),
    }
    return Run(
        name=name, parameters={"pool": pool, "names": names, "held": gates}, counts=counts, sources=dict.fromkeys(counts, "observed"),
        steps=(step,), threads=(*workers, Thread(name="MainThread", role="main", state="asleep", call="epoll_wait")),
    )  # fmt: skip


def through(order: list[str], kinds: frozenset[str] = NEED_NO_SLOT) -> Run:
    """Return the run in which so many kinds of requests got through."""
    back = tuple(str(place) for place, kind in enumerate(order, 1) if kind in kinds)
    waits = tuple(str(place) for place, kind in enumerate(order, 1) if kind not in kinds)
    slots = ("hang-1", "hang-2", None, None)
    counts = {
        "names_in_flight": 2, "held_slots": 2, "pool_threads": 4, "through": len(back), "kept_lookups": 1, "back": len(back),
    }  # fmt: skip
    return Run(
        name="through", counts=counts, sources=dict.fromkeys(counts, "observed"),
        steps=(Step(action="hang", slots=slots, waiting=waits, finished=back), Step(action="answer everything", finished=(*back, *waits))),
    )  # fmt: skip


def cached(hosts: int, times: int, script: str) -> Run:
    """Return the run of a lookup that is known here."""
    each = {STARTER: 2 * times, trial.LATE: times, trial.MERGED: 2, trial.ONE_FOR_ALL: 1, trial.NO_LIST: 2 * times}.get(
        script, 1
    )
    late = 1 if script == trial.FAILURES_KEPT else 2
    arrived = {trial.ONE_FOR_ALL: 2 * times, trial.NO_LIST: 0}.get(script, 2 * hosts * times)
    counts = {
        "lookups": each * hosts + late, "host_lookups": each * hosts, "most_lookups": each, "least_lookups": each, "late_lookups": late,
        "other_lookups": 0, "visits": arrived, "visits_due": 2 * hosts * times, "late_visits": int(late == 2 and arrived > 0),
        "misdirected": 2 * hosts * times - arrived if script == trial.ONE_FOR_ALL else 0, "connections": arrived + 1,
    }  # fmt: skip
    return Run(name="cache", counts=counts, sources=dict.fromkeys(counts, "observed"), ended="exited", exit_code=0)


@cache
def replay(slug: str) -> Record:
    """Return a recorded run of the lab."""
    return decode((Path(trial.__file__).parent.parent / "replay" / f"{slug}.json").read_bytes())


def runs(request: Request) -> tuple[Run, ...]:
    """Return the runs of a request."""
    p: Mapping[str, Any] = request.parameters
    match request.measure:
        case "own":
            return flight(p["pool"], p["names"], 0, name="alone"), flight(
                p["pool"], p["names"], p["held"], name="beside"
            )
        case "second":
            return flight(1, p["names"], 0, p["stats"], "one"), flight(2, p["names"], 0, p["stats"], "two")
        case "through":
            return (through(p["order"]),)
        case "cache":
            return (cached(p["hosts"], p["times"], request.script or STARTER),)
        case "ways" | "sizes":
            return replay(request.measure).runs
    return (flight(p.get("pool"), p["names"], p.get("held", 0), p.get("stats", 0), request.measure),)


def record(request: Request, cores: int) -> Record:
    """Return the record that an undisturbed machine makes of a request."""
    return classroom.recorded(request, runs(request), cores, room="namespace")


class FakeRoom(classroom.Room):
    """A room that answers by the model."""

    def record(self, request: Request) -> Record:
        """Return the record of a request."""
        return record(request, self.cores)


def rehearsed(measure: str, script: str, here: Scene) -> dict[str, Any]:
    """Return what the dry run finds in one of the scripts of the trial: one visit of a host at a time."""
    if "syntax" in script:
        return dict(classroom.UNPARSED)
    counts = dict(cached(2, 1, script).counts)
    if script == trial.LATE:
        counts["most_lookups"] = 1
    failures = [["late.test", "ENOTFOUND"]] if script == trial.FAILURES_KEPT else []
    return {"problem": None, "visiting": True, "rounds": 2, "failures": failures, "counts": counts}


def session(folder: Path, cores: int = 2, learner: str = "mira", room: classroom.Room | None = None) -> Session:
    """Return a session of ``names`` on a machine with so many cores."""
    return classroom.session(
        folder, cores, learner, room or FakeRoom(cores), lab=LAB, rehearse=rehearsed, place=lambda: "namespace"
    )


def sound(script: str) -> bool:
    """Return whether the record of a script tells its bet."""
    asked = Request(lab="names", measure="cache", parameters={"pool": None, "hosts": 3, "times": 4}, script=script)
    return visits.sound(record(asked, 2))
