"""The card of a lab as text: what each item earned, and which step opens what is still open. The total is computed."""

from __future__ import annotations

from collections.abc import Sequence

from grader.marks import Mark

#: Columns: where the state stands, where the points stand, where the note stands.
_STATE, _POINTS, _NOTE = 34, 54, 70


def number(points: float) -> str:
    """Return points as short as they are: ``2.0``, ``0.75``."""
    text = f"{points:.2f}"
    return text[:-1] if text.endswith("0") else text


def total(marks: Sequence[Mark]) -> tuple[float, float]:
    """Return the points and the maximum, as sums of the rows."""
    return round(sum(mark.verdict.points for mark in marks), 2), round(
        sum(mark.verdict.max_points for mark in marks), 2
    )


def head(title: str, marks: Sequence[Mark]) -> str:
    """Return the first line: the lab and its total."""
    points, most = total(marks)
    return f"{title:<{_POINTS - 1}}{_short(points)} of {_short(most)}"


def _short(points: float) -> str:
    return f"{points:.2f}".rstrip("0").rstrip(".")


def row(mark: Mark) -> str:
    """Return one line of the card."""
    earned = number(mark.verdict.points) if mark.verdict.points else "0"
    text = f"{mark.title:<{_STATE}}{mark.state:<{_POINTS - _STATE - 1}} {earned} of {number(mark.verdict.max_points)}"
    return f"{text:<{_NOTE}}{mark.note}".rstrip()


def card(title: str, marks: Sequence[Mark]) -> tuple[str, ...]:
    """Return the card's lines."""
    return (head(title, marks), *(row(mark) for mark in marks))
