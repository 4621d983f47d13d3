"""A class from release to marks: whatever was handed in, one row each, and the mark is what the evidence says.

One class is graded once, by nbgrader in a process of its own; each test looks at one of its students.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course import classroom as classes
from course import grading
from course.build import SOURCE
from course.folder import Course
from labs import catalog
from labs.errors import SetupError
from labs.journal import FILE_NAME
from tests.submissions import HANDS_IN

GATES = catalog.load("gates")
Row = dict[str, Any]
pytestmark = pytest.mark.timeout(600)  # the whole class is graded in the set-up of the first test
FULL = {
    "folder", "lone", "lone_file", "packed", "journal_only", "renamed", "damaged", "deep", "copied_cells", "deleted_cells", "stripped",
    "forged", "copied_folder", "foreign_seed", "late_time", "odd_time", "clutter",
}  # fmt: skip
NOTHING = {"starter", "empty", "damaged_lone", "strange", "links", "bomb", "no_zip", "huge", "retyped", "typed_results"}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> classes.Classroom:
    """A class with its release, and everybody's submission."""
    found = classes.make(tmp_path_factory.mktemp("class") / "net", "net-2027", ["gates"])
    for name, does in HANDS_IN.items():
        does(found.submitted / name, found)
    (found.submitted / "<b>odd").mkdir()
    return found


@pytest.fixture(scope="module")
def rows(room: classes.Classroom) -> dict[str, Row]:
    """The class's rows, after one run."""
    return {row["student"]: row for row in grading.grade(room.folder)}


def test_what_students_get_is_the_notebook_that_was_written(room: classes.Classroom) -> None:
    """Cell by cell: with its blanks and starters in it, and nothing of nbgrader's in their place."""
    written, released = (
        json.loads(path.read_bytes())["cells"] for path in (SOURCE / "gates" / "gates.ipynb", room.released("gates"))
    )
    assert ["".join(cell["source"]) for cell in written] == ["".join(cell["source"]) for cell in released]


def test_everybody_has_one_row_and_nothing_stops_the_run(rows: dict[str, Row]) -> None:
    """Whatever was handed in; a folder whose name cannot be a student's id is named and left out."""
    assert {*HANDS_IN, "<b>odd"} == set(rows)
    assert ["<b>odd"] == [student for student, row in rows.items() if row["state"] == "not graded"]


@pytest.mark.parametrize("student", sorted(FULL))
def test_whole_evidence_earns_everything(rows: dict[str, Row], student: str) -> None:
    """In whatever form it comes, and whatever was done to the cells."""
    assert (10.0, 10.0) == (rows[student]["points"], rows[student]["max_points"]), rows[student]


@pytest.mark.parametrize("student", sorted(NOTHING))
def test_absence_of_evidence_is_not_attempted(rows: dict[str, Row], student: str) -> None:
    """Never a pass, and the maximum is the master's."""
    row = rows[student]
    assert (0.0, 10.0) == (row["points"], row["max_points"]), row
    assert {"NOT_ATTEMPTED"} == {verdict["outcome"] for verdict in row["verdicts"]}


def test_records_edited_by_hand_are_refused_and_named(rows: dict[str, Row]) -> None:
    """Their digest gives them away; the bet before them stays."""
    row = rows["edited_records"]
    assert any(finding.startswith("damaged") for finding in row["findings"])
    assert 0.0 == next(verdict["points"] for verdict in row["verdicts"] if verdict["check"] == "gates-state")


def test_a_journal_that_contradicts_itself_is_flagged_and_earns_nothing(rows: dict[str, Row]) -> None:
    """Its chain is sound; its records were made with other numbers than were drawn."""
    row = rows["contradicting"]
    assert any(finding.startswith("numbers") for finding in row["findings"])
    points = {verdict["check"]: verdict["points"] for verdict in row["verdicts"]}
    assert (0.0, 0.0) == (points["gates-state"], points["gates-own-script"])


