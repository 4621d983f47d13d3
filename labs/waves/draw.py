"""The numbers of one draw, chosen after a look at the machine so that wrong models predict other rows than Node."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from labs.poolsize import DEFAULT
from labs.spec import Parameters, Shape

#: The larger pool of the first measure.
MORE = 8
#: Pool size of the learner's own run -> hashes. No multiple, so that the last round is not full.
OWN = {3: 8, 5: 12, 6: 15}
#: With more cores than this the hashes do not outnumber the cores any more: a run of 40 takes long enough.
MOST_CORES = 38


def crowd(cores: int) -> int:
    """Return how many hashes are asked for at once: 8, or the next multiple of 8 above the cores.

    More than cores, so that "a slot a core" is not the same as "no limit"; a multiple of both pools, so that rounds are full.
    """
    return MORE * (min(cores, MOST_CORES) // MORE + 1)


def others(cores: int) -> tuple[int | None, int | None]:
    """Return pool and cores of the second measure: two cores where there are more, one of two; on one core another pool."""
    if cores > 2:
        return None, 2
    return (None, 1) if cores == 2 else (2, None)


def draw(chance: random.Random, shape: Shape) -> Mapping[str, Parameters]:
    """Return the parameters of every thing in this lab.

    ``pool`` is None where it is not set, ``cores`` None for all of them.
    """
    cores = shape.cores
    pool = chance.choice([size for size in OWN if size != cores])
    tasks = max(OWN[pool], min(cores, MOST_CORES) + 2)
    slots, few = others(cores)
    first: dict[str, Any] = {"pool": None, "tasks": crowd(cores), "more": MORE, "cores": None}
    second: dict[str, Any] = {"pool": slots, "tasks": crowd(cores), "cores": few}
    own = {"pool": pool, "tasks": tasks, "cores": None}
    return {
        "all at once": first,
        "other cores": second,
        "own": own,
        "why": second,
        "code": {"users": chance.choice([8, 12, 16, 20]), "cores": chance.choice([4, 8])},
        "service": _service(chance),
        "recall": _recall(chance),
        "free": {"pool": DEFAULT, "tasks": 8, "cores": None},
        "knee": {"tasks": 16, "cores": None},
        "gzip": {"pool": None, "tasks": 4, "cores": None},
        "loop": {"tasks": 32, "cores": None},
    }


def _service(chance: random.Random) -> dict[str, Any]:
    """Choose a host: few cores, where more slots change nothing, or many, where they help."""
    cores = chance.choice([2, 16])
    return {"cores": cores, "logins": chance.choice([32, 48]), "cost": chance.choice([50, 100, 150]), "proposed": 16}


def _recall(chance: random.Random) -> dict[str, Any]:
    pool, cores = chance.choice([(8, 2), (6, 2), (3, 1), (4, 8), (6, 12)])
    return {"pool": pool, "cores": cores, "tasks": 3 * pool}
