"""How ``names`` is measured: the name server holds what arrives, and what it holds at rest is what is in flight.

Measures and their parameters, beside ``pool`` (an integer, a text, or null for unset):

``in flight``
    ``names`` names asked for at once through ``api`` (``lookup``, ``resolve4``, ``lookupService``, or ``mix``: lookup and
    lookupService by turns), behind ``held`` opens of shut gates and before ``stats`` small requests. Everything is held;
    at each rest, what is in flight is counted and answered, until nothing is left. No clock is involved.
``total``
    The same without gates and small requests; each query is answered after ``hold`` seconds, and the server's log gives
    the time from the first arrival to the last answer.
``asked``
    The script runs to its own end and every query is answered at once; they are counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from labs.errors import RoomError, SetupError
from labs.flight import Query, State
from labs.measurement import Run, Source, Step, Task
from labs.nameserver import NameServer
from labs.observe import Look
from labs.request import Request
from labs.said import Restless
from labs.supervise import Conducted, NodeRun, Stage

APIS = ("lookup", "resolve4", "lookupService", "mix")
MOST_NAMES = 200
MOST_GATES = 64
MOST_STATS = 100
#: Seconds a query may be held in ``total``; a lookup gives up after 30.
LONGEST_HOLD = 5.0
#: Seconds in which name server and Node must come to rest together.
_REST = 10.0


def script() -> str:
    """Return the lab's own script."""
    return Path(__file__).with_name("experiment.mjs").read_text(encoding="utf-8")


def conduct(request: Request, stage: Stage) -> Conducted:
    """Run one measure of the lab.

    Raises:
        SetupError: The request asks for what this lab cannot measure.
        RoomError: Names asked for in this room do not reach our name server.
        NoisyError: The machine was too busy.
        ScriptError: The script ended the measurement.
    """
    measures = {"in flight": _in_flight, "total": _total, "asked": _asked}
    if request.measure not in measures:
        raise SetupError(f"The lab names measures {', '.join(measures)}, not {request.measure!r}.")
    if request.room == "here":
        raise RoomError('This lab needs a name server of its own on port 53: room="namespace" or room="container".')
    return Conducted(runs=(measures[request.measure](request, stage),), warnings=stage.scratch.warnings)


def _in_flight(request: Request, stage: Stage) -> Run:
    held = _whole(request, "held", 0, MOST_GATES, 0)
    with NameServer(stage) as server, _launched(request, stage, gates=held) as run:
        stage.progress(0, 1, "waiting until the lookups stand still")
        watch = _Watch(run, server)
        first = watch.rest("start")
        rounds = 0
        state = first
        while state.names:
            rounds += 1
            answered = state.names
            server.release(*answered)
            state = watch.rest(f"answer {' '.join(map(task_of, answered))}")
        start = watch.steps[0]
        before = {*start.finished}
        counts = {
            "names_in_flight": len(first.names),
            "queries_in_flight": first.queries,
            "peak_names": state.peak_names,
            "names_seen": len(state.seen),
            "rounds": rounds,
            "held_slots": sum(slot is not None for slot in start.slots),
            "pool_threads": len(watch.steps[-1].slots),
            "stats_before_first_name": sum(name.startswith("stat-") for name in before),
        }
        sources: dict[str, Source] = {"stats_before_first_name": "claimed"}
        return run.finish(
            counts=counts, sources=sources, steps=watch.steps, tasks=_tasks(server.log(), run), claims=watch.claims()
        )


def _total(request: Request, stage: Stage) -> Run:
    hold = request.parameters.get("hold")
    if isinstance(hold, bool | str | list | None) or not 0.01 <= hold <= LONGEST_HOLD:
        raise SetupError(f"hold must be from 0.01 to {LONGEST_HOLD} seconds, not {hold!r}.")
    names = _whole(request, "names", 1, MOST_NAMES)
    with NameServer(stage, hold=hold) as server, _launched(request, stage, gates=0) as run:
        stage.progress(0, 1, "waiting until every name is answered")

        def over() -> bool:
            state = server.state()
            return len(state.seen) >= names and not state.names

        if not run.wait_until(over, within=names * hold + _REST):
            raise run.failure() if run.ending else Restless(f"After {names * hold + _REST:.0f} s some names were still not answered.")
        log = server.log()
        state = server.state()
        counts = {"names_in_flight": state.peak_names, "names_seen": len(state.seen), "queries": len(log)}
        answered = [query.answered for query in log if query.answered is not None]
        claims = {"total": max(answered) - min(query.arrived for query in log), "hold": hold}
        return run.finish(counts=counts, tasks=_tasks(log, run), claims=claims)


