"""A record of names as lines of text: who is in the slots, who waits, what is in flight."""

from __future__ import annotations

from labs.measurement import Record, Run, Step
from labs.spec import Scene
from labs.words import counted, number, spaced


def run_of(scene: Scene, place: int = 0) -> Run:
    """Return a run of the scene's record."""
    assert scene.record is not None, "a look is only asked for where there is a record"
    return scene.record.runs[place]


def runs_of(record: Record, many: int) -> tuple[Run, ...]:
    """Return the record's first runs where it has so many, each with a step; nothing for a record of another form."""
    runs = record.runs[:many]
    return runs if len(runs) == many and all(run.steps for run in runs) else ()


def short(name: str) -> str:
    """Return a task's name as it is drawn: ``n3`` for name 3, ``g2`` for gate 2."""
    for long, letter in (("name-", "n"), ("hang-", "n"), ("stat-", "s")):
        if name.startswith(long):
            return f"{letter}{name[len(long) :]}"
    return f"g{name}" if name.isdecimal() else name


def slots(step: Step, most: int = 9) -> str:
    """Draw the slots: ``slots [n1] [n2] [ ] [ ]``; an empty one has nothing to do."""
    drawn = [short(name) if name else " " for name in _in_order(step)]
    return "slots " + spaced(drawn, most, "[{}]")


def _in_order(step: Step) -> list[str | None]:
    """Return the slots with gates first, then names, then the free ones: which thread holds which name cannot be seen."""
    held = [name for name in step.slots if name is not None]
    held.sort(key=lambda name: (not name.isdecimal(), int("".join(filter(str.isdecimal, name)) or 0)))
    return [*held, *[None] * (len(step.slots) - len(held))]


def waiting(step: Step, most: int = 5) -> str:
    """Draw the names that wait: ``waiting n3 n4 n5 ... n24``."""
    names = [short(name) for name in step.waiting if name.startswith("name-")]
    return f"waiting {spaced(names, most)}" if names else "no name waits"


def names_waiting(step: Step) -> int:
    """Return how many names wait for a slot."""
    return sum(name.startswith("name-") for name in step.waiting)


def flying(run: Run) -> int:
    """Return how many names were in flight at the first rest (observed at the name server)."""
    return run.counts["names_in_flight"]


def back(run: Run) -> int:
    """Return how many small requests were back at the first rest (claimed)."""
    return run.counts["stats_before_first_name"]


def idle(run: Run) -> int:
    """Return how many slots had nothing to do at the first rest (observed)."""
    return run.counts["pool_threads"] - run.counts["held_slots"]


def names(count: int, *, capital: bool = False) -> str:
    """Say a number of names: ``two names``, ``1 name`` becomes ``one name``."""
    return f"{number(count, capital=capital)} {'name' if count == 1 else 'names'}"


def slots_free(count: int, *, capital: bool = False) -> str:
    """Say how many slots are free: ``two slots are free``, ``no slot is free``."""
    if count == 0:
        return "No slot is free" if capital else "no slot is free"
    return f"{number(count, capital=capital)} {'slot is' if count == 1 else 'slots are'} free"


def gates(count: int) -> str:
    """Say a number of gates: ``5 gates``."""
    return counted(count, "gate")


def sure(scene: Scene) -> str:
    """Return how sure the learner said to be, in brackets."""
    return f" ({scene.sure})" if scene.sure else ""


def times(count: int) -> str:
    """Say how often: ``once``, ``twice``, ``5 times``."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
