"""The personas of ``gates`` get what they must, for every draw on small and large machines; no Node is needed for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course import asking, keeping, magic
from grader import intake, stories
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog
from labs.acts import freeze
from labs.errors import NoisyError
from labs.gates import stories as gates_stories
from labs.gates.draw import draw, needed
from labs.request import Request
from labs.spec import Row, Scene, Shape, Story
from tests import classroom, personas

CORES = (1, 2, 4, 12, 16)
#: From 39 cores on gates no longer outnumber cores.
MANY = 64
GATES = catalog.load("gates")
#: Stories that say the same on a machine, where nothing can tell them apart.
TWINS = {
    1: {"a-slot-a-core", "one-at-a-time"},
    4: {"a-slot-a-core", "always-four"},
    MANY: {"a-slot-a-core", "no-limit"},
}


def draws(cores: int) -> Iterator[dict[str, Any]]:
    """Yield one draw of each shape (pool size, first gate) that a machine can be given."""
    seen = set()
    for seed in range(400):
        drawn = freeze({name: dict(numbers) for name, numbers in draw(random.Random(seed), Shape(cores)).items()})
        shape = (drawn["one gate"]["pool"], drawn["one gate"]["first"])
        if shape not in seen:
            seen.add(shape)
            yield drawn


def said(drawn: dict[str, Any], cores: int, slug: str, story: Story) -> stories.Said:
    """Return one bet of somebody who holds a story, with what Node did."""
    bet = GATES.bet(slug)
    bare = Scene(drawn[slug], Shape(cores))
    measure = GATES.measure(bet.measure)
    request = Request(
        lab="gates", measure=bet.measure, parameters=classroom.plain(dict(measure.parameters(bare))),
        script=classroom.SOUND if measure.script else None,
    )  # fmt: skip
    record = classroom.gates_record(request, cores)
    actual = bet.actual(record)
    assert actual is not None
    answers: Row = {**actual, **story.rows(bare).get(slug, {})}
    return stories.Said(slug, answers, actual, Scene(drawn[slug], Shape(cores), record, answers))


def rows(drawn: dict[str, Any], cores: int, story: Story) -> Iterator[tuple[tuple[stories.Said, ...], tuple[str, ...]]]:
    """Yield every row of bets that somebody who holds a story makes, as far as it has come."""
    for names in GATES.rows:
        for upto in range(1, len(names) + 1):
            yield tuple(said(drawn, cores, slug, story) for slug in names[:upto]), names


@pytest.mark.parametrize("cores", (*CORES, MANY))
@pytest.mark.parametrize("story", GATES.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(story: Story, cores: int) -> None:
    """Its name at every bet where it differs from Node; another only where a machine cannot tell the two apart."""
    for drawn in draws(cores):
        for row, names in rows(drawn, cores, story):
            now = row[-1]
            predicted = story.rows(now.scene).get(now.bet, {})
            differs = any(now.actual[blank] != value for blank, value in predicted.items())
            found = {one.slug for one in stories.named(GATES.stories, row, names)}
            if not differs:
                assert set() == found
                continue
            assert story.slug in found
            assert found <= {story.slug} | (TWINS.get(cores, set()) if story.slug in TWINS.get(cores, set()) else set())


@pytest.mark.parametrize("cores", CORES)
def test_a_story_speaks_in_a_sentence_wherever_it_is_named(cores: int) -> None:
    """Each has a voice for each bet where it can differ, of one or two lines."""
    for story in GATES.stories:
        for drawn in draws(cores):
            for row, names in rows(drawn, cores, story):
                now = row[-1]
                if story in stories.named(GATES.stories, row, names):
                    assert 1 <= len(story.voice[now.bet](now.scene)) <= 2


@pytest.mark.parametrize("cores", CORES)
def test_node_is_predicted_by_its_own_row(cores: int) -> None:
    """The row that the stories are held against is what the model of the pool does, in every draw."""
    for drawn in draws(cores):
        for slug in ("start", "one gate", "canary"):
            one = said(drawn, cores, slug, GATES.stories[0])
            assert one.actual == gates_stories.node(one.scene)[slug]


@pytest.mark.parametrize("cores", CORES)
def test_who_knows_gets_everything(tmp_path: Path, cores: int) -> None:
    """10 of 10, and PASS in every item."""
    it = classroom.session(tmp_path, cores)
    personas.knows(it)
    assert {Outcome.PASS} == {mark.verdict.outcome for mark in personas.card(it).values()}
    assert 10.0 == personas.points(it)


def test_who_knows_and_skips_gets_everything_too(tmp_path: Path) -> None:
    """Cells 14, 11 to 13, 15, 16 stand for the rest when the puzzle is solved at the first try."""
    it = classroom.session(tmp_path)
    keeping.skip(it)
    personas.look(it, "state", open=list(needed(classroom.numbers(it, "state")["target"])))
    personas.later_half(it)
    assert 10.0 == personas.points(it)


def test_a_missed_skip_loses_nothing(tmp_path: Path) -> None:
    """Who skips and misses goes back to the first bet and can still earn everything."""
    it = classroom.session(tmp_path)
    keeping.skip(it)
    personas.look(it, "state", open=[1])
    assert 0.0 == personas.points(it)
    assert "go back to the first bet" in keeping.check(it).text
    personas.knows(it)
    assert 10.0 == personas.points(it)


@pytest.mark.parametrize("cores", CORES)
def test_holding_a_story_costs_no_credit_for_bets(tmp_path: Path, cores: int) -> None:
    """Being right is not what a bet is paid for."""
    for story in GATES.stories:
        it = classroom.session(tmp_path / story.slug, cores)
        magic.node(it, classroom.SOUND)
        for slug in ("start", "one gate", "canary"):
            personas.bet(it, slug, personas.story_row(it, slug, story))
            assert "measured" == personas.look(it, slug).state
        assert 2.0 == personas.card(it)["gates-bets"].verdict.points


def test_the_right_number_for_the_wrong_reason_is_named_at_the_next_bet(tmp_path: Path) -> None:
    """On 4 cores, "4, one a core" is Node's number at the first bet, and is named at the second."""
    it = classroom.session(tmp_path, cores=4)
    core = next(story for story in GATES.stories if story.slug == "a-slot-a-core")
    personas.bet(it, "start", personas.story_row(it, "start", core))
    assert () == personas.look(it, "start").stories
    personas.bet(it, "one gate", personas.story_row(it, "one gate", core))
    assert "a-slot-a-core" in personas.look(it, "one gate").stories


