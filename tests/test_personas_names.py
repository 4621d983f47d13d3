"""The personas of ``names`` get what they must, for many draws on small and large machines; no Node is needed for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from course import magic
from grader import stories
from labs.acts import freeze
from labs.names import stories as names_stories
from labs.names.draw import draw
from labs.names.reference import trial
from labs.names.script import STARTER
from labs.request import Request
from labs.spec import Row, Scene, Shape, Story
from tests import classroom, names_room, personas
from tests.names_room import BETS, LAB

CORES = (1, 2, 4, 12, 16)
#: Stories that give the same number at one bet on one machine; the next bet tells them apart.
TWINS = {(4, "start"): {"one-line", "a-slot-a-core"}}


def draws(cores: int, most: int = 12) -> Iterator[dict[str, Any]]:
    """Yield draws as the journal holds them."""
    for seed in range(most):
        yield freeze({name: dict(numbers) for name, numbers in draw(random.Random(seed), Shape(cores)).items()})


def betted(drawn: dict[str, Any], cores: int, story: Story, slug: str, script: str = trial.LATE) -> stories.Said:
    """Return one bet of somebody who holds a story, with what Node did."""
    bet, bare = LAB.bet(slug), Scene(drawn[slug], Shape(cores))
    request = Request(
        lab="names", measure=slug, parameters=classroom.plain(dict(LAB.measure(slug).parameters(bare))), script=script if slug == "cache" else None,
    )  # fmt: skip
    record = names_room.record(request, cores)
    actual = bet.actual(record)
    assert actual is not None
    answers: Row = {**actual, **story.rows(bare).get(slug, {})}
    return stories.Said(slug, answers, actual, Scene(drawn[slug], Shape(cores), record, answers))


@pytest.mark.parametrize("cores", CORES)
@pytest.mark.parametrize("story", LAB.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(story: Story, cores: int) -> None:
    """Its name at every bet where it differs from Node, no other anywhere, and a voice of one to three lines."""
    for drawn in draws(cores):
        for row, names in personas.rows_so_far(LAB, partial(betted, drawn, cores, story)):
            now = row[-1]
            predicted = story.rows(now.scene).get(now.bet, {})
            differs = any(now.actual[blank] != value for blank, value in predicted.items())
            found = {one.slug for one in stories.named(LAB.stories, row, names)}
            twins = TWINS.get((cores, now.bet), set()) if len(row) == 1 else set()
            expected = ({story.slug} | (twins if story.slug in twins else set())) if differs else set()
            assert expected == found, (now.bet, now.answers)
            if differs:
                assert 1 <= len(story.voice[now.bet](now.scene)) <= 3


@pytest.mark.parametrize("cores", CORES)
def test_node_is_predicted_by_its_own_row(cores: int) -> None:
    """The row that the stories are held against is what the model of the pool does, in every draw."""
    for drawn in draws(cores):
        for slug in BETS:
            one = betted(drawn, cores, LAB.stories[0], slug, names_room.SOUND)
            assert one.actual == names_stories.node(one.scene)[slug]


def test_the_law_of_gates_is_named_at_the_first_bet(tmp_path: Path) -> None:
    """Everybody who learnt it there bets four and none; it is no mistake, and has its name."""
    it = names_room.session(tmp_path)
    personas.bet(it, "start", {"flying": 4, "back": 0})
    shown = personas.look(it, "start")
    assert ("one-line",) == shown.stories
    assert "the law you found in gates" in shown.text


@pytest.mark.parametrize(
    ("script", "points"),
    [
        (STARTER, 0.0), (trial.LATE, 0.0), (trial.MERGED, 0.0), (trial.ONE_FOR_ALL, 0.0), (trial.NO_LIST, 0.0), (trial.FAILURES_KEPT, 2.1),
        (trial.BY_CALLBACKS, 3.0), (trial.BY_RESOLVE, 3.0),
    ],
)  # fmt: skip
def test_a_lookup_is_worth_what_it_asks_for(tmp_path: Path, script: str, points: float) -> None:
    """Nothing while hosts are asked for again, 70 % where a failure is kept, all where it is asked for again; and all later."""
    it = names_room.session(tmp_path)
    magic.node(it, script)
    personas.bet(it, "cache", personas.node_row(it, "cache"))
    personas.look(it, "cache")
    assert points == personas.card(it)["names-own-lookup"].verdict.points
    magic.node(it, names_room.SOUND)
    assert "measured" == personas.look(it, "cache").state
    assert 3.0 == personas.card(it)["names-own-lookup"].verdict.points


@pytest.mark.parametrize("script", [trial.ONE_FOR_ALL, trial.NO_LIST])
def test_visits_that_do_not_arrive_leave_the_bet_open(tmp_path: Path, script: str) -> None:
    """There is nothing to compare: the bet can be changed and still counts."""
    it = names_room.session(tmp_path)
    magic.node(it, script)
    personas.bet(it, "cache", {"asked": 3})
    assert "your bet stays open" in personas.look(it, "cache").text
    assert "noted" == personas.bet(it, "cache", {"asked": 4}).state
