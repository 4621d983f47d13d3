"""What the grader says: verdicts as data. Text, HTML and CSV are renderings of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct


class Outcome(StrEnum):
    """The six outcomes of a check."""

    PASS = "PASS"
    CONTRADICTS = "CONTRADICTS"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_SEPARABLE = "NOT_SEPARABLE"
    NOT_ATTEMPTED = "NOT_ATTEMPTED"
    ERROR = "ERROR"


class Verdict(Struct, frozen=True, kw_only=True):
    """One check on one learner's evidence.

    Attributes:
        check: The check's permanent name, ``gates-state``.
        outcome: What came out.
        wrong_models: Slugs of the stories that fit, where it contradicts.
        measured: What was seen.
        expected: What the model says.
        accepted: What would have passed (a value, or ``[low, high]``).
        because: One sentence for the learner.
        next_step: One thing to do.
        points: Earned.
        max_points: At most; from the master, never from the submission.
    """

    check: str
    outcome: Outcome
    wrong_models: tuple[str, ...] = ()
    measured: Any = None
    expected: Any = None
    accepted: Any = None
    because: str = ""
    next_step: str = ""
    points: float = 0.0
    max_points: float = 0.0


def to_json(verdicts: tuple[Verdict, ...]) -> str:
    """Return the verdicts as a JSON list."""
    return msgspec.json.encode(verdicts).decode()


def exit_code(verdicts: tuple[Verdict, ...]) -> int:
    """Return 0 where nothing contradicts, 1 where something does."""
    return int(any(verdict.outcome is Outcome.CONTRADICTS for verdict in verdicts))
