"""The numbers of one draw, chosen after a look at the machine so that no two stories predict the same row."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from labs.model import names_in_flight, slots
from labs.names.setting import KINDS
from labs.spec import Parameters, Shape

#: Names asked for at once; two more than cores where that is more, so that a slot a core is not the same as no limit.
NAMES = 24
#: With more cores than this the names do not outnumber the cores any more: each is two queries that are held.
MOST_CORES = 96
#: Small file requests asked for behind the names.
STATS = 10
#: Odd sizes, so that rounding shows; from 7 on, because half of 5 rounded down is the two of "always two".
SIZES = (7, 9, 11)
#: What the puzzle asks for: names in flight, and slots that are free while names wait.
TARGETS = ((3, 1), (4, 1), (4, 2), (5, 2), (5, 3))
#: Sizes of the table at the end; 0 stands for a size that is not set (experiments, row A2).
TABLE = (0, 1, 2, 3, 4, 6, 8, 16)
#: Seconds each query is held in that table: the same rounds as with the 0.3 of the article, in a sixth of the time.
HOLD = 0.05


def names(cores: int) -> int:
    """Return how many names are asked for at once."""
    return max(NAMES, min(cores, MOST_CORES) + 2)


def free(pool: int, held: int, asked: int = NAMES) -> int:
    """Return how many slots are free at rest behind so many gates and before so many names."""
    return max(0, pool - held) - names_in_flight(asked, pool, held)


def solutions(flying: int, idle: int) -> tuple[tuple[int, int], ...]:
    """Return every (pool, held) up to 16 slots that the puzzle's target can be reached with."""
    return tuple(
        (pool, held)
        for pool in range(1, 17)
        for held in range(pool + 1)
        if (names_in_flight(NAMES, pool, held), free(pool, held)) == (flying, idle)
    )


def draw(chance: random.Random, shape: Shape) -> Mapping[str, Parameters]:
    """Return the parameters of every thing in this lab; ``pool`` is None where it is not set, ``held`` are gates before the names."""
    many = names(shape.cores)
    pool = chance.choice([size for size in SIZES if size != shape.cores])
    own = {"pool": pool, "names": many, "held": pool - chance.choice([1, 2])}
    flying, idle = chance.choice(TARGETS)
    order = list(KINDS)
    while order == list(KINDS) or order[0] == "address":  # what everybody expects to get through does not come first
        chance.shuffle(order)
    return {
        "start": {"pool": None, "names": many, "stats": STATS},
        "own": own,
        "why": own,
        "second": {"names": 8, "stats": STATS},
        "source": {},
        "state": {"names": NAMES, "flying": flying, "idle": idle},
        "cannot": _cannot(chance),
        "through": {"pool": None, "hanging": 8, "order": order},
        "cache": {"pool": None, "hosts": chance.choice([3, 4, 5]), "times": chance.choice([4, 5, 6])},
        "ways": {"names": NAMES},
        "code": {"users": chance.choice([15, 20, 25, 30])},
        "service": _service(chance),
        "sizes": {"pools": list(TABLE), "names": NAMES, "hold": HOLD},
        "recall": _recall(chance),
        "free": {"names": NAMES},
    }


def _cannot(chance: random.Random) -> dict[str, Any]:
    pool = chance.choice([6, 8, 10])
    return {"pool": pool, "half": slots(pool, "name"), "few": chance.choice([1, 2])}


def _service(chance: random.Random) -> dict[str, Any]:
    return {"pool": chance.choice([5, 6, 9, 10, 12]), "seconds": chance.choice([10, 15, 20])}


def _recall(chance: random.Random) -> dict[str, Any]:
    pool = chance.choice([5, 6, 7, 8])
    return {"pool": pool, "names": 20, "held": chance.randint(1, pool - 1)}
