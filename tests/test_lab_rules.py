"""What every lab keeps to, whatever it is about; a lab that comes later is held to it as well."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from course import build, lint
from grader import answering
from labs import catalog
from labs.acts import freeze
from labs.spec import Lab, Scene, Shape
from tests import form, people

LABS = [catalog.load(slug) for slug in catalog.slugs()]
MASTERS = {build.slug_of(master): master for master in build.masters()}

every_lab = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)


def draws(lab: Lab, cores: int, count: int = 20) -> Iterator[dict[str, Any]]:
    """Yield draws as the journal holds them."""
    for seed in range(count):
        drawn = lab.draw(random.Random(seed), Shape(cores))
        yield freeze({name: dict(numbers) for name, numbers in drawn.items()})


@every_lab
def test_points_are_shared_as_the_course_shares_them(lab: Lab) -> None:
    """Bets 20 %, own work 45 %, explanation 15 %, transfer 20 %."""
    shares: dict[str, float] = {}
    for item in lab.items:
        shares[item.part] = shares.get(item.part, 0.0) + item.points
    assert {"bets": 2.0, "explanation": 1.5, "artefact": 4.5, "transfer": 2.0} == shares


@pytest.mark.parametrize("cores", (1, 2, 4, 12, 16))
@every_lab
def test_every_question_has_one_right_answer_among_different_sentences(lab: Lab, cores: int) -> None:
    """Slugs and texts are unique, the right option is among them, and every blank reads its own solution."""
    for numbers in draws(lab, cores):
        for question in lab.questions:
            here = Scene(numbers[question.slug], Shape(cores))
            options = answering.options(question, here)
            right = answering.solution(question, here)
            assert len(options) == len({one.slug for one in options}) == len({one.text for one in options})
            assert 1 == sum(one.slug == right[question.choice] for one in options)
            for blank in question.blanks:
                assert right[blank.name] == blank.kind.read(right[blank.name], here.parameters)


@every_lab
def test_the_cells_of_the_notebook_are_the_steps_and_items_of_the_lab(lab: Lab) -> None:
    """In order; its graded cells are the items, and its first script cell holds the starter."""
    cells = build.cells(MASTERS[lab.slug])
    acts = [act for cell in cells if cell.kind in ("given", "blank") and (act := _act(lab, cell.source))]
    assert [step for step in lab.steps if _verb(step) in VERBS] == form.own_steps(lab, acts)
    assert {item.grade_id for item in lab.items} == {cell.name for cell in cells if cell.kind == "graded"}
    if lab.script is not None:
        script = next(cell.source for cell in cells if cell.source.startswith("%%node"))
        assert f"%%node {lab.slug}\n{lab.script.starter}".strip() == script.strip()


VERBS = {"recall", "predict", "measure", "evidence", "explain", "node", "check"}


def _verb(step: str) -> str:
    return step.split()[0]


def _act(lab: Lab, source: str) -> str:
    """Return what a cell does, as the lab's steps name it: ``predict start``, ``node``; empty where it is none of that."""
    if source.startswith(f"%%node {lab.slug}"):
        return "node"
    found = re.search(rf'{lab.slug}\.(\w+)\(\s*(?:"([\w ]+)")?', source)
    return " ".join(part for part in found.groups() if part) if found and found[1] in VERBS else ""


@every_lab
def test_the_texts_of_a_notebook_are_short_and_kind(lab: Lab) -> None:
    """100 words at once, 900 on the way through, and none that is never said."""
    texts = [cell.source for cell in build.cells(MASTERS[lab.slug]) if cell.kind == "text"]
    further = next((place for place, text in enumerate(texts) if text.startswith("## Further")), len(texts))
    words = [lint.words(text) for text in texts[:further]]
    assert max(words) <= 100
    assert sum(words) <= 900
    assert [] == [found for text in texts for found in form.banned(text, waves=lab.slug == "waves")]


@every_lab
def test_a_record_of_another_form_tells_no_bet(lab: Lab, tmp_path: Path) -> None:
    """No run, or one in which nothing was seen: nothing is known of the bet, and nothing breaks."""
    who = people.of(lab.slug)
    room = who.FakeRoom()
    it = who.session(tmp_path, room=room)
    who.knows(it)
    for bet in lab.bets:
        asked = next(asked for asked in room.asked if asked.measure == bet.measure)
        record = room.record(asked)
        bare = tuple(
            replace(run, counts={}, sources={}, steps=(), callbacks=(), tasks=(), threads=()) for run in record.runs
        )
        assert bet.actual(record) is not None
        assert bet.actual(replace(record, runs=())) is None
        assert bet.actual(replace(record, runs=bare)) is None, bet.slug
