"""What earns points: a line of the card, and the checks that a record must pass for it. Data only.

Authors import these from :mod:`labs.spec`, where all parts of a lab stand together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from labs.answers import Answer
from labs.measurement import Machine, Record

if TYPE_CHECKING:
    from labs.spec import Scene


@dataclass(frozen=True)
class CountCheck:
    """A structural check: a measured value must be the expected one.

    Attributes:
        slug: Its permanent name in verdicts.
        measure: Whose record it judges.
        sanity: Why this record cannot be judged (INCONCLUSIVE), or None.
        measured: The value, from observed counts only.
        expected: From the model.
        wrong: Story slug -> the value that story leads to.
        because: One sentence on what was seen, for the feedback.
        next_step: What to do.
    """

    slug: str
    measure: str
    measured: Callable[[Record], Answer | None]
    expected: Callable[[Scene], Answer]
    wrong: Callable[[Scene], Mapping[str, Answer]]
    because: Callable[[Scene], str]
    next_step: str
    sanity: Callable[[Record], str | None] = lambda record: None


@dataclass(frozen=True)
class RatioCheck:
    """A ratio of times, judged by the rule of the design (labs.ratio).

    Attributes:
        pair: Name of the pairs in the record.
        expected: Interval ``(low, high)`` from the model and the calibrated machine.
        wrong: Story slug -> its interval on this machine.
        moves_to: Slug of the count check that takes its weight where it cannot be judged.
        threads: How many pool threads are busy at once in the run above the line: what its capacity control is held against.
        sanity: Why the record cannot be judged, or None: a ratio without the counts of its run is a time of nobody knows what.
    """

    slug: str
    measure: str
    pair: str
    expected: Callable[[Scene, Machine], tuple[float, float]]
    wrong: Callable[[Scene, Machine], Mapping[str, tuple[float, float]]]
    because: Callable[[Scene], str]
    next_step: str
    moves_to: str
    threads: Callable[[Scene], int] = lambda scene: min(scene.parameters.get("pool") or 4, scene.parameters["tasks"])
    sanity: Callable[[Record], str | None] = lambda record: None


@dataclass(frozen=True)
class Item:
    """One line of the card, one graded cell.

    Attributes:
        grade_id: Of the nbgrader cell: ``gates-why``.
        title: On the card.
        points: At most.
        part: Which share of the total it belongs to.
        bets: The bets that earn it (shared equally), or
        question: the question that earns it, or
        checks: the checks that earn it, each with its weight (weights sum to 1).
        step: The step that opens it.
        done: What the card says where a checked artefact passes, such as ``reached``.
        label: The title with the draw's numbers in it (``state 1 5 7``), instead of ``title``.
    """

    grade_id: str
    title: str
    points: float
    part: Literal["bets", "artefact", "explanation", "transfer"]
    step: int
    bets: tuple[str, ...] = ()
    question: str | None = None
    checks: tuple[tuple[CountCheck | RatioCheck, float], ...] = ()
    done: str = "yes"
    label: Callable[[Scene], str] | None = None
