"""What is asked of a trial, and where its figures fall short of it, in sentences. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, log

from grader.shapes import MachineShape
from grader.trial_table import Rate, Row

#: Live runs of right ways, and as many of wrong ones (of a bet: records): more where the ways of judging were made that all share.
TRIES, MOST_TRIES = 150, {"gates": 250, "waves": 250}
#: The part of idle tries that may stay undecided.
UNDECIDED = 0.05
#: Threads beside ours, in the median, from which on a machine is not idle.
QUIET = 1
#: The goal for a false FAIL of a ratio.
GOAL = 0.001


def goal(row: Row) -> int:
    """Return how many live runs of right ways, and of wrong ones, a row should rest on; of a bet, how many records."""
    return MOST_TRIES.get(row.lab, TRIES)


def is_bet(row: Row) -> bool:
    """Say whether a row is a bet's: each of its tries is one record, against which Node's answers and the stories' are held."""
    return row.check.startswith("bet ")


def name(row: Row) -> str:
    """Return the row's check; with the lab where two labs have bets of one name."""
    return f"{row.check} ({row.lab})" if is_bet(row) else row.check


def loud(row: Row) -> bool:
    """Say whether something else ran where the machine should have been idle."""
    return not row.shape.busy and row.beside.threads is not None and row.beside.threads >= QUIET


def weaker(row: Row) -> float:
    """Return the bound on a false FAIL that may be claimed of windows: over windows or over series, whichever is higher."""
    over_series = row.right_series.erred.at_most if row.right_series is not None else 0.0
    return max(row.false_fail.at_most, over_series)


def enough(row: Row) -> bool:
    """Say whether a row rests on as many live runs as it should."""
    tries = (row.false_fail.tries,) if is_bet(row) else (row.false_fail.tries, row.false_pass.tries)
    return row.kind != "live" or min(tries) >= goal(row)


def percent(found: Rate) -> str:
    """Return the share of errors: ``1.6%``."""
    return f"{found.errors / found.tries:.1%}"


def short_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Say in a sentence each what was asked for and is not reached."""
    return tuple(_short_of(rows))


def _short_of(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        yield from _row(row)
    noisy = [row.beside.threads for row in rows if loud(row) and row.beside.threads is not None]
    if noisy:
        yield (
            f"In {_rows(len(noisy))} of machines that should be idle something else ran: {min(noisy):g} to {max(noisy):g} threads "
            "beside ours, in the median, when a try began."
        )
    yield from _few([row for row in rows if not enough(row)])
    loose = [weaker(row) for row in rows if row.kind == "windows" and weaker(row) > GOAL]
    if loose:
        yield (
            f"False FAIL of a ratio is bounded at {min(loose):.2g} to {max(loose):.2g} in {_rows(len(loose))}, by the weaker of two bounds; "
            f"{GOAL:g} is the goal, and takes {_needed(GOAL):,} series without an error, each with a calibration of its own."
        )


def _row(row: Row) -> Iterator[str]:
    where = f"{name(row)} on {row.shape}"
    for found, what in ((row.false_fail, "false FAIL"), (row.false_pass, "false PASS"), (row.wrong_name, "wrong name")):
        if found.errors:
            yield f"{where}: {found.errors} {what} in {found.tries} tries."
    for found, what in ((row.inconclusive, "right ways"), (row.undecided, "wrong ways")):
        if not row.shape.busy and found.errors > UNDECIDED * found.tries:
            yield f"{where}: {percent(found)} of {what} INCONCLUSIVE; at most {UNDECIDED:.0%} is asked for."
    if row.same:
        yield (
            f"{where}: this machine shows the same ratio for {' and '.join(row.same)} as for the solution, so they are not "
            "judged there; counts tell them apart."
        )
    if row.not_separable:
        yield f"{where}: {row.not_separable} tries NOT_SEPARABLE: this machine cannot tell the models apart there."
    if row.errors:
        yield f"{where}: {row.errors} tries ended in a fault and are not counted."


def _few(rows: Sequence[Row]) -> Iterator[str]:
    """Say which checks have too few live runs, those of one lab and machine with equal numbers together."""
    found: dict[tuple[str, MachineShape, str], list[Row]] = {}
    for row in rows:
        right, wrong = row.false_fail.tries, row.false_pass.tries
        said = f"{right} records" if is_bet(row) else f"{right} right and {wrong} wrong runs"
        found.setdefault((row.lab, row.shape, said), []).append(row)
    for (lab, shape, said), group in found.items():
        asked = f"{goal(group[0])} are asked for" if is_bet(group[0]) else f"{goal(group[0])} of each are asked for"
        yield f"{lab} on {shape}: {said} of {', '.join(row.check for row in group)}; {asked}."


def unsure_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Say where the share of undecided tries is what it may be, and the tries are too few to be sure that it stays so."""
    found = [
        f"{name(row)} on {row.shape} (at most {row.inconclusive.at_most:.2g})"
        for row in rows
        if not row.shape.busy
        and row.inconclusive.tries
        and row.inconclusive.errors <= UNDECIDED * row.inconclusive.tries
        and row.inconclusive.at_most > UNDECIDED
    ]
    if not found:
        return ()
    return (f"INCONCLUSIVE is seldom enough, but its bound is above {UNDECIDED:.0%}: {', '.join(found)}.",)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _needed(bound: float) -> int:
    return ceil(log(0.05) / log(1 - bound))
