"""A trial's figures in words: tables for a terminal, a page for ``course/docs``. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader import trial_gaps
from grader.trial_log import Call, Head, Line
from grader.trial_short import goal, is_bet, loud, name, short_of, unsure_of
from grader.trial_table import Beside, Rate, Row, Series, Ways

_LIVE_COLUMNS = (
    "check", "machine", "tries", "beside", "load", "false FAIL", "false PASS", "wrong name", "INCONCLUSIVE, right",
    "INCONCLUSIVE, wrong",
)  # fmt: skip
_WINDOW_COLUMNS = (
    "check", "machine", "ways", "windows", "series", "draws", "beside", "load", "erred, over windows", "erred, over series",
    "wrong name", "INCONCLUSIVE",
)  # fmt: skip
_REDRAWN_COLUMNS = ("check", "machine", "false FAIL", "false PASS")
Cells = tuple[str, ...]


def text(rows: Sequence[Row]) -> str:
    """Return the tables with columns in line."""
    parts = [_aligned(table) for table in (_live(rows), _windows(rows)) if len(table) > 1]
    if short := _short(rows):
        parts.append("\n".join(["Short of what is asked for:", *short]))
    return "\n\n".join(parts)


def _aligned(table: Sequence[Cells]) -> str:
    wide = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, wide, strict=True)).rstrip() for line in table
    )


# tables, the first line of each its columns


def _live(rows: Sequence[Row]) -> list[Cells]:
    return [_LIVE_COLUMNS, *(_cells(row) for row in rows if row.kind == "live")]


def _cells(row: Row) -> Cells:
    right, wrong = row.false_fail.tries, row.false_pass.tries
    tries = f"{right} records" if is_bet(row) else f"{_tries(right, row.right_ways)} + {_tries(wrong, row.wrong_ways)}"
    return (
        name(row), _machine(row), tries, _threads(row.beside), _load(row.beside), _rate(row.false_fail), _rate(row.false_pass),
        _rate(row.wrong_name), _rate(row.inconclusive), _rate(row.undecided),
    )  # fmt: skip


def _windows(rows: Sequence[Row]) -> list[Cells]:
    """Return two lines a row: right ways, whose errors are false FAILs, and wrong ones, whose errors are false PASSes."""
    table: list[Cells] = [_WINDOW_COLUMNS]
    for row in rows:
        if row.kind != "windows":
            continue
        wrong = _tries(row.false_pass.tries, row.wrong_ways).partition(" ")[2]
        for ways, rate, series, named, undecided in (
            ("right", row.false_fail, row.right_series, "-", row.inconclusive),
            (f"wrong {wrong}".strip(), row.false_pass, row.wrong_series, _rate(row.wrong_name), row.undecided),
        ):
            assert series is not None  # windows have them
            table.append((
                name(row), _machine(row), ways, str(rate.tries), str(series.erred.tries), str(series.draws), _threads(row.beside),
                _load(row.beside), _rate(rate), _rate(series.erred), named, _rate(undecided),
            ))  # fmt: skip
    return table


def _redrawn(rows: Sequence[Row]) -> list[Cells]:
    return [
        _REDRAWN_COLUMNS,
        *(
            (name(row), str(row.shape), _of(row.right_series), _of(row.wrong_series))
            for row in rows
            if row.kind == "windows"
        ),
    ]


def _of(series: Series | None) -> str:
    return "-" if series is None else f"{series.redrawn[0]} of {series.redrawn[1]}"


def _tries(tries: int, found: Ways) -> str:
    """Say how many tries there were, and how several ways share them: ``250 (10 ways, 25 each)``."""
    if found.ways < 2:
        return str(tries)
    each = "each" if found.fewest * found.ways == tries else "or more each"
    return f"{tries} ({found.ways} ways, {found.fewest} {each})"


def _machine(row: Row) -> str:
    return f"{row.shape}; NOT QUIET" if loud(row) else str(row.shape)


def _threads(found: Beside) -> str:
    return "?" if found.threads is None else f"{found.threads:g}"


def _load(found: Beside) -> str:
    """Say how many load processes were the trial's own, of how many: ``2 of 4``; ``?`` where the lines do not tell."""
    if found.load is None:
        return "?"
    everybody = "?" if found.loads is None else _range(found.loads)
    return f"{_range(found.load)} of {everybody}" + (f" (? in {found.unknown} lines)" if found.unknown else "")


def _range(ends: tuple[int, int]) -> str:
    low, high = ends
    return str(low) if low == high else f"{low} to {high}"


def _rate(found: Rate) -> str:
    return f"{found.errors} (at most {found.at_most:.2g})" if found.tries else "-"


# the page


