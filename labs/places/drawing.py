"""A record of this lab as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from labs.answers import Answer
from labs.measurement import Record, Run
from labs.places import paths
from labs.places.facts import CALLS
from labs.places.voices import LETTERS
from labs.spec import Lines, Scene

#: Widths of a cell: two of them make a line of 110.
_CODE, _CELL = 35, 55


def code(call: str) -> str:
    """Return a call as one writes it."""
    return CALLS[call].code


def listing(calls: Sequence[str], marks: Sequence[object] = LETTERS) -> Lines:
    """Return the calls in two columns, each with its letter or number."""
    cells = [f"{mark}  {code(call)}" for mark, call in zip(marks, calls, strict=False)]
    half = (len(cells) + 1) // 2
    rows = zip(cells[:half], [*cells[half:], ""][:half], strict=True)
    return tuple(f"{left:<{_CELL}}{right}".rstrip() for left, right in rows)


def results(record: Record, said: Answer | None = None) -> Lines:
    """Return each call's path, in two columns, with what was said beside it where that is something else."""
    calls, found = paths.calls(record), paths.all_seen(record) or ()
    told = said if isinstance(said, tuple) and len(said) == len(found) else found
    cells = [
        f"{letter}  {code(call):<{_CODE}}{path:<4}{'' if one == path else f'you said {one}'}"
        for letter, call, path, one in zip(LETTERS, calls, found, told, strict=False)
    ]
    half = (len(cells) + 1) // 2
    rows = zip(cells[:half], [*cells[half:], ""][:half], strict=True)
    return tuple(f"{left:<{_CELL}}{right}".rstrip() for left, right in rows)


def stood_still(run: Run) -> int:
    """Return the longest stall of the loop as a share of the work's own time, in percent; all of it is 100."""
    return min(100, round(100 * run.counts["stall_us"] / max(1, run.counts["work_us"])))


def loop_share(run: Run, route: str = "") -> float | None:
    """Return the loop's share of the processor time that the work took (observed); None where that is nothing."""
    name = f"{route}_" if route else ""
    loop, pool = run.counts[f"{name}loop_us"], run.counts[f"{name}pool_us"]
    whole = loop + pool + run.counts.get(f"{name}others_us", 0)
    return loop / whole if whole else None


def work_line(run: Run) -> str:
    """Draw one form of the work: who waited, and whose thread did it."""
    c = run.counts
    share = loop_share(run)
    return (
        f"{run.name:<13}x{c['jobs']}   loop stood still {stood_still(run):>3} % of the work   {c['ticks']:>4} ticks   "
        f"stat after {c['stat_after']} of {c['jobs']}   loop did {0 if share is None else share:>4.0%}"
    )


def own_run(scene: Scene) -> Run:
    """Return the one run of a service."""
    assert scene.record is not None
    return scene.record.runs[0]
