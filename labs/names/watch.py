"""What one run of ``names`` looked like at each rest: who is in a slot, what is in flight, who waits, what is back."""

from __future__ import annotations

import time
from collections.abc import Iterable

from labs.flight import Query, State
from labs.measurement import Step, Task, Thread
from labs.nameserver import NameServer
from labs.observe import Look
from labs.said import Restless
from labs.supervise import NodeRun

#: Seconds in which name server and Node must come to rest together.
REST = 10.0


class Watch:
    """Keeps the story of one run: what is held by which slot at each rest, what is done."""

    def __init__(self, run: NodeRun, server: NameServer, asked: tuple[str, ...] = ()) -> None:
        self.run = run
        self.server = server
        self.asked = asked
        self.steps: list[Step] = []
        self.threads: tuple[Thread, ...] = ()
        self._slots: dict[int, str] = {}

    def rest(self, action: str) -> State:
        """Wait until Node stands still and the name server saw nothing new meanwhile; note it; return what is in flight.

        Raises:
            Restless: That did not happen in time.
            ScriptError: The script ended the measurement.
        """
        end = time.monotonic() + REST
        while True:
            before = self.server.state()
            look = self.run.settle()
            state = self.server.state()
            if before == state:
                self._note(action, look, state)
                return state
            if time.monotonic() > end:
                raise Restless(
                    "Your machine was too busy to watch: names kept arriving. Nothing is lost; run the cell again later."
                )

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
        if not self.steps:
            self.threads = self.run.threads
        waiting = tuple(name for name in self.asked if name not in held | flying and name not in finished)
        self.steps.append(
            Step(action=action, slots=slots, waiting=waiting, finished=finished, at=self.run.since_start(look.at))
        )

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


def tasks_of(log: Iterable[Query], run: NodeRun) -> list[Task]:
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


def lookups(log: Iterable[Query]) -> dict[str, int]:
    """Return how often each name was asked for, in the order of first arrival.

    One ``getaddrinfo`` asks for A and AAAA, ``resolve4`` for A alone; so a name's lookups are the larger of the two counts.
    """
    kinds: dict[str, dict[str, int]] = {}
    for query in log:
        found = kinds.setdefault(query.name, {})
        found[query.kind] = found.get(query.kind, 0) + 1
    return {name: max(found.values()) for name, found in kinds.items()}
