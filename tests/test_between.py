"""Work of several students side by side: what is in two of them is named on both sides, and stays readable for a whole class."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from grader import between
from grader.work import Evidence
from labs import catalog
from labs.measurement import Clock
from tests import classroom, gates_people, handed, phases_room

GATES = catalog.load("gates")
PHASES = catalog.load("phases")


def marks_of(folder: Path, learner: str) -> frozenset[tuple[object, ...]]:
    """Return the marks of somebody who did `gates`."""
    it = classroom.session(folder, learner=learner)
    handed.opened(it)
    gates_people.knows(it)
    return between.marks(GATES, Evidence("gates", it.journal().entries()))


def test_a_learners_id_is_compared_over_all_labs(tmp_path: Path) -> None:
    """Who hands in another's `phases`, which that one did not hand in, is found; the lab is named."""
    anna = marks_of(tmp_path / "anna", "id-a")
    it = phases_room.session(tmp_path / "phases", learner="id-a")
    handed.opened(it)
    bens = between.marks(PHASES, Evidence("phases", it.journal().entries()))
    found = between.shared({("anna", "gates"): anna, ("ben", "phases"): bens})
    assert ["the learner's id is also that of ben (phases)"] == [one.text for one in found["anna", "gates"]]
    assert ["the learner's id is also that of anna (gates)"] == [one.text for one in found["ben", "phases"]]


def test_one_student_in_several_labs_is_nothing_to_look_at(tmp_path: Path) -> None:
    """The same id is hers in all of them."""
    mine = marks_of(tmp_path, "id-a")
    assert {} == between.shared({("anna", "gates"): mine, ("anna", "waves"): mine})


def test_two_honest_learners_have_nothing_in_common(tmp_path: Path) -> None:
    """Neither ids nor clocks nor runs."""
    one, other = marks_of(tmp_path / "one", "id-a"), marks_of(tmp_path / "other", "id-b")
    assert {} == between.shared({("anna", "gates"): one, ("ben", "gates"): other})


def test_a_copied_record_is_found_though_its_clock_was_changed(tmp_path: Path) -> None:
    """One digit and a fresh digest; its runs are still the other's."""
    it = classroom.session(tmp_path)
    gates_people.knows(it)
    entries = it.journal().entries()

    def moved(entry: object) -> object:
        body = msgspec.to_builtins(entry)["body"]
        if "record" in body:
            body["record"]["clock"] = msgspec.to_builtins(Clock(wall=1.0 + entry.number, monotonic=2.0, boot="x"))  # type: ignore[attr-defined]
        return msgspec.structs.replace(entry, body=body)  # type: ignore[type-var]

    changed = tuple(moved(entry) for entry in entries)
    found = between.shared(
        {
            ("anna", "gates"): between.marks(GATES, Evidence("gates", entries)),
            ("ben", "gates"): between.marks(GATES, Evidence("gates", changed)),  # type: ignore[arg-type]
        }
    )
    assert ["same-record"] == [one.code for one in found["ben", "gates"]]


def test_of_many_who_share_five_are_named() -> None:
    """A workspace in the image of a hub is everybody's: 300 names in 300 rows help nobody."""
    mark = frozenset({("id", "everybody")})
    found = between.shared({(f"student-{number:03d}", "gates"): mark for number in range(300)})
    (one,) = found["student-000", "gates"]
    assert one.text.endswith("student-001, student-002, student-003, student-004, student-005 and 294 more")


@pytest.mark.parametrize(("before", "codes"), [(60.0, []), (600.0, ["after-hand-in"])])
def test_work_dated_after_it_was_handed_in_is_found(tmp_path: Path, before: float, codes: list[str]) -> None:
    """Two clocks may differ by two minutes; where no time is known there is nothing to compare."""
    from datetime import UTC, datetime

    it = classroom.session(tmp_path)
    handed.opened(it)
    evidence = Evidence("gates", it.journal().entries())
    stamp = str(datetime.fromtimestamp(evidence.entries[-1].clock.wall - before, UTC))
    assert codes == [one.code for one in between.after(GATES, evidence, stamp)]
    assert () == between.after(GATES, evidence, "")


def test_entries_without_an_opening_are_said(tmp_path: Path) -> None:
    """Whatever they are: also where the draws were left out, by which it would show."""
    it = classroom.session(tmp_path)
    gates_people.knows(it)
    bets = tuple(entry for entry in it.journal().entries() if entry.kind == "bet")
    found = between.rules(GATES, Evidence("gates", bets), "", "", (), "")
    assert ["no-opening"] == [one.code for one in found]
    assert () == between.rules(GATES, Evidence("gates", ()), "", "", (), "")
