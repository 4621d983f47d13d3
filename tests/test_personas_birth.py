"""The people of ``birth`` go through the lab: what each is told and what each earns."""

from __future__ import annotations

from pathlib import Path

import pytest

from course import magic, measuring
from grader import stories
from grader.verdict import Outcome
from labs import catalog
from labs.spec import Scene, Shape, Story
from tests import birth_people as people
from tests import birth_room as room
from tests import personas
from tests.test_birth_lab import drawn, measured

LAB = catalog.load("birth")


@pytest.mark.parametrize("cores", (1, 2, 4, 12, 16))
@pytest.mark.parametrize("story", LAB.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(story: Story, cores: int) -> None:
    """For every learner of thirty: its own name at each bet where it differs from Node, and no name where it does not."""
    for seed in range(30):
        numbers = drawn(seed, cores)
        for group in LAB.rows:
            said: tuple[stories.Said, ...] = ()
            for slug in group:
                here = Scene(numbers[slug], Shape(cores), record=measured(slug, numbers[slug]))
                actual = LAB.bet(slug).actual(here.record)  # type: ignore[arg-type]  # it is there
                assert actual is not None
                answers = {**actual, **story.rows(here).get(slug, {})}
                said = (*said, stories.Said(slug, answers, actual, here))
                found = {one.slug for one in stories.named(LAB.stories, said, group)}
                assert found == (set() if answers == actual else {story.slug}), (seed, slug)


@pytest.mark.parametrize(
    ("script", "expected"),
    [(room.LATE, (0.0, 0.0)), (room.LOUD, (2.0, 0.0)), (room.WITHOUT, (0.0, 0.0)), (room.SILENT, (0.0, 0.0)), (room.EARLY, (0.0, 0.0))],
)  # fmt: skip
def test_another_script_earns_what_it_does_and_loses_nothing(
    tmp_path: Path, script: str, expected: tuple[float, float]
) -> None:
    """Too late, over the operator's head, without the module, silent: no points yet, and a sound one then earns all."""
    it = people.session(tmp_path)
    people.own(it, script)
    assert expected == tuple(personas.card(it)[f"birth-{part}"].verdict.points for part in ("unset", "both"))
    people.own(it)
    assert (2.0, 2.5) == tuple(personas.card(it)[f"birth-{part}"].verdict.points for part in ("unset", "both"))


def test_the_line_in_the_last_place_names_its_story(tmp_path: Path) -> None:
    """Who leaves the line behind the module holds that what is printed is the size."""
    it = people.session(tmp_path)
    people.own(it, room.LATE)
    assert (("printed",), ("printed",)) == tuple(
        personas.card(it)[f"birth-{part}"].verdict.wrong_models for part in ("unset", "both")
    )


def test_the_program_as_given_is_no_attempt(tmp_path: Path) -> None:
    """It is run and its sizes are told; nothing is kept or measured until it is changed."""
    it = people.session(tmp_path)
    assert LAB.script is not None
    assert "as it was given" in magic.node(it, LAB.script.starter).text
    assert "measured" != measuring.measure(it, "unset", {}).state
    assert {Outcome.NOT_ATTEMPTED} == {personas.card(it)[f"birth-{part}"].verdict.outcome for part in ("unset", "both")}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (people.SOUND, "token.cjs is loaded"),
        (room.WITHOUT, "token.cjs is not loaded"),
        (room.SILENT, "ready() was not called"),
    ],
)
def test_the_dry_run_tells_what_is_wanted_and_not_how_many_there_were(
    tmp_path: Path, script: str, expected: str
) -> None:
    """Both numbers, and what the program did."""
    it = people.session(tmp_path)
    numbers = it.drawn(it.work(), "both").parameters
    text = magic.node(it, script).text
    assert expected in text
    assert f"{numbers['size']} threads where nothing is set" in text
    assert f"{numbers['given']} where the operator" in text
