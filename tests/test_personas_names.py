"""The personas of ``names`` get what they must, for many draws on small and large machines; no Node is needed for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course import keeping, magic
from grader import intake, stories
from grader.judge import judge
from grader.verdict import Outcome
from labs.acts import freeze
from labs.errors import NoisyError
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


def said(drawn: dict[str, Any], cores: int, slug: str, story: Story, script: str = trial.LATE) -> stories.Said:
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


def rows(drawn: dict[str, Any], cores: int, story: Story) -> Iterator[tuple[tuple[stories.Said, ...], tuple[str, ...]]]:
    """Yield every row of bets that somebody who holds a story makes, as far as it has come."""
    for names in LAB.rows:
        for upto in range(1, len(names) + 1):
            yield tuple(said(drawn, cores, slug, story) for slug in names[:upto]), names


@pytest.mark.parametrize("cores", CORES)
@pytest.mark.parametrize("story", LAB.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(story: Story, cores: int) -> None:
    """Its name at every bet where it differs from Node, no other anywhere, and a voice of one to three lines."""
    for drawn in draws(cores):
        for row, names in rows(drawn, cores, story):
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
            one = said(drawn, cores, slug, LAB.stories[0], names_room.SOUND)
            assert one.actual == names_stories.node(one.scene)[slug]


@pytest.mark.parametrize("cores", CORES)
def test_who_knows_gets_everything(tmp_path: Path, cores: int) -> None:
    """10 of 10, and PASS in every item."""
    it = names_room.session(tmp_path, cores)
    names_room.knows(it)
    assert {Outcome.PASS} == {mark.verdict.outcome for mark in personas.card(it).values()}
    assert 10.0 == personas.points(it)


def test_who_knows_and_skips_gets_everything_too(tmp_path: Path) -> None:
    """The puzzle at the first try stands for steps 4 to 14."""
    it = names_room.session(tmp_path)
    keeping.skip(it)
    names_room.second_half(it)
    assert 10.0 == personas.points(it)


def test_a_missed_skip_loses_nothing(tmp_path: Path) -> None:
    """Who skips and misses goes back to the first bet and can still earn everything."""
    it = names_room.session(tmp_path)
    keeping.skip(it)
    personas.look(it, "state", pool=4, held=0)
    assert 0.0 == personas.points(it)
    names_room.knows(it)
    assert 10.0 == personas.points(it)


@pytest.mark.parametrize("cores", CORES)
def test_holding_a_story_costs_no_credit_for_bets(tmp_path: Path, cores: int) -> None:
    """Being right is not what a bet is paid for."""
    for story in LAB.stories:
        it = names_room.session(tmp_path / story.slug, cores)
        magic.node(it, names_room.SOUND)
        for slug in BETS:
            row = {**names_room.node_row(it, slug), **story.rows(it.scene(it.work(), slug)).get(slug, {})}
            personas.bet(it, slug, row)
            assert "measured" == personas.look(it, slug).state
        assert 2.0 == personas.card(it)["names-bets"].verdict.points


def test_the_law_of_gates_is_named_at_the_first_bet(tmp_path: Path) -> None:
    """Everybody who learnt it there bets four and none; it is no mistake, and has its name."""
    it = names_room.session(tmp_path)
    personas.bet(it, "start", {"flying": 4, "back": 0})
    shown = personas.look(it, "start")
    assert ("one-line",) == shown.stories
    assert "the law you found in gates" in shown.text


@pytest.mark.parametrize("cores", CORES)
def test_asleep_earns_little(tmp_path: Path, cores: int) -> None:
    """Nothing for puzzle and lookup, under 3 of 10 in the mean; every answer is a sentence."""
    earned = []
    for number in range(12):
        it = names_room.session(tmp_path / str(number), cores, learner=f"learner {number}")
        assert all(reply.text for reply in names_room.asleep(it))
        card = personas.card(it)
        assert 0.0 == card["names-state"].verdict.points == card["names-own-lookup"].verdict.points
        earned.append(personas.points(it))
    assert 3.0 > sum(earned) / len(earned)


def test_run_all_on_a_fresh_notebook_measures_nothing(tmp_path: Path) -> None:
    """NOT_ATTEMPTED everywhere, no record, no request to any room, and a sentence in every cell."""
    room = names_room.FakeRoom(2)
    it = names_room.session(tmp_path, room=room)
    assert all(reply.text for reply in names_room.blanks(it))
    assert {Outcome.NOT_ATTEMPTED} == {mark.verdict.outcome for mark in personas.card(it).values()}
    assert [] == room.asked


@pytest.mark.parametrize(
    ("script", "points"),
    [
        (STARTER, 0.0), (trial.LATE, 0.0), (trial.ONE_FOR_ALL, 0.0), (trial.NO_LIST, 0.0), (trial.FAILURES_KEPT, 2.1),
        (trial.BY_CALLBACKS, 3.0), (trial.BY_RESOLVE, 3.0),
    ],
)  # fmt: skip
def test_a_lookup_is_worth_what_it_asks_for(tmp_path: Path, script: str, points: float) -> None:
    """Nothing while hosts are asked for again, 70 % where a failure is kept, all where it is asked for again; and all later."""
    it = names_room.session(tmp_path)
    magic.node(it, script)
    personas.bet(it, "cache", names_room.node_row(it, "cache"))
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


@pytest.mark.parametrize(
    "trouble", [NoisyError("Your machine was too busy to watch."), KeyboardInterrupt()], ids=["busy", "stop"]
)
def test_the_unlucky_lose_nothing(tmp_path: Path, trouble: BaseException) -> None:
    """A busy machine or a stop in each measuring cell is INCONCLUSIVE, and one more run has it all."""
    room = names_room.FakeRoom(2)
    it = names_room.session(tmp_path, room=room)
    magic.node(it, names_room.SOUND)
    for slug in BETS:
        personas.bet(it, slug, names_room.node_row(it, slug))
        room.fails.append(trouble)
        assert "inconclusive" == personas.look(it, slug).state
        assert "measured" == personas.look(it, slug).state
    names_room.knows(it)
    assert 10.0 == personas.points(it)


@pytest.mark.parametrize("who", [names_room.knows, names_room.asleep])
def test_the_notebook_alone_has_the_points_of_the_folder(tmp_path: Path, who: Any) -> None:
    """What the cells' outputs carry is judged as the journal is, item by item."""
    import json

    from course.display import bundle

    it = names_room.session(tmp_path)
    outputs = [{"output_type": "display_data", "data": bundle(reply), "metadata": {}} for reply in who(it)]
    notebook = {"cells": [{"cell_type": "code", "outputs": [output]} for output in outputs], "nbformat": 4}
    alone = intake.evidence_of(LAB, {"names.ipynb": json.dumps(notebook).encode()})
    assert () == alone.findings
    assert judge(LAB, personas.evidence(it)) == judge(LAB, alone)
