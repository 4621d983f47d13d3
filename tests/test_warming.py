"""Warm-ups: a question about an earlier lab in the learner's own numbers; whatever lies beside it, there is one to be answered."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from course import asking, betting, homepage, keeping, machinery, measuring, steps, warming, workspace
from course.reply import Reply
from course.session import Session
from grader.judge import judge
from grader.work import Evidence
from labs import acts, catalog
from tests import classroom, gates_people, personas, phases_people, phases_room, places_room

PHASES = catalog.load("phases")
NONE = "A recorded run of gates, since none of your own can be read here:"
#: What the recorded run has.
RECORDED = "3 slots, 9 gates"


def gates(folder: Path, learner: str = "mira", **changes: Any) -> Session:
    """Measure ``one gate`` and all that belongs to it in the lab ``gates``."""
    room = classroom.FakeRoom(2)
    room.changes = changes
    it = classroom.session(folder / "gates", room=room, learner=learner)
    keeping.greet(it, "Node")
    gates_people.knows(it)
    return it


def phases(folder: Path, learner: str = "mira") -> Session:
    """Return a fresh session of ``phases`` beside it."""
    return phases_room.session(folder / "phases", learner=learner)


def recall(it: Session, *given: Any) -> Reply:
    """Answer the warm-up about ``gates``, or leave it blank."""
    return keeping.recall(it, ("gates", *given), {})


def other_than_recorded(folder: Path) -> Session:
    """Return a learner's work in ``gates`` with other numbers than the recorded run has."""
    for number in range(50):
        it = gates(folder / str(number), learner=f"learner {number}")
        if classroom.numbers(it, "one gate")["pool"] != 3:
            return it
    raise AssertionError("every learner has 3 slots")


def test_without_a_record_the_recorded_run_is_asked_about_and_said_to_be_one(tmp_path: Path) -> None:
    """In a lone folder, with nothing beside it."""
    said = recall(phases(tmp_path), ...)
    assert "blank" == said.state
    assert NONE == said.lines[0]
    assert RECORDED in said.text


def test_records_of_the_lab_but_none_of_the_measure_are_not_called_none(tmp_path: Path) -> None:
    """Whoever stopped after the first measure of ``gates`` is told which one the question is about."""
    it = classroom.session(tmp_path / "gates", room=classroom.FakeRoom(2))
    keeping.greet(it, "Node")
    personas.bet(it, "start", personas.node_row(it, "start"))
    personas.look(it, "start")
    said = recall(phases(tmp_path), ...)
    assert 'A recorded run of gates, since you have not measured "one gate" there yet:' == said.lines[0]
    assert RECORDED in said.text


def test_a_record_that_is_too_short_for_the_question_is_said_to_be(tmp_path: Path) -> None:
    """It is there and can be read, but the gate was not opened in it."""
    kept = gates(tmp_path / "whole").work().latest("one gate")
    assert kept is not None
    it = classroom.session(tmp_path / "gates")
    keeping.greet(it, "Node")
    short = msgspec.to_builtins(msgspec.structs.replace(kept.record, runs=()))
    it.write("record", acts.Recorded(thing="one gate", draw=0, record=short, typed={}))
    told = 'A recorded run of gates, since your own record of "one gate" does not hold what is asked here:'
    assert told == recall(phases(tmp_path), ...).lines[0]


def test_the_question_speaks_of_the_learners_own_record(tmp_path: Path) -> None:
    """Its day and its numbers; another learner has others."""
    it = other_than_recorded(tmp_path)
    p = classroom.numbers(it, "one gate")
    here = phases(it.folder.parent, it.learner.learner)
    said = recall(here)
    assert said.lines[0].startswith("Your own record of gates, ")
    assert f"{p['pool']} slots, {p['tasks']} gates" in said.text
    assert f"Gate {p['first']} was opened, and task {p['pool'] + 1} started." in said.text
    assert f"So it is: task {p['pool'] + 2}." == recall(here, p["pool"] + 2).lines[0]


def test_a_new_draw_in_the_earlier_lab_changes_the_question(tmp_path: Path) -> None:
    """The newest record is asked about, whatever its draw."""
    it = gates(tmp_path)
    here = phases(tmp_path)
    asked = {recall(here).lines[1]}
    for _ in range(8):
        keeping.again(it, "one gate")
        personas.look(it, "one gate")
        personas.bet(it, "one gate", personas.node_row(it, "one gate"))
        personas.look(it, "one gate")
        p = classroom.numbers(it, "one gate")
        asked.add(said := recall(here).lines[1])
        assert said.startswith(f"{p['pool']} slots, {p['tasks']} gates, all shut. Gate {p['first']} was opened")
    assert len(asked) > 1


