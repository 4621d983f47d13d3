"""What the people of every lab are told and what they earn, whatever the lab; no Node is needed for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from course import asking, keeping, magic
from course.display import bundle
from course.reply import Reply
from grader import answering, intake
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog
from labs.errors import NoisyError
from labs.journal import FILE_NAME
from tests import people, personas

CORES = (1, 2, 4, 12, 16)

#: Stories about a script that is not sound: with a sound one they say what Node does.
SILENT = {"kept-is-kept"}

every_lab = pytest.mark.parametrize("slug", catalog.slugs())
every_machine = pytest.mark.parametrize("cores", CORES)


def one_line(text: str | Iterable[str]) -> str:
    """Return a text without its line breaks."""
    return " ".join((text if isinstance(text, str) else " ".join(text)).split())


@every_machine
@every_lab
def test_who_knows_gets_everything(tmp_path: Path, slug: str, cores: int) -> None:
    """10 of 10, and PASS in every item."""
    who = people.of(slug)
    it = who.session(tmp_path, cores)
    who.knows(it)
    assert {Outcome.PASS} == {mark.verdict.outcome for mark in personas.card(it).values()}
    assert 10.0 == personas.points(it)


@every_lab
def test_who_knows_and_skips_gets_everything_too(tmp_path: Path, slug: str) -> None:
    """What is skipped to, reached at the first try, stands for the bets and the reason before it; only own work does not go away."""
    who, lab = people.of(slug), catalog.load(slug)
    it = who.session(tmp_path)
    told = keeping.skip(it).text
    who.skips(it)
    own = {item.grade_id for item in lab.items if any(check.measure in lab.skips for check, _ in item.checks)}
    assert own <= {item.grade_id for item in lab.items if f'"{item.title}" (step {item.step})' in one_line(told)}
    assert {item.grade_id: 0.0 if item.grade_id in own else item.points for item in lab.items} == {
        name: mark.verdict.points for name, mark in personas.card(it).items()
    }
    who.knows(it)
    assert 10.0 == personas.points(it)


@every_lab
def test_skip_names_what_it_leaves_open(tmp_path: Path, slug: str) -> None:
    """Work of one's own that does not rest on the step skipped to, and nothing else."""
    lab = catalog.load(slug)
    told = one_line(keeping.skip(people.of(slug).session(tmp_path)).text)
    named = {item.grade_id for item in lab.items if f'"{item.title}" (step {item.step})' in told}
    rests_on_it = {item.grade_id for item in lab.items if any(check.measure == lab.skip_to for check, _ in item.checks)}
    assert {item.grade_id for item in lab.items if item.part == "artefact"} - rests_on_it == named != set()


@every_lab
def test_a_missed_skip_loses_nothing(tmp_path: Path, slug: str) -> None:
    """Who skips and misses goes back to the first bet, or the script before it, and can still earn everything."""
    who, lab = people.of(slug), catalog.load(slug)
    it = who.session(tmp_path)
    keeping.skip(it)
    who.misses(it)
    made = {entry.body["bet"] for entry in it.journal().entries() if entry.kind == "bet"}
    assert 2.0 * len(made) / len(lab.bets) == pytest.approx(personas.points(it), abs=0.01)
    assert "go back to step" in keeping.check(it).text
    who.knows(it)
    assert 10.0 == personas.points(it)


@every_machine
@every_lab
def test_holding_a_story_costs_no_credit_for_bets(tmp_path: Path, slug: str, cores: int) -> None:
    """Being right is not what a bet is paid for; on two cores the answers name this story and no other (TWINS: in the lab's own tests)."""
    who, lab = people.of(slug), catalog.load(slug)
    for story in lab.stories:
        it = who.session(tmp_path / story.slug, cores)
        magic.node(it, who.SOUND)
        named: set[str] = set()
        for bet in lab.bets:
            personas.bet(it, bet.slug, personas.story_row(it, bet.slug, story))
            shown = personas.look(it, bet.slug)
            assert "measured" == shown.state
            named |= {*shown.stories}
        if cores == 2:
            assert {story.slug} - SILENT == named
        assert 2.0 == personas.card(it)[f"{slug}-bets"].verdict.points


@every_machine
@every_lab
def test_asleep_earns_little(tmp_path: Path, slug: str, cores: int) -> None:
    """Nothing for what is one's own, under 3 of 10 in the mean; every answer is a sentence."""
    who, earned = people.of(slug), []
    for number in range(12):
        it = who.session(tmp_path / str(number), cores, learner=f"learner {number}")
        assert all(reply.text for reply in who.asleep(it))
        own = [mark for mark in personas.card(it).values() if mark.item.part == "artefact"]
        assert [0.0, 0.0] == [mark.verdict.points for mark in own]
        earned.append(personas.points(it))
    assert 3.0 > sum(earned) / len(earned)


