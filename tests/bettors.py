"""A class that has bet and not measured yet: journals of any lab, each learner with numbers, cores and an idea of their own."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from grader import work as works
from grader.work import Evidence
from labs import acts, draws, journal
from labs.journal import FILE_NAME, START, Entry
from labs.spec import Bet, Lab, Row, Scene, Shape
from tests import classroom

#: What somebody says to a bet, from its scene; None: nothing.
Says = Callable[[Bet, Scene], Row | None]


def node(lab: Lab) -> Says:
    """Return somebody who knows what Node will do."""
    assert lab.node is not None
    tell = lab.node
    return lambda bet, here: tell(here).get(bet.slug)


def holds(lab: Lab, slug: str) -> Says:
    """Return somebody who holds a story; where it says nothing, what Node does."""
    story = next(story for story in lab.stories if story.slug == slug)
    knows = node(lab)
    return lambda bet, here: {**(knows(bet, here) or {}), **story.rows(here).get(bet.slug, {})}


def says(**answers: object) -> Says:
    """Return somebody who answers the same to every bet that has these blanks."""
    return lambda bet, here: dict(answers) if {blank.name for blank in bet.blanks} == answers.keys() else None  # type: ignore[arg-type]


def at(slug: str, answers: Callable[[Scene], Mapping[str, Any]]) -> Says:
    """Return somebody who answers one bet, from its numbers, and no other."""
    return lambda bet, here: dict(answers(here)) if bet.slug == slug else None


def typed(answers: Row) -> dict[str, object]:
    """Return answers as one would type them: what is known as an interval becomes one short number."""
    return {name: round(float(value), 1) if isinstance(value, float) else value for name, value in answers.items()}


def entries(
    lab: Lab, learner: str, said: Iterable[Says], cores: int = 2, bets: Iterable[str] = ()
) -> tuple[Entry, ...]:
    """Return the journal of somebody who has bet, each time once for every one of ``said``.

    Args:
        lab: The lab.
        learner: Their id.
        said: What they say; a later one changes the bet.
        cores: Of their machine.
        bets: Which bets they have come to; all if empty.
    """
    made: list[Entry] = []

    def write(kind: journal.EntryKind, body: acts._Body) -> None:
        previous = made[-1].digest if made else START
        made.append(journal.make(len(made), kind, lab.slug, classroom.plain(body), previous, journal.now()))

    shape = Shape(cores)
    seed = draws.seed("net-2027/salt", learner, lab.slug, 0)
    write("open", acts.Opened(course="net-2027", learner=learner, version="1.0"))
    drawn: set[str] = set()
    for bet in lab.bets:
        if bets and bet.slug not in bets:
            continue
        numbers = works.draw(lab, bet.slug, seed, shape)
        if bet.measure not in drawn:
            drawn.add(bet.measure)
            write("draw", acts.Drawn(thing=bet.measure, draw=0, seed=seed, cores=cores, parameters=dict(numbers)))
        for one in said:
            answers = one(bet, Scene(numbers, shape))
            if answers is not None:
                write("bet", acts.Betted(bet=bet.slug, draw=0, answers=typed(answers)))
    return tuple(made)


def evidence(lab: Lab, learner: str, *said: Says, cores: int = 2) -> Evidence:
    """Return the same as evidence."""
    return Evidence(lab.slug, entries(lab, learner, said, cores))


def room_of(lab: Lab, learners: int, seed: int = 7) -> list[Evidence]:
    """Return a class: a third knows, the others hold one story each; machines have 2 to 12 cores."""
    chance = random.Random(seed)
    stories = [story.slug for story in lab.stories]
    found = []
    for number in range(learners):
        say = node(lab) if chance.random() < 0.3 else holds(lab, chance.choice(stories))
        found.append(evidence(lab, f"id-{number}", say, cores=chance.choice((2, 4, 8, 12))))
    return found


def hand_in(folder: Path, found: Evidence) -> Path:
    """Write a journal into a learner's folder of the lab and return its path."""
    place = folder / found.lab / FILE_NAME
    place.parent.mkdir(parents=True)
    place.write_bytes(b"".join(json.dumps(classroom.plain(entry)).encode() + b"\n" for entry in found.entries))
    return place