def test_a_recorded_run_that_was_looked_at_is_called_one(tmp_path: Path) -> None:
    """A learner whose machine cannot measure has only those."""
    gates(tmp_path, room="replay")
    assert recall(phases(tmp_path)).lines[0].startswith("The recorded run of gates that you looked at, ")


def test_what_was_measured_goes_before_a_recorded_run_that_was_looked_at_later(tmp_path: Path) -> None:
    """The learner's own machine is what is remembered."""
    it = gates(tmp_path)
    replaying = classroom.FakeRoom(2)
    replaying.changes = {"room": "replay"}
    measuring.measure(dataclasses.replace(it, measure=replaying), "one gate", {}, again=True)
    records = [
        kept.record.room for (name, _), found in it.work().records.items() if name == "one gate" for kept in found
    ]
    assert ["here", "replay"] == records
    assert recall(phases(tmp_path)).lines[0].startswith("Your own record of gates, ")


def cut(path: Path) -> None:
    """Lose a line in the middle."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], *lines[4:]]))


def change(path: Path) -> None:
    """Change a number in an entry."""
    path.write_bytes(path.read_bytes().replace(b'"draw":0', b'"draw":1', 1))


def fill(path: Path) -> None:
    """Put something else into its place."""
    path.write_bytes(b"\xff\x00{]" * 100)


def make_folder(path: Path) -> None:
    """Make a folder of it."""
    path.unlink()
    path.mkdir()


def forget(path: Path) -> None:
    """Put the journal of another lab into its place."""
    path.write_bytes(path.read_bytes().replace(b'"lab":"gates"', b'"lab":"waves"'))


@pytest.mark.parametrize("damage", [cut, change, fill, make_folder, forget])
def test_a_damaged_journal_is_as_good_as_none(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """It is that lab's business to speak of it; here the recorded run stands in, and the answer is that run's."""
    it = gates(tmp_path)
    damage(it.journal().path)
    here = phases(tmp_path)
    assert NONE == recall(here).lines[0]
    assert "So it is: task 5." == recall(here, 5).lines[0]


def test_somebody_elses_journal_is_as_good_as_none(tmp_path: Path) -> None:
    """A folder that was copied from a neighbour is not this learner's memory."""
    gates(tmp_path, learner="jonas")
    assert NONE == recall(phases(tmp_path, learner="mira")).lines[0]


def test_a_folder_with_an_id_of_its_own_is_the_learners(tmp_path: Path) -> None:
    """Two assignments that lie in no workspace each made an id; the journal was written by the one beside it."""
    it = gates(tmp_path, learner="made in gates")
    hidden = it.folder / ".fourthreads"
    hidden.mkdir()
    (hidden / "identity.json").write_text(json.dumps({"learner": "made in gates"}))
    here = phases(tmp_path, learner="made in phases")
    assert recall(here).lines[0].startswith("Your own record of gates, ")
    (hidden / "identity.json").write_text("not an identity")
    assert NONE == recall(here).lines[0]


def test_notebooks_in_one_folder_share_a_journal(tmp_path: Path) -> None:
    """Then the record is found in it."""
    it = gates(tmp_path)
    assert recall(phases_room.session(it.folder)).lines[0].startswith("Your own record of gates, ")


def test_a_record_that_cannot_be_asked_about_is_left_out(tmp_path: Path) -> None:
    """One that ended before the opening shows no line."""
    it = gates(tmp_path)
    kept = it.work().latest("one gate")
    assert kept is not None
    run = msgspec.structs.replace(kept.record.runs[0], steps=kept.record.runs[0].steps[:1])
    for runs in ((run,), ()):
        it.write("record", acts.Recorded(
            thing="one gate", draw=0, record=msgspec.to_builtins(msgspec.structs.replace(kept.record, runs=runs)), typed={},
        ))  # fmt: skip
        newest = it.work().latest("one gate")
        assert newest is not None and newest.record.runs == runs
        assert recall(phases(tmp_path)).lines[0].startswith("Your own record of gates, ")


def test_the_answer_comes_at_once_with_its_reason_and_one_next_cell(tmp_path: Path) -> None:
    """Right or not: what it is, why by the record, where to go on."""
    here = phases(tmp_path)
    right, other = recall(here, 5), recall(here, "six")
    assert ("right", "settled") == (right.state, other.state)
    assert "You said task 6; it is task 5." == other.lines[0]
    assert right.lines[1:] == other.lines[1:]
    assert "the line was 5 6 7 8 9" in right.text
    assert "Next: step 4, the program." == right.lines[-1]
    assert 1 == right.text.count("Next:")


@pytest.mark.parametrize("typed", ["?", -1, 10, 2.5, [], [4, 5], object()])
def test_what_cannot_be_an_answer_is_refused_kindly(tmp_path: Path, typed: object) -> None:
    """With what can be."""
    said = recall(phases(tmp_path), typed)
    expected = f"You typed {typed!r}. Between 1 and 9, please: there are only 9 tasks."
    assert ("refused", expected) == (said.state, said.text)


