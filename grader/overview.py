"""What an instructor looks for first in a class's rows: who is missing, which cells need a human, what was found. Pure.

The rows are those of :mod:`course.grading`, one a student and lab.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.verdict import Outcome
from labs import catalog

Row = Mapping[str, Any]
#: Findings and what they mean, in the order in which they are listed; others follow by their code.
MEANS = {
    "same-record": "a record that is also in somebody else's work",
    "same-learner": "a learner's id that is also somebody else's",
    "foreign-seed": "another learner's or class's numbers",
    "numbers": "numbers that are not those of the draw; a record made with such numbers earns nothing",
    "no-draw": "bets or records without the numbers that were drawn for them; they earn nothing",
    "no-opening": "nothing says whose numbers these are",
    "damaged": "entries that were changed after they were written; they are not counted",
    "unreadable": "entries that cannot be read; they are not counted",
    "gap": "entries are missing",
    "fork": "entries are doubled",
    "other-class": "begun outside the class",
    "other-version": "begun with another release",
    "other-room": "measured in a room that the class does not use",
    "after-hand-in": "dated after it was handed in",
    "no-journal": "the notebook alone: what was taken out of it does not show",
    "gone": "not in submitted any more; the mark stands",
}
#: What could not be judged: noise and faults. The weight may have moved, so it is a human's turn only where points are missing.
UNJUDGED = (Outcome.INCONCLUSIVE.value, Outcome.NOT_SEPARABLE.value)


@dataclass(frozen=True)
class Who:
    """One student in one lab."""

    student: str
    lab: str
    why: str = ""


@dataclass(frozen=True)
class Turn:
    """Something that waits for a human.

    Attributes:
        title: What it is.
        todo: What to do about it.
        cells: Where.
    """

    title: str
    todo: str
    cells: tuple[Who, ...]


@dataclass(frozen=True)
class Flag:
    """One code of findings or remarks.

    Attributes:
        code: Its permanent name.
        text: What it means; empty where its sentences say all.
        cells: Where, each with its sentence.
    """

    code: str
    text: str
    cells: tuple[Who, ...]


@dataclass(frozen=True)
class LabLine:
    """How a lab stands: hand-ins, marks of those that were graded (median), who is missing."""

    slug: str
    handed_in: int
    graded: int
    median: float | None
    most: float
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Student:
    """One line of the matrix: the student's row in each lab, and the sum."""

    name: str
    rows: tuple[Row | None, ...]
    points: float
    most: float
    looks: int

    @property
    def open(self) -> bool:
        """Whether there is something to read about this student: a point that is missing, a flag, a mark that changed."""
        return any(
            row["findings"] or row["remarks"] or row["changed"] or row["state"] == "not looked at" or lost(row)
            for row in self.rows
            if row is not None
        )


@dataclass(frozen=True)
class Overview:
    """All of it.

    Attributes:
        changed: Marks that are not those of the last report.
        labs: The labs that somebody handed in, in the course's order.
        left_out: Released labs that nobody handed in.
        absent: Students who handed in nothing at all.
        turns: What waits for a human, the most urgent first.
        findings: What was found in evidence, by code.
        remarks: What was unusual in the files of work that was graded, by code.
        students: The matrix.
    """

    changed: tuple[Who, ...]
    labs: tuple[LabLine, ...]
    left_out: tuple[str, ...]
    absent: tuple[str, ...]
    turns: tuple[Turn, ...]
    findings: tuple[Flag, ...]
    remarks: tuple[Flag, ...]
    students: tuple[Student, ...]


def untouched(row: Row) -> bool:
    """Return whether nothing lies there: no hand-in, and nothing odd in its place."""
    return bool(row["state"] == "nothing handed in" and not row["remarks"])


def handed_in(rows: Iterable[Row]) -> frozenset[str]:
    """Return the labs in which anything of anybody lies."""
    return frozenset(row["lab"] for row in rows if not untouched(row))


def title(row: Row, check: str) -> str:
    """Return what a check of a row is called on the learner's card; its permanent name where the lab has no such item."""
    items = catalog.load(row["lab"]).items if row["lab"] in catalog.slugs() else ()
    return next((item.title for item in items if item.grade_id == check), check)


def outcome(verdict: Row) -> str:
    """Return an outcome in words: ``not attempted``."""
    word: str = verdict["outcome"]
    return "earned in part" if word == Outcome.PASS.value else word.replace("_", " ").lower()


def lost(row: Row) -> list[Row]:
    """Return the verdicts of graded work that did not earn all."""
    if row["state"] != "graded":
        return []
    return [verdict for verdict in row["verdicts"] if verdict["points"] < verdict["max_points"]]


