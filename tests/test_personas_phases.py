"""The people of ``phases`` go through the lab: what each is told and what each earns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from course import betting, keeping, magic, measuring
from grader import stories
from labs import catalog
from labs.spec import Scene, Shape, Story
from tests import personas
from tests import phases_people as people
from tests import phases_room as room
from tests.test_phases_lab import measured

LAB = catalog.load("phases")


@pytest.mark.parametrize("story", LAB.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(story: Story) -> None:
    """For every learner of thirty: its own name at each bet where it differs from Node, and no name where it does not."""
    for seed in range(30):
        numbers = people_draw(seed)
        for group in LAB.rows:
            said: tuple[stories.Said, ...] = ()
            for slug in group:
                here = Scene(numbers[slug], Shape(2), record=measured(slug, numbers[slug]))
                actual = LAB.bet(slug).actual(here.record)  # type: ignore[arg-type]  # it is there
                assert actual is not None
                answers = {**actual, **story.rows(here).get(slug, {})}
                said = (*said, stories.Said(slug, answers, actual, here))
                found = {one.slug for one in stories.named(LAB.stories, said, group)}
                assert found == (set() if answers == actual else {story.slug}), (seed, slug)


def people_draw(seed: int) -> Any:
    """Return one draw as the journal holds it."""
    from tests.test_phases_lab import drawn

    return drawn(seed)


def test_two_mistakes_in_one_answer_get_no_name(tmp_path: Path) -> None:
    """Promises first and timers first in one order: nobody's row, so nobody is named; the answer speaks to one of the two."""
    it = people.session(tmp_path)
    betting.predict(it, "four", dict.fromkeys(("file", "timer"), "promise tick timeout immediate"))
    reply = measuring.measure(it, "four", {})
    assert () == reply.stories
    assert "which does it empty first" in reply.text


@pytest.mark.parametrize("script", [room.LUCKY, room.NESTED, room.FORGED, room.ELSEWHERE, "// nothing"])
def test_another_script_earns_nothing_and_loses_nothing(tmp_path: Path, script: str) -> None:
    """By luck, nested, logged elsewhere, the other way round, or not at all: no points yet, and a sound one then earns all."""
    it = people.session(tmp_path)
    people.own(it, script)
    assert 0.0 == personas.card(it)["phases-part-a"].verdict.points == personas.card(it)["phases-part-b"].verdict.points
    people.own(it)
    assert (2.0, 2.5) == tuple(personas.card(it)[f"phases-part-{part}"].verdict.points for part in "ab")


def test_the_place_of_the_other_pair_names_its_story(tmp_path: Path) -> None:
    """Who asks where timeout and immediate come the other way round holds that one of them is always first."""
    for number in range(8):
        it = people.session(tmp_path / str(number), learner=f"learner {number}")
        people.own(it, room.ELSEWHERE)
        target = it.drawn(it.work(), "A").parameters["target"]
        late = target.index("immediate") < target.index("timeout")
        expected = ("immediate-first",) if late else ("timeout-first", "starts-at-timers")
        assert expected == personas.card(it)["phases-part-a"].verdict.wrong_models


def test_the_dry_run_tells_the_targets_and_not_the_order(tmp_path: Path) -> None:
    """Both orders that are wanted, what is missing in each part; never what came first."""
    it = people.session(tmp_path)
    wanted = {part: " ".join(it.drawn(it.work(), part).parameters["target"]) for part in "AB"}
    for script, expected in ((people.SOUND, "one callback of the kind file"), ("// nothing", "nothing is logged yet"),
                             (room.NESTED, "different callbacks"), (room.FORGED, "callback of the kind promise")):  # fmt: skip
        text = magic.node(it, script).text
        assert all(order in text for order in wanted.values())
        assert 2 == text.count(expected)


def test_after_new_numbers_for_one_part_the_dry_run_tells_each_its_own(tmp_path: Path) -> None:
    """Part A has a new order to bring about; that of part B stays what it was."""
    it = people.session(tmp_path)
    people.own(it)
    before = {part: it.drawn(it.work(), part).parameters["target"] for part in "AB"}
    while it.drawn(it.work(), "A").parameters["target"] == before["A"]:
        keeping.again(it, "A")
        measuring.measure(it, "A", {})
    told = magic.node(it, people.SOUND).text

    assert f"Part A ({' '.join(it.drawn(it.work(), 'A').parameters['target'])})" in told
    assert f"Part B ({' '.join(before['B'])})" in told