def test_a_task_may_stand_in_a_list(tmp_path: Path) -> None:
    """It is the task that stands in it, not how many stand there."""
    assert "right" == recall(phases(tmp_path), [5]).state
    assert "You said task 6; it is task 5." == recall(phases(tmp_path), [6]).lines[0]


def test_it_can_be_typed_by_name_too(tmp_path: Path) -> None:
    """As in every other cell."""
    assert "right" == keeping.recall(phases(tmp_path), ("gates",), {"task": 5}).state


def test_nothing_is_kept_and_nothing_is_made(tmp_path: Path) -> None:
    """Neither here nor in the earlier lab's folder, which need not be there."""
    here = phases(tmp_path)
    for typed in (..., 5, 6, "?"):
        recall(here, typed)
    assert [here.folder] == list(tmp_path.rglob("*"))
    it = gates(tmp_path)
    before = it.journal().path.read_bytes()
    recall(here, 5)
    assert before == it.journal().path.read_bytes()
    assert [] == list(here.folder.iterdir())


def test_who_leaves_it_out_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    """It is step 3 for who begins; after the first bet nobody is sent back to it, and no points hang on it."""
    here = phases(tmp_path)
    assert "You are at step 3 of 23. Nothing measured yet." == keeping.greet(here, "Node").lines[1]
    betting.predict(here, "four", personas.node_row(here, "four"))
    assert 6 == steps.position(here.work())
    phases_people.knows(here)
    verdicts = judge(PHASES, Evidence("phases", here.journal().entries()))
    assert PHASES.max_points == sum(verdict.points for verdict in verdicts)


def test_the_home_sends_to_it_by_its_name(tmp_path: Path) -> None:
    """Who has looked at a hint and not bet yet is at step 3; that is a warm-up there too, with its heading."""
    workspace.update(tmp_path)
    here = machinery.session("phases", tmp_path / "phases")
    asking.hint(here, "A")
    row = next(row for row in homepage.rows(tmp_path) if row.slug == "phases")
    assert ("step 3 of 23", "warm up with gates", "3 · Warm up") == (row.state, row.next_step, row.heading)


def test_the_recall_of_the_lab_itself_stays(tmp_path: Path) -> None:
    """Without a lab's name it is this lab's own question."""
    here = phases(tmp_path)
    assert "Without looking:" in keeping.recall(here, (...,), {}).text
    assert "no points" in keeping.recall(here, (), {}).text


def test_recall_promises_only_what_comes(tmp_path: Path) -> None:
    """The labs that ask about this one again are named; after the last there are none."""
    asking = [slug for slug in catalog.slugs() if any(warm.lab == "gates" for warm in catalog.load(slug).warm_ups)]
    said = keeping.recall(classroom.session(tmp_path / "gates"), ([1],), {}).text
    assert ["phases", "places"] == asking[:2]
    assert "You will be asked about it again in phases, places" in said
    assert all(slug in said for slug in asking)
    assert "" == warming.again(dataclasses.replace(PHASES, slug="the last"))


def test_a_lab_that_is_not_asked_about_is_named_with_those_that_are(tmp_path: Path) -> None:
    """Also where it comes later in the course."""
    said = keeping.recall(phases(tmp_path), ("waves", 3), {})
    assert ("refused", 'There is no warm-up about "waves" here. There is "gates".') == (said.state, said.text)
    first = keeping.recall(classroom.session(tmp_path / "gates"), ("phases", 3), {})
    assert 'There is no warm-up about "phases" here. There is none.' == first.text


def test_of_two_warm_ups_the_first_sends_to_the_second(tmp_path: Path) -> None:
    """And the last to the step after both."""
    here = places_room.session(tmp_path / "places")
    gates(tmp_path)
    phases_people.knows(phases(tmp_path))
    first, second = (keeping.recall(here, (name, "none" if name == "gates" else "C A tickA B tickB"), {}) for name in ("gates", "phases"))  # fmt: skip
    assert 'Next: the cell below, places.recall("phases", ...).' == first.lines[-1]
    assert "Next: step 4, three places." == second.lines[-1]
    assert ["Your own record of gates", "Your own record of phases"] == [
        keeping.recall(here, (name,), {}).lines[0].partition(",")[0] for name in ("gates", "phases")
    ]


def test_in_a_workspace_each_lab_finds_the_one_before(tmp_path: Path) -> None:
    """With the folders and the identity that ``fourthreads start`` makes."""
    workspace.update(tmp_path)
    mine = machinery.session("gates", tmp_path / "gates")
    gates_people.knows(dataclasses.replace(mine, measure=classroom.FakeRoom(2), rehearse=classroom.rehearsed))
    assert recall(machinery.session("phases", tmp_path / "phases")).lines[0].startswith("Your own record of gates, ")
