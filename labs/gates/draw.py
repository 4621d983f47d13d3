"""The numbers of one draw, chosen after a look at the machine so that no two stories predict the same row."""

from __future__ import annotations

import random
from collections.abc import Container, Iterator, Mapping
from itertools import combinations
from typing import Any

from labs.model import held_after
from labs.spec import Parameters, Shape

#: What libuv takes where nothing is set.
DEFAULT_POOL = 4
#: Pool size -> gates. Enough that the canary's place, its distance and the group's end are all different numbers.
GATES = {3: 9, 5: 13, 6: 15}
START_GATES = 12
#: With more cores than this the gates do not outnumber the cores any more: a line of 40 is the longest that can be read.
MOST_CORES = 38
#: How many openings the puzzle takes: enough to be no accident, few enough for the answer's six lines.
OPENINGS = (3, 4)


def gates(least: int, cores: int) -> int:
    """Return how many gates there are: two more than cores, so that a slot a core is not the same as no limit."""
    return max(least, cores + 2 if cores <= MOST_CORES else MOST_CORES)


def held(pool: int, tasks: int, opened: Container[int] = ()) -> tuple[int, ...]:
    """Return what the slots hold when all is quiet: the earliest tasks whose gates are shut."""
    names = [str(task) for task in range(1, tasks + 1)]
    shut = [name for name in names if int(name) in opened]
    return tuple(int(name) for name in held_after(names, shut, pool))


def needed(target: tuple[int, ...]) -> tuple[int, ...]:
    """Return the gates to open, and only those, so that the slots hold the target."""
    return tuple(task for task in range(1, max(target)) if task not in target)


def targets(pool: int, tasks: int) -> Iterator[tuple[int, ...]]:
    """Yield every target that a wrong model cannot reach.

    Impossible for *batches*: a task of the first group stays while a later one runs. Impossible for *own line*: two of
    them are dealt to one slot. And at least one gate has to be opened that was waiting at first, so that it matters
    who comes next.
    """
    for most in range(pool + OPENINGS[0], min(tasks - 1, pool + OPENINGS[1]) + 1):
        for rest in combinations(range(1, most), pool - 1):
            target = (*rest, most)
            shares_a_line = len({task % pool for task in target}) < pool
            opens_a_waiting_one = any(task > pool for task in needed(target))
            if rest[0] <= pool and shares_a_line and opens_a_waiting_one:
                yield target


def draw(chance: random.Random, shape: Shape) -> Mapping[str, Parameters]:
    """Return the parameters of every thing in this lab; ``tasks`` are gates, ``pool`` is None where it is not set."""
    cores = shape.cores
    pool = chance.choice([size for size in GATES if size != cores])
    tasks = gates(GATES[pool], cores)
    first = chance.randint(2, pool)  # never 1: after it, "one line" and "own line" go on with the same task
    target = chance.choice(list(targets(pool, tasks)))
    own: dict[str, Any] = {"pool": pool, "tasks": tasks}
    return {
        "start": {"pool": None, "tasks": gates(START_GATES, cores)},
        "one gate": {**own, "first": first},
        "canary": own,
        "state": {**own, "target": list(target)},
        "why": {**own, "first": first},
        "cannot": {**own, "target": list(target), **_cannot(chance, pool, tasks, target)},
        "service": _service(chance),
        "recall": _recall(chance),
        "free": {"pool": 7, "tasks": 20},
    }


def _cannot(chance: random.Random, pool: int, tasks: int, target: tuple[int, ...]) -> dict[str, Any]:
    """Choose a set that looks impossible and is not, and a claim that looks harmless and cannot be."""
    last = min(tasks - 1, 2 * pool + 2)
    low = tuple(range(2, pool + 1))  # all of the first group but 1
    high = chance.choice([task for task in range(pool + 3, last + 1) if (*low, task) != target])
    return {"odd": [*low, high], "never": chance.randint(pool + 2, min(tasks, 2 * pool))}


def _service(chance: random.Random) -> dict[str, Any]:
    return {"pool": chance.choice([6, 7, 8, 10, 12]), "proposed": chance.choice([64, 128])}


def _recall(chance: random.Random) -> dict[str, Any]:
    pool = chance.choice([3, 4, 5])
    opened = sorted([chance.randint(1, pool - 1), pool, *([pool + 2] if chance.random() < 0.5 else [])])
    return {"pool": pool, "tasks": 2 * pool + 1, "opened": opened}
