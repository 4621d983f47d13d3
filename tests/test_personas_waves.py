"""The personas of ``waves`` get what they must, for many draws on small and large machines; no Node is needed for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from course import keeping, magic
from course.session import Session
from grader import stories
from grader.judge import judge_record
from grader.verdict import Outcome
from labs.spec import Scene, Shape, Story
from labs.waves import stories as waves_stories
from tests import hashroom, personas, waves_people
from tests.hashroom import CORES, LAB, SLIPS, SOUND, curve, draws, record, request
from tests.waves_people import BETS

#: Stories that may be named beside another one, where a machine cannot tell them apart.
TWINS = [
    {"a-slot-a-core", "one-by-one"},
    {"core-a-slot", "always-faster"},
    {"core-a-slot", "as-before"},
    {"a-slot-a-core", "no-limit"},
]


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
@pytest.mark.parametrize("cores", CORES)
def test_who_knows_gets_everything_also_where_no_time_can_be_judged(tmp_path: Path, cores: int, busy: bool) -> None:
    """10 of 10: on a busy machine the ratio's weight moves to the counts."""
    it = hashroom.session(tmp_path, cores, room=hashroom.FakeRoom(cores, busy))
    waves_people.first_half(it)
    waves_people.own(it)
    waves_people.transfer(it)
    assert {Outcome.PASS} == {mark.verdict.outcome for mark in personas.card(it).values()}
    assert 10.0 == personas.points(it)


def test_who_knows_is_told_why_and_never_named(tmp_path: Path) -> None:
    """Node's own row is nobody's story, on any machine."""
    for cores in CORES:
        it = hashroom.session(tmp_path / str(cores), cores)
        magic.node(it, SOUND)
        for slug in BETS:
            personas.bet(it, slug, personas.node_row(it, slug))
            assert () == personas.look(it, slug).stories


def cells(it: Session, line: str, whole: str) -> list[str]:
    """Run the cells of both scripts and of the measures, in the notebook's order; return the state of each measure."""
    magic.node(it, line)
    states = [personas.look(it, slug).state for slug in ("all at once", "other cores")]
    magic.node(it, whole)
    return [*states, personas.look(it, "own").state]


def test_run_all_on_a_finished_notebook_adds_nothing_to_the_journal(tmp_path: Path) -> None:
    """Two scripts, each measured for its own steps: going through both again, in this kernel or the next, is no news."""
    whole = f"{SOUND}// all mine\n"
    it = hashroom.session(tmp_path)
    for slug in BETS:
        personas.bet(it, slug, personas.node_row(it, slug))
    assert ["measured"] * 3 == cells(it, SOUND, whole)
    journal = it.journal().entries()
    for again in (it, hashroom.session(tmp_path)):
        assert ["kept"] * 3 == cells(again, SOUND, whole)
        assert journal == it.journal().entries()


def test_who_goes_back_to_an_earlier_script_is_measured_with_it(tmp_path: Path) -> None:
    """A script that was left unmeasured is given up for good: the one of the cell run last is measured, in any kernel."""
    it = hashroom.session(tmp_path)
    waves_people.own(it)
    for script in (SLIPS["no-report"][0], SOUND):
        magic.node(it, script)
    assert SOUND == hashroom.session(tmp_path).script(it.work())
    personas.look(it, "own")
    assert SOUND == it.work().latest("own").record.script.text  # type: ignore[union-attr]  # it has just been measured


def test_a_new_record_is_preceded_by_its_script_in_the_journal(tmp_path: Path) -> None:
    """Who measures the first script once more, both being settled, has it in the journal as the last one again."""
    whole = f"{SOUND}// all mine\n"
    it = hashroom.session(tmp_path)
    for slug in BETS:
        personas.bet(it, slug, personas.node_row(it, slug))
    cells(it, SOUND, whole)
    magic.node(it, SOUND)
    assert whole == it.work().script()
    assert "measured" == personas.look(it, "own").state
    assert SOUND == it.work().script()


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
def test_who_knows_and_skips_gets_all_but_the_line(tmp_path: Path, busy: bool) -> None:
    """Steps 12 to 14 at the first try stand for the first bets and the reason; the line of step 4 stays to be written: 8.5 of 10."""
    it = hashroom.session(tmp_path, room=hashroom.FakeRoom(2, busy))
    assert '"own line: reported when back" (step 4)' in keeping.skip(it).text.replace("\n", " ")
    waves_people.own(it)
    waves_people.transfer(it)
    card = personas.card(it)
    names = ("waves-bets", "waves-line", "waves-why", "waves-script")
    assert (2.0, 0.0, 1.5, 3.0) == tuple(card[name].verdict.points for name in names)
    assert 8.5 == personas.points(it)


