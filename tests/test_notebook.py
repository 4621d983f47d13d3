"""The notebook in a real kernel, with a real Node: an honest learner gets everything, a kernel that was tampered with nothing more."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from course import asking
from course.folder import CLASS_FILE, Course
from course.machinery import session
from course.session import Session
from grader import answering, handin
from grader.judge import judge
from grader.verdict import Outcome, Verdict
from labs import catalog
from labs.gates.draw import needed
from labs.journal import FILE_NAME
from tests import classroom, handed, personas

pytestmark = [pytest.mark.node, pytest.mark.filterwarnings("ignore")]
GATES = catalog.load("gates")
KNOWN = frozenset(cell["metadata"]["nbgrader"]["grade_id"] for cell in handed.release()["cells"])


class Person:
    """Goes through a notebook cell by cell in a real kernel."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        (folder / CLASS_FILE).write_text('course = "net"\nsalt = "s"\n')
        self.notebook = nbformat.reads(json.dumps(handed.release()), 4)  # type: ignore[no-untyped-call]  # nbformat ships no types

    def run(self, fill: Callable[[str, str], str], extra: dict[str, str] | None = None) -> None:
        """Run every code cell; ``fill`` gives a cell's text from its id and the text it was shipped with.

        Args:
            extra: Cells of the person's own: after which id -> code.
        """
        cells = []
        for cell in self.notebook.cells:
            cells.append(cell)
            if more := (extra or {}).get(cell.metadata["nbgrader"]["grade_id"]):
                cells.append(nbformat.v4.new_code_cell(more))  # type: ignore[no-untyped-call]  # nbformat ships no types
        self.notebook.cells = cells
        client = NotebookClient(
            self.notebook,
            timeout=100,
            allow_errors=True,
            kernel_name="python3",
            resources={"metadata": {"path": str(self.folder)}},
        )
        with client.setup_kernel(env=dict(os.environ)):
            for index, cell in enumerate(self.notebook.cells):
                if cell.cell_type == "code":
                    name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
                    cell.source = fill(name, cell.source)
                    try:
                        client.execute_cell(cell, index)
                    except Exception:  # a kernel that was killed: what was run before stays in the file
                        break
        nbformat.write(self.notebook, self.folder / "gates.ipynb")  # type: ignore[no-untyped-call]  # nbformat ships no types

    def session(self) -> Session:
        """Return the same learner's session in this process, to know their numbers."""
        return session("gates", self.folder)

    def outputs(self, name: str) -> str:
        """Return what a cell printed."""
        cell = next(one for one in self.notebook.cells if one.metadata.get("nbgrader", {}).get("grade_id") == name)
        return " ".join(str(output.get("data", output)) for output in cell.outputs)

    def verdicts(self, lone: bool = False) -> dict[str, Verdict]:
        """Return what grading says about the folder, or about the notebook alone."""
        if lone:
            (self.folder / FILE_NAME).unlink()
        handed_in = handin.look(self.folder.parent.parent, self.folder.parent.name, "gates", KNOWN)
        staged = self.folder.parent.parent / "staged"
        handin.stage(staged, handed_in)
        found = judge(GATES, handin.read_evidence(GATES, staged, "gates"))
        return {verdict.check: verdict for verdict in found}


def points(found: dict[str, Verdict]) -> float:
    """Return the sum."""
    return sum(verdict.points for verdict in found.values())


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """A student of a class, in their folder."""
    return Person(tmp_path / "submitted" / "mira" / "gates")


def knowing(it: Person) -> Callable[[str, str], str]:
    """Return how somebody fills the blanks who knows everything."""

    def letter(slug: str, option: str) -> str:
        there = it.session()
        question = answering.found(GATES, slug)
        assert question is not None
        here, seed = asking.scene(there, there.work(), question)
        return next(name for name, one in answering.lettered(question, here, seed).items() if one.slug == option)

    def bet(slug: str) -> str:
        values = {"sure": "bet", **personas.node_row(it.session(), slug)}
        return f"gates.predict({slug!r}, {', '.join(f'{name}={list(v) if isinstance(v, tuple) else v!r}' for name, v in values.items())})"

    filled: dict[str, Callable[[], str]] = {
        "gates-04-predict-start": lambda: bet("start"),
        "gates-07-predict-one-gate": lambda: bet("one gate"),
        "gates-09-explain-why": lambda: f'gates.explain("why", {letter("why", "one-line")!r})',
        "gates-11-script": lambda: f"%%node gates\n{classroom.SOUND}",
        "gates-12-predict-canary": lambda: bet("canary"),
        "gates-14-measure-state": lambda: (
            f'gates.measure("state", open={list(needed(classroom.numbers(it.session(), "state")["target"]))})'
        ),
        "gates-15-explain-cannot": lambda: f'gates.explain("cannot", {letter("cannot", "done-before-started")!r})',
        "gates-16-explain-service": lambda: (
            f'gates.explain("service", hour={classroom.numbers(it.session(), "service")["pool"]}, '
            f"after={letter('service', 'postpone')!r})"
        ),
    }
    return lambda name, source: filled[name]() if name in filled else source