@pytest.mark.parametrize(("second", "expected"), [("node", ("fence",)), ("always-four", ("always-four",))])
def test_six_openings_mean_what_the_row_says(tmp_path: Path, second: str, expected: tuple[str, ...]) -> None:
    """With 3 slots and 9 gates: after "held 3" six is one off at the fence, after "held 4" it is "always four"."""
    it = _three_slots(tmp_path)
    story = next((story for story in GATES.stories if story.slug == second), None)
    row = personas.story_row(it, "one gate", story) if story else personas.node_rows(it, "one gate")
    personas.bet(it, "one gate", row)
    personas.look(it, "one gate")
    magic.node(it, classroom.SOUND)
    personas.bet(it, "canary", {"openings": 6})
    assert expected == personas.look(it, "canary").stories


def _three_slots(folder: Path) -> Any:
    for number in range(60):
        it = classroom.session(folder / str(number), learner=f"learner {number}")
        if classroom.numbers(it, "one gate")["pool"] == 3:
            return it
    raise AssertionError("no learner was given three slots")


@pytest.mark.parametrize("cores", CORES)
def test_asleep_earns_little(tmp_path: Path, cores: int) -> None:
    """Nothing for script and state, under 3 of 10 in the mean; every answer is a sentence."""
    earned = []
    for number in range(12):
        it = classroom.session(tmp_path / str(number), cores, learner=f"learner {number}")
        assert all(reply.text for reply in personas.asleep(it))
        card = personas.card(it)
        assert 0.0 == card["gates-own-script"].verdict.points == card["gates-state"].verdict.points
        earned.append(personas.points(it))
    assert 3.0 > sum(earned) / len(earned)


def test_run_all_on_a_fresh_notebook_measures_nothing(tmp_path: Path) -> None:
    """NOT_ATTEMPTED everywhere, no record, no request to any room, and a sentence in every cell."""
    room = classroom.FakeRoom(2)
    it = classroom.session(tmp_path, room=room)
    assert all(reply.text for reply in personas.blanks(it))
    assert {Outcome.NOT_ATTEMPTED} == {mark.verdict.outcome for mark in personas.card(it).values()}
    assert [] == room.asked


def test_a_gate_opened_while_it_waits_is_understanding(tmp_path: Path) -> None:
    """Full points at step 14, with the remark."""
    it = classroom.session(tmp_path)
    opens = list(needed(classroom.numbers(it, "state")["target"]))
    waiting = max(gate for gate in opens if gate > classroom.numbers(it, "state")["pool"])
    shown = personas.look(it, "state", open=[waiting, *[gate for gate in opens if gate != waiting]])
    assert "while it was still waiting" in shown.text
    assert 2.5 == personas.card(it)["gates-state"].verdict.points


