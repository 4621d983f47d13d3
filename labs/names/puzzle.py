"""Bring a state about: free slots while names wait. The learner chooses the pool's size and how many gates are held."""

from __future__ import annotations

import msgspec

from labs.answers import Answer, Count
from labs.measurement import Record, Source, Step
from labs.model import names_in_flight, slots
from labs.names import drawing as see
from labs.names.draw import free
from labs.pool import Pool, held
from labs.spec import Blank, Lines, Parameters, Scene
from labs.words import beside, counted, listed, number

NEXT = "Next: what cannot be (the cell below)."
AGAIN = 'Next: change your numbers and run this cell again; names.hint("state") helps.'
LARGEST = 16

TYPED = (
    Blank(
        "pool",
        Count(1, LARGEST),
        lambda answer: counted(int(answer), "slot") if isinstance(answer, int) else "",
        "the size of the pool",
    ),
    Blank(
        "held",
        Count(0, LARGEST),
        lambda answer: counted(int(answer), "gate") if isinstance(answer, int) else "",
        "gates before the names",
    ),
)


def ask(scene: Scene) -> str:
    """Return what is to be brought about."""
    p = scene.parameters
    return (
        f"{p['names']} names, none answered. Choose the size of the pool and how many gates are asked for before them, so that at rest "
        f"{see.names(p['flying'])} are in flight and {see.slots_free(p['idle'])}, while the others wait."
    )


def look(scene: Scene) -> Lines:
    """Draw the rest, then speak about what is there."""
    run, p, typed = see.run_of(scene), scene.parameters, scene.answers
    flying, idle = see.flying(run), see.idle(run)
    there = (flying, idle) == (p["flying"], p["idle"])
    mark = f"target {p['flying']} in flight, {p['idle']} free: {'reached' if there else 'not yet'}"
    title = f"{counted(int(str(typed['pool'])), 'slot')}, {see.gates(int(str(typed['held'])))}"
    drawn = (
        beside(f"{title.upper()}   {counted(flying, 'name')} in flight, {idle} free", mark, 62),
        f"{see.slots(run.steps[0], 16)}      {see.waiting(run.steps[0])}",
    )
    if there:
        return (*drawn, _claim(run.steps[0], idle), NEXT)
    return (*drawn, *_missed(scene, flying, idle), AGAIN)


def _claim(step: Step, idle: int) -> str:
    free_ones = see.slots_free(idle)
    return f"Somebody who believes in one line would call this impossible: {free_ones}, and {see.names_waiting(step)} names wait."


def _missed(scene: Scene, flying: int, idle: int) -> Lines:
    """Say what speaks against it, without the answer."""
    p, typed = scene.parameters, scene.answers
    pool, gates = int(str(typed["pool"])), int(str(typed["held"]))
    ceiling = slots(pool, "name")
    if gates > pool:
        return (
            f"{number(pool, capital=True)} slots hold {number(pool)} gates; the others wait in line, and every name behind them.",
        )
    if flying < ceiling:
        return (
            f"The gates left {see.names(flying).replace('name', 'slot')} for the names, fewer than they might have.",
        )
    if flying != p["flying"]:
        return (
            f"With {counted(pool, 'slot')} the names stop at {number(ceiling)}. Which size stops them at {number(p['flying'])}?",
        )
    if idle > p["idle"]:
        return ("In flight as wanted, and more slots are free than should be. What takes a slot and is no name?",)
    return ("In flight as wanted, and fewer slots are free than should be. Who has the others?",)


HINTS = (
    "Which sizes stop the names at the number that is wanted? There are two.",
    "In flight and free together are so many slots. How many more does the pool have?",
    "Those are held by gates, one each.",
)


def reached(record: Record) -> Answer | None:
    """Return names in flight and free slots, as they were observed."""
    runs = see.runs_of(record, 1)
    return (see.flying(runs[0]), see.idle(runs[0])) if runs else None


def unlike_model(record: Record) -> str | None:
    """Say where the record and the model part: then something outside interfered, and nothing can be judged."""
    runs, p = see.runs_of(record, 1), record.parameters
    pool, gates, asked = p.get("pool"), p.get("held"), p.get("names")
    if not runs or not isinstance(pool, int) or not isinstance(gates, int) or not isinstance(asked, int):
        return "The record does not hold a run with a size, gates and names. Run the cell again."
    if see.flying(runs[0]) != (expected := names_in_flight(asked, pool, gates)):
        return f"{see.flying(runs[0])} names were in flight, where libuv's rule gives {expected}. Run the cell again."
    if see.idle(runs[0]) != (expected := free(pool, gates, asked)):
        return f"{see.idle(runs[0])} slots were free, where libuv's rule gives {expected}. Run the cell again."
    return None


def replayed(record: Record, parameters: Parameters) -> Record:
    """Return a recorded run with other numbers: what libuv's rule makes of them."""
    pool = Pool(int(parameters["pool"]))
    pool.submit(*[held(str(gate)) for gate in range(1, int(parameters["held"]) + 1)])
    pool.submit(*[held(f"name-{name}", "name") for name in range(1, int(parameters["names"]) + 1)])
    counts = {
        "names_in_flight": pool.names_in_flight,
        "held_slots": len(pool.held),
        "pool_threads": int(parameters["pool"]),
        "stats_before_first_name": 0,
    }
    sources: dict[str, Source] = dict.fromkeys(counts, "claimed")
    step = Step(action="start", slots=pool.slots, waiting=pool.waiting, finished=pool.finished)
    run = msgspec.structs.replace(
        record.runs[0],
        parameters=dict(parameters),
        counts=counts,
        sources=sources,
        tasks=(),
        steps=(step,),
        threads=(),
        claims={},
    )
    warning = f"The numbers {listed([parameters['pool'], parameters['held']])} are the learner's; what came of them was computed, not measured."
    return msgspec.structs.replace(
        record, parameters=dict(parameters), runs=(run,), warnings=(*record.warnings, warning)
    )
