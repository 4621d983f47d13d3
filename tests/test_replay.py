"""The room ``replay``: recorded numbers where something was measured, the learner's own where something is to be solved."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from course import keeping, machinery
from course.folder import Identity
from course.session import Session
from grader import between, intake
from labs import catalog, measurement, shipped
from labs.journal import FILE_NAME
from tests import people, personas
from tests.submissions import rewritten

GATES = catalog.load("gates")
LABS = [catalog.load(slug) for slug in catalog.slugs()]
PUZZLES = [(lab.slug, one.slug) for lab in LABS for one in lab.measures if one.replayed is not None]


def replaying(folder: Path, slug: str = "gates", learner: str = "mira") -> Session:
    """Open a lab with recorded runs, as somebody whose machine cannot measure."""
    folder.mkdir(parents=True, exist_ok=True)
    it = dataclasses.replace(machinery.session(slug, folder, "replay"), learner=Identity(learner))
    keeping.greet(it, "Node")
    return it


def through(it: Session) -> bytes:
    """Bet and look wherever there is a recorded run, twice where something is typed, and return the journal."""
    for one in it.lab.measures:
        if one.bet and one.replay:
            personas.bet(it, one.bet, personas.node_row(it, one.bet))
        if one.replay:
            typed = people.of(it.name).solutions(it).get(one.slug, {})
            personas.look(it, one.slug, **typed)
            if one.replayed is not None:
                people.of(it.name).misses(it)
    return it.journal().path.read_bytes()


def codes(data: bytes, slug: str = "gates") -> set[str]:
    """Return what intake finds in a journal."""
    return {one.code for one in intake.evidence_of(catalog.load(slug), {FILE_NAME: data}, course="").findings}


@pytest.mark.parametrize("slug", catalog.slugs())
def test_honest_work_with_recorded_runs_has_no_findings(tmp_path: Path, slug: str) -> None:
    """Its numbers are everybody's, and a recorded run may be looked at again."""
    assert set() == codes(through(replaying(tmp_path, slug)), slug)


def test_numbers_other_than_the_shipped_ones_are_still_found(tmp_path: Path) -> None:
    """Exactly those of the recorded run stand for drawn ones."""

    def change(kind: str, body: dict[str, Any]) -> None:
        if kind == "draw" and body["thing"] == "one gate":
            body["parameters"]["first"] += 1

    assert {"numbers"} == codes(rewritten(through(replaying(tmp_path)), change))


@pytest.mark.parametrize(("slug", "name"), PUZZLES)
def test_a_puzzle_is_the_learners_own(tmp_path: Path, slug: str, name: str) -> None:
    """Neighbours have other numbers, with recorded runs too."""
    sessions = [replaying(tmp_path / str(number), slug, f"learner {number}") for number in range(8)]
    assert 1 < len({str(it.drawn(it.work(), name).parameters) for it in sessions})


def test_what_the_recorded_puzzle_holds_is_not_the_answer(tmp_path: Path) -> None:
    """Everybody has that file. Copied out of it, it is worth nothing to who has another target."""
    path = shipped.path(GATES, GATES.measure("state"))
    assert path is not None
    copied = measurement.decode(path.read_bytes()).parameters["open"]
    earned = []
    for number in range(8):
        it = replaying(tmp_path / str(number), learner=f"learner {number}")
        keeping.skip(it)
        personas.look(it, "state", open=copied)
        earned.append(personas.points(it))
    assert 0.0 == min(earned)


def test_a_puzzle_that_is_solved_counts_with_recorded_runs(tmp_path: Path) -> None:
    """What the learner decided is the learner's, and is said to count; a run that was only looked at is said not to."""
    it = replaying(tmp_path)
    solved = personas.look(it, "state", **people.of("gates").solutions(it)["state"])
    assert "Your choice counts." in solved.text
    assert "earns nothing" not in solved.text
    assert GATES.items[[item.grade_id for item in GATES.items].index("gates-state")].points == personas.points(it)


@pytest.mark.parametrize(("rooms", "expected"), [((), set()), (("container",), {"other-room"}), (("replay",), set())])
def test_a_class_may_leave_recorded_runs_out(tmp_path: Path, rooms: tuple[str, ...], expected: set[str]) -> None:
    """``rooms`` names them like any other."""
    evidence = intake.evidence_of(GATES, {FILE_NAME: through(replaying(tmp_path))})
    assert expected == {one.code for one in between.rules(GATES, evidence, "", "", rooms, "")}
