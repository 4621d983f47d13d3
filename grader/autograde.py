"""How nbgrader gets its marks: our preprocessors take the place of execution. The only module that imports nbgrader.

Two passes, as nbgrader makes them. The first (:class:`Seat`) reads the evidence from the submission as data, judges it, and
replaces the notebook by the master with the student's text in its blanks. The second (:class:`Mark`) puts one trusted
result into each graded cell, from which nbgrader's own ``SaveAutoGrades`` takes the score (``nbgrader.utils.determine_grade``:
the first ``execute_result`` counts). No code of a student's runs in either.
"""

from __future__ import annotations

import html
import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from grader import judge, seat
from grader.files import read_plain
from grader.intake import evidence_of
from grader.verdict import Verdict
from labs import catalog
from labs.errors import SetupError
from labs.journal import FILE_NAME as JOURNAL

#: Where the first pass leaves the verdicts for the second: metadata of the seated notebook.
KEY = "fourthreads"


class Seat(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader carries no types
    """First pass: judge the evidence, then seat the submission in the master."""

    def preprocess(self, nb: nbformat.NotebookNode, resources: Any) -> tuple[nbformat.NotebookNode, Any]:
        """Return the seated notebook, the verdicts in its metadata.

        Raises:
            SetupError: The assignment is no lab, or its release is not there. nbgrader reports it and changes no mark.
        """
        course = self.parent.parent.coursedir
        student, assignment = resources["nbgrader"]["student"], resources["nbgrader"]["assignment"]
        name = resources["nbgrader"]["notebook"]
        submission = Path(course.format_path(course.submitted_directory, student, assignment))
        master = _master(Path(course.format_path(course.release_directory, ".", assignment)) / f"{name}.ipynb")
        lab = catalog.load(assignment)
        files = [(file, read_plain(submission / file)) for file in (f"{name}.ipynb", JOURNAL)]
        evidence = evidence_of(lab, {file: data for file, data in files if data is not None})
        verdicts = judge.judge(lab, evidence)
        seated = seat.seat(master, nb)
        seated["metadata"][KEY] = {
            "verdicts": [verdict_data(verdict) for verdict in verdicts],
            "findings": [finding.text for finding in evidence.findings],
            "evidence": "recorded",
        }
        return nbformat.from_dict(seated), resources


class Mark(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader carries no types
    """Second pass: one trusted result a graded cell."""

    def preprocess(self, nb: nbformat.NotebookNode, resources: Any) -> tuple[nbformat.NotebookNode, Any]:
        """Return the notebook with a score and its reason in each graded cell.

        Raises:
            SetupError: A graded cell has no verdict: the release and the lab do not belong together.
        """
        kept = nb.metadata.get(KEY)
        if kept is None:
            raise SetupError(
                "This notebook was not seated: grader.autograde.Seat must stand in Autograde.sanitize_preprocessors. "
                "Run nbgrader with course/nbgrader_config.py as its configuration. No mark was changed."
            )
        verdicts = {verdict["check"]: verdict for verdict in kept["verdicts"]}
        for cell in nb.cells:
            ours = cell.metadata.get("nbgrader", {})
            if cell.cell_type != "code" or not ours.get("grade") or ours.get("solution"):
                continue
            verdict = verdicts.get(ours["grade_id"])
            if verdict is None:
                raise SetupError(
                    f"The graded cell {ours['grade_id']!r} of the release has no verdict: the release and this version of "
                    "the lab do not belong together. Generate the assignment again. No mark was changed."
                )
            cell.outputs = [result(verdict, ours["points"])]
        return nb, resources


def result(verdict: dict[str, Any], points: float) -> nbformat.NotebookNode:
    """Return the cell output nbgrader takes the score from, with the reason for a person beside it.

    Args:
        verdict: As plain data.
        points: The cell's maximum in the master; the verdict's share of its own maximum is applied to it.
    """
    most = verdict["max_points"]
    score = points * verdict["points"] / most if most else 0.0
    score = min(max(score, 0.0), float(points))
    because = " ".join(part for part in (verdict["because"], verdict["next_step"]) if part)
    shown = f"{score:g} of {points:g} · {verdict['outcome']} · {because}"
    return nbformat.v4.new_output(
        "execute_result",
        data={"text/plain": repr(round(score, 4)), "text/html": f"<pre>{html.escape(shown)}</pre>"},
        metadata={},
        execution_count=None,
    )


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain data."""
    data: dict[str, Any] = msgspec.to_builtins(verdict)
    return data


def _master(path: Path) -> seat.Notebook:
    try:
        master: seat.Notebook = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise SetupError(
            f"The released notebook {path.name} is not in {path.parent.name}/ of the release folder; it is what submissions are "
            f"seated in. Run: nbgrader generate_assignment {path.stem}. No mark was changed."
        ) from None
    return master


def refuse_links(assignment: str, student: str, notebooks: Iterable[str]) -> None:
    """Take links and special files out of a submission before nbgrader copies it (it follows links: measured).

    nbgrader calls this as ``pre_convert_hook`` and swallows what it raises, so it acts instead of raising.
    """
    for folder in {Path(notebook).parent for notebook in notebooks}:
        for place, folders, files in os.walk(folder):
            for name in [*folders, *files]:
                path = Path(place) / name
                mode = path.lstat().st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                    path.unlink()