def overview(rows: Sequence[Row], released: Iterable[str] = ()) -> Overview:
    """Return what to look at in a class.

    Args:
        rows: One a student and lab; those of labs that nobody handed in may be there or not.
        released: All labs of the class, in the course's order; those of the rows if empty.
    """
    order = list(dict.fromkeys([*released, *(row["lab"] for row in rows)]))
    there = handed_in(rows)
    labs = [lab for lab in order if lab in there]
    by: dict[str, dict[str, Row]] = {}
    for row in rows:
        by.setdefault(row["student"], {})[row["lab"]] = row
    names = sorted(by, key=lambda name: (name.lower(), name))
    absent = tuple(name for name in names if all(untouched(row) for row in by[name].values()))
    students = tuple(_student(name, [by[name].get(lab) for lab in labs]) for name in names)
    lines = tuple(_lab(lab, [by[name].get(lab) for name in names], names) for lab in labs)
    left_out = tuple(lab for lab in order if lab not in there)
    shown = [by[name][lab] for name in names for lab in labs if lab in by[name]]
    graded = [row for row in shown if row["state"] == "graded"]  # the others' remarks wait for a human above
    findings, remarks = _flags(shown, "findings"), _flags(graded, "remarks")
    changed = tuple(_who(row, row["changed"]) for row in shown if row["changed"])
    return Overview(changed, lines, left_out, absent, tuple(_turns(shown)), findings, remarks, students)


def _student(name: str, rows: Sequence[Row | None]) -> Student:
    there = [row for row in rows if row is not None]
    return Student(
        name,
        tuple(rows),
        round(sum(row["points"] or 0.0 for row in there), 2),
        round(sum(row["max_points"] for row in there), 2),
        sum(len(row["findings"]) + len(row["remarks"]) for row in there),
    )


def _lab(lab: str, rows: Sequence[Row | None], names: Sequence[str]) -> LabLine:
    from statistics import median

    there = [row for row in rows if row is not None and not untouched(row)]
    marks = [row["points"] for row in there if row["state"] == "graded" and row["points"] is not None]
    missing = [name for name, row in zip(names, rows, strict=True) if row is None or untouched(row)]
    most = max((row["max_points"] for row in there), default=0.0)
    return LabLine(lab, len(there), len(marks), median(marks) if marks else None, most, tuple(missing))


def _turns(rows: Sequence[Row]) -> Iterator[Turn]:
    """Yield what a human must decide or repair, without what is empty."""
    for title, todo, cells in (
        (
            "could not be graded",
            "Repair it and grade again; the mark it had before stands.",
            [_who(row, *row["remarks"][-1:]) for row in rows if row["state"] == "not graded"],
        ),
        (
            "handed in, but not looked at yet",
            "Grade it; its mark may be of earlier work, or there is none.",
            [_who(row) for row in rows if row["state"] == "not looked at"],
        ),
        (
            "handed in, but nothing of it can be read",
            "Ask for the packed file or the folder, then grade again.",
            [_who(row, *row["remarks"][:1]) for row in rows if row["state"] == "nothing handed in" and row["remarks"]],
        ),
        (
            "a fault of the course or the set-up stands in it",
            "Not the student's. Look at it, and set the points by hand in formgrader.",
            [_who(row, *found) for row in rows if (found := _outcomes(row, (Outcome.ERROR.value,)))],
        ),
        (
            "could not be judged, and points are missing for it",
            "Let the student run the step again, or set the points by hand in formgrader.",
            [_who(row, *found) for row in rows if (found := _outcomes(row, UNJUDGED))],
        ),
    ):
        if cells:
            yield Turn(title, todo, tuple(cells))


def _who(row: Row, *why: str) -> Who:
    return Who(row["student"], row["lab"], "; ".join(why))


def _outcomes(row: Row, outcomes: Sequence[str]) -> list[str]:
    """Return the checks of a row that came out so and cost points; what was set by hand is settled."""
    return [
        ": ".join(part for part in (title(row, verdict["check"]), verdict.get("because")) if part)
        for verdict in lost(row)
        if verdict["outcome"] in outcomes and verdict["check"] not in row["by_hand"]
    ]


def _flags(rows: Sequence[Row], kind: str) -> tuple[Flag, ...]:
    found: dict[str, list[Who]] = {}
    for row in rows:
        for text in row[kind]:
            code, _, sentence = text.partition(": ")
            found.setdefault(code, []).append(_who(row, sentence))
    ranks = {code: rank for rank, code in enumerate(MEANS)}
    codes = sorted(found, key=lambda code: (ranks.get(code, len(ranks)), code))
    return tuple(Flag(code, MEANS.get(code, ""), tuple(found[code])) for code in codes)
