"""The people of ``phases`` go through the lab: what each is told and what each earns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
from tests import phases_room as people
from tests.test_phases_lab import measured

LAB = catalog.load("phases")


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
    """Part B at the first try stands for the bets and for why."""
    it = people.session(tmp_path)
    keeping.skip(it)
    people.own(it)
    people.transfer(it)
    assert 10.0 == points(it)


def test_a_missed_skip_loses_nothing(tmp_path: Path) -> None:
    """Who skips and misses goes back to the first bet and can still earn everything."""
    it = people.session(tmp_path)
    keeping.skip(it)
    people.own(it, people.LUCKY)
    assert 0.0 == points(it)
    assert "go back to the first bet" in keeping.check(it).text
    people.knows(it)
    assert 10.0 == points(it)


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
        assert 2.0 == card(it)["phases-bets"].verdict.points


def test_two_mistakes_in_one_answer_get_no_name(tmp_path: Path) -> None:
    """Promises first and timers first in one order: nobody's row, so nobody is named; the answer speaks to one of the two."""
    it = people.session(tmp_path)
    betting.predict(it, "four", dict.fromkeys(("file", "timer"), "promise tick timeout immediate"))
    reply = measuring.measure(it, "four", {})
    assert () == reply.stories
    assert "which does it empty first" in reply.text


def test_asleep_earns_little(tmp_path: Path) -> None:
    """Nothing for the parts, under 3 of 10 in the mean; every answer is a sentence."""
    earned = []
    for number in range(12):
        it = people.session(tmp_path / str(number), learner=f"learner {number}")
        assert all(reply.text for reply in people.asleep(it))
        assert 0.0 == card(it)["phases-part-a"].verdict.points == card(it)["phases-part-b"].verdict.points
        earned.append(points(it))
    assert 3.0 > sum(earned) / len(earned)


def test_run_all_on_a_fresh_notebook_measures_nothing(tmp_path: Path) -> None:
    """NOT_ATTEMPTED everywhere, no record, no request to any room, and a sentence in every cell."""
    room = people.FakeRoom()
    it = people.session(tmp_path, room=room)
    assert all(reply.text for reply in people.blanks(it))
    assert {Outcome.NOT_ATTEMPTED} == {mark.verdict.outcome for mark in card(it).values()}
    assert [] == room.asked


@pytest.mark.parametrize("script", [people.LUCKY, people.NESTED, people.FORGED, people.ELSEWHERE, "// nothing"])
def test_another_script_earns_nothing_and_loses_nothing(tmp_path: Path, script: str) -> None:
    """By luck, nested, logged elsewhere, the other way round, or not at all: no points yet, and a sound one then earns all."""
    it = people.session(tmp_path)
    people.own(it, script)
    assert 0.0 == card(it)["phases-part-a"].verdict.points == card(it)["phases-part-b"].verdict.points
    people.own(it)
    assert (2.0, 2.5) == tuple(card(it)[f"phases-part-{part}"].verdict.points for part in "ab")


def test_the_place_of_the_other_pair_names_its_story(tmp_path: Path) -> None:
    """Who asks where timeout and immediate come the other way round holds that one of them is always first."""
    for number in range(8):
        it = people.session(tmp_path / str(number), learner=f"learner {number}")
        people.own(it, people.ELSEWHERE)
        target = it.drawn(it.work(), "A").parameters["target"]
        late = target.index("immediate") < target.index("timeout")
        expected = ("immediate-first",) if late else ("timeout-first", "starts-at-timers")
        assert expected == card(it)["phases-part-a"].verdict.wrong_models


def test_a_syntax_error_keeps_the_last_working_version(tmp_path: Path) -> None:
    """Node's own line and message, and the script from before."""
    it = people.session(tmp_path)
    magic.node(it, people.SOUND)
    assert "your last working version is kept" in magic.node(it, "syntax (").text
    assert people.SOUND == it.work().script()


def test_the_dry_run_tells_the_targets_and_not_the_order(tmp_path: Path) -> None:
    """Both orders that are wanted, what is missing in each part; never what came first."""
    it = people.session(tmp_path)
    wanted = {part: " ".join(it.drawn(it.work(), part).parameters["target"]) for part in "AB"}
    for script, expected in ((people.SOUND, "one callback of the kind file"), ("// nothing", "nothing is logged yet"),
                             (people.NESTED, "different callbacks"), (people.FORGED, "callback of the kind promise")):  # fmt: skip
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


@pytest.mark.parametrize(
    "trouble", [NoisyError("Your machine was too busy to watch."), KeyboardInterrupt()], ids=["busy", "stop"]
)
def test_the_unlucky_lose_nothing(tmp_path: Path, trouble: BaseException) -> None:
    """A busy machine or a stop in each measuring cell is INCONCLUSIVE with its reason, and one more run has it all."""
    room = people.FakeRoom()
    it = people.session(tmp_path, room=room)
    magic.node(it, people.SOUND)
    for slug in (*people.BETS, "A", "B"):
        if slug not in "AB":
            betting.predict(it, slug, people.node_row(it, slug))
        room.fails.append(trouble)
        assert "inconclusive" == measuring.measure(it, slug, {}).state
        assert "measured" == measuring.measure(it, slug, {}).state
    people.choose(it, "why", "ring")
    people.transfer(it)
    assert 10.0 == points(it)


@pytest.mark.parametrize("who", [people.knows, people.asleep])
def test_the_notebook_alone_has_the_points_of_the_folder(tmp_path: Path, who: Callable[[Session], list[Reply]]) -> None:
    """What the cells' outputs carry is judged as the journal is, item by item."""
    it = people.session(tmp_path)
    outputs = [{"output_type": "display_data", "data": bundle(reply), "metadata": {}} for reply in who(it)]
    notebook = {"cells": [{"cell_type": "code", "outputs": [output]} for output in outputs], "nbformat": 4}
    alone = intake.evidence_of(LAB, {"phases.ipynb": json.dumps(notebook).encode()})
    assert () == alone.findings
    assert judge(LAB, evidence(it)) == judge(LAB, alone)


def test_questions_answer_in_steps(tmp_path: Path) -> None:
    """First what speaks against it, then a hint, then the answer with its reason and a fresh draw at half the worth."""
    it = people.session(tmp_path)
    for slug in ("four", "two", "between"):
        betting.predict(it, slug, people.node_row(it, slug))
        measuring.measure(it, slug, {})
    answer = "emptied after each callback"
    for option in ("after-phase", "timers-before"):
        reply = people.choose(it, "why", option)
        assert ("missed", False) == (reply.state, answer in reply.text)
    third = people.choose(it, "why", "immediates-before")
    assert ("settled", True) == (third.state, answer in third.text)
    keeping.again(it, "why")
    people.choose(it, "why", "ring")
    assert 0.75 == card(it)["phases-why"].verdict.points
