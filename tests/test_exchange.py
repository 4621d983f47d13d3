"""From release to the feedback in a student's hands, by nbgrader's own exchange; only the work in between is ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course import classroom as classes
from course import folder, grading, histograms
from tests import handed


@pytest.mark.timeout(300)
def test_a_class_by_nbgraders_exchange(tmp_path: Path) -> None:
    """Release, fetch, work in the fetched folder with the class's numbers, submit, collect, show bets, grade, return the page."""
    room = classes.make(tmp_path / "teacher" / "net", "net-2027", ["gates"])
    exchange, home = tmp_path / "exchange", tmp_path / "student"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    home.mkdir()

    def nbgrader(where: Path, *arguments: str) -> None:
        more = [f"--Exchange.root={exchange}", "--course=net-2027"]
        env = classes.environment() | {
            "HOME": str(where),
            "JUPYTER_DATA_DIR": str(where / "data"),
            "USER": "mira",
            "LOGNAME": "mira",
        }
        ran = subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments, *more], cwd=where, env=env, capture_output=True, text=True
        )
        assert 0 == ran.returncode, ran.stderr

    nbgrader(room.folder, "release_assignment", "gates")
    nbgrader(home, "fetch_assignment", "gates")
    assert {"class.toml", "gates.ipynb"} == {path.name for path in (home / "gates").iterdir()}
    rules = folder.course(home / "gates")
    assert room.rules == rules
    handed.learner(home / "gates", rules)
    nbgrader(home, "submit", "gates")
    nbgrader(room.folder, "collect", "gates")
    assert [1, 1, 1] == [bet.learners for bet in histograms.count("gates", histograms.collected(room.folder, "gates"))]
    (row,) = grading.grade(room.folder)
    assert (10.0, "graded", [], []) == (row["points"], row["state"], row["findings"], row["remarks"])
    nbgrader(room.folder, "generate_feedback", "gates", "--force")
    nbgrader(room.folder, "release_feedback", "gates")
    nbgrader(home, "fetch_feedback", "gates")
    (page,) = (home / "gates" / "feedback").rglob("*.html")
    assert "10 of 10 points" in page.read_text("utf-8") and "<script" not in page.read_text("utf-8")
    assert os.path.getsize(page) < 500_000