def page(lines: Sequence[Line], rows: Sequence[Row]) -> str:
    """Return the page as Markdown: of a file's lines, and of the figures made from them."""
    head = lines[0]
    assert isinstance(head, Head)  # trial_log.read() refuses others
    labs = list(dict.fromkeys(row.lab for row in rows))
    windows = [row for row in rows if row.kind == "windows"]
    said = [
        "# How often the checks err",
        "",
        "Made by `fourthreads trial`; do not edit by hand.",
        "",
        f"- begun: {head.began}",
        f"- machine: {head.cores} cores, {head.processor}",
        f"- Node: {head.node}",
        *(f"- command: {said}" for said in calls(lines)),
        "",
        *_INTRODUCTION,
        "",
        "## Counts, from live runs",
        "",
        *_COUNTS,
        "",
        *_markdown(_live(rows)),
    ]
    if windows:
        said += ["", "## Ratios, from recorded pairs", "", *_ratios(windows), "", *_markdown(_windows(rows))]
        said += ["", "Re-drawn windows, one at every pair:", "", *_markdown(_redrawn(rows))]
    said += ["", "## What is not tried", ""]
    said += [f"- {gap}" for gap in trial_gaps.gaps(labs, (row.shape.cores for row in rows))]
    said += ["- Laws (`fourthreads check`) earn nothing and are not tried; answers to questions are not measured."]
    said += ["", "## Where it falls short", "", *(_asked(rows))]
    said += [f"- {one}" for one in _short(rows)] or ["- Nowhere: every figure that is asked for is reached."]
    if odd := [(row, reason) for row in rows for reason in row.odd]:
        said += ["", "Reasons given, at most five a row:", ""]
        said += [f"- {name(row)} on {row.shape}: {reason}" for row, reason in odd]
    return "\n".join(said) + "\n"


def calls(lines: Sequence[Line]) -> tuple[str, ...]:
    """Say which calls made the lines, in order, as they were noted: one that was stopped and gone on with is said each time."""
    return tuple(_calls(lines))


def _calls(lines: Sequence[Line]) -> Iterator[str]:
    results = [line for line in lines if not isinstance(line, Head)]
    before = next((at for at, line in enumerate(results) if isinstance(line, Call)), len(results))
    if before:
        yield f"not noted for the first {before:,} results"
    for line in results:
        if isinstance(line, Call):
            revision = f", revision {line.revision}" if line.revision else ""
            yield f"`{line.command}`, {line.date}{revision}"


def _short(rows: Sequence[Row]) -> Cells:
    return (*short_of(rows), *trial_gaps.missing(rows), *unsure_of(rows))


def _asked(rows: Sequence[Row]) -> Iterator[str]:
    """Say what a row should rest on, lab by lab."""
    goals: dict[int, dict[str, None]] = {}
    for row in rows:
        goals.setdefault(goal(row), {})[row.lab] = None
    asked = ", ".join(f"{count} ({', '.join(labs)})" for count, labs in goals.items())
    yield f"Asked for, a check and machine: {asked} live runs of right ways and as many of wrong ones; of a bet, so many records."
    yield ""


_INTRODUCTION = (
    "Every check that earns points is tried on right ways, the reference solution and what is as good, which must pass, and on wrong",
    "ways in good faith, which must not. *False FAIL*: a right way contradicts. *False PASS*: a wrong way passes. *Wrong name*: a",
    "wrong way contradicts without its own name, or with another one, too. *INCONCLUSIVE* costs nothing and is run again: a right way",
    "that is not passed, or a wrong one that is not refuted. *At most* is the rate that is not exceeded with 95 % confidence (one-sided,",
    "exact after Clopper and Pearson). *Tries* are those of right + of wrong ways. Several ways take turns, so a bound over them is one",
    "of their mixture: of a single way there are only as many tries as *each* says.",
    "",
    "*Beside*: threads that ran or were ready beside ours when a try began, load among them, in the median. An idle machine with one or",
    "more of them is labelled NOT QUIET. On a *busy* one, processes that do nothing but compute, one or more, share the cores with the tries.",
    "*Load*: how many such processes were this trial's own, of how many that were seen on the machine; `?` where the lines do not say.",
    "The machine was calibrated while the trial's own stood still, which is the harder case.",
)
_COUNTS = (
    "Each try is a Node of its own, its numbers drawn anew. `bet NAME`: a record is held against what the model says (false FAIL where",
    "they differ), and so are the answers of everybody who holds a story (wrong name where it is not named for them).",
)


def _ratios(rows: Sequence[Row]) -> Cells:
    spans = [row.pairs for rests in rows for row in (rests.right_series, rests.wrong_series) if row and row.pairs[1]]
    length = _range((min(low for low, _ in spans), max(high for _, high in spans))) if spans else "0"
    return (
        f"Pairs are recorded in series of {length}, one calibration and one draw each, and judged as a learner's would be, in disjoint",
        "windows: the next begins after the pairs that the verdict before took (9, 15 or 25). They may begin at any of the first nine",
        "pairs: what counts is the walk with most errors, and of equal ones the shortest. Wrong ways are pairs whose true ratio is what",
        "the wrong model predicts (k hashes in turn on one slot, over one), with this machine's own noise.",
        "",
        "Windows of one series share its calibration. So there are two bounds: over windows, which is honest about noise, and over series,",
        "in which a series errs if any of its windows does, which is honest about a bad calibration. Only the weaker may be claimed.",
    )


def _markdown(table: Sequence[Cells]) -> list[str]:
    if len(table) == 1:
        return ["(none yet)"]
    return ["| " + " | ".join(line) + " |" for line in (table[0], ("---",) * len(table[0]), *table[1:])]
