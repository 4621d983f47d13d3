"""A trial's figures in words: a table for a terminal, a page for ``course/docs``. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.trial_log import Call, Head, Line
from grader.trial_table import Rate, Row

#: Live runs that a row should rest on, right and wrong ways together: more where the ways of judging were made that all labs share.
TRIES, MOST_TRIES = 150, {"gates": 250, "waves": 250}
#: The part of idle tries that may stay undecided.
UNDECIDED = 0.05
#: Threads beside ours from which on a machine is not idle.
QUIET = 1
#: The goal for a false FAIL.
GOAL = 0.001

_COLUMNS = ("check", "machine", "tries", "false FAIL", "false PASS", "wrong name", "INCONCLUSIVE")


def text(rows: Sequence[Row]) -> str:
    """Return the table with columns in line."""
    cells = [_COLUMNS, *(_cells(row) for row in rows)]
    wide = [max(len(line[column]) for line in cells) for column in range(len(_COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, wide, strict=True)).rstrip() for line in cells]
    short = short_of(rows)
    return "\n".join([*lines, *(["", "Short of what is asked for:", *short] if short else [])])


def _cells(row: Row) -> tuple[str, ...]:
    right, wrong = row.false_fail.tries, row.false_pass.tries
    tries = f"{right} records" if row.check.startswith("bet ") else f"{right} + {wrong}"
    return (
        row.check, str(row.shape), tries if row.kind == "live" else f"{tries} windows", _rate(row.false_fail), _rate(row.false_pass),
        _rate(row.wrong_name), f"{row.inconclusive.errors} ({_percent(row.inconclusive)})" if row.inconclusive.tries else "-",
    )  # fmt: skip


def _percent(found: Rate) -> str:
    return f"{found.errors / found.tries:.1%}"


def _rate(found: Rate) -> str:
    return f"{found.errors} (at most {found.at_most:.2g})" if found.tries else "-"


def tries(row: Row) -> int:
    """Return how often a check was tried live: runs of the solution and of wrong ways; of a bet, Node's answers and the stories'."""
    return row.false_fail.tries + (row.wrong_name.tries if row.check.startswith("bet ") else row.false_pass.tries)


def short_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Say in a sentence each what was asked for and is not reached."""
    return tuple(_short_of(rows))


