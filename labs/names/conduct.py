"""How ``names`` is measured: the name server holds what arrives, and what it holds at rest is what is in flight.

Measures and their parameters, beside ``pool`` (an integer, a text, or null for unset):

``in flight`` (also ``start``, ``state`` and ``free``)
    ``names`` names asked for at once through ``api`` (``lookup``, ``resolve4``, ``lookupService``, or ``mix``: lookup and
    lookupService by turns), behind ``held`` opens of shut gates and before ``stats`` small requests. Everything is held;
    at each rest, what is in flight is counted and answered, until nothing is left. No clock is involved.
``own``
    Two such runs: first without gates, then behind ``held`` of them.
``second``
    Two such runs: a pool of one thread, then a pool of two.
``total``
    The same without gates and small requests. At the first rest the clock starts: each query is answered after ``hold``
    seconds, and the server's log gives the time of the last answer.
``sizes``
    ``total`` for each of the pool's sizes in ``pools`` (0 stands for a size that is not set).
``asked``
    The script runs to its own end and every query is answered at once, with an answer that may be kept for ``ttl`` seconds;
    they are counted.
``through``, ``cache``, ``ways``
    See :mod:`labs.names.visiting`.
"""

from __future__ import annotations

from typing import Any

from labs.errors import RoomError, SetupError
from labs.given import whole
from labs.measurement import Run
from labs.names.flying import in_flight, launched, script, total
from labs.names.watch import lookups, tasks_of
from labs.nameserver import NameServer
from labs.request import Request
from labs.supervise import Conducted, Stage

__all__ = ["conduct", "rehearse", "script"]

#: How many rests are looked at where the first one is what counts.
FIRST_ROUNDS = 2
#: Sizes and names of a smoke run.
_SMOKE_POOLS, _SMOKE_NAMES = (1, 2), 4
_LONGEST_TTL = 86_400


def conduct(request: Request, stage: Stage) -> Conducted:
    """Run one measure of the lab.

    Raises:
        SetupError: The request asks for what this lab cannot measure.
        RoomError: Names asked for in this room do not reach our name server.
        NoisyError: The machine was too busy.
        ScriptError: The script ended the measurement.
    """
    from labs.names import visiting

    measures = {
        **dict.fromkeys(("in flight", "start", "state", "free"), _one),
        "own": _own,
        "second": _second,
        "total": _one_total,
        "sizes": _sizes,
        "asked": _asked,
        "through": visiting.through,
        "cache": visiting.cache,
        "ways": visiting.ways,
    }
    if request.measure not in measures:
        raise SetupError(f"The lab names measures {', '.join(measures)}, not {request.measure!r}.")
    if request.room == "here":
        raise RoomError('This lab needs a name server of its own on port 53: room="namespace" or room="container".')
    return Conducted(runs=measures[request.measure](request, stage), warnings=stage.scratch.warnings)


def rehearse(request: Request, stage: Stage) -> Any:
    """Run the learner's script dry (see :mod:`labs.names.rehearse`)."""
    from labs.names import rehearse as own

    return own.rehearse(request, stage)


def _one(request: Request, stage: Stage) -> tuple[Run, ...]:
    most = None if request.measure in ("in flight", "start") else FIRST_ROUNDS
    return (in_flight(request.parameters, stage, request.measure, request.script, smoke=request.smoke, most=most),)


def _own(request: Request, stage: Stage) -> tuple[Run, ...]:
    given = request.parameters
    return tuple(
        in_flight({**given, "held": held}, stage, name, smoke=request.smoke, most=FIRST_ROUNDS)
        for name, held in (("alone", 0), ("beside", given.get("held")))
    )


def _second(request: Request, stage: Stage) -> tuple[Run, ...]:
    return tuple(
        in_flight({**request.parameters, "pool": pool}, stage, name, smoke=request.smoke, most=FIRST_ROUNDS)
        for name, pool in (("one", 1), ("two", 2))
    )


def _one_total(request: Request, stage: Stage) -> tuple[Run, ...]:
    return (total(request.parameters, stage, request.measure, request.script),)


def _sizes(request: Request, stage: Stage) -> tuple[Run, ...]:
    pools = request.parameters.get("pools")
    if not isinstance(pools, list) or not pools or not all(isinstance(pool, int) and 0 <= pool <= 64 for pool in pools):
        raise SetupError(f"pools must be a list of whole numbers from 0 (not set) to 64, not {pools!r}.")
    given = {name: value for name, value in request.parameters.items() if name != "pools"}
    if request.smoke:
        pools, given = list(_SMOKE_POOLS), {**given, "names": _SMOKE_NAMES}
    runs = []
    for done, pool in enumerate(pools):
        stage.progress(done, len(pools), f"size {pool or 'not set'}")
        runs.append(total({**given, "pool": pool or None}, stage, f"size {pool}"))
    return tuple(runs)


def _asked(request: Request, stage: Stage) -> tuple[Run, ...]:
    with (
        NameServer(stage, hold=0.0, ttl=whole(request.parameters, "ttl", 0, _LONGEST_TTL, 0)) as server,
        launched(request.parameters, stage, request.measure, request.script, keep=False) as run,
    ):
        stage.progress(0, 1, "waiting until the script has ended")
        run.wait_exit()
        if run.ending != "exited":
            raise run.failure()
        log = server.log()
        counts = {"names_seen": len(server.state().seen), "queries": len(log), "lookups": sum(lookups(log).values())}
        claims = {"report": [claim.value for claim in run.claims() if claim.kind == "report"]}
        return (run.finish(counts=counts, tasks=tasks_of(log, run), claims=claims),)
