"""The learner's notebook of ``birth`` in a real kernel with a real Node: fresh, finished, run again, handed in alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from course import machinery, workspace
from course.learner import answer
from grader import intake
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog
from tests import screenshots
from tests.test_notebook_gates import outputs, run, said

pytestmark = [
    pytest.mark.node,
    # The kernel's client warns about its own transport and event loop; neither is ours.
    pytest.mark.filterwarnings("default"),
]
BIRTH = catalog.load("birth")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A learner's own notebook."""
    workspace.update(tmp_path)
    return tmp_path / "birth" / "birth.ipynb"


def fill(path: Path) -> None:
    """Type the right answers into the blanks, and a program of one's own with the number from its sheet."""
    it = machinery.session("birth", path.parent)
    notebook = json.loads(path.read_text("utf-8"))
    typed = dict(screenshots.filled(it, notebook))
    size = it.drawn(it.work(), "unset").parameters["size"]
    typed["birth-18-script"] = (
        f"%%node birth\nif (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = '{size}';\n"
        "const token = require('./token.cjs');\nfs.promises.readFile(__filename).then(() => ready());\n"
    )
    for cell in notebook["cells"]:
        cell["source"] = typed.pop(cell["id"], cell["source"])
    assert {} == typed
    path.write_text(json.dumps(notebook), "utf-8")


def test_run_all_on_a_fresh_notebook(path: Path) -> None:
    """A sentence in every cell, nothing on standard error, nothing measured, NOT_ATTEMPTED everywhere; the sizes can be read."""
    notebook = run(path)
    assert {"display_data"} == {output["output_type"] for output in outputs(notebook)}
    evidence = intake.evidence_of(BIRTH, {"birth.ipynb": path.read_bytes()})
    assert "record" not in {entry.kind for entry in evidence.entries}
    assert {Outcome.NOT_ATTEMPTED} == {verdict.outcome for verdict in judge(BIRTH, evidence)}
    assert "threads where nothing is set outside" in said(notebook, "birth-18-script")


def test_a_finished_notebook_has_all_points_alone_and_measures_nothing_again(path: Path) -> None:
    """10 of 10 in the card, in the journal and in the notebook alone; a second Run All only shows what was kept."""
    fill(path)
    notebook = run(path)
    assert {"display_data"} == {output["output_type"] for output in outputs(notebook)}
    assert "10 of 10" in said(notebook, "birth-23-check")
    journal = path.parent / "journal.jsonl"
    before = journal.read_bytes()
    for files in ({"journal.jsonl": before}, {"birth.ipynb": path.read_bytes()}):
        evidence = intake.evidence_of(BIRTH, files)
        assert ((), 10.0) == (evidence.findings, sum(verdict.points for verdict in judge(BIRTH, evidence)))
    again = run(path)
    assert "nothing was measured now" in said(again, "birth-06-measure-first")
    assert before == journal.read_bytes()


def test_recorded_runs_stand_in_where_nothing_can_be_measured(tmp_path: Path) -> None:
    """In the room ``replay`` every measure has its run; bets and questions count, the program earns nothing."""
    from course import betting, measuring
    from labs.birth import stories

    it = machinery.session("birth", tmp_path, "replay")
    for bet in BIRTH.bets:
        betting.predict(it, bet.slug, stories.node(it.scene(it.work(), bet.slug))[bet.slug])
    for measure in BIRTH.measures:
        shown = answer(it, measure.slug, lambda it, slug=measure.slug: measuring.measure(it, slug, {}))  # type: ignore[misc]  # bound now
        assert "measured" == shown.state, shown.text
        assert "A recorded run" in shown.text
        assert () == shown.stories
    evidence = intake.evidence_of(BIRTH, {"journal.jsonl": it.journal().path.read_bytes()})
    points = {verdict.check: verdict.points for verdict in judge(BIRTH, evidence)}
    assert (2.0, 0.0, 0.0) == tuple(points[f"birth-{name}"] for name in ("bets", "unset", "both"))