def _short_of(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        where = f"{row.check} on {row.shape}"
        for found, what in (
            (row.false_fail, "false FAIL"),
            (row.false_pass, "false PASS"),
            (row.wrong_name, "wrong name"),
        ):
            if found.errors:
                yield f"{where}: {found.errors} {what} in {found.tries} tries."
        undecided = row.inconclusive
        if not row.shape.busy and undecided.errors > UNDECIDED * undecided.tries:
            yield f"{where}: {_percent(undecided)} INCONCLUSIVE; at most {UNDECIDED:.0%} is asked for."
        if row.same:
            yield (
                f"{where}: this machine shows the same ratio for {' and '.join(row.same)} as for the solution, so they are not "
                "judged there; counts tell them apart."
            )
        if row.not_separable:
            yield f"{where}: {row.not_separable} tries NOT_SEPARABLE: this machine cannot tell the models apart there."
        if row.errors:
            yield f"{where}: {row.errors} tries ended in a fault and are not counted."
    loud = [row.beside for row in rows if not row.shape.busy and row.beside is not None and row.beside >= QUIET]
    if loud:
        yield (
            f"In {len(loud)} rows of machines that should be idle something else ran: {min(loud):g} to {max(loud):g} threads beside "
            "ours, in the median, when a try began."
        )
    few = [row for row in rows if row.kind == "live" and tries(row) < MOST_TRIES.get(row.lab, TRIES)]
    if few:
        asked = sorted({MOST_TRIES.get(row.lab, TRIES) for row in few})
        least = min(map(tries, few))
        rests = "1 row rests" if len(few) == 1 else f"{len(few)} rows rest"
        yield f"{rests} on fewer than {' or '.join(map(str, asked))} live runs: {least} at least."
    loose = [row.false_fail.at_most for row in rows if row.kind == "windows" and row.false_fail.at_most > GOAL]
    if loose:
        yield (
            f"False FAIL of a ratio is bounded at {min(loose):.2g} to {max(loose):.2g} by {len(loose)} rows; {GOAL:g} is the goal, "
            f"and takes {_needed(GOAL):,} disjoint windows without an error."
        )


def _needed(goal: float) -> int:
    from math import ceil, log

    return ceil(log(0.05) / log(1 - goal))


def page(lines_of_file: Sequence[Line], rows: Sequence[Row]) -> str:
    """Return the page as Markdown: of a file's lines, and of the figures made from them."""
    head = lines_of_file[0]
    assert isinstance(head, Head)  # trial_log.read() refuses others
    live = [row for row in rows if row.kind == "live"]
    windows = [row for row in rows if row.kind == "windows"]
    short = short_of(rows)
    lines = [
        "# How often the checks err",
        "",
        "Made by `fourthreads trial`; do not edit by hand.",
        "",
        f"- date: {head.began}",
        f"- machine: {head.cores} cores, {head.processor}",
        f"- Node: {head.node}",
        *_commands(lines_of_file),
        "",
        *_INTRODUCTION,
        "",
        "## Counts, from live runs",
        "",
        *_LIVE,
        "",
        *_table(live),
        "",
        "## Ratios, from recorded pairs",
        "",
        *_RATIO,
        "",
        *_table(windows),
    ]
    redrawn = [row for row in windows if row.redrawn is not None]
    if redrawn:
        lines += ["", "Re-drawn windows, one at every pair, and the calibrations behind them:", "", *_redrawn(redrawn)]
    lines += ["", "## Where it falls short", ""]
    lines += [f"- {said}" for said in short] or ["Nowhere: every figure that is asked for is reached."]
    if odd := [(row, said) for row in rows for said in row.odd]:
        lines += ["", "Reasons given, at most five a row:", ""]
        lines += [f"- {row.check} on {row.shape}: {said}" for row, said in odd]
    return "\n".join(lines) + "\n"


def _commands(lines: Sequence[Line]) -> Iterator[str]:
    """Say which calls made the lines, in order; one that was stopped and gone on with is said each time."""
    done, before = [line for line in lines if not isinstance(line, Head)], 0
    while before < len(done) and not isinstance(done[before], Call):
        before += 1
    if before:
        yield f"- command: not noted for the first {before:,} results"
    for line in done:
        if isinstance(line, Call):
            yield f"- command: `{line.command}`, {line.date}" + (f", revision {line.revision}" if line.revision else "")


_INTRODUCTION = (
    "Every check is tried on the reference solution, which must pass, and on wrong ways in good faith, which must not. *False",
    "FAIL*: the solution contradicts. *False PASS*: a wrong way passes. *Wrong name*: a wrong way contradicts, under another name",
    "than its own. *INCONCLUSIVE* costs nothing and is run again; the figure is of the solution. *At most* is the rate that is not",
    "exceeded with 95 % confidence (one-sided, exact after Clopper and Pearson). *Tries* are those of the solution + of wrong ways.",
    "",
    "*Busy*: two processes compute on the same cores; the machine was calibrated while they stood still, which is the harder case.",
)
_LIVE = (
    "Each try is a Node of its own with a new draw. `bet NAME`: what the record says against what the model says, and the answers",
    "of everybody who holds a story, both held against that record. In `waves` one hash takes 50 ms here, and no times are compared.",
)
_RATIO = (
    "Pairs are recorded in series of 100, one calibration each, and judged as a learner's would be. The tries are disjoint windows: the",
    "next begins after the pairs that the verdict before took (9, 15 or 25). Wrong ways are pairs whose true ratio is what the wrong",
    "model predicts (k hashes in turn on one slot, over one), with this machine's own noise.",
)


def _table(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return ["(none yet)"]
    cells = [_COLUMNS, ("---",) * len(_COLUMNS), *(_cells(row) for row in rows)]
    return ["| " + " | ".join(line) + " |" for line in cells]


def _redrawn(rows: Sequence[Row]) -> list[str]:
    lines = ["| check | machine | false FAIL | false PASS | calibrations |", "|---|---|---|---|---|"]
    for row in rows:
        assert row.redrawn is not None
        (fail, right), (passed, wrong) = row.redrawn
        lines.append(f"| {row.check} | {row.shape} | {fail} of {right} | {passed} of {wrong} | {row.calibrations} |")
    return lines