def test_a_consistent_forgery_passes_as_recorded(rows: dict[str, Row], room: classes.Classroom) -> None:
    """It is out of reach of recorded marks, and every page says what recorded means."""
    assert (10.0, "recorded", []) == (rows["forged"]["points"], rows["forged"]["evidence"], rows["forged"]["findings"])
    page = (room.folder / "feedback" / "forged" / "gates" / "gates.html").read_text()
    table = (room.folder / "report" / "class.html").read_text()
    for text in (page, table):
        assert "evidence: recorded" in text and "it cannot show by whom" in text


def test_a_copied_folder_is_listed_on_both_sides_and_costs_nothing(rows: dict[str, Row]) -> None:
    """The same learner's id and the same raw clocks; who copied from whom nobody can say."""
    for one, other in (("folder", "copied_folder"), ("copied_folder", "folder")):
        assert {
            f"same-learner: the learner's id is also that of {other}",
            f"same-record: a record is also in the work of {other}",
        } <= set(rows[one]["findings"])


def test_a_foreign_seed_is_listed(rows: dict[str, Row]) -> None:
    """Numbers drawn outside the class; the marks stay."""
    assert any(finding.startswith("foreign-seed") for finding in rows["foreign_seed"]["findings"])
    assert not any(finding.startswith("foreign-seed") for finding in rows["folder"]["findings"])


@pytest.mark.parametrize(
    ("student", "code"),
    [("renamed", "renamed"), ("copied_cells", "copied-cells"), ("deleted_cells", "missing-cells"), ("damaged", "no-notebook"),
     ("links", "not-read"), ("huge", "not-read"), ("bomb", "too-large"), ("no_zip", "not-read"), ("odd_time", "timestamp"),
     ("empty", "nothing")],
)  # fmt: skip
def test_what_was_unusual_is_said(rows: dict[str, Row], student: str, code: str) -> None:
    """One short name and a sentence, in the report."""
    assert any(remark.startswith(f"{code}:") for remark in rows[student]["remarks"]), rows[student]["remarks"]


def test_sound_work_has_nothing_to_look_at(rows: dict[str, Row]) -> None:
    """No noise: an honest folder gives neither finding nor remark; of a lone notebook it is said what it cannot show."""
    assert ([], [grading.NO_JOURNAL]) == (rows["lone"]["findings"], rows["lone"]["remarks"])
    assert [] == [text for text in rows["starter"]["remarks"] if text.startswith("no-journal")]
    assert ([], []) == (rows["late_time"]["findings"], rows["late_time"]["remarks"])


def test_pressing_every_button_earns_the_bets_and_lucky_letters(rows: dict[str, Row]) -> None:
    """All bets, and at worst both letters by luck (the class's salt is drawn); the mean over draws is held by the lint."""
    assert 2.0 + 1.5 + 1.0 >= rows["asleep"]["points"]


def test_the_report_is_readable_by_programs(rows: dict[str, Row], room: classes.Classroom) -> None:
    """JSON and CSV with the same students."""
    import csv

    assert list(rows.values()) == json.loads((room.folder / "report" / "class.json").read_text())
    with (room.folder / "report" / "class.csv").open() as file:
        assert sorted(rows) == sorted(row["student"] for row in csv.DictReader(file))


def test_the_report_has_the_bets_of_the_class(rows: dict[str, Row], room: classes.Classroom) -> None:
    """A page for each lab, linked from the table; everybody's work in it, nobody's name."""
    table = (room.folder / "report" / "class.html").read_text()
    page = (room.folder / "report" / "histograms-gates.html").read_text()
    assert 'href="histograms-gates.html"' in table
    assert "What the class says" in page
    assert [] == [student for student in ("copied_folder", "foreign_seed", "journal_only") if student in page]


