"""The personas of ``places`` get what they must, for many draws; no Node is needed for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from course import keeping, magic
from course.display import bundle
from grader import intake
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog
from labs.errors import NoisyError
from labs.spec import Story
from tests import places_personas as who
from tests import places_room

LAB = catalog.load("places")


def learners(folder: Path, many: int = 6) -> list[Any]:
    """Return sessions of several learners."""
    return [places_room.session(folder / str(number), learner=f"learner {number}") for number in range(many)]


@pytest.mark.parametrize("cores", (1, 2, 4, 12, 16))
def test_who_knows_gets_everything(tmp_path: Path, cores: int) -> None:
    """10 of 10, and PASS in every item."""
    it = places_room.session(tmp_path, cores)
    who.knows(it)
    assert {Outcome.PASS} == {mark.verdict.outcome for mark in who.card(it).values()}
    assert 10.0 == who.points(it)


def test_who_knows_and_skips_gets_everything_too(tmp_path: Path) -> None:
    """The puzzle at the first try stands for the first three bets and the why."""
    it = places_room.session(tmp_path)
    keeping.skip(it)
    who.look(it, "lines", stop=who.found(it))
    who.later_half(it)
    assert 10.0 == who.points(it)


def test_a_missed_skip_loses_nothing(tmp_path: Path) -> None:
    """Who skips and misses can still earn everything."""
    it = places_room.session(tmp_path)
    keeping.skip(it)
    who.look(it, "lines", stop=[])
    assert 0.0 == who.points(it)
    who.knows(it)
    assert 10.0 == who.points(it)


@pytest.mark.parametrize("story", LAB.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(tmp_path: Path, story: Story) -> None:
    """In every draw that is tried; and its bets earn their full credit."""
    named = 0
    for it in learners(tmp_path):
        magic.node(it, places_room.SOUND)
        for slug in who.BETS:
            row = who.story_row(it, slug, story)
            who.bet(it, slug, row)
            shown = who.look(it, slug)
            assert "measured" == shown.state
            expected = (story.slug,) if row != who.node_row(it, slug) else ()
            assert expected == shown.stories
            named += bool(expected)
        assert 2.0 == who.card(it)["places-bets"].verdict.points
    assert named


def test_a_row_that_fits_no_story_gets_no_name(tmp_path: Path) -> None:
    """It is told what does not fit, and no more."""
    it = places_room.session(tmp_path)
    who.bet(it, "six", {"paths": ["KP"] * 6})
    shown = who.look(it, "six")
    assert () == shown.stories
    assert "None of the usual stories" in shown.text


def test_asleep_earns_little(tmp_path: Path) -> None:
    """Nothing for service and lines, under 3 of 10 in the mean; every answer is a sentence."""
    earned = []
    for it in learners(tmp_path, 12):
        assert all(reply.text for reply in who.asleep(it))
        card = who.card(it)
        assert 0.0 == card["places-own-service"].verdict.points == card["places-lines"].verdict.points
        earned.append(who.points(it))
    assert 3.0 > sum(earned) / len(earned)


def test_run_all_on_a_fresh_notebook_measures_nothing(tmp_path: Path) -> None:
    """NOT_ATTEMPTED everywhere, no request to any room, and a sentence in every cell."""
    room = places_room.FakeRoom()
    it = places_room.session(tmp_path, room=room)
    assert all(reply.text for reply in who.blanks(it))
    assert {Outcome.NOT_ATTEMPTED} == {mark.verdict.outcome for mark in who.card(it).values()}
    assert [] == room.asked


def test_a_service_in_part_earns_its_part_and_leaves_the_bet_open(tmp_path: Path) -> None:
    """Two routes moved: their two quarters and the share's; then the third, and all of it."""
    it = places_room.session(tmp_path)
    magic.node(it, places_room.SUM_LEFT)
    who.bet(it, "own", {"early": 0, "health": 3})
    shown = who.look(it, "own")
    assert "crypto.subtle" in shown.text
    assert 2.25 == who.card(it)["places-own-service"].verdict.points
    magic.node(it, places_room.SOUND)
    assert "noted" == who.bet(it, "own", {"early": 3, "health": 3}).state
    assert ("off-the-loop-is-free",) == who.look(it, "own").stories
    assert 3.0 == who.card(it)["places-own-service"].verdict.points


def test_attempts_at_the_lines_cost_nothing(tmp_path: Path) -> None:
    """A line too many, one too few, then all of them: full points."""
    it = places_room.session(tmp_path)
    right = who.found(it)
    who.look(it, "lines", stop=[number for number in range(1, 9) if number not in right])
    assert 0.0 == who.card(it)["places-lines"].verdict.points
    who.look(it, "lines", stop=right[:-1])
    assert 0.0 == who.card(it)["places-lines"].verdict.points
    assert "That is all of them" in who.look(it, "lines", stop=right).text
    assert 1.5 == who.card(it)["places-lines"].verdict.points


def test_a_syntax_error_keeps_the_last_working_version(tmp_path: Path) -> None:
    """Node's own line, and the script from before."""
    it = places_room.session(tmp_path)
    magic.node(it, places_room.SOUND)
    assert "your last working version is kept" in magic.node(it, places_room.SYNTAX).text
    assert places_room.SOUND == it.work().script()


@pytest.mark.parametrize(
    "trouble", [NoisyError("Your machine was too busy to watch."), KeyboardInterrupt()], ids=["busy", "stop"]
)
def test_the_unlucky_lose_nothing(tmp_path: Path, trouble: BaseException) -> None:
    """A busy machine or a stop in each measuring cell is INCONCLUSIVE with its reason, and one more run has it all."""
    room = places_room.FakeRoom()
    it = places_room.session(tmp_path, room=room)
    magic.node(it, places_room.SOUND)
    for slug in who.BETS:
        who.bet(it, slug, who.node_row(it, slug))
        room.fails.append(trouble)
        assert "inconclusive" == who.look(it, slug).state
        assert "measured" == who.look(it, slug).state
    who.knows(it)
    assert 10.0 == who.points(it)


@pytest.mark.parametrize("way", [who.knows, who.asleep])
def test_the_notebook_alone_has_the_points_of_the_folder(tmp_path: Path, way: Any) -> None:
    """What the cells' outputs carry is judged as the journal is, item by item."""
    it = places_room.session(tmp_path)
    outputs = [{"output_type": "display_data", "data": bundle(reply), "metadata": {}} for reply in way(it)]
    notebook = {"cells": [{"cell_type": "code", "outputs": [output]} for output in outputs], "nbformat": 4}
    alone = intake.evidence_of(LAB, {"places.ipynb": json.dumps(notebook).encode()})
    assert () == alone.findings
    assert judge(LAB, who.evidence(it)) == judge(LAB, alone)


def test_free_looks_are_kept_and_earn_nothing(tmp_path: Path) -> None:
    """The table needs no bet; it is named by itself or as the only free look without a name."""
    it = places_room.session(tmp_path)
    assert "measured" == who.look(it, "table").state
    assert "createGzip" in keeping.evidence(it, "table").text
    assert 0.0 == who.points(it)
