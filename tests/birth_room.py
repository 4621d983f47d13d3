"""The lab ``birth`` without Node: records as the rules have them, and the people who use the lab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from course.session import Session
from labs import catalog, poolsize
from labs.birth import situations
from labs.birth.rehearse import STARTER, Findings
from labs.measurement import Record, Run, Source, Thread
from labs.request import Request
from labs.spec import Scene
from tests import classroom

#: What stands for a learner's script here: the fake room reads only the first word.
SOUND, LATE, LOUD, WITHOUT, SILENT, EARLY = "// sound", "// late", "// loud", "// without", "// silent", "// early"
#: Without the line that sets it; and with a value that is no number.
DELETED, NONSENSE = "// deleted", "// nonsense"
BETS = ("first", "line", "value", "bill", "exit")
UV = "1.52.1"


def run(name: str, counts: dict[str, int], claims: dict[str, Any] | None = None, **parameters: Any) -> Run:
    """Return a run with these counts."""
    claimed = {"back", "token_loaded"}
    sources: dict[str, Source] = {count: "claimed" if count in claimed else "observed" for count in counts}
    return Run(name=name, parameters=parameters, counts=counts, sources=sources, claims=claims or {}, wall=0.2, cpu=0.1)


def _bill(size: int) -> Run:
    counts = {
        "pool_threads": size, "more_space": size * 8196, "more_resident": size * 8, "more_threads": size, "more_files": 0,
        "space_before": 1_079_340,
    }  # fmt: skip
    return run(str(size), counts)


def _own(script: str, size: int, name: str, given: int | None) -> Run:
    loud = script.startswith(LOUD)
    own = {LATE: 4, DELETED: 4, NONSENSE: 1}.get(script, size)
    pool = given if given is not None and not loud else own
    counts = {
        "pool_threads": 0 if script.startswith(EARLY) else pool,
        "token_loaded": int(not script.startswith(WITHOUT)),
    }
    if script.startswith(SILENT):
        del counts["pool_threads"]
    shown = {LATE: str(size), DELETED: None, NONSENSE: "undefined"}.get(script, str(pool))
    return run(name, counts, {"shown": shown if given is None else str(pool)})


def runs(request: Request) -> tuple[Run, ...]:
    """Return the runs that an undisturbed machine makes of a request."""
    p: Mapping[str, Any] = request.parameters
    match request.measure:
        case "first":
            counts = {
                "before": 0,
                "before_all": 7,
                "after": p["size"],
                "after_all": 7 + p["size"],
                "more": p["size"],
                "more_all": 7 + p["size"],
            }
            workers = [
                Thread(name="libuv-worker", role="worker", state="parked", call="futex") for _ in range(p["size"])
            ]
            others = [Thread(name="node", role="other", state="asleep", call="futex") for _ in range(6)]
            main = Thread(name="node", role="main", state="asleep", call="openat")
            from msgspec.structs import replace

            return (replace(run("first", counts), threads=(*workers, main, *others)),)
        case "line":
            sizes = {"first": p["size"], "late": 4, "quick": p["size"], "token": 4}
            return tuple(
                run(name, {"pool_threads": sizes[name]}, {"shown": str(p["size"])}) for name in situations.LINES
            )
        case "value" | "odd":
            return tuple(
                run(value or "empty", {"pool_threads": poolsize.in_force(value, UV)}, value=value)
                for value in p["values"]
            )
        case "bill":
            return (_bill(p["size"]),)
        case "exit":
            return (run("exit", {"made": p["jobs"], "jobs": p["jobs"], "back": 0}),)
        case "unset":
            return (_own(request.script or "", p["size"], "nothing set", None),)
    script = request.script or ""
    return (_own(script, p["size"], "nothing set", None), _own(script, p["size"], "set outside", p["given"]))


def record(request: Request, cores: int = 2) -> Record:
    """Return the record that an undisturbed machine makes of a request."""
    return classroom.recorded(request, runs(request), cores)


class FakeRoom(classroom.Room):
    """A room that answers by the rules."""

    def record(self, request: Request) -> Record:
        """Return the record of a request."""
        return record(request, self.cores)


def rehearsed(measure: str, script: str, here: Scene) -> dict[str, Any]:
    """Return what the dry run finds in one of the scripts above."""
    if "syntax" in script:
        found = Findings(problem="error", message="It does not parse.", text="script.cjs:1\nsyntax (\nSyntaxError: x")
    else:
        begun = not script.startswith("// nothing")
        ready = begun and not script.startswith(SILENT)
        found = Findings(
            changed=script.split() != STARTER.split(),
            loaded=begun and not script.startswith(WITHOUT),
            ready=ready,
            shown="7" if ready else None,
        )
    plain: dict[str, Any] = classroom.plain(found)
    return plain


def session(folder: Path, cores: int = 2, learner: str = "mira", room: classroom.Room | None = None) -> Session:
    """Return a session of ``birth`` on a machine with so many cores."""
    return classroom.session(
        folder, cores, learner, room or FakeRoom(cores), lab=catalog.load("birth"), rehearse=rehearsed
    )