def test_a_lab_that_nobody_handed_in_has_no_rows(tmp_path: Path) -> None:
    """It is named instead; a student whom only the gradebook knows is missing in the labs of the others."""
    folder = tmp_path / "net"
    for lab in ("gates", "waves"):
        shutil.copytree(SOURCE / lab, folder / "release" / lab)
    two = classes.Classroom(folder, Course(course="net"), ("gates", "waves"))
    found = grading.renew(two, [{"student": "ben"}], [grading._row("anna", "gates", "handed in")])
    assert [("anna", "gates"), ("ben", "gates")] == [(row["student"], row["lab"]) for row in found]
    assert ("waves",) == grading.left_out(folder, found)
    assert "left out here: waves" in (folder / "report" / "class.html").read_text()


def test_nothing_of_a_submission_but_its_evidence_is_copied(rows: dict[str, Row], room: classes.Classroom) -> None:
    """formgrader serves the graded folder as it is, so no page, picture or module of a student's may lie there."""
    assert ["gates.ipynb", FILE_NAME] == sorted(
        path.name for path in (room.folder / "autograded" / "clutter").rglob("*") if path.is_file()
    )


def test_what_was_handed_in_is_not_changed(rows: dict[str, Row], room: classes.Classroom) -> None:
    """The exact submission stays, links and all, for whoever contests a mark."""
    assert (room.submitted / "links" / "gates" / "gates.ipynb").is_symlink()
    assert (room.submitted / "renamed" / "gates" / "gates (1).ipynb").is_file()
    assert (room.submitted / "clutter" / "gates" / "evil.html").is_file()


def test_manual_marks_survive_regrading(rows: dict[str, Row], room: classes.Classroom) -> None:
    """Set through nbgrader's own gradebook, they stand beside what the evidence gives, before and after."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{room.folder / 'gradebook.db'}") as book:
        grade = book.find_grade("gates-why", "gates", "gates", "starter")
        grade.manual_score = 1.25
        book.find_comment(
            "gates-09-explain-why", "gates", "gates", "starter"
        ).manual_comment = "We talked <b>about</b> it."
        book.db.commit()
    again = {row["student"]: row for row in grading.grade(room.folder, students=["starter"])}
    assert (1.25, ["gates-why"]) == (again["starter"]["points"], again["starter"]["by_hand"])
    assert set(rows) == set(again), "a run for one student keeps the others' rows"
    page = (room.folder / "feedback" / "starter" / "gates" / "gates.html").read_text()
    assert "Set by your instructor; the evidence gives 0." in page
    assert "We talked &lt;b&gt;about&lt;/b&gt; it." in page


def marks_in(folder: Path) -> list[Any]:
    """Return every mark in a gradebook."""
    with sqlite3.connect(f"file:{folder / 'gradebook.db'}?mode=ro", uri=True) as book:
        return book.execute("select id, auto_score, manual_score from grade order by id").fetchall()


@pytest.fixture
def copy(rows: dict[str, Row], room: classes.Classroom, tmp_path: Path) -> Path:
    """A copy of the graded class, to break."""
    shutil.copytree(room.folder, tmp_path / "net", symlinks=True)
    return tmp_path / "net"


@pytest.mark.parametrize(
    "config",
    [
        "this is no python",
        "import a_package_that_is_not_there",
        "c = get_config()",
        "c = get_config()\nload_subconfig('/not/there.py')",
        classes.CONFIG_TEXT + "\nc.Autograde.sanitize_preprocessors = []",
        classes.CONFIG_TEXT + "\nc.Autograde.autograde_preprocessors = ['nbgrader.preprocessors.Execute']",
        classes.CONFIG_TEXT.replace("course.nbgrader_config", "course.gone"),
    ],
)
def test_a_broken_configuration_stops_with_a_message_and_changes_no_mark(copy: Path, config: str) -> None:
    """nbgrader itself would go on, run student code, and give full marks."""
    (copy / classes.CONFIG).write_text(config)
    before = marks_in(copy)
    with pytest.raises(SetupError):
        grading.grade(copy)
    assert before == marks_in(copy)


def test_a_student_who_is_not_there_is_said(copy: Path) -> None:
    """A misspelled name grades nobody, and says so."""
    with pytest.raises(SetupError, match="nothing of 'nobody'"):
        grading.grade(copy, students=["nobody"])


def test_a_wrong_folder_stops_with_a_message(tmp_path: Path, copy: Path) -> None:
    """No class file, no configuration, another release, another version of the course."""
    with pytest.raises(SetupError, match="no class's folder"):
        grading.grade(tmp_path / "nowhere")
    rules = (copy / "class.toml").read_text()
    (copy / "class.toml").write_text(rules.replace('version = "', 'version = "9.'))
    with pytest.raises(SetupError, match="uses Four Threads 9"):
        grading.grade(copy)
    (copy / "class.toml").write_text(rules)
    release = copy / "release" / "gates" / "gates.ipynb"
    release.write_text(release.read_text().replace('"points": 2.5', '"points": 25'))
    with pytest.raises(SetupError, match="gates-state"):
        grading.grade(copy)


def test_a_missing_package_stops_with_a_message_and_changes_no_mark(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here: the sanitiser."""
    (tmp_path / "nh3.py").write_text("raise ModuleNotFoundError('no module named nh3')")
    whole = classes.environment() | {"PYTHONPATH": str(tmp_path)}
    monkeypatch.setattr(classes, "environment", lambda: whole)
    before = marks_in(copy)
    with pytest.raises(SetupError, match="nh3"):
        grading.grade(copy)
    assert before == marks_in(copy)


