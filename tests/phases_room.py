"""The lab ``phases`` without Node: records as the model of the loop has them, and the people who use the lab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from course.session import Session
from labs import catalog
from labs.measurement import Callback, Record, Run
from labs.phases import loop, programs
from labs.phases.draw import KINDS, kinds
from labs.phases.loop import Program
from labs.phases.rehearse import Findings, Logged, Part
from labs.request import Request
from labs.spec import Scene
from tests import classroom

#: What stands for a learner's script here: the fake room reads only the first word.
SOUND, LUCKY, NESTED, FORGED = "// sound", "// lucky", "// nested", "// forged"
#: The same with both ends the other way round.
ELSEWHERE = "// elsewhere"
BETS = ("four", "two", "between", "modules", "starve")


def callbacks(program: Program) -> tuple[Callback, ...]:
    """Return what Node's trace shows of a program, by the model."""
    inner = {inner.name: one for one in program.asks for inner in one.asks}
    return tuple(
        Callback(
            name=one.name, kind=one.kind, phase=one.phase, asked_in=inner[one.name].kind if one.name in inner else program.source,
            asked_id=5 if one.name in inner else 4, at=0.1 + place / 1000, turn=1,
        )
        for place, one in enumerate(loop.run(program))
    )  # fmt: skip


def run(program: Program, name: str) -> Run:
    """Return a run of one of the lab's programs."""
    seen = callbacks(program)
    return Run(
        name=name, parameters={"source": program.source, "program": programs.text(program)}, counts={"callbacks": len(seen)},
        sources={"callbacks": "observed"}, callbacks=seen, wall=0.2, cpu=0.1, ended="exited", exit_code=0,
    )  # fmt: skip


def _part(order: tuple[str, ...], name: str, *, forged: bool = False, nested: bool = False) -> Run:
    phase: Mapping[str, loop.Phase] = {"timeout": "timers", "immediate": "check"}
    seen = tuple(
        Callback(
            name=one, kind="promise" if forged else one, phase=phase.get(one, "poll"), asked_in="file",
            asked_id=place if nested else 4, at=0.1 + place / 1000,
        )
        for place, one in enumerate(order)
    )  # fmt: skip
    return Run(name=name, callbacks=seen, wall=0.2, cpu=0.1, ended="exited", exit_code=0)


def _parts(script: str, target: tuple[str, ...]) -> tuple[Run, ...]:
    other = tuple({"timeout": "immediate", "immediate": "timeout"}.get(name, name) for name in target)
    names = ("as it is", "slow", "quick")
    if script.startswith(ELSEWHERE):
        return tuple(_part(other, name) for name in names)
    if script.startswith(LUCKY):
        return tuple(_part(other if name == "slow" else target, name) for name in names)
    if script.startswith((SOUND, NESTED, FORGED)):
        return tuple(
            _part(target, name, forged=script.startswith(FORGED), nested=script.startswith(NESTED)) for name in names
        )
    return tuple(_part((), name) for name in names)


def runs(request: Request) -> tuple[Run, ...]:
    """Return the runs that an undisturbed machine makes of a request."""
    p: Mapping[str, Any] = request.parameters
    match request.measure:
        case "between":
            return (run(programs.between(p["pair"], p["first"]), p["pair"]),)
        case "starve":
            steps = {"tick": p["most"], "promise": p["most"], "immediate": 41, "timeout": 1}
            most = {"tick": p["most"], "promise": p["most"], "immediate": 1_000_000, "timeout": 1_000_000}
            return tuple(
                Run(
                    name=kind, counts={"steps": steps[kind], "most": most[kind]},
                    sources={"steps": "claimed", "most": "observed"}, wall=0.2, cpu=0.1,
                )
                for kind in KINDS
            )  # fmt: skip
        case "A" | "B":
            return _parts(request.script or "", tuple(p["target"]))
    sources: dict[str, tuple[loop.Source, ...]] = {
        "four": ("file", "timer"), "two": ("immediate", "close"), "modules": ("cjs", "mjs"),
    }  # fmt: skip
    return tuple(run(programs.four(source, kinds(p["lines"])), source) for source in sources[request.measure])


def record(request: Request, cores: int = 2) -> Record:
    """Return the record that an undisturbed machine makes of a request."""
    return classroom.recorded(request, runs(request), cores)


class FakeRoom(classroom.Room):
    """A room that answers by the model."""

    def record(self, request: Request) -> Record:
        """Return the record of a request."""
        return record(request, self.cores)


def rehearsed(measure: str, script: str, here: Scene) -> dict[str, Any]:
    """Return what the dry run finds in one of the scripts above."""
    if "syntax" in script:
        broken = Findings(problem="syntax", message="It does not parse.", text="script.mjs:1\nsyntax (\nSyntaxError: x")
        return dict(classroom.plain(broken))
    logged: tuple[Logged, ...] = ()
    if script.startswith((SOUND, LUCKY, NESTED, FORGED, ELSEWHERE)):
        logged = tuple(
            Logged(
                name=name, kind="promise" if script.startswith(FORGED) else name, asked_in="file",
                asked_id=place if script.startswith(NESTED) else 4,
            )
            for place, name in enumerate(KINDS)
        )  # fmt: skip
    found: dict[str, Any] = classroom.plain(
        Findings(parts=(Part(name="A", logged=logged), Part(name="B", logged=logged)))
    )
    return found


def session(folder: Path, cores: int = 2, learner: str = "mira", room: classroom.Room | None = None) -> Session:
    """Return a session of ``phases`` on a machine with so many cores."""
    return classroom.session(
        folder, cores, learner, room or FakeRoom(cores), lab=catalog.load("phases"), rehearse=rehearsed
    )