def as_shipped(name: str, source: str) -> str:
    """Leave every cell as it is."""
    return source


def test_an_honest_learner_gets_everything_from_the_folder_and_from_the_lone_notebook(person: Person) -> None:
    """Cell by cell in a real kernel, measured with a real Node; nothing on standard error, no finding."""
    person.run(knowing(person))
    whole = person.verdicts()
    assert 10.0 == points(whole), {name: verdict.because for name, verdict in whole.items()}
    assert not any(
        output.get("name") == "stderr" for cell in person.notebook.cells for output in cell.get("outputs", ())
    )
    staged = person.folder.parent.parent / "staged"
    assert () == handin.read_evidence(GATES, staged, "gates").findings
    assert whole == person.verdicts(lone=True)
    assert () == handin.read_evidence(GATES, staged, "gates").findings


def test_a_fresh_notebook_that_was_run_is_not_attempted(person: Person) -> None:
    """Run All before anything was typed."""
    person.run(as_shipped)
    assert {Outcome.NOT_ATTEMPTED} == {verdict.outcome for verdict in person.verdicts().values()}


TAMPERING = {
    "replaces the grader": """
import grader.marks, grader.judge, grader.policy, grader.checks, course.keeping
from grader.verdict import Outcome, Verdict
full = lambda lab, evidence: [type("M", (), dict(item=i, title="", state="", note="",
    verdict=Verdict(check=i.grade_id, outcome=Outcome.PASS, points=i.points, max_points=i.points)))() for i in lab.items]
grader.marks.marks = course.keeping.marks = full
grader.policy.question_share = lambda *any: 1.0
""",
    "replaces labs, grader and course": """
import sys, types
for name in [n for n in sys.modules if n.split(".")[0] in ("labs", "grader", "course")]:
    sys.modules[name] = types.ModuleType(name)
class Full:
    def __getattr__(self, name):
        return lambda *a, **k: print("10.0")
gates = Full()
""",
    "turns every later cell into a number": """
get_ipython().input_transformers_cleanup.append(lambda lines: ["10.0\\n"])
""",
    "formats every result as full marks": """
from IPython import get_ipython
for kind in (object, type(None), float, int, str):
    get_ipython().display_formatter.formatters["text/plain"].for_type(kind, lambda value, p, cycle: p.text("999"))
gates.check = lambda *any: 999.0
""",
    "writes on standard error and leaves the process": """
import sys, os
print("ExperimentalWarning: nothing", file=sys.stderr)
os._exit(0)
""",
}


@pytest.mark.parametrize("cell", TAMPERING.values(), ids=TAMPERING)
def test_a_kernel_that_was_tampered_with_earns_nothing(person: Person, cell: str) -> None:
    """Marks come from the evidence, which these do not make."""
    person.run(as_shipped, {"gates-02-ready": cell})
    assert 0.0 == points(person.verdicts())


def test_tampering_takes_nothing_from_what_was_done(person: Person) -> None:
    """Evidence that was kept before counts, whatever happens to the kernel and on standard error afterwards."""
    fill = knowing(person)
    extra = {"gates-09-explain-why": TAMPERING["writes on standard error and leaves the process"]}
    person.run(fill, extra)
    found = person.verdicts()
    assert 1.5 == found["gates-why"].points
    assert round(2.0 * 2 / 3, 3) == round(found["gates-bets"].points, 3)


def test_a_foreign_course_gives_foreign_numbers(person: Person) -> None:
    """The class's salt goes into the seeds, so the same learner has other numbers elsewhere."""
    mine = classroom.session(person.folder, course=Course(course="net", salt="s"))
    other = classroom.session(person.folder.parent / "other", course=Course(course="net", salt="t"))
    assert mine.drawn(mine.work(), "state").seed != other.drawn(other.work(), "state").seed


@pytest.fixture(autouse=True)
def _no_marker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """These kernels are a learner's own, not nbgrader's."""
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    yield
