"""How nbgrader gets its marks: our preprocessors take the place of execution. The only module that imports nbgrader.

Two passes, as nbgrader makes them. The first (:class:`Seat`) reads the evidence from the submission as data, judges it, and
replaces the notebook by the master with the student's text in its blanks. The second (:class:`Mark`) puts one trusted
result into each graded cell, from which nbgrader's own ``SaveAutoGrades`` takes the score (``nbgrader.utils.determine_grade``:
the first ``execute_result`` counts). No code of a student's runs in either. :class:`FeedbackPage` writes our page where
nbgrader's feedback would stand, and :func:`main` is the process that ``fourthreads grade`` starts in a class's folder.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import nbformat
from nbconvert.exporters import Exporter
from nbgrader.preprocessors import NbGraderPreprocessor

from grader import report, revision, seat, work
from grader.files import read_plain
from grader.handin import SECRET, TIMESTAMP, read_evidence
from grader.marks import Mark as Judged
from grader.marks import marks
from grader.verdict import Verdict
from grader.work import Evidence
from labs import catalog, measurement
from labs.errors import FourThreadsError, RecordError, SetupError
from labs.journal import FILE_NAME as JOURNAL
from labs.spec import Lab

#: Where the first pass leaves its findings for the second, and both for feedback: metadata of the seated notebook.
KEY = "fourthreads"
#: What the configuration must say, whoever wrote a class's own: (section, key, first value).
CONFIGURED = (
    ("Autograde", "sanitize_preprocessors", "grader.autograde.Seat"),
    ("Autograde", "autograde_preprocessors", "grader.autograde.Mark"),
    ("Autograde", "pre_convert_hook", "grader.autograde.refuse_links"),
    ("GenerateFeedback", "exporter_class", "grader.autograde.FeedbackPage"),
    ("ClearSolutions", "enabled", False),  # it would write over the blanks
)


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
        master = master_of(Path(course.format_path(course.release_directory, ".", assignment)) / f"{name}.ipynb")
        _only(
            Path(course.format_path(course.autograded_directory, student, assignment)),
            {f"{name}.ipynb", JOURNAL, TIMESTAMP, SECRET},
        )
        lab = catalog.load(assignment)
        evidence = read_evidence(lab, submission, name)
        seated = seat.seat(master, nb)
        seated["metadata"][KEY] = judged(lab, evidence) | {"files": digests(submission, name), "revision": _revision()}
        whole: nbformat.NotebookNode = nbformat.from_dict(seated)  # type: ignore[no-untyped-call]  # nbformat ships no types
        return whole, resources


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


class FeedbackPage(Exporter):
    """Writes our page in the place of nbgrader's feedback: no script, nothing fetched, nothing of a student's rendered."""

    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: nbformat.NotebookNode, resources: Any = None, **more: Any) -> Any:
        """Return the page of a graded notebook, and the resources.

        Raises:
            SetupError: The notebook was not graded by us.
        """
        nb, resources = super().from_notebook_node(nb, resources, **more)
        kept = nb.metadata.get(KEY)
        if kept is None:
            raise SetupError(
                "This notebook was not graded with the course's configuration. Grade it again: fourthreads grade FOLDER."
            )
        lab = catalog.load(resources["nbgrader"]["assignment"])
        cells = {
            cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader for cell in nb.cells if "nbgrader" in cell.metadata
        }
        lines = []
        for mark in _marks(lab, kept):
            points = cells.get(mark.item.grade_id, {}).get("score")
            lines.append(report.line(lab, mark, points, _comment(nb.cells, mark.item.grade_id)))
        sheet = report.sheet(
            lab, (), _records(kept), lines=tuple(lines), evidence=kept["evidence"],
            late=float(resources["nbgrader"].get("late_penalty") or 0.0),
        )  # fmt: skip
        return report.page([sheet], f"Your card: {lab.slug}"), resources


def judged(lab: Lab, evidence: Evidence) -> dict[str, Any]:
    """Return everything that grading a submission found, as plain data: verdicts, the card's words, findings, records."""
    found = marks(lab, evidence)
    done = work.read(lab, evidence.entries)
    newest = {name: kept.record for name, _ in done.records if (kept := done.latest(name)) is not None}
    return {
        "verdicts": [verdict_data(mark.verdict) for mark in found],
        "card": [{"title": mark.title, "state": mark.state, "note": mark.note} for mark in found],
        "findings": [f"{finding.code}: {finding.text}" for finding in evidence.findings],
        "evidence": "recorded",
        "records": {name: json.loads(measurement.encode(record)) for name, record in newest.items()},
    }


def digests(submission: Path, name: str) -> dict[str, str]:
    """Return the SHA-256 of each file that was judged, as ``sha256sum`` prints it; a file that cannot be read has none."""
    found = {}
    for file in (f"{name}.ipynb", JOURNAL):
        with suppress(RecordError):
            if (data := read_plain(submission / file)) is not None:
                found[file] = hashlib.sha256(data).hexdigest()
    return found


@cache
def _revision() -> str:
    """Return the release that judges, and its commit where there is one."""
    return f"{version('fourthreads')} {revision.ours()}".strip()


def _marks(lab: Lab, kept: Any) -> Iterator[Judged]:
    items = {item.grade_id: item for item in lab.items}
    for data, words in zip(kept["verdicts"], kept["card"], strict=True):
        verdict = msgspec.convert(data, Verdict)
        if verdict.check in items:
            yield Judged(items[verdict.check], words["title"], words["state"], verdict, words["note"])


