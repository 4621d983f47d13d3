"""Bytes become evidence: read strictly, never run; what is odd is found and changes no mark by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from course import keeping
from course.folder import Identity
from grader import consistency, intake
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog, journal
from labs.journal import MEDIA_TYPE, START
from tests import classroom, gates_people, personas, phases_room

GATES = catalog.load("gates")


@pytest.fixture
def work(tmp_path: Path) -> bytes:
    """The journal of somebody who knows everything."""
    it = classroom.session(tmp_path)
    gates_people.knows(it)
    return it.journal().path.read_bytes()


def read(data: bytes, name: str = "journal.jsonl") -> Any:
    """Return the evidence in one file."""
    return intake.evidence_of(GATES, {name: data})


def points(evidence: Any) -> float:
    """Return the sum of the points."""
    return sum(verdict.points for verdict in judge(GATES, evidence))


def rewritten(data: bytes, change: Any) -> bytes:
    """Return the journal with the bodies changed and the whole chain made anew: a consistent forgery."""
    previous, lines = START, []
    for number, entry in enumerate(journal.decode(data)):
        body = json.loads(json.dumps(entry.body))
        change(entry.kind, body)
        made = journal.make(number, entry.kind, entry.lab, body, previous, entry.clock)
        previous = made.digest
        lines.append(json.dumps(classroom.plain(made)).encode())
    return b"\n".join(lines)


def test_sound_work_has_no_findings(work: bytes) -> None:
    """And all points."""
    assert () == read(work).findings
    assert 10.0 == points(read(work))


def test_nothing_is_not_attempted() -> None:
    """Absence of evidence is never a pass."""
    for evidence in (intake.evidence_of(GATES, {}), read(b""), read(b"{}", "gates.ipynb")):
        assert {Outcome.NOT_ATTEMPTED} == {verdict.outcome for verdict in judge(GATES, evidence)}
        assert 0.0 == points(evidence)


@pytest.mark.parametrize("damage", [b"\xff", b"not json", b"[" * 100_000, b'{"cells": [{"outputs": 3}, 4]}', b"[]"])
def test_a_damaged_notebook_is_a_finding_or_nothing(damage: bytes) -> None:
    """Never an exception, never a point."""
    assert 0.0 == points(read(damage, "gates.ipynb"))


def test_an_edited_entry_is_left_out_and_named(work: bytes) -> None:
    """Its digest does not fit any more; the rest still counts."""
    edited = work.replace(b'"sure":null', b'"sure":"bet"', 1)
    codes = {finding.code for finding in read(edited).findings}
    assert {"damaged", "gap"} <= codes
    assert 10.0 > points(read(edited))


def test_a_missing_entry_is_named(work: bytes) -> None:
    """A gap in the journal."""
    lines = work.splitlines(keepends=True)
    assert "gap" in {finding.code for finding in read(b"".join(lines[:3] + lines[4:])).findings}


def test_journal_and_notebook_are_merged(work: bytes) -> None:
    """Each entry once, wherever it was found."""
    entries = [classroom.plain(entry) for entry in journal.decode(work)]
    notebook = json.dumps({"cells": [{"outputs": [{"data": {MEDIA_TYPE: entries[:5]}}]}]}).encode()
    both = intake.evidence_of(GATES, {"gates.ipynb": notebook, "journal.jsonl": work})
    assert read(work).entries == both.entries


def test_easy_numbers_put_into_a_draw_are_found_and_their_records_earn_nothing(work: bytes) -> None:
    """The puzzle's target was exchanged for the one that is there at the start."""

    def change(kind: str, body: dict[str, Any]) -> None:
        if kind == "draw" and body["thing"] == "state":
            body["parameters"]["target"] = [1, 2, 3]

    evidence = read(rewritten(work, change))
    assert "numbers" in {finding.code for finding in evidence.findings}
    assert 7.5 == points(evidence)


def test_a_bet_moved_behind_its_look_earns_nothing(work: bytes) -> None:
    """Late bets are worth 0; the order in the journal decides."""
    entries = list(journal.decode(work))
    bet = next(entry for entry in entries if entry.kind == "bet")
    record = next(entry for entry in entries if entry.kind == "record")
    order = [entry for entry in entries if entry is not bet]
    order.insert(order.index(record) + 1, bet)
    previous, lines = START, []
    for number, entry in enumerate(order):
        made = journal.make(number, entry.kind, entry.lab, entry.body, previous, entry.clock)
        previous = made.digest
        lines.append(json.dumps(classroom.plain(made)).encode())
    evidence = read(b"\n".join(lines))
    bets = next(verdict for verdict in judge(GATES, evidence) if verdict.check == "gates-bets")
    assert 2 == bets.measured
    assert "clock" in {finding.code for finding in evidence.findings}


def test_impossible_processor_time_and_copied_clocks_are_found(work: bytes) -> None:
    """What a careless edit of a record leaves behind."""
    clocks: list[Any] = []

    def change(kind: str, body: dict[str, Any]) -> None:
        if kind == "record":
            body["record"]["runs"][0]["cpu"] = 1000.0
            clocks.append(body["record"]["clock"])
            body["record"]["clock"] = clocks[0]

    codes = {finding.code for finding in read(rewritten(work, change)).findings}
    assert {"cpu", "copied"} <= codes


