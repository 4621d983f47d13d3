"""What one student hands in costs the class little: bounds for all of it together, and a process that ends is not the end."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from course import classroom as classes
from course import grading
from grader import gather, handin, intake, packing
from grader.files import LARGEST
from grader.work import Finding
from labs import catalog
from labs.journal import FILE_NAME, MEDIA_TYPE
from tests import handed
from tests.test_handin import KNOWN

GATES = catalog.load("gates")
MIB = 1 << 20


def codes(findings: tuple[Finding, ...] | list[Finding]) -> set[str]:
    """Return the codes of findings."""
    return {one.code for one in findings}


def test_all_files_of_a_student_together_have_one_bound(tmp_path: Path) -> None:
    """Each is small enough; what is too much is left alone and named."""
    blank = packing.pack({"gates.ipynb": b" " * (30 * MIB)})
    (tmp_path / "mira" / "gates").mkdir(parents=True)
    for number in range(5):
        (tmp_path / "mira" / "gates" / f"{number}.zip").write_bytes(blank)
    remarks: list[Finding] = []
    found = gather.files(tmp_path, "mira", "gates", remarks)
    assert (2, True) == (len(found), LARGEST >= sum(map(len, found.values())))
    assert {"too-large"} == codes(remarks)


def test_the_labs_own_folder_is_read_before_the_bound_is_reached(tmp_path: Path) -> None:
    """Something large beside it takes nothing away from it."""
    handed.save(tmp_path / "mira" / "gates", handed.release())
    with (tmp_path / "mira" / "a film.ipynb").open("wb") as file:
        file.truncate(LARGEST - 1000)
    found = handin.look(tmp_path, "mira", "gates", KNOWN)
    assert found.notebook is not None and {"not-read"} == codes(found.remarks)


def test_packed_files_are_opened_up_to_a_number(tmp_path: Path) -> None:
    """Thousands of zips in a zip are nobody's labs."""
    (tmp_path / "mira").mkdir()
    inner = packing.pack({"x.ipynb": b"{}"})
    whole = packing.pack({f"{number}.zip": inner for number in range(gather.MOST_PACKED + 30)})
    (tmp_path / "mira" / "all.zip").write_bytes(whole)
    found = handin.look(tmp_path, "mira", "gates", KNOWN)
    assert 21 == [one.code for one in found.remarks].count("too-many")
    assert "and 11 more" == [one.text for one in found.remarks if one.code == "too-many"][-1]


def test_a_journal_of_nothing_but_lines_is_read_up_to_a_number() -> None:
    """Few findings, and the rest counted."""
    found = intake.evidence_of(GATES, {FILE_NAME: b"x\n" * (intake.MOST_ENTRIES + 10)}).findings
    assert {"unreadable", "too-many"} == codes(found)
    assert intake.MOST_FINDINGS + 2 == len(found)
    assert f"and {intake.MOST_ENTRIES - intake.MOST_FINDINGS} more" == found[-1].text


def test_a_notebook_of_nothing_but_entries_is_read_up_to_a_number() -> None:
    """As a journal is."""
    carried = {"outputs": [{"data": {MEDIA_TYPE: [0] * (intake.MOST_ENTRIES + 1)}}]}
    found = intake.evidence_of(GATES, {"gates.ipynb": json.dumps({"cells": [carried]}).encode()}).findings
    assert {"damaged", "too-many"} == codes(found)


def test_what_would_be_far_larger_in_memory_is_left_alone(tmp_path: Path) -> None:
    """Lists of lists, in a notebook or an entry."""
    dense = b'{"cells": [' + b"[]," * intake.MOST_VALUES + b"[]]}"
    (tmp_path / "mira" / "gates").mkdir(parents=True)
    (tmp_path / "mira" / "gates" / "gates.ipynb").write_bytes(dense)
    found = handin.look(tmp_path, "mira", "gates", KNOWN)
    assert found.empty and "too-large" in codes(found.remarks)
    for name in ("gates.ipynb", FILE_NAME):
        assert {"too-large"} == codes(intake.evidence_of(GATES, {name: dense}).findings)


def test_of_a_cell_that_stands_there_thousands_of_times_few_go_on_to_nbgrader(tmp_path: Path) -> None:
    """The first counts; the number is said."""
    whole = handed.release()
    whole["cells"] += [handed.cell(whole, "gates-why")] * handin.MOST_CELLS
    handed.save(tmp_path / "mira" / "gates", whole)
    found = handin.look(tmp_path, "mira", "gates", KNOWN)
    assert {"copied-cells", "too-many"} == codes(found.remarks)
    assert handin.MOST_CELLS == len(json.loads(found.notebook or b"{}")["cells"])


@contextmanager
def nobody() -> Iterator[Path]:
    """Be somebody without privileges, with a folder of theirs."""
    with tempfile.TemporaryDirectory() as name:
        root = os.geteuid() == 0
        if root:
            os.chown(name, 65534, 65534)
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o600])
def test_a_folder_that_may_not_be_searched_is_remarked_on(tmp_path: Path, mode: int) -> None:
    """Collected by somebody else, read by an instructor who is not root: the others are graded."""
    handin.look(tmp_path, "mira", "gates", KNOWN)  # what is imported late is imported now
    with nobody() as submitted:
        (submitted / "mira" / "gates").mkdir(parents=True)
        (submitted / "mira" / "gates.zip").write_bytes(b"")
        (submitted / "mira").chmod(mode)
        try:
            found = handin.look(submitted, "mira", "gates", KNOWN, ("gates", "waves"))
        finally:
            (submitted / "mira").chmod(0o700)
    assert found.empty and {"not-read", "nothing"} <= codes(found.remarks)


@pytest.fixture
def room(tmp_path: Path) -> classes.Classroom:
    """A class of three, in which nbgrader's process is killed at the second."""
    found = classes.make(tmp_path / "net", "net-2027", ["gates"])
    for name in ("anna", "ben", "zoe"):
        handed.learner(found.submitted / name / "gates", found.rules, name)
    killing = """
def killed(student, **more):
    import os, signal
    if student == "ben":
        os.kill(os.getpid(), signal.SIGKILL)

c.Autograde.post_convert_hook = killed
"""
    config = found.folder / classes.CONFIG
    config.write_text(config.read_text("utf-8") + killing, "utf-8")
    return found


@pytest.mark.timeout(300)
def test_the_class_is_graded_though_one_submission_ends_nbgraders_process(room: classes.Classroom) -> None:
    """It is named, with the exit code; everybody else has a mark, feedback and a row."""
    rows = {row["student"]: row for row in grading.grade(room.folder)}
    states: dict[str, Any] = {name: row["state"] for name, row in rows.items()}
    assert {"anna": "graded", "ben": "not graded", "zoe": "graded"} == states
    assert any("process ended here (exit code -9)" in remark for remark in rows["ben"]["remarks"])
    pages = {path.parent.parent.name for path in (room.folder / "feedback").glob("*/gates/gates.html")}
    assert {"anna", "zoe"} == pages
    assert "ben" in (room.folder / "report" / "class.html").read_text("utf-8")
