"""The people of ``places``: each a way to go through the lab's cells."""

from __future__ import annotations

from typing import Any

from course import asking, keeping, magic
from course.reply import Reply
from course.session import Session
from grader import answering
from grader.card import total
from grader.marks import Mark, marks
from labs.places import lines, questions, stories
from labs.spec import Row, Story
from tests import places_room
from tests.personas import bet, choose, evidence, letter_a, look

__all__ = ["bet", "choose", "evidence", "letter_a", "look"]
BETS = ("six", "six more", "victim", "own")


def node_row(it: Session, slug: str) -> Row:
    """Return what Node will do."""
    return stories.node(it.scene(it.work(), slug))[slug]


def story_row(it: Session, slug: str, story: Story) -> Row:
    """Return what somebody who holds a story bets; where the story is silent, what Node does."""
    return {**node_row(it, slug), **story.rows(it.scene(it.work(), slug)).get(slug, {})}


def found(it: Session) -> list[int]:
    """Return the puzzle's right lines."""
    return list(lines.right(it.scene(it.work(), "lines")))


def later_half(it: Session) -> list[Reply]:
    """Go through cells 14 to 19 knowing everything, the puzzle left out."""
    limit = questions.limit(it.scene(it.work(), "service"))
    return [
        magic.node(it, places_room.SOUND),
        bet(it, "own", node_row(it, "own")),
        look(it, "own"),
        choose(it, "cannot", "beside-the-timer"),
        choose(it, "service", "nothing", limit=limit),
    ]


def knows(it: Session) -> list[Reply]:
    """Go through all cells knowing everything."""
    said = []
    for slug in BETS[:3]:
        said += [bet(it, slug, node_row(it, slug)), look(it, slug)]
    said.append(choose(it, "why", "the-code"))
    return [*said, *later_half(it), look(it, "lines", stop=found(it))]


def asleep(it: Session) -> list[Reply]:
    """Press every button with constant answers."""
    said = []
    for slug in ("six", "six more"):
        said += [bet(it, slug, {"paths": ["P"] * 6}), look(it, slug)]
    said += [bet(it, "victim", {"sync": "both", "callback": "both"}), look(it, "victim"), letter_a(it, "why")]
    said += [magic.node(it, "as given"), bet(it, "own", {"early": 1, "health": 1}), look(it, "own")]
    return [*said, look(it, "lines", stop=[1]), letter_a(it, "cannot"), letter_a(it, "service", limit=1)]


def blanks(it: Session) -> list[Reply]:
    """Run all cells of a fresh notebook."""
    said = []
    for slug in BETS:
        typed: dict[str, Any] = (
            {"paths": [...] * 6}
            if slug.startswith("six")
            else dict.fromkeys(("sync", "callback") if slug == "victim" else ("early", "health"), ...)
        )
        said += [bet(it, slug, typed, sure=...), look(it, slug)]
    said += [
        look(it, "lines", stop=[...]),
        asking.explain(it, "why", (...,), {}),
        asking.explain(it, "cannot", (...,), {}),
    ]
    return [*said, asking.explain(it, "service", (), {"limit": ..., "after": ...}), keeping.check(it)]


def letter(it: Session, slug: str, option: str) -> str:
    """Return the letter of a question's option."""
    question = answering.found(it.lab, slug)
    assert question is not None
    here, seed = asking.scene(it, it.work(), question)
    return next(letter for letter, one in answering.lettered(question, here, seed).items() if one.slug == option)


def card(it: Session) -> dict[str, Mark]:
    """Return the marks by grade id."""
    return {mark.item.grade_id: mark for mark in marks(it.lab, evidence(it))}


def points(it: Session) -> float:
    """Return the total."""
    return total(marks(it.lab, evidence(it)))[0]