def said(seed: int, cores: int, slug: str, story: Story) -> stories.Said:
    """Return one bet of somebody who holds a story, with what Node did."""
    drawn = list(draws(cores, seed + 1))[-1]
    bare = Scene(drawn[slug], Shape(cores, curve(cores)))
    made = record(request(slug, drawn[slug]), cores)
    actual = LAB.bet(slug).actual(made)
    assert actual is not None
    row = {**personas.typed(waves_stories.node(bare)[slug]), **personas.typed(story.rows(bare).get(slug, {}))}
    return stories.Said(slug, row, actual, Scene(drawn[slug], Shape(cores, curve(cores)), made, row))


@pytest.mark.parametrize("cores", CORES)
@pytest.mark.parametrize("story", LAB.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(story: Story, cores: int) -> None:
    """Its name at every bet where it differs from Node; another only where a machine cannot tell the two apart."""
    for seed in range(6):
        for names in LAB.rows:
            for upto in range(1, len(names) + 1):
                row = tuple(said(seed, cores, slug, story) for slug in names[:upto])
                now = row[-1]
                predicted = story.rows(now.scene).get(now.bet, {})
                differs = any(now.actual[blank] != value for blank, value in predicted.items())
                found = {one.slug for one in stories.named(LAB.stories, row, names)}
                if not predicted or not differs:
                    assert set() == found
                    continue
                assert story.slug in found or (story.local and upto == 1)
                assert len(found) == 1 or found in TWINS, (now.bet, found)
                assert 1 <= len(story.voice[now.bet](now.scene)) <= 2


def test_on_a_busy_machine_only_counts_name_a_story(tmp_path: Path) -> None:
    """ "No limit" is named by its eight; the textbook, which differs in times alone, is not."""
    for slug, expected in (("no-limit", ("no-limit",)), ("core-a-slot", ())):
        it = hashroom.session(tmp_path / slug, room=hashroom.FakeRoom(2, busy=True))
        magic.node(it, SOUND)
        story = next(one for one in LAB.stories if one.slug == slug)
        personas.bet(it, "all at once", personas.story_row(it, "all at once", story))
        assert expected == personas.look(it, "all at once").stories


@pytest.mark.parametrize("slip", SLIPS)
def test_another_script_is_named_by_count_and_loses_nothing(tmp_path: Path, slip: str) -> None:
    """No points yet and the bet stays open; a sound script then earns all."""
    it = hashroom.session(tmp_path)
    waves_people.first_half(it)
    waves_people.own(it, SLIPS[slip][0])
    verdict = personas.card(it)["waves-script"].verdict
    if slip not in (
        "nothing",
        "unlimited",
    ):  # a script that asks the pool for nothing is not kept: the one from before was measured
        assert 0.0 == verdict.points
        assert (Outcome.CONTRADICTS, (slip,)) == (verdict.outcome, verdict.wrong_models)
        waves_people.own(it)
    assert 3.0 == personas.card(it)["waves-script"].verdict.points


@pytest.mark.parametrize("slip", SLIPS)
def test_a_lone_record_names_its_slip(slip: str) -> None:
    """``fourthreads check waves RECORD`` says the same, and times are never held against such a script."""
    for numbers in draws(2, 6):
        verdicts = {
            one.check: one for one in judge_record(LAB, record(request("own", numbers["own"], SLIPS[slip][0]), 2))
        }
        counts = verdicts["waves-script-counts"]
        assert (Outcome.CONTRADICTS, (slip,)) == (counts.outcome, counts.wrong_models)
        assert Outcome.INCONCLUSIVE is verdicts["waves-script-ratio"].outcome


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
@pytest.mark.parametrize("cores", CORES)
def test_a_sound_record_never_contradicts(cores: int, busy: bool) -> None:
    """Any draw, any machine, idle or busy."""
    for numbers in draws(cores, 10):
        for slug in BETS:
            for verdict in judge_record(LAB, record(request(slug, numbers[slug]), cores, busy=busy)):
                assert verdict.outcome in (
                    Outcome.PASS,
                    *((Outcome.INCONCLUSIVE,) if busy else (Outcome.NOT_SEPARABLE,)),
                )
