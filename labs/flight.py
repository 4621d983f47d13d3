"""What a name server saw in flight: queries, and how many at which moment. Records only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

#: Names below this one are answered at once and never counted: with them a room asks whether it reaches the server.
SENTINEL = "sentinel.fourthreads.test"


@dataclass(frozen=True)
class Query:
    """One query in the log.

    Attributes:
        name: Lower case, without the final dot.
        kind: Type of the record asked for, such as ``"A"``.
        arrived: When it came in (seconds).
        answered: When its answer went out (seconds), null while it is held.
        transport: ``"udp"`` or ``"tcp"``.
    """

    name: str
    kind: str
    arrived: float
    answered: float | None = None
    transport: str = "udp"


@dataclass(frozen=True)
class State:
    """What is in flight now, and the most that ever was since the last :meth:`HoldingServer.reset`.

    Attributes:
        names: Distinct names in flight, in the order of arrival.
        queries: Queries in flight.
        peak_names: Most distinct names in flight at one moment.
        peak_queries: Most queries in flight at one moment.
        seen: Distinct names that ever arrived, in the order of arrival.
        malformed: Packets that held no question.
        changes: Grows with every arrival and answer: two equal values mean that nothing happened between.
        silent: Whether answers are withheld.
    """

    names: tuple[str, ...] = ()
    queries: int = 0
    peak_names: int = 0
    peak_queries: int = 0
    seen: tuple[str, ...] = ()
    malformed: int = 0
    changes: int = 0
    silent: bool = False


def history(log: Iterable[Query]) -> tuple[tuple[float, int, int], ...]:
    """Return ``(time, distinct names, queries)`` in flight after every arrival and answer of a log, in time's order."""
    events = [(query.arrived, 1, query.name) for query in log]
    events += [(query.answered, -1, query.name) for query in log if query.answered is not None]
    flying: dict[str, int] = {}
    moments = []
    for at, change, name in sorted(events, key=lambda event: (event[0], -event[1])):
        flying[name] = flying.get(name, 0) + change
        if not flying[name]:
            del flying[name]
        moments.append((at, len(flying), sum(flying.values())))
    return tuple(moments)
