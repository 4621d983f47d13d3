"""What the counts of this lab are by libuv's rule, for records that earn nothing."""

from __future__ import annotations

from labs.law import Expects, law, observed
from labs.measurement import Record, Run
from labs.model import names_in_flight
from labs.names import visits
from labs.poolsize import in_force
from labs.spec import CountCheck


def _numbers(run: Run, record: Record) -> tuple[int, int, int] | None:
    """Return names, slots and gates of a run; None where the run has no such thing."""
    p = run.parameters
    names, pool, gates = p.get("names"), p.get("pool"), p.get("tasks", 0)
    if not isinstance(names, int) or not isinstance(gates, int):
        return None
    return names, in_force(pool if isinstance(pool, int | str) else None, record.node.uv), gates


def _flying(run: Run, record: Record) -> int | None:
    found = _numbers(run, record)
    if found is None:
        return None
    names, pool, gates = found
    return names if run.parameters.get("api") == "resolve4" else names_in_flight(names, pool, gates)


def _one_line(run: Run, record: Record) -> int | None:
    found = _numbers(run, record)
    return None if found is None else max(0, min(found[0], found[1] - found[2]))


def _network(run: Run, record: Record) -> int | None:
    found = _numbers(run, record)
    return None if found is None else found[0]


_WRONG: dict[str, Expects] = {"one-line": _one_line, "network": _network}

THROUGH = CountCheck(
    slug="names-through",
    measure="through",
    measured=lambda record: (visits.THROUGH.actual(record) or {}).get("back"),
    expected=visits.through,
    wrong=lambda scene: {},
    because=lambda scene: "Who gets through behind names that nobody answers: all that need no slot of the names.",
    next_step='Measure again: fourthreads measure names --measure "through".',
)

LAW = (
    *(
        law(
            "names",
            "flying",
            measure,
            observed("names_in_flight"),
            _flying,
            "Names at the name server at once. Lookups: at most half of the slots, rounded up, and no more than others leave; resolve4: all.",
            wrong=_WRONG,
        )
        for measure in ("start", "own", "second", "sizes", "free")
    ),
    THROUGH,
)
