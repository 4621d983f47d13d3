"""Grading again: what cannot be read takes no mark away, a mark that changed is said, and the table tells what lies there."""

from __future__ import annotations

import hashlib
import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from course import classroom as classes
from course import grading
from course.build import SOURCE
from course.commands.grade import show
from course.folder import Course
from labs.journal import FILE_NAME
from tests import handed

Row = dict[str, Any]
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class in which two did everything, graded once."""
    found = classes.make(tmp_path_factory.mktemp("class") / "net", "net-2027", ["gates"])
    for name in ("anna", "ben"):
        handed.learner(found.submitted / name / "gates", found.rules, name)
    grading.grade(found.folder)
    return found.folder


@pytest.fixture
def copy(graded: Path, tmp_path: Path) -> Path:
    """A copy of that class."""
    shutil.copytree(graded, tmp_path / "net")
    return tmp_path / "net"


def by_student(rows: list[Row]) -> dict[str, Row]:
    """Return the rows of a class with one lab."""
    return {row["student"]: row for row in rows}


def test_what_cannot_be_read_takes_no_mark_away(copy: Path) -> None:
    """A disk that fails, a notebook damaged on the way: not graded, the mark stands and is counted; also the next time."""
    work = copy / "submitted" / "anna" / "gates"
    (work / "gates.ipynb").write_bytes(b"{")
    (work / FILE_NAME).unlink()
    for _ in range(2):
        row = by_student(grading.grade(copy))["anna"]
        assert ("not graded", 10.0, "") == (row["state"], row["points"], row["changed"])
        assert row["remarks"][-1].startswith("kept: ") and row["remarks"][-1].endswith("the mark it had before stands")
    assert "anna,gates,not graded,10.0" in (copy / "report" / "class.csv").read_text()


def test_a_mark_that_changed_is_said(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the page and in the terminal, with the reason; in the report after it no more."""
    work = copy / "submitted" / "anna" / "gates"
    handed.save(work, handed.release())
    (work / FILE_NAME).unlink()
    rows = grading.grade(copy, students=["anna"])
    assert {"anna": "10 -> 0, other files", "ben": ""} == {row["student"]: row["changed"] for row in rows}
    assert "10 -&gt; 0, other files" in (copy / "report" / "class.html").read_text()
    show(rows, copy / "report", as_json=False)
    assert "Changed since the last report: anna gates 10 -> 0, other files" in capsys.readouterr().out
    assert {""} == {row["changed"] for row in grading.again(classes.prove(copy))}


def test_a_mark_set_by_hand_is_a_change(copy: Path) -> None:
    """Of the same files."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{copy / 'gradebook.db'}") as book:
        book.find_grade("gates-why", "gates", "gates", "ben").manual_score = 0.5
        book.db.commit()
    row = by_student(grading.again(classes.prove(copy)))["ben"]
    assert "10 -> 9, the same files, with points set by hand" == row["changed"]


def test_a_row_says_what_its_mark_rests_on(copy: Path) -> None:
    """The digests of the files that were judged, when they were handed in, and what judged them."""
    (copy / "submitted" / "ben" / "gates" / "timestamp.txt").write_text("2100-01-31 12:00:00 UTC")
    row = by_student(grading.grade(copy))["ben"]
    judged = copy / ".fourthreads" / "checked" / "ben" / "gates"
    files = {name: hashlib.sha256((judged / name).read_bytes()).hexdigest() for name in ("gates.ipynb", FILE_NAME)}
    assert (files, "2100-01-31 12:00:00+00:00") == (row["files"], row["handed_in"])
    assert version("fourthreads") == row["revision"].split()[0]


def test_graded_work_is_told_though_the_last_report_is_gone(copy: Path) -> None:
    """Whoever graded it: an aborted run, nbgrader's command or button. What nobody looked at is no missing hand-in either."""
    shutil.rmtree(copy / "report")
    room = classes.prove(copy)
    handed.learner(room.submitted / "zoe" / "gates", room.rules, "zoe")
    (room.submitted / "max").mkdir()
    rows = by_student(grading.again(room))
    assert {"anna": ("graded", 10.0), "ben": ("graded", 10.0), "max": ("nothing handed in", 0.0), "zoe": ("not looked at", None)} == {
        name: (row["state"], row["points"]) for name, row in rows.items()
    }  # fmt: skip
    assert {"PASS"} == {verdict["outcome"] for verdict in rows["anna"]["verdicts"]}


def test_work_that_was_moved_away_keeps_its_mark(copy: Path) -> None:
    """It is said that it is gone; nobody is listed as absent with ten points."""
    (copy / "submitted" / "anna" / "gates").rename(copy / "gates of anna")
    row = by_student(grading.grade(copy))["anna"]
    assert ("graded", 10.0, [grading.GONE]) == (row["state"], row["points"], row["remarks"])


@pytest.fixture
def two(tmp_path: Path) -> classes.Classroom:
    """A class's folder that was never graded."""
    shutil.copytree(SOURCE / "gates", tmp_path / "net" / "release" / "gates")
    (tmp_path / "net" / "submitted" / "anna").mkdir(parents=True)
    return classes.Classroom(tmp_path / "net", Course(course="net"), ("gates",))


def test_who_is_neither_handed_in_nor_in_the_gradebook_leaves_the_table(two: classes.Classroom) -> None:
    """A folder with an odd name that was renamed, a student who left."""
    odd = [
        grading._row("<b>anna", "gates", "not graded", ["odd-name: rename it"]),
        grading._row("anna", "gates", "graded"),
    ]
    grading.renew(two, [], odd)
    assert ["anna"] == [row["student"] for row in grading.renew(two, [])]


def test_a_mark_that_stands_is_in_the_table(two: classes.Classroom) -> None:
    """nbgrader could not finish this time; what the gradebook holds counts. A submission without a mark has none."""
    failed = [grading._row(name, "gates", "not graded", ["failed: no"]) for name in ("anna", "zoe")]
    found: Row = {"lab": "gates", "max_score": 10.0, "late_penalty": 1.0, "by_hand": []}
    answers = [found | {"student": "anna", "score": 9.0}, found | {"student": "zoe", "score": 0.0}]
    rows = by_student(grading.renew(two, answers, failed))
    assert {"anna": 8.0, "zoe": None} == {name: row["points"] for name, row in rows.items()}


def test_a_report_of_an_earlier_release_is_still_read(two: classes.Classroom) -> None:
    """It said less of each row."""
    grading.renew(two, [], [grading._row("anna", "gates", "graded")])
    path = two.folder / "report" / "class.json"
    (row,) = json.loads(path.read_text())
    path.write_text(json.dumps([{name: row[name] for name in list(row)[:11]}]))
    assert ["graded"] == [row["state"] for row in grading.renew(two, [])]
