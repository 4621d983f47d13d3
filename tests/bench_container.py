"""What does the room `container` cost beside `here`? Starting it, once a request; and each run inside, which should cost nothing::

    python -m tests.bench_container

One request with several watched runs in either room, in turn; the best of each is compared, so that a busy moment does not speak
for one of them.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field

from labs import container_engine, container_image, rooms
from labs.measurement import Machine
from labs.request import Request

#: Two watched runs of hashes and one pair of plain ones.
ASKED = Request(
    lab="waves",
    measure="more slots",
    parameters={"pool": 2, "than": 1, "tasks": 2},
    machine=Machine(cores=2, capacity=(1.0, 1.9)),
    smoke=True,
)
#: Asked of a run inside: at most so many times one here.
TIMES = 1.25


@dataclass
class Costs:
    """Seconds: of whole requests, and of what is not the hashes themselves in each run after the first."""

    requests: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)


def compare(rounds: int = 7) -> dict[str, Costs]:
    """Return what both rooms cost, each request made so many times."""
    costs = {"here": Costs(), "container": Costs()}
    for _ in range(rounds):
        for room, cost in costs.items():
            began = time.perf_counter()
            record = rooms.measure(ASKED, room)
            cost.requests.append(time.perf_counter() - began)
            cost.runs += [run.wall for run in record.runs[1:]]
    return costs


def main() -> int:
    """Print both and whether a run inside costs as one here."""
    engine = container_engine.find()
    if container_image.find(engine) is None:
        container_image.build(engine)
    costs = compare()
    here, there = costs["here"], costs["container"]
    start = min(there.requests) - min(here.requests)
    sys.stdout.write(
        f"{engine.version}: a request costs {min(here.requests):.3f} s here, {min(there.requests):.3f} s in a container: "
        f"its start is {start:.3f} s.\nA run after the first: {min(here.runs):.3f} s here, {min(there.runs):.3f} s in a container.\n"
    )
    return 0 if min(there.runs) <= TIMES * min(here.runs) else 1


if __name__ == "__main__":
    sys.exit(main())