@pytest.mark.parametrize("script", [classroom.FIRST, classroom.SYNC, classroom.STARTER])
def test_another_script_earns_nothing_and_loses_nothing(tmp_path: Path, script: str) -> None:
    """The stat first, ``statSync``, or none: no points yet, the bet stays open, and a sound script then earns all."""
    it = classroom.session(tmp_path)
    magic.node(it, script)
    personas.bet(it, "canary", personas.node_rows(it, "canary"))
    personas.look(it, "canary")
    assert 0.0 == personas.card(it)["gates-own-script"].verdict.points
    magic.node(it, classroom.SOUND)
    assert "noted" == personas.bet(it, "canary", {"openings": 5}).state
    assert "measured" == personas.look(it, "canary").state
    assert 2.0 == personas.card(it)["gates-own-script"].verdict.points


def test_a_syntax_error_keeps_the_last_working_version(tmp_path: Path) -> None:
    """Node's own line, caret and message, and the script from before."""
    it = classroom.session(tmp_path)
    magic.node(it, classroom.SOUND)
    assert "your last working version is kept" in magic.node(it, "syntax (").text
    assert classroom.SOUND == it.work().script()


@pytest.mark.parametrize(
    "trouble", [NoisyError("Your machine was too busy to watch."), KeyboardInterrupt()], ids=["busy", "stop"]
)
def test_the_unlucky_lose_nothing(tmp_path: Path, trouble: BaseException) -> None:
    """A busy machine or a stop in each measuring cell is INCONCLUSIVE with its reason, and one more run has it all."""
    room = classroom.FakeRoom(2)
    it = classroom.session(tmp_path, room=room)
    magic.node(it, classroom.SOUND)
    for slug in ("start", "one gate", "canary"):
        personas.bet(it, slug, personas.node_rows(it, slug))
        room.fails.append(trouble)
        assert "inconclusive" == personas.look(it, slug).state
        assert "measured" == personas.look(it, slug).state
    personas.knows(it)
    assert 10.0 == personas.points(it)


@pytest.mark.parametrize("who", [personas.knows, personas.asleep])
def test_the_notebook_alone_has_the_points_of_the_folder(tmp_path: Path, who: Any) -> None:
    """What the cells' outputs carry is judged as the journal is, item by item."""
    import json

    from course.display import bundle

    it = classroom.session(tmp_path)
    outputs = [{"output_type": "display_data", "data": bundle(reply), "metadata": {}} for reply in who(it)]
    notebook = {"cells": [{"cell_type": "code", "outputs": [output]} for output in outputs], "nbformat": 4}
    alone = intake.evidence_of(GATES, {"gates.ipynb": json.dumps(notebook).encode()})
    assert () == alone.findings
    assert judge(GATES, personas.evidence(it)) == judge(GATES, alone)


def test_questions_answer_in_steps(tmp_path: Path) -> None:
    """First what speaks against it, then a hint, then the answer with its reason and a fresh draw at half the worth."""
    it = classroom.session(tmp_path)
    for slug in ("start", "one gate"):
        personas.bet(it, slug, personas.node_rows(it, slug))
        personas.look(it, slug)
    answer = "shares one line"
    first = personas.choose(it, "why", "groups")
    assert ("missed", False) == (first.state, answer in first.text)
    second = personas.choose(it, "why", "dealt-out")
    assert ("missed", False) == (second.state, answer in second.text)
    third = personas.choose(it, "why", "a-thread-each")
    assert ("settled", True) == (third.state, answer in third.text)
    assert 0.0 == personas.card(it)["gates-why"].verdict.points
    keeping.again(it, "why")
    personas.choose(it, "why", "one-line")
    assert 0.75 == personas.card(it)["gates-why"].verdict.points


def test_the_same_answer_twice_is_one_try(tmp_path: Path) -> None:
    """Run All on a notebook with an answer in it uses up nothing."""
    it = classroom.session(tmp_path)
    for _ in range(4):
        assert "missed" == personas.choose(it, "cannot", "high-beside-low").state
    assert "right" == personas.choose(it, "cannot", "done-before-started").state
    assert 0.5 == personas.card(it)["gates-cannot"].verdict.points
    assert "right" == asking.explain(it, "cannot", (...,), {}).state
