"""The people of ``birth`` go through the lab: what each is told and what each earns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from course import betting, keeping, magic, measuring
from course.display import bundle
from course.reply import Reply
from course.session import Session
from grader import intake, stories
from grader.card import total
from grader.judge import judge
from grader.marks import Mark, marks
from grader.verdict import Outcome
from grader.work import Evidence
from labs import catalog
from labs.errors import NoisyError
from labs.spec import Scene, Shape, Story
from tests import birth_room as people
from tests.test_birth_lab import drawn, measured

LAB = catalog.load("birth")


def evidence(it: Session) -> Evidence:
    """Return what is in the journal."""
    return Evidence(it.lab.slug, it.journal().entries())


def card(it: Session) -> dict[str, Mark]:
    """Return the marks by grade id."""
    return {mark.item.grade_id: mark for mark in marks(it.lab, evidence(it))}


def points(it: Session) -> float:
    """Return the total."""
    return total(marks(it.lab, evidence(it)))[0]


@pytest.mark.parametrize("cores", (1, 2, 4, 12, 16))
def test_who_knows_gets_everything(tmp_path: Path, cores: int) -> None:
    """10 of 10, and PASS in every item."""
    it = people.session(tmp_path, cores)
    people.knows(it)
    assert {Outcome.PASS} == {mark.verdict.outcome for mark in card(it).values()}
    assert 10.0 == points(it)


def test_who_knows_and_skips_gets_everything_too(tmp_path: Path) -> None:
    """``both`` at the first try stands for the bets and for why."""
    it = people.session(tmp_path)
    keeping.skip(it)
    people.own(it)
    people.transfer(it)
    assert 10.0 == points(it)


def test_a_missed_skip_loses_nothing(tmp_path: Path) -> None:
    """Who skips and misses goes back to the first bet and can still earn everything."""
    it = people.session(tmp_path)
    keeping.skip(it)
    people.own(it, people.LATE)
    assert 0.0 == points(it)
    assert "go back to the first bet" in keeping.check(it).text
    people.knows(it)
    assert 10.0 == points(it)


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


def test_holding_a_story_costs_no_credit_for_bets(tmp_path: Path) -> None:
    """Being right is not what a bet is paid for; the name is told in the answer."""
    for story in LAB.stories:
        it = people.session(tmp_path / story.slug)
        named = set()
        for slug in people.BETS:
            betting.predict(it, slug, people.story_row(it, slug, story))
            reply = measuring.measure(it, slug, {})
            assert "measured" == reply.state
            named |= {*reply.stories}
        assert {story.slug} == named
        assert 2.0 == card(it)["birth-bets"].verdict.points


def test_asleep_earns_little(tmp_path: Path) -> None:
    """Nothing for the program, under 3 of 10 in the mean; every answer is a sentence."""
    earned = []
    for number in range(12):
        it = people.session(tmp_path / str(number), learner=f"learner {number}")
        assert all(reply.text for reply in people.asleep(it))
        assert 0.0 == card(it)["birth-unset"].verdict.points == card(it)["birth-both"].verdict.points
        earned.append(points(it))
    assert 3.0 > sum(earned) / len(earned)


def test_run_all_on_a_fresh_notebook_measures_nothing(tmp_path: Path) -> None:
    """NOT_ATTEMPTED everywhere, no record, no request to any room, and a sentence in every cell."""
    room = people.FakeRoom()
    it = people.session(tmp_path, room=room)
    assert all(reply.text for reply in people.blanks(it))
    assert {Outcome.NOT_ATTEMPTED} == {mark.verdict.outcome for mark in card(it).values()}
    assert [] == room.asked


@pytest.mark.parametrize(
    ("script", "expected"),
    [(people.LATE, (0.0, 0.0)), (people.LOUD, (2.0, 0.0)), (people.WITHOUT, (0.0, 0.0)), (people.SILENT, (0.0, 0.0)), (people.EARLY, (0.0, 0.0))],
)  # fmt: skip
def test_another_script_earns_what_it_does_and_loses_nothing(
    tmp_path: Path, script: str, expected: tuple[float, float]
) -> None:
    """Too late, over the operator's head, without the module, silent: no points yet, and a sound one then earns all."""
    it = people.session(tmp_path)
    people.own(it, script)
    assert expected == tuple(card(it)[f"birth-{part}"].verdict.points for part in ("unset", "both"))
    people.own(it)
    assert (2.0, 2.5) == tuple(card(it)[f"birth-{part}"].verdict.points for part in ("unset", "both"))


