"""Questions: their letters, what is right, and how many tries were used. Shared by the notebook and the judge."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from grader.policy import MOST_MISSES
from grader.work import Try, Work, scene, thing
from labs.spec import Lab, Option, Question, Row, Scene

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Asked:
    """How far a question is at one draw.

    Attributes:
        misses: Different answers that were not right, in order, up to the last that counted.
        right_at: The place of the right answer among the tries (from 0), None where it was not given in time.
    """

    misses: tuple[Row, ...]
    right_at: int | None

    @property
    def settled(self) -> bool:
        """Whether the answer is out: given, or shown after the last miss."""
        return self.right_at is not None or len(self.misses) >= MOST_MISSES


def options(question: Question, here: Scene) -> tuple[Option, ...]:
    """Return the options as the definition orders them."""
    return question.options(here) if callable(question.options) else question.options


def lettered(question: Question, here: Scene, seed: int) -> dict[str, Option]:
    """Return letter -> option; the order of the letters is drawn."""
    order = list(options(question, here))
    random.Random(f"{seed} {question.slug}").shuffle(order)
    return dict(zip(LETTERS, order, strict=False))


def solution(question: Question, here: Scene) -> Row:
    """Return the right answers: blank -> value, the option's slug under the choice's name."""
    right = dict(question.solve(here)) if question.solve else {}
    if question.right is not None:
        right[question.choice] = question.right(here) if callable(question.right) else question.right
    return right


def asked(question: Question, here: Scene, tries: Sequence[Try]) -> Asked:
    """Return how far the question is. The same answer twice is one try; what comes after the end does not count."""
    right = solution(question, here)
    misses: list[Row] = []
    for one in tries:
        if dict(one.answers) == right:
            return Asked(tuple(misses), len(misses))
        if one.answers not in misses:
            misses.append(one.answers)
        if len(misses) == MOST_MISSES:
            break
    return Asked(tuple(misses), None)


def setting(work: Work, question: Question, number: int) -> Scene:
    """Return the question's scene at one draw, with the newest record of the last measure it needs."""
    kept = work.latest(question.needs[-1]) if question.needs else None
    return scene(work, question.slug, number, kept.record if kept else None)


def found(lab: Lab, slug: str) -> Question | None:
    """Return the question of that name, None where there is none."""
    return next((question for question in lab.questions if question.slug == slug), None)


def is_settled(work: Work, slug: str, number: int | None = None) -> bool:
    """Return whether a question is settled at a draw; without one, at that in force."""
    question, number = found(work.lab, slug), work.number(slug) if number is None else number
    if question is None or (thing(work.lab, slug), number) not in work.draws:
        return False
    return asked(question, setting(work, question, number), work.tries.get((slug, number), ())).settled
