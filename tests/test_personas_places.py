"""The personas of ``places`` get what they must, for many draws; no Node is needed for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from course import keeping, magic
from labs import catalog
from labs.measurement import Record
from labs.request import Request
from labs.spec import Story
from tests import personas, places_room
from tests import places_people as who

LAB = catalog.load("places")


def learners(folder: Path, many: int = 6) -> list[Any]:
    """Return sessions of several learners."""
    return [places_room.session(folder / str(number), learner=f"learner {number}") for number in range(many)]


@pytest.mark.parametrize("story", LAB.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(tmp_path: Path, story: Story) -> None:
    """In every draw that is tried; and its bets earn their full credit."""
    named = 0
    for it in learners(tmp_path):
        magic.node(it, places_room.SOUND)
        for slug in who.BETS:
            row = personas.story_row(it, slug, story)
            personas.bet(it, slug, row)
            shown = personas.look(it, slug)
            assert "measured" == shown.state
            expected = (story.slug,) if row != personas.node_row(it, slug) else ()
            assert expected == shown.stories
            named += bool(expected)
        assert 2.0 == personas.card(it)["places-bets"].verdict.points
    assert named


def test_a_row_that_fits_no_story_gets_no_name(tmp_path: Path) -> None:
    """It is told what does not fit, and no more."""
    it = places_room.session(tmp_path)
    personas.bet(it, "six", {"paths": ["KP"] * 6})
    shown = personas.look(it, "six")
    assert () == shown.stories
    assert "None of the usual stories" in shown.text


def test_a_service_in_part_earns_its_part_and_leaves_the_bet_open(tmp_path: Path) -> None:
    """Two routes moved: their two quarters and the share's; then the third, and all of it."""
    it = places_room.session(tmp_path)
    magic.node(it, places_room.SUM_LEFT)
    personas.bet(it, "own", {"early": 0, "health": 3})
    shown = personas.look(it, "own")
    assert "crypto.subtle" in shown.text
    assert 2.25 == personas.card(it)["places-own-service"].verdict.points
    magic.node(it, places_room.SOUND)
    assert "noted" == personas.bet(it, "own", {"early": 3, "health": 3}).state
    assert ("off-the-loop-is-free",) == personas.look(it, "own").stories
    assert 3.0 == personas.card(it)["places-own-service"].verdict.points


class OlderRoom(places_room.FakeRoom):
    """Answers as this course did while the hash's own time was not taken."""

    def record(self, request: Request) -> Record:
        """Return the record of a request."""
        return places_room.older(super().record(request))


def test_an_older_record_closes_its_bet_and_can_be_looked_at_again(tmp_path: Path) -> None:
    """Run All on a finished notebook: the bet that was made after the answer counts for nothing, and nothing breaks."""
    it = places_room.session(tmp_path, room=OlderRoom())
    magic.node(it, places_room.SOUND)
    personas.bet(it, "own", {"early": 3, "health": 3})
    personas.look(it, "own")

    assert "closed" == personas.bet(it, "own", {"early": 0, "health": 3}).state
    shown = personas.look(it, "own")
    assert "kept" == shown.state
    assert "you said 3, 3" in shown.text
    assert "again=True tells whose thread hashed" in shown.text
    assert 3.0 == personas.card(it)["places-own-service"].verdict.points


def test_attempts_at_the_lines_cost_nothing(tmp_path: Path) -> None:
    """A line too many, one too few, then all of them: full points."""
    it = places_room.session(tmp_path)
    right = who.found(it)
    personas.look(it, "lines", stop=[number for number in range(1, 9) if number not in right])
    assert 0.0 == personas.card(it)["places-lines"].verdict.points
    personas.look(it, "lines", stop=right[:-1])
    assert 0.0 == personas.card(it)["places-lines"].verdict.points
    assert "That is all of them" in personas.look(it, "lines", stop=right).text
    assert 1.5 == personas.card(it)["places-lines"].verdict.points


def test_free_looks_are_kept_and_earn_nothing(tmp_path: Path) -> None:
    """The table needs no bet; it is named by itself or as the only free look without a name."""
    it = places_room.session(tmp_path)
    assert "measured" == personas.look(it, "table").state
    assert "createGzip" in keeping.evidence(it, "table").text
    assert 0.0 == personas.points(it)
