"""How ``places`` is measured: calls are tried with something taken away, work is watched, a service is visited.

``six``, ``six more``, ``lines`` and ``table`` have ``calls`` (names in calls.cjs) and ``pool``; ``victim`` has ``pool``; ``own`` has
``pool`` and ``orders`` (the seed of its orders) and takes the learner's script. ``parse``, ``innocent``, ``trips`` and ``sockets``
need nothing.
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from labs import rehearsal
from labs.errors import NoisyError, ScriptError, SetupError
from labs.given import whole
from labs.places import attempts, edges, facts, working
from labs.places.orders import ROUTES, is_right
from labs.places.serving import launched, serve, visit_all
from labs.rehearsal import Findings
from labs.request import Request
from labs.supervise import Conducted, Stage

#: The routes of our service.
INNOCENT = ("nothing", "parse", "sort", "match", "slices", "readEachTime", "readAtStart", "readInPool")
_MOST_SLOTS = 16


def text(name: str) -> str:
    """Return a script of this folder."""
    return Path(__file__).with_name(name).read_text("utf-8")


def script() -> str:
    """Return the lab's own script."""
    return text("experiment.mjs")


def conduct(request: Request, stage: Stage) -> Conducted:
    """Run one measure of the lab.

    Raises:
        SetupError: The request asks for what this lab cannot measure.
        NoisyError: The machine was too busy.
        ScriptError: The script ended the measurement.
    """
    smoke = request.smoke
    match request.measure:
        case "six" | "six more" | "lines" | "table":
            calls = _calls(request)
            made = attempts.attempt(stage, script(), calls[:6] if smoke else calls, _slots(request))
        case "victim":
            return Conducted(working.victims(stage, _slots(request), smoke=smoke), script=working.script())
        case "parse":
            return Conducted(working.parsed(stage, smoke=smoke), script=working.script())
        case "own":
            service = request.script if request.script is not None else text("starter.mjs")
            seed = whole(request.parameters, "orders", 1, 10**9)
            run = serve(stage, service, ROUTES, _slots(request), seed, smoke=smoke, right=is_right)
            return Conducted((run,), script=service)
        case "innocent":
            service = text("innocent.mjs")
            return Conducted((serve(stage, service, INNOCENT, 4, 1, smoke=smoke),), script=service)
        case "trips":
            return Conducted((edges.trips(stage),), script=text("trips.mjs"))
        case "sockets":
            return Conducted((edges.sockets(stage, smoke=smoke),), script=text("sockets.mjs"))
        case _:
            raise SetupError(f"The lab places has no measure {request.measure!r}.")
    return Conducted(made, script=script())


def rehearse(request: Request, stage: Stage) -> Findings:
    """Run the learner's service dry, with one slot and smaller orders; ``reports`` holds what was counted of each route."""
    with launched(stage, request.script or "", ROUTES, 1, 1, smoke=False, rehearse=True) as run:
        counts: dict[str, int] = {}
        problem: ScriptError | None = None
        restless = ""
        try:
            counts, _ = visit_all(run, stage, ROUTES, 1, is_right)
        except ScriptError as found:
            problem = found
        except NoisyError as found:
            restless = str(found)
        seen = rehearsal.findings(run, None, math.inf, problem, restless, 1)
        return msgspec.structs.replace(seen, reports=(counts,))


def _calls(request: Request) -> list[str]:
    calls = request.parameters.get("calls")
    if not isinstance(calls, list):
        raise SetupError(f"calls is a list of names, not {calls!r}.")
    for call in calls:
        if call not in facts.CALLS:
            raise SetupError(f"There is no call {call!r} here.")
    return [str(call) for call in dict.fromkeys(calls)]


def _slots(request: Request) -> int:
    return whole(request.parameters, "pool", 1, _MOST_SLOTS)