def stock(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader itself, without anything of ours around it."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    clean = {name: value for name, value in os.environ.items() if name != classes.RAISE} | {"PATH": path}
    return subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments], cwd=folder, env=clean, capture_output=True, text=True
    )


def test_nbgraders_own_command_gives_the_same_marks_in_the_class_folder(copy: Path) -> None:
    """For who is used to it, or presses the button in formgrader: also a link in a submission does no harm then."""
    for name in ("folder", "asleep", "clutter"):
        shutil.rmtree(copy / "autograded" / name)
        ran = stock(copy, "autograde", "gates", f"--student={name}", "--force")
        assert 0 == ran.returncode, ran.stderr
    ran = stock(copy, "autograde", "gates", "--student=links", "--force")
    assert "Removing failed" in ran.stderr, ran.stderr
    assert not (copy / "autograded" / "links" / "gates").exists()
    assert not (copy / "autograded" / "clutter" / "gates" / "evil.html").exists()
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{copy / 'gradebook.db'}") as book:
        assert (10.0, 10.0) == tuple(book.find_submission("gates", name).score for name in ("folder", "clutter"))


@pytest.mark.node
def test_a_stock_autograde_gives_no_points(copy: Path) -> None:
    """Without our configuration it runs the notebook; each graded cell's check raises, so each is worth 0."""
    (copy / classes.CONFIG).unlink()
    ran = stock(copy, "autograde", "gates", "--student=folder", "--force")
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{copy / 'gradebook.db'}") as book:
        assert 0.0 == book.find_submission("gates", "folder").score, ran.stderr
    assert (copy / "autograded" / "folder" / "gates" / "gates.ipynb").is_file(), "it was graded, not refused"


def test_a_class_configuration_fails_closed_without_the_flag(copy: Path) -> None:
    """Plain ``nbgrader autograde`` with a configuration that cannot load ours ends there, marks unchanged."""
    (copy / classes.CONFIG).write_text(classes.CONFIG_TEXT.replace("course.nbgrader_config", "course.gone"))
    before = marks_in(copy)
    ran = stock(copy, "autograde", "gates", "--student=typed_results", "--force")
    assert 0 != ran.returncode
    assert "No mark was changed" in ran.stderr
    assert before == marks_in(copy)