@every_lab
def test_run_all_on_a_fresh_notebook_measures_nothing(tmp_path: Path, slug: str) -> None:
    """NOT_ATTEMPTED everywhere, no record, no request to any room, and a sentence in every cell."""
    who = people.of(slug)
    room = who.FakeRoom()
    it = who.session(tmp_path, room=room)
    assert all(reply.text for reply in who.blanks(it))
    assert {Outcome.NOT_ATTEMPTED} == {mark.verdict.outcome for mark in personas.card(it).values()}
    assert [] == room.asked


@every_lab
def test_a_syntax_error_keeps_the_last_working_version(tmp_path: Path, slug: str) -> None:
    """Node's own line and message, and the script from before."""
    who = people.of(slug)
    it = who.session(tmp_path)
    magic.node(it, who.SOUND)
    assert "your last working version is kept" in magic.node(it, "syntax (").text
    assert who.SOUND == it.work().script()


@pytest.mark.parametrize(
    "trouble", [NoisyError("Your machine was too busy to watch."), KeyboardInterrupt()], ids=["busy", "stop"]
)
@every_lab
def test_the_unlucky_lose_nothing(tmp_path: Path, slug: str, trouble: BaseException) -> None:
    """A busy machine or a stop in each measuring cell is INCONCLUSIVE with its reason, and one more run has it all."""
    who, lab = people.of(slug), catalog.load(slug)
    room = who.FakeRoom()
    it = who.session(tmp_path, room=room)
    magic.node(it, who.SOUND)
    for measure in lab.measures:
        if measure.free or not (measure.bet or measure.script):
            continue
        if measure.bet:
            personas.bet(it, measure.bet, personas.node_row(it, measure.bet))
        room.fails.append(trouble)
        assert "inconclusive" == personas.look(it, measure.slug).state
        assert "measured" == personas.look(it, measure.slug).state
    who.knows(it)
    assert 10.0 == personas.points(it)


@pytest.mark.parametrize("way", ["knows", "asleep"])
@every_lab
def test_the_notebook_alone_has_the_points_of_the_folder(tmp_path: Path, slug: str, way: str) -> None:
    """What the cells' outputs carry is judged as the journal is, item by item; neither has a finding."""
    who, lab = people.of(slug), catalog.load(slug)
    it = who.session(tmp_path)
    said: list[Reply] = getattr(who, way)(it)
    outputs = [{"output_type": "display_data", "data": bundle(reply), "metadata": {}} for reply in said]
    notebook = {"cells": [{"cell_type": "code", "outputs": [output]} for output in outputs], "nbformat": 4}
    alone = intake.evidence_of(lab, {f"{slug}.ipynb": json.dumps(notebook).encode()})
    journal = intake.evidence_of(lab, {FILE_NAME: it.journal().path.read_bytes()})
    assert () == alone.findings == journal.findings
    assert judge(lab, personas.evidence(it)) == judge(lab, alone) == judge(lab, journal)


@every_lab
def test_why_is_answered_in_steps(tmp_path: Path, slug: str) -> None:
    """First what speaks against it, then a hint, then the answer with its reason and a fresh draw at half the worth."""
    who, lab = people.of(slug), catalog.load(slug)
    it = who.session(tmp_path)
    why = lab.question("why")
    magic.node(it, who.SOUND)
    for bet in why.needs:
        personas.bet(it, bet, personas.node_row(it, bet))
        personas.look(it, bet)
    here, _ = asking.scene(it, it.work(), why)
    reason = one_line(why.because(here))
    wrong = [option.slug for option in answering.options(why, here) if option.slug != why.right]
    for option in wrong[:2]:
        reply = personas.choose(it, "why", option)
        assert ("missed", False) == (reply.state, reason in one_line(reply.text))
    third = personas.choose(it, "why", wrong[2])
    assert ("settled", True) == (third.state, reason in one_line(third.text))
    worth = personas.card(it)[f"{slug}-why"].item.points
    assert 0.0 == personas.card(it)[f"{slug}-why"].verdict.points
    keeping.again(it, "why")
    personas.choose(it, "why", str(why.right))
    assert worth / 2 == personas.card(it)[f"{slug}-why"].verdict.points