def _asked(request: Request, stage: Stage) -> Run:
    with NameServer(stage, hold=0.0) as server, _launched(request, stage, gates=0, keep=False) as run:
        stage.progress(0, 1, "waiting until the script has ended")
        run.wait_exit()
        if run.ending != "exited":
            raise run.failure()
        log = server.log()
        counts = {
            "names_seen": len(server.state().seen),
            "queries": len(log),
            # One lookup asks for A and AAAA; resolve4 for A alone. So the A queries are the lookups.
            "lookups": sum(query.kind == "A" for query in log),
        }
        claims = {"report": [claim.value for claim in run.claims() if claim.kind == "report"]}
        return run.finish(counts=counts, tasks=_tasks(log, run), claims=claims)


class _Watch:
    """Keeps the story of one run: what is held by which slot at each rest, what is done."""

    def __init__(self, run: NodeRun, server: NameServer) -> None:
        self.run = run
        self.server = server
        self.steps: list[Step] = []
        self._slots: dict[int, str] = {}

    def rest(self, action: str) -> State:
        """Wait until Node stands still and the name server saw nothing new meanwhile; note it; return what is in flight.

        Raises:
            Restless: That did not happen in time.
            ScriptError: The script ended the measurement.
        """
        end = time.monotonic() + _REST
        while True:
            before = self.server.state()
            look = self.run.settle()
            state = self.server.state()
            if before == state:
                self._note(action, look, state)
                return state
            if time.monotonic() > end:
                raise Restless("Your machine was too busy to watch: names kept arriving. Nothing is lost; run the cell again later.")

    def claims(self) -> dict[str, list[str]]:
        """Return what the script said is done, in its order."""
        return {"done": self._done()}

    def _done(self) -> list[str]:
        said = [claim.value for claim in self.run.claims() if claim.kind == "done"]
        return list(dict.fromkeys(str(value) for value in said if isinstance(value, str | int)))

    def _note(self, action: str, look: Look, state: State) -> None:
        slots = self._named(look, [task_of(name) for name in state.names])
        held = {slot for slot in slots if slot is not None}
        flying = {task_of(name) for name in state.names}
        finished = tuple(name for name in self._done() if name not in held | flying)
        at = self.run.since_start(look.at)
        self.steps.append(Step(action=action, slots=slots, waiting=(), finished=finished, at=at))

    def _named(self, look: Look, flying: Iterable[str]) -> tuple[str | None, ...]:
        """Return what each pool thread holds: a gate by its path, a name in the order of arrival.

        Which thread asks for which name cannot be seen from outside; which names are asked for, and by how many threads, can.
        """
        slots = list(self.run.slots(look))
        # Threads inside a lookup hold no gate and are not parked; run.slots() keeps the order of its first look.
        looking = sum(seen.held for seen in look.workers) - sum(slot is not None for slot in slots)
        free = [index for index, slot in enumerate(slots) if slot is None]
        rest = list(flying)[:looking]
        kept = {index: name for index, name in self._slots.items() if name in rest and index in free}
        fresh = [name for name in rest if name not in kept.values()]
        empty = [index for index in free if index not in kept]
        self._slots = kept | dict(zip(empty, fresh, strict=False))
        return tuple(self._slots.get(index, slot) for index, slot in enumerate(slots))


def task_of(name: str) -> str:
    """Return what the lab calls a name on the wire: ``name-3`` for ``name-3.test`` and for ``3.0.9.10.in-addr.arpa``."""
    if name.endswith(".0.9.10.in-addr.arpa"):
        return f"name-{name.partition('.')[0]}"
    return name.removesuffix(".test")


def _tasks(log: Iterable[Query], run: NodeRun) -> list[Task]:
    """Return one task a name: from its first query's arrival to its last answer, as the server saw them."""
    spans: dict[str, tuple[float, float | None]] = {}
    for query in log:
        name = task_of(query.name)
        begin, end = spans.get(name, (query.arrived, query.answered))
        if end is not None:
            end = None if query.answered is None else max(end, query.answered)
        spans[name] = (begin, end)
    return [
        Task(
            name=name,
            kind="name",
            started=run.since_start(begin),
            finished=None if end is None else run.since_start(end),
        )
        for name, (begin, end) in spans.items()
    ]


def _launched(request: Request, stage: Stage, *, gates: int, keep: bool = True) -> AbstractContextManager[NodeRun]:
    pool = request.parameters.get("pool")
    if isinstance(pool, list | float | bool):
        raise SetupError(f"The pool's size is a whole number or a text, not {pool!r}.")
    if request.script is None and request.measure != "asked":
        _whole(request, "names", 1, MOST_NAMES)
        _whole(request, "stats", 0, MOST_STATS, 0)
        if (api := request.parameters.get("api", "lookup")) not in APIS:
            raise SetupError(f"api must be one of {', '.join(APIS)}, not {api!r}.")
    text = request.script if request.script is not None else script()
    return stage.launch(
        text,
        name=request.measure,
        parameters={"api": "lookup", **request.parameters, "tasks": gates},
        pool=pool,
        gates=gates,
        keep=keep,
    )


def _whole(request: Request, name: str, least: int, most: int, default: int | None = None) -> int:
    value = request.parameters.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SetupError(f"{name} must be a whole number from {least} to {most}, not {value!r}.")
    return value
