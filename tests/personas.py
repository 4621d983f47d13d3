"""The people of ``gates``: each a way to go through the lab's cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from course import asking, betting, keeping, magic, measuring
from course.reply import Reply
from course.session import Session
from grader import answering
from grader.card import total
from grader.marks import Mark, marks
from grader.work import Evidence
from labs.gates import stories as gates_stories
from labs.gates.draw import needed
from labs.spec import Row, Story
from tests import classroom


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
    here, seed = asking.scene(it, it.work(), question)
    letter = next(letter for letter, one in answering.lettered(question, here, seed).items() if one.slug == option)
    return asking.explain(it, slug, (), {question.choice: letter, **typed})


def letter_a(it: Session, slug: str, **typed: Any) -> Reply:
    """Answer a question with the first letter, unread."""
    question = answering.found(it.lab, slug)
    assert question is not None
    return asking.explain(it, slug, (), {question.choice: "a", **typed})


def node_rows(it: Session, slug: str) -> Row:
    """Return what Node will do."""
    return gates_stories.node(it.scene(it.work(), slug))[slug]


def story_row(it: Session, slug: str, story: Story) -> Row:
    """Return what somebody who holds a story bets; where the story is silent, what Node does."""
    return {**node_rows(it, slug), **story.rows(it.scene(it.work(), slug)).get(slug, {})}


def knows(it: Session) -> list[Reply]:
    """Go through all cells knowing everything."""
    said = []
    for slug in ("start", "one gate"):
        said += [bet(it, slug, node_rows(it, slug)), look(it, slug)]
    said.append(choose(it, "why", "one-line"))
    return [*said, *later_half(it)]


def later_half(it: Session) -> list[Reply]:
    """Go through cells 11 to 16 knowing everything."""
    said = [magic.node(it, classroom.SOUND), bet(it, "canary", node_rows(it, "canary")), look(it, "canary")]
    said.append(look(it, "state", open=list(needed(classroom.numbers(it, "state")["target"]))))
    said.append(choose(it, "cannot", "done-before-started"))
    said.append(choose(it, "service", "postpone", hour=classroom.numbers(it, "service")["pool"]))
    return said


def asleep(it: Session) -> list[Reply]:
    """Press every button with constant answers."""
    said = [
        bet(it, "start", {"held": 1}),
        look(it, "start"),
        bet(it, "one gate", {"held": 1, "starts": []}),
        look(it, "one gate"),
    ]
    said += [
        letter_a(it, "why"),
        magic.node(it, classroom.STARTER),
        bet(it, "canary", {"openings": 1}),
        look(it, "canary"),
    ]
    said += [look(it, "state", open=[1]), letter_a(it, "cannot"), letter_a(it, "service", hour=1)]
    return said


def blanks(it: Session) -> list[Reply]:
    """Run all cells of a fresh notebook."""
    said = []
    for slug, names in (("start", ("held",)), ("one gate", ("held", "starts")), ("canary", ("openings",))):
        said += [bet(it, slug, dict.fromkeys(names, ...)), look(it, slug)]
    said += [look(it, "state", open=[...]), asking.explain(it, "why", (...,), {})]
    said += [asking.explain(it, "cannot", (...,), {}), asking.explain(it, "service", (), {"hour": ..., "after": ...})]
    return [*said, keeping.check(it)]


def evidence(it: Session) -> Evidence:
    """Return what is in the journal."""
    return Evidence(it.lab.slug, it.journal().entries())


def card(it: Session) -> dict[str, Mark]:
    """Return the marks by grade id."""
    return {mark.item.grade_id: mark for mark in marks(it.lab, evidence(it))}


def points(it: Session) -> float:
    """Return the total."""
    return total(marks(it.lab, evidence(it)))[0]
