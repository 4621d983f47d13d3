"""What the orders and counts of this lab are by the loop's rules, for records that earn nothing. Luck has no law."""

from __future__ import annotations

from typing import Any, cast

from labs.law import law, of_program
from labs.measurement import Record, Run
from labs.phases import drawing as see
from labs.phases import further, loop, programs
from labs.phases.loop import Kind, Source
from labs.poolsize import version

#: Where the two lines run on the bare stack: ticks come first. Everywhere else a microtask runs them, and promises do.
_ON_THE_STACK = frozenset({"CommonJS, main", "ES module, require() in CommonJS"})
#: What keeps a file waiting for as long as it asks for itself.
_STARVES = frozenset({"tick", "promise"})


def _order(run: Run) -> str | None:
    return " ".join(see.names(run)) or None


def _of_lines(run: Run, record: Record) -> str | None:
    lines = record.parameters.get("lines")
    if not isinstance(lines, list):
        return None
    asked = cast(list[Kind], [str(line) for line in lines])
    return " ".join(loop.order(programs.four(cast(Source, run.name), asked), loop.NODE))


def _of_pair(run: Run, record: Record) -> str:
    return " ".join(loop.order(programs.between(run.name, str(record.parameters.get("first"))), loop.NODE))


def _of_format(run: Run, record: Record) -> str:
    return "tick promise" if run.name in _ON_THE_STACK else "promise tick"


def _first(run: Run) -> str | None:
    """Return who was first, every time; ``both`` where it was not always the same one."""
    ahead = [name for name in ("immediate", "timeout") if run.counts.get(name)]
    return ahead[0] if len(ahead) == 1 else "both" if ahead else None


def _of_busy(run: Run, record: Record) -> str | None:
    """Return who is first where the timer is due for sure; on the others luck decides, and nothing is expected."""
    if run.parameters.get("busy") != programs.BUSY:
        return None
    lines: list[Kind] = ["timeout", "immediate"]
    return loop.order(programs.four(cast(Source, run.parameters.get("source")), lines), loop.NODE)[0]


def _fired(run: Run, record: Record) -> int:
    return int(version(str(run.claims.get("uv"))) >= further.MOVED)


def _more_threads(run: Run) -> int | None:
    counts: dict[str, Any] = dict(run.counts)
    before, after = counts.get("threads"), counts.get("threads_with_sockets")
    return after - before if before is not None and after is not None else None


def _endless(run: Run) -> str:
    return "keeps it waiting" if run.counts["steps"] >= run.counts["most"] else "lets it in"


def _starving(run: Run, record: Record) -> str:
    return "keeps it waiting" if run.name in _STARVES else "lets it in"


_RING = "The order in which the callbacks ran, against the ring of the loop: ticks and promises between any two, then the next phase."

LAW = (
    *(law("phases", "order", measure, _order, _of_lines, _RING) for measure in ("four", "two", "modules")),
    law("phases", "order", "between", _order, _of_pair, _RING),
    law("phases", "order", "formats", _order, _of_format, "On the bare stack ticks come first, in a microtask promises do."),
    law("phases", "starve", "starve", _endless, _starving, "Ticks and promises run until there are none; timers and immediates take turns."),
    law("phases", "first", "shares", _first, _of_busy, "Who was first where 3 ms had passed, every time; without them luck decides, and is not judged."),
    law("phases", "fired", "lines", of_program("fired"), _fired, "Whether the timer that keeps nobody alive fired: since libuv 1.45 it does."),
    law("phases", "idle", "idle", _more_threads, lambda run, record: 0, "Threads that a thousand sockets cost."),
)  # fmt: skip
