"""What a session on this machine stands on: its rooms, its Node, its cores, its recorded runs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from course import folder as folders
from course import recorded as recorded_runs
from course.session import Progress, Room, Session
from labs import catalog, shipped
from labs.errors import RoomError
from labs.measurement import Record, decode
from labs.request import Request
from labs.spec import Lab, Scene, Shape


@cache
def node_version() -> str:
    """Return which Node and libuv the course runs: ``Node 24.19.0 (libuv 1.52.1)``.

    Raises:
        SetupError: It is not installed.
    """
    from labs import node_binary

    said = subprocess.run(
        [str(node_binary.pinned()), "-p", "process.versions.node+' (libuv '+process.versions.uv+')'"],
        capture_output=True, text=True, timeout=20, check=True, env={},
    )  # fmt: skip
    return f"Node {said.stdout.strip()}"


def session(slug: str, where: Path, room: str | None = None) -> Session:
    """Return a session in a folder of this machine.

    Raises:
        FourThreadsError: There is no such lab, its class file cannot be read, or the class does not use this room.
    """
    lab = catalog.load(slug)
    rules = folders.course(where)
    if room and rules.rooms and room not in rules.rooms:
        raise RoomError(f"Your class uses the rooms {', '.join(rules.rooms)}; {room!r} is not among them.")
    allowed = tuple(name for name in lab.rooms if not rules.rooms or name in rules.rooms)
    replaying = room == "replay"
    return Session(
        lab=lab,
        folder=where,
        course=rules,
        learner=folders.identity(where),
        measure=_replay(lab) if replaying else _measure(allowed),
        look=_look(lab),
        rehearse=_rehearse(lab, allowed if room in (None, "replay") else (str(room),)),
        room=room,
        calibrate=None if replaying else _fitted(allowed, None if room is None else str(room)),
        recorded=(lambda name: shipped.fixed(lab, name)) if replaying else lambda name: None,
        place=(lambda: "replay") if replaying else _place(allowed if room is None else (room,)),
    )


def _place(allowed: tuple[str, ...]) -> Callable[[], str]:
    def place() -> str:
        from labs import rooms

        return rooms.choose(allowed).name

    return place


def _measure(allowed: tuple[str, ...]) -> Room:
    def measure(request: Request, room: str | None = None, on_progress: Progress | None = None) -> Record:
        from labs import fitting, rooms

        where = rooms.find(room) if room else rooms.choose(allowed)
        record = rooms.measure(request, where, on_progress)
        fitting.settle(request, record, where)
        return record

    return measure


def _rehearse(lab: Lab, allowed: tuple[str, ...]) -> Callable[[str, str, Scene], dict[str, Any]]:
    def rehearse(measure: str, script: str, here: Scene) -> dict[str, Any]:
        from labs import request, rooms

        asked = Request(
            lab=lab.slug,
            measure=measure,
            parameters=msgspec.to_builtins(dict(lab.measure(measure).parameters(here))),
            script=script,
        )
        answer = rooms.ask(rooms.choose(allowed), "rehearse", request.encode(asked))
        found: dict[str, Any] = msgspec.json.decode(answer)
        return found

    return rehearse


def _look(lab: Lab) -> Callable[[], Shape]:
    def look() -> Shape:
        from course.progress import Bar
        from labs import machine, ratio

        if not any(measure.calibrated for measure in lab.measures):
            return Shape(machine.cores())
        with Bar() as bar:
            seen = machine.calibrated(on_progress=lambda done, total: bar(done, total, "calibrating this machine"))
        # A draw stays; a curve taken beside other work must not stay with it. Without one, a draw counts on its cores.
        disturbed = (seen.noise.floor or 1.0) > ratio.MOST_TOLERANCE
        return Shape(seen.machine.cores, () if disturbed else seen.machine.capacity)

    return look


def _fitted(allowed: tuple[str, ...], room: str | None) -> Callable[[Request, Progress | None], Request]:
    def calibrate(request: Request, on_progress: Progress | None) -> Request:
        from course.progress import Bar
        from labs import fitting, rooms

        with Bar() as bar:
            return fitting.fitted(request, rooms.find(room) if room else rooms.choose(allowed), on_progress or bar)

    return calibrate


def _recorded(lab: Lab) -> Callable[[str], Record | None]:
    def recorded(name: str) -> Record | None:
        measure = next((one for one in lab.measures if one.slug == name), None)
        path = recorded_runs.path(lab, measure) if measure else None
        return decode(path.read_bytes()) if path else None

    return recorded


def _replay(lab: Lab) -> Room:
    find = _recorded(lab)

    def measure(request: Request, room: str | None = None, on_progress: Progress | None = None) -> Record:
        found = find(request.measure)
        if found is None:
            raise RoomError("There is no recorded run of this one: it needs a Node on a machine that can be watched.")
        replayed = lab.measure(request.measure).replayed
        if replayed is not None:
            found = replayed(found, request.parameters)
        return msgspec.structs.replace(found, room="replay")

    return measure
