"""What people do in any lab: bet, look, choose; and what they have earned by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from course import asking, betting, measuring
from course.reply import Reply
from course.session import Session
from grader import answering
from grader.card import total
from grader.marks import Mark, marks
from grader.stories import Said
from grader.work import Evidence
from labs.spec import Lab, Row, Story


def bet(it: Session, slug: str, answers: Mapping[str, Any], **more: Any) -> Reply:
    """Make a bet."""
    return betting.predict(it, slug, {**answers, **more})


def look(it: Session, slug: str, **typed: Any) -> Reply:
    """Measure."""
    return measuring.measure(it, slug, typed)


def choose(it: Session, slug: str, option: str, **typed: Any) -> Reply:
    """Answer a question by the slug of an option, whatever letter it was given."""
    question = answering.found(it.lab, slug)
    assert question is not None
    return asking.explain(it, slug, (), {question.choice: letter(it, slug, option), **typed})


def letter_a(it: Session, slug: str, **typed: Any) -> Reply:
    """Answer a question with the first letter, unread."""
    question = answering.found(it.lab, slug)
    assert question is not None
    return asking.explain(it, slug, (), {question.choice: "a", **typed})


def letter(it: Session, slug: str, option: str) -> str:
    """Return the letter that an option of a question was given."""
    question = answering.found(it.lab, slug)
    assert question is not None
    here, seed = asking.scene(it, it.work(), question)
    return next(letter for letter, one in answering.lettered(question, here, seed).items() if one.slug == option)


def node_row(it: Session, slug: str) -> Row:
    """Return what Node will do."""
    assert it.lab.node is not None
    return typed(it.lab.node(it.scene(it.work(), slug))[slug])


def story_row(it: Session, slug: str, story: Story) -> Row:
    """Return what somebody who holds a story bets; where the story is silent, what Node does."""
    return {**node_row(it, slug), **typed(story.rows(it.scene(it.work(), slug)).get(slug, {}))}


def typed(row: Row) -> Row:
    """Return a row as a person would type it: one number where an interval is predicted."""
    return {name: float(value) if isinstance(value, float) else value for name, value in row.items()}


def right_bets(it: Session) -> list[Reply]:
    """Make every bet as Node will have it, and measure each."""
    return [
        reply for one in it.lab.bets for reply in (bet(it, one.slug, node_row(it, one.slug)), look(it, one.measure))
    ]


def blank_bets(it: Session) -> list[Reply]:
    """Run every cell of a bet and its measure with the blanks as they are."""
    said = []
    for one in it.lab.bets:
        said += [bet(it, one.slug, {blank.name: ... for blank in one.blanks}), look(it, one.measure)]
    return said


def rows_so_far(lab: Lab, said: Callable[[str], Said]) -> Iterator[tuple[tuple[Said, ...], tuple[str, ...]]]:
    """Yield every row of bets that somebody makes, as far as it has come, with the row's names; ``said`` makes one bet."""
    for names in lab.rows:
        for upto in range(1, len(names) + 1):
            yield tuple(said(slug) for slug in names[:upto]), names


def evidence(it: Session) -> Evidence:
    """Return what is in the journal."""
    return Evidence(it.lab.slug, it.journal().entries())


def card(it: Session) -> dict[str, Mark]:
    """Return the marks by grade id."""
    return {mark.item.grade_id: mark for mark in marks(it.lab, evidence(it))}


def points(it: Session) -> float:
    """Return the total."""
    return total(marks(it.lab, evidence(it)))[0]
