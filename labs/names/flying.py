"""One Node that asks for names: what is in flight at rest, and how long they all take where each answer is held."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec

from labs.errors import SetupError
from labs.given import whole
from labs.measurement import Run, Source
from labs.names.watch import REST, Watch, task_of, tasks_of
from labs.nameserver import NameServer
from labs.said import Restless
from labs.supervise import Bounds, NodeRun, Stage

APIS = ("lookup", "resolve4", "lookupService", "mix")
MOST_NAMES = 200
MOST_GATES = 64
MOST_STATS = 100
#: Seconds a query may be held in ``total``; a lookup gives up after 30.
LONGEST_HOLD = 5.0

Given = Mapping[str, Any]


def script() -> str:
    """Return the lab's own script."""
    return Path(__file__).with_name("experiment.mjs").read_text(encoding="utf-8")


def in_flight(
    given: Given, stage: Stage, name: str, text: str | None = None, *, smoke: bool = False, most: int | None = None
) -> Run:
    """Ask for names that are held, and count what is in flight at each rest.

    Args:
        given: The parameters, as in the module's text.
        stage: Where.
        name: Of the run.
        text: Another script than the lab's own.
        smoke: With few names.
        most: How many rests are looked at; None goes on until every name is answered.

    Raises:
        SetupError: A parameter that cannot be.
    """
    held = whole(given, "held", 0, MOST_GATES, 0)
    if smoke and text is None:
        given = {**given, "names": min(whole(given, "names", 1, MOST_NAMES), held + 8)}
    with NameServer(stage) as server, launched(given, stage, name, text, gates=held) as run:
        stage.progress(0, 1, "waiting until the lookups stand still")
        watch = Watch(run, server, _tasks_asked(given) if text is None else ())
        first = watch.rest("start")
        rounds = 0
        state = first
        while state.names and (most is None or rounds + 1 < most):
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
        log = server.log()
        done = run.finish(
            counts=counts, sources=sources, steps=watch.steps, tasks=tasks_of(log, run), claims=watch.claims()
        )
        return msgspec.structs.replace(done, threads=watch.threads)


def total(given: Given, stage: Stage, name: str, text: str | None = None) -> Run:
    """Let the first names come to rest, then answer each query after ``hold`` seconds; take the time from there to the last answer.

    Raises:
        SetupError: A parameter that cannot be.
    """
    hold = given.get("hold")
    if isinstance(hold, bool) or not isinstance(hold, int | float) or not 0.01 <= hold <= LONGEST_HOLD:
        raise SetupError(f"hold must be from 0.01 to {LONGEST_HOLD} seconds, not {hold!r}.")
    names = whole(given, "names", 1, MOST_NAMES)
    with NameServer(stage) as server, launched(given, stage, name, text) as run:
        stage.progress(0, 1, "waiting until the lookups stand still")
        # However long that takes here, no name of the first round has landed: what is counted owes nothing to a clock.
        Watch(run, server).rest("start")
        began = time.monotonic()
        server.hold(hold)
        stage.progress(0, 1, "waiting until every name is answered")

        def over() -> bool:
            state = server.state()
            return len(state.seen) >= names and not state.names

        if not run.wait_until(over, within=names * hold + REST):
            raise (
                run.failure()
                if run.ending
                else Restless(f"After {names * hold + REST:.0f} s some names were still not answered.")
            )
        log = server.log()
        state = server.state()
        counts = {"names_in_flight": state.peak_names, "names_seen": len(state.seen), "queries": len(log)}
        answered = [query.answered for query in log if query.answered is not None]
        claims = {"total": max(answered) - began, "hold": hold}
        return run.finish(counts=counts, tasks=tasks_of(log, run), claims=claims)


def _tasks_asked(given: Given) -> tuple[str, ...]:
    """Return what the lab's own script asks for, in its order."""
    return (
        *(str(number) for number in range(1, whole(given, "held", 0, MOST_GATES, 0) + 1)),
        *(f"name-{number}" for number in range(1, whole(given, "names", 1, MOST_NAMES) + 1)),
        *(f"stat-{number}" for number in range(1, whole(given, "stats", 0, MOST_STATS, 0) + 1)),
    )


def launched(
    given: Given,
    stage: Stage,
    name: str,
    text: str | None = None,
    *,
    gates: int = 0,
    keep: bool = True,
    node_args: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    bounds: Bounds | None = None,
) -> AbstractContextManager[NodeRun]:
    """Start one Node with the lab's own script or another.

    Raises:
        SetupError: A parameter that cannot be.
    """
    pool = given.get("pool")
    if isinstance(pool, list | float | bool):
        raise SetupError(f"The pool's size is a whole number or a text, not {pool!r}.")
    if text is None:
        whole(given, "names", 1, MOST_NAMES)
        whole(given, "stats", 0, MOST_STATS, 0)
        if (api := given.get("api", "lookup")) not in APIS:
            raise SetupError(f"api must be one of {', '.join(APIS)}, not {api!r}.")
    return stage.launch(
        text if text is not None else script(), name=name, parameters={"api": "lookup", **given, "tasks": gates}, pool=pool,
        gates=gates, keep=keep, node_args=node_args, environment=environment, bounds=bounds,
    )  # fmt: skip
