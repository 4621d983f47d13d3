"""The personas of ``gates`` get what they must, for every draw on small and large machines; no Node is needed for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from course import asking, magic
from grader import stories
from labs import catalog
from labs.acts import freeze
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


def betted(drawn: dict[str, Any], cores: int, story: Story, slug: str) -> stories.Said:
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


@pytest.mark.parametrize("cores", (*CORES, MANY))
@pytest.mark.parametrize("story", GATES.stories, ids=lambda story: str(story.slug))
def test_a_story_held_throughout_is_named_wherever_it_differs_and_never_another(story: Story, cores: int) -> None:
    """Its name at every bet where it differs from Node; another only where a machine cannot tell the two apart."""
    for drawn in draws(cores):
        for row, names in personas.rows_so_far(GATES, partial(betted, drawn, cores, story)):
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
            for row, names in personas.rows_so_far(GATES, partial(betted, drawn, cores, story)):
                now = row[-1]
                if story in stories.named(GATES.stories, row, names):
                    assert 1 <= len(story.voice[now.bet](now.scene)) <= 2


@pytest.mark.parametrize("cores", CORES)
def test_node_is_predicted_by_its_own_row(cores: int) -> None:
    """The row that the stories are held against is what the model of the pool does, in every draw."""
    for drawn in draws(cores):
        for slug in ("start", "one gate", "canary"):
            one = betted(drawn, cores, GATES.stories[0], slug)
            assert one.actual == gates_stories.node(one.scene)[slug]


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
    row = personas.story_row(it, "one gate", story) if story else personas.node_row(it, "one gate")
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
    personas.bet(it, "canary", personas.node_row(it, "canary"))
    personas.look(it, "canary")
    assert 0.0 == personas.card(it)["gates-own-script"].verdict.points
    magic.node(it, classroom.SOUND)
    assert "noted" == personas.bet(it, "canary", {"openings": 5}).state
    assert "measured" == personas.look(it, "canary").state
    assert 2.0 == personas.card(it)["gates-own-script"].verdict.points


def test_the_same_answer_twice_is_one_try(tmp_path: Path) -> None:
    """Run All on a notebook with an answer in it uses up nothing."""
    it = classroom.session(tmp_path)
    for _ in range(4):
        assert "missed" == personas.choose(it, "cannot", "high-beside-low").state
    assert "right" == personas.choose(it, "cannot", "done-before-started").state
    assert 0.5 == personas.card(it)["gates-cannot"].verdict.points
    assert "right" == asking.explain(it, "cannot", (...,), {}).state