def test_the_line_in_the_last_place_names_its_story(tmp_path: Path) -> None:
    """Who leaves the line behind the module holds that what is printed is the size."""
    it = people.session(tmp_path)
    people.own(it, people.LATE)
    assert (("printed",), ("printed",)) == tuple(
        card(it)[f"birth-{part}"].verdict.wrong_models for part in ("unset", "both")
    )


def test_a_syntax_error_keeps_the_last_working_version(tmp_path: Path) -> None:
    """Node's own line and message, and the script from before."""
    it = people.session(tmp_path)
    magic.node(it, people.SOUND)
    assert "your last working version is kept" in magic.node(it, "syntax (").text
    assert people.SOUND == it.work().script()


def test_the_program_as_given_is_no_attempt(tmp_path: Path) -> None:
    """It is run and its sizes are told; nothing is kept or measured until it is changed."""
    it = people.session(tmp_path)
    assert LAB.script is not None
    assert "as it was given" in magic.node(it, LAB.script.starter).text
    assert "measured" != measuring.measure(it, "unset", {}).state
    assert {Outcome.NOT_ATTEMPTED} == {card(it)[f"birth-{part}"].verdict.outcome for part in ("unset", "both")}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (people.SOUND, "token.cjs is loaded"),
        (people.WITHOUT, "token.cjs is not loaded"),
        (people.SILENT, "ready() was not called"),
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


@pytest.mark.parametrize(
    "trouble", [NoisyError("Your machine was too busy to watch."), KeyboardInterrupt()], ids=["busy", "stop"]
)
def test_the_unlucky_lose_nothing(tmp_path: Path, trouble: BaseException) -> None:
    """A busy machine or a stop in each measuring cell is INCONCLUSIVE with its reason, and one more run has it all."""
    room = people.FakeRoom()
    it = people.session(tmp_path, room=room)
    magic.node(it, people.SOUND)
    for slug in (*people.BETS, "unset", "both"):
        if slug in people.BETS:
            betting.predict(it, slug, people.node_row(it, slug))
        room.fails.append(trouble)
        assert "inconclusive" == measuring.measure(it, slug, {}).state
        assert "measured" == measuring.measure(it, slug, {}).state
    people.choose(it, "why", "first-job")
    people.transfer(it)
    assert 10.0 == points(it)


@pytest.mark.parametrize("who", [people.knows, people.asleep])
def test_the_notebook_alone_has_the_points_of_the_folder(tmp_path: Path, who: Callable[[Session], list[Reply]]) -> None:
    """What the cells' outputs carry is judged as the journal is, item by item."""
    it = people.session(tmp_path)
    outputs = [{"output_type": "display_data", "data": bundle(reply), "metadata": {}} for reply in who(it)]
    notebook = {"cells": [{"cell_type": "code", "outputs": [output]} for output in outputs], "nbformat": 4}
    alone = intake.evidence_of(LAB, {"birth.ipynb": json.dumps(notebook).encode()})
    assert () == alone.findings
    assert judge(LAB, evidence(it)) == judge(LAB, alone)


def test_questions_answer_in_steps(tmp_path: Path) -> None:
    """First what speaks against it, then a hint, then the answer with its reason and a fresh draw at half the worth."""
    it = people.session(tmp_path)
    for slug in ("first", "line"):
        betting.predict(it, slug, people.node_row(it, slug))
        measuring.measure(it, slug, {})
    answer = "handed in by anybody"
    for option in ("at-start", "first-file"):
        reply = people.choose(it, "why", option)
        assert ("missed", False) == (reply.state, answer in reply.text)
    third = people.choose(it, "why", "grows")
    assert ("settled", True) == (third.state, answer in third.text)
    keeping.again(it, "why")
    people.choose(it, "why", "first-job")
    assert 0.75 == card(it)["birth-why"].verdict.points