def _records(kept: Any) -> dict[str, measurement.Record]:
    found = {}
    for name, data in kept.get("records", {}).items():
        try:
            found[name] = measurement.decode(json.dumps(data).encode())
        except RecordError:
            continue
    return found


def _comment(cells: Iterable[Any], grade_id: str) -> str:
    """Return what a person wrote at the blanks that belong to a graded cell: those between it and the one before."""
    comments: list[str] = []
    for cell in cells:
        ours = cell.metadata.get("nbgrader", {})
        if ours.get("comment"):
            comments.append(str(ours["comment"]))
        if ours.get("grade"):
            if ours["grade_id"] == grade_id:
                return " ".join(text for text in comments if text != "No response.")
            comments = []
    return ""


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
    output: nbformat.NotebookNode = nbformat.v4.new_output(  # type: ignore[no-untyped-call]  # nbformat ships no types
        "execute_result",
        data={"text/plain": repr(round(score, 4)), "text/html": f"<pre>{html.escape(shown)}</pre>"},
        metadata={},
        execution_count=None,
    )
    return output


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain data."""
    data: dict[str, Any] = msgspec.to_builtins(verdict)
    return data


def master_of(path: Path) -> seat.Notebook:
    """Return a released notebook.

    Raises:
        SetupError: It is not there.
    """
    try:
        master: seat.Notebook = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise SetupError(
            f"The released notebook {path.name} is not in {path.parent.name}/ of the release folder; it is what submissions are "
            f"seated in. Run: nbgrader generate_assignment {path.stem}. No mark was changed."
        ) from None
    return master


def _only(folder: Path, names: set[str]) -> None:
    """Take away what nbgrader copied from a submission beside the evidence: formgrader would serve it as it is."""
    for place, _, files in os.walk(folder):
        for file in files:
            if Path(place) != folder or file not in names:
                (Path(place) / file).unlink()


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


def configured(config: Any) -> None:
    """Refuse a configuration under which nbgrader would do anything but what the course needs.

    Raises:
        SetupError: With the setting.
    """
    for section, key, value in CONFIGURED:
        found = config[section].get(key) if section in config else None
        first = found[0] if isinstance(found, list) and found else found
        if first != value:
            raise SetupError(
                f"The class's nbgrader_config.py does not set {section}.{key} to {value} (it is {first!r}). It must load "
                "course/nbgrader_config.py. Take what `fourthreads grade FOLDER --prepare` wrote there. No mark was changed."
            )


def main() -> int:
    """Do one order, JSON from standard input, in the class's folder (the working directory); answers are JSON lines.

    Orders, which may stand together: ``"release": [LAB]``; ``"grade": [[STUDENT, LAB]], "submitted": FOLDER`` grades, and
    renews the feedback of what was graded; ``"feedback": [[STUDENT, LAB]]``; ``"marks": true`` tells what the gradebook holds.
    ``{}`` only looks at the configuration. The last line is ``{"done": true}``, or ``{"error": text}`` where nothing was done.
    """
    order = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever nbgrader prints is a log
    try:
        api = _api(order)
        for answer in _do(api, order):
            print(json.dumps(answer), file=out, flush=True)
    except FourThreadsError as problem:
        print(json.dumps({"error": str(problem)}), file=out, flush=True)
        return 2
    print(json.dumps({"done": True}), file=out, flush=True)
    return 0


def _api(order: dict[str, Any]) -> Any:
    from nbgrader.apps import NbGrader
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    if not Path("nbgrader_config.py").is_file():
        raise SetupError("There is no nbgrader_config.py here; a class's folder was looked for. No mark was changed.")
    app = NbGrader()
    app.raise_config_file_errors = True
    app.load_config_file()
    configured(app.config)
    config = app.config.copy()
    if "submitted" in order:
        config.CourseDirectory.submitted_directory = order["submitted"]
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def _do(api: Any, order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for lab in order.get("release", ()):
        yield {"lab": lab, **_answer(api.generate_assignment(lab, force=True, create=True))}
    returned = [tuple(pair) for pair in order.get("feedback", ())]
    for student, lab in order.get("grade", ()):
        answer = _answer(api.autograde(lab, student, force=True, create=True))
        if answer["success"]:
            returned.append((student, lab))
        yield {"student": student, "lab": lab, **answer}
    for student, lab in returned:
        yield {"student": student, "lab": lab, **_answer(api.generate_feedback(lab, student, force=True))}
    if order.get("marks"):
        yield from _kept(api)


def _answer(said: dict[str, Any]) -> dict[str, Any]:
    return {"success": said["success"], "error": said.get("error", ""), "log": said.get("log", "")}


def _kept(api: Any) -> Iterator[dict[str, Any]]:
    """Yield what the gradebook holds: every student, and every submission with what counts in it."""
    with api.gradebook as book:
        for student in book.students:
            yield {"student": student.id}
        for assignment in book.assignments:
            for one in assignment.submissions:
                grades = [grade for notebook in one.notebooks for grade in notebook.grades]
                yield {
                    "student": one.student_id, "lab": assignment.name, "score": one.score, "max_score": one.max_score,
                    "late_penalty": one.late_submission_penalty or 0.0,
                    "handed_in": f"{one.timestamp.isoformat(' ', 'seconds')}+00:00" if one.timestamp else "",
                    "by_hand": sorted(grade.cell.name for grade in grades if grade.manual_score is not None),
                }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
