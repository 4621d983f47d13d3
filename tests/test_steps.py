"""Where a learner is sent next: to what the next cell does, and to nothing that stands there already."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from course import build, keeping, steps
from labs import catalog
from labs.spec import Lab
from tests import classroom, form, gates_people

LABS = [catalog.load(slug) for slug in catalog.slugs()]
MASTERS = {build.slug_of(master): master for master in build.masters()}


def does(lab: Lab, source: str) -> str:
    """Return what a cell does, as a lab names its steps; empty where it is none of its verbs."""
    if source.startswith(f"%%node {lab.slug}"):
        return "node"
    found = re.search(rf'^{lab.slug}\.(\w+)\(\s*(?:"([\w ]+)")?', source, re.MULTILINE)
    return " ".join(part for part in found.groups() if part) if found and found[1] in steps.ACTS else ""


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_a_lab_names_its_steps_as_the_cells_do(lab: Lab) -> None:
    """In their order, so that a sentence names the cell that comes; what stands under "further" is no step."""
    cells = build.cells(MASTERS[lab.slug])
    acts = form.own_steps(
        lab, [act for cell in cells if cell.kind in ("given", "blank") and (act := does(lab, cell.source))]
    )
    named = [step for step in lab.steps if steps.act(step)[0] != "read"]
    assert named == acts[: len(named)]


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_below_the_five_lines_nobody_is_sent_to_them(lab: Lab) -> None:
    """They have just been printed; what comes is named with its call."""
    said = steps.after(lab, f"explain {lab.five_lines_after}")
    assert "lines" not in said
    assert f"{lab.slug}.{'what_if' if lab.slug == 'waves' else 'plot'}()" in said


def test_new_numbers_take_back_nothing_that_is_done(tmp_path: Path) -> None:
    """A finished notebook stays at its end after ``again`` for a bet and for a question that are not taken up."""
    it = classroom.session(tmp_path)
    gates_people.knows(it)
    at = steps.position(it.work())
    assert len(it.lab.steps) == at
    for thing in ("one gate", "why"):
        assert "New numbers" in keeping.again(it, thing).text
        assert at == steps.position(it.work()), thing
    assert f"You are at step {at} of {at}." in keeping.greet(it, "Node").text


def test_the_question_why_ends_with_what_comes_next(tmp_path: Path) -> None:
    """In gates: the five lines, then the picture's cell."""
    it = classroom.session(tmp_path)
    said = [reply.text.splitlines() for reply in gates_people.knows(it) if "5. " in reply.text]
    assert ["Next: step 10, your records as a picture, gates.plot()."] == [lines[-1] for lines in said]