def test_a_record_no_run_can_have_produced_is_left_out(work: bytes) -> None:
    """More held than there are threads: refused by the strict reading, named, and worth nothing."""

    def change(kind: str, body: dict[str, Any]) -> None:
        if kind == "record" and body["thing"] == "state":
            body["record"]["runs"][0]["counts"]["held_slots"] = 99

    evidence = read(rewritten(work, change))
    assert "unreadable" in {finding.code for finding in evidence.findings}
    assert 7.5 == points(evidence)


def test_a_consistent_forgery_passes_as_recorded(work: bytes) -> None:
    """The learner owns the machine: who remakes bodies, records and chain alike is not found. The pages say so."""

    def change(kind: str, body: dict[str, Any]) -> None:
        if kind == "bet" and body["bet"] == "start":
            body["answers"]["held"] = 12

    assert () == read(rewritten(work, change)).findings
    assert 10.0 == points(read(rewritten(work, change)))


def test_a_foreign_seed_is_listed_and_not_accused(tmp_path: Path) -> None:
    """A copied folder: other numbers than this learner's; its points stand beside the findings."""
    it = classroom.session(tmp_path, learner="somebody else")
    gates_people.knows(it)
    entries = it.journal().entries()
    assert () == consistency.foreign(GATES, entries, "", Identity("somebody else").learner)
    assert {"foreign-seed"} == {finding.code for finding in consistency.foreign(GATES, entries, "", "mira")}
    assert 10.0 == personas.points(it)


def test_a_foreign_seed_is_listed_at_intake(tmp_path: Path) -> None:
    """The class's key and the learner who opened the lab give the seeds; others are listed."""
    it = classroom.session(tmp_path)
    keeping.greet(it, "Node")
    personas.bet(it, "start", {"held": 4})
    data = {"journal.jsonl": it.journal().path.read_bytes()}
    assert () == intake.evidence_of(GATES, data, course="").findings
    assert {"foreign-seed"} == {
        finding.code for finding in intake.evidence_of(GATES, data, course="another class").findings
    }


def test_foreign_seeds_are_one_finding_however_many(tmp_path: Path) -> None:
    """One line a student and lab; it counts the draws, and names some of what was drawn."""
    it = classroom.session(tmp_path)
    gates_people.knows(it)
    count = len(it.work().draws)
    (found,) = consistency.foreign(GATES, it.journal().entries(), "another class", "mira")
    assert found.text.startswith(f"{count} of {count} draws have another learner's or class's seed: ")
    assert found.text.endswith(f" and {count - 4} more")


def test_two_labs_opened_in_one_folder_are_nothing_to_look_at(tmp_path: Path, work: bytes) -> None:
    """They share a journal; each is judged by its own entries, and costs the other nothing."""
    it = classroom.session(tmp_path)
    other = phases_room.session(tmp_path)
    keeping.greet(other, "Node")
    gates_people.knows(it)
    evidence = read(it.journal().path.read_bytes())
    assert {"gates", "phases"} == {entry.lab for entry in evidence.entries}
    assert () == evidence.findings
    assert 10.0 == points(evidence)


def test_the_journal_of_another_lab_is_said_once(tmp_path: Path) -> None:
    """Handed in for this one by mistake."""
    other = phases_room.session(tmp_path)
    keeping.greet(other, "Node")
    personas.blank_bets(other)
    found = read(other.journal().path.read_bytes()).findings
    assert [("other-lab", "nothing of this lab lies here, only of 'phases'")] == [(one.code, one.text) for one in found]


def test_a_draw_number_beyond_reason_is_left_out_and_costs_no_time(work: bytes) -> None:
    """A forged draw cannot make the judge count up to it."""

    def change(kind: str, body: dict[str, Any]) -> None:
        if kind == "bet":
            body["draw"] = 2**50

    evidence = read(rewritten(work, change))
    assert "unreadable" in {finding.code for finding in evidence.findings}
    assert 8.0 == points(evidence)


def test_what_lies_without_its_draw_is_found_and_earns_nothing(tmp_path: Path) -> None:
    """A lone notebook from which draws were taken out: a record would be judged by the numbers it says itself."""
    it = classroom.session(tmp_path)
    gates_people.knows(it)
    entries = [classroom.plain(entry) for entry in it.journal().entries()]
    whole, cut = ({"cells": [{"outputs": [{"data": {MEDIA_TYPE: some}}]}]} for some in (
        entries, [entry for entry in entries if entry["kind"] != "draw"],
    ))  # fmt: skip
    assert (10.0, ()) == (
        points(read(json.dumps(whole).encode(), "gates.ipynb")),
        read(json.dumps(whole).encode(), "gates.ipynb").findings,
    )
    evidence = read(json.dumps(cut).encode(), "gates.ipynb")
    assert 0.0 == points(evidence)
    (found,) = evidence.findings
    assert "no-draw" == found.code and "start" in found.text
