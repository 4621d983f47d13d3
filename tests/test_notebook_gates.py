"""The learner's notebook of ``gates`` in a real kernel with a real Node: fresh, finished, run again, handed in alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from course import asking, machinery, workspace
from course.learner import answer
from course.session import Session
from grader import answering, intake
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog
from labs.gates import stories
from labs.gates.draw import needed
from tests import classroom

pytestmark = [
    pytest.mark.node,
    # The kernel's client warns about its own transport and event loop; neither is ours.
    pytest.mark.filterwarnings("default"),
]
GATES = catalog.load("gates")


def run(path: Path) -> dict[str, Any]:
    """Run all cells of a notebook where it lies, save it, and return it as data."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]  # nbformat ships no types
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(path.parent)}}).execute()
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]  # as above
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def outputs(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every output of a notebook."""
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def said(notebook: dict[str, Any], name: str) -> str:
    """Return what one cell said."""
    cell = next(cell for cell in notebook["cells"] if cell["id"] == name)
    return "\n".join("".join(output["data"]["text/plain"]) for output in cell["outputs"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A learner's own notebook."""
    workspace.update(tmp_path)
    return tmp_path / "gates" / "gates.ipynb"


def fill(path: Path) -> None:
    """Type the right answers into the blanks, as their cells ask for them."""
    it = machinery.session("gates", path.parent)
    work = it.work()
    bets = {slug: stories.node(it.scene(work, slug))[slug] for slug in ("start", "one gate", "canary")}
    typed = {
        "gates-04-predict-start": f"gates.predict('start', held={bets['start']['held']}, sure='bet')",
        "gates-07-predict-one-gate": f"gates.predict('one gate', held={bets['one gate']['held']}, starts={bets['one gate']['starts']})",
        "gates-09-explain-why": f"gates.explain('why', {_letter(it, 'why', 'one-line')!r})",
        "gates-11-script": f"%%node gates\n{classroom.SOUND}",
        "gates-12-predict-canary": f"gates.predict('canary', openings={bets['canary']['openings']})",
        "gates-14-measure-state": f"gates.measure('state', open={list(needed(classroom.numbers(it, 'state')['target']))})",
        "gates-15-explain-cannot": f"gates.explain('cannot', {_letter(it, 'cannot', 'done-before-started')!r})",
        "gates-16-explain-service": f"gates.explain('service', hour={classroom.numbers(it, 'service')['pool']}, "
        f"after={_letter(it, 'service', 'postpone')!r})",
    }
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = typed.pop(cell["id"], cell["source"])
    assert {} == typed
    path.write_text(json.dumps(notebook), "utf-8")


def _letter(it: Session, slug: str, option: str) -> str:
    question = answering.found(it.lab, slug)
    assert question is not None
    here, seed = asking.scene(it, it.work(), question)
    return next(letter for letter, one in answering.lettered(question, here, seed).items() if one.slug == option)


def test_run_all_on_a_fresh_notebook(path: Path) -> None:
    """A sentence in every cell, nothing on standard error, nothing measured, NOT_ATTEMPTED everywhere."""
    notebook = run(path)
    assert {"display_data"} == {output["output_type"] for output in outputs(notebook)}
    evidence = intake.evidence_of(GATES, {"gates.ipynb": path.read_bytes()})
    assert "record" not in {entry.kind for entry in evidence.entries}
    assert {Outcome.NOT_ATTEMPTED} == {verdict.outcome for verdict in judge(GATES, evidence)}


def test_a_finished_notebook_has_all_points_alone_and_measures_nothing_again(path: Path) -> None:
    """10 of 10 in the card, in the journal and in the notebook alone; a second Run All only shows what was kept."""
    fill(path)
    notebook = run(path)
    assert {"display_data"} == {output["output_type"] for output in outputs(notebook)}
    assert said(notebook, "gates-17-check").startswith("gates") and "10 of 10" in said(notebook, "gates-17-check")
    journal = path.parent / "journal.jsonl"
    before = journal.read_bytes()
    for files in ({"journal.jsonl": before}, {"gates.ipynb": path.read_bytes()}):
        evidence = intake.evidence_of(GATES, files)
        assert ((), 10.0) == (evidence.findings, sum(verdict.points for verdict in judge(GATES, evidence)))
    again = run(path)
    assert "nothing was measured now" in said(again, "gates-05-measure-start")
    assert before == journal.read_bytes()


def test_recorded_runs_stand_in_where_nothing_can_be_measured(tmp_path: Path) -> None:
    """In the room ``replay`` bets, questions and the puzzle count; the script's measurement earns nothing."""
    from course import betting, measuring

    it = machinery.session("gates", tmp_path, "replay")
    for slug in ("start", "one gate", "canary"):
        answers = stories.node(it.scene(it.work(), slug))[slug]
        betting.predict(it, slug, answers)
        shown = answer(it, slug, lambda it, slug=slug: measuring.measure(it, slug, {}))  # type: ignore[misc]  # bound now
        assert "measured" == shown.state, shown.text
        assert "A recorded run" in shown.text
    opens = list(needed(classroom.numbers(it, "state")["target"]))
    measuring.measure(it, "state", {"open": opens})
    asking.explain(it, "why", (_letter(it, "why", "one-line"),), {})
    points = {
        verdict.check: verdict.points
        for verdict in judge(GATES, intake.evidence_of(GATES, {"journal.jsonl": it.journal().path.read_bytes()}))
    }
    assert (2.0, 1.5, 0.0, 2.5) == tuple(points[f"gates-{name}"] for name in ("bets", "why", "own-script", "state"))


def test_try_answers_two_bets_in_the_terminal() -> None:
    """The same engine and the same sentences, from typed lines."""
    import subprocess
    import sys

    argv = [sys.executable, "-m", "course", "try"]
    done = subprocess.run(argv, input="four\n3\nnone\n", capture_output=True, text=True, timeout=60)
    assert (0, "") == (done.returncode, done.stderr)
    assert "HELD  4 of 12" in done.stdout and "BEFORE  slots" in done.stdout
