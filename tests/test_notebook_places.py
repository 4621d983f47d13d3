"""The learner's notebook of ``places`` in a real kernel with a real Node: fresh, finished, run again, handed in alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from course import build, machinery, workspace
from grader import intake
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog
from labs.places import questions
from labs.places.reference import trial
from tests import places_personas as who
from tests.test_notebook_gates import outputs, run, said

pytestmark = [
    pytest.mark.node,
    # The kernel's client warns about its own transport and event loop; neither is ours.
    pytest.mark.filterwarnings("default"),
]
LAB = catalog.load("places")
MASTER = Path(__file__).parent.parent / "course" / "notebooks" / "02_places.py"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A learner's own notebook."""
    workspace.update(tmp_path)
    return tmp_path / "places" / "places.ipynb"


def fill(path: Path) -> None:
    """Type the right answers into the blanks, as their cells ask for them."""
    it = machinery.session("places", path.parent)
    rows = {slug: who.node_row(it, slug) for slug in who.BETS}
    limit = questions.limit(it.scene(it.work(), "service"))
    typed = {
        "places-05-predict-six": f"places.predict('six', paths={list(rows['six']['paths'])}, sure='bet')",  # type: ignore[arg-type]  # texts
        "places-08-predict-six-more": f"places.predict('six more', paths={list(rows['six more']['paths'])})",  # type: ignore[arg-type]  # texts
        "places-10-explain-why": f"places.explain('why', {who.letter(it, 'why', 'the-code')!r})",
        "places-12-predict-victim": "places.predict('victim', sync='both', callback='stat')",
        "places-14-script": f"%%node places\n{trial.SOUND_TEXT}",
        "places-15-predict-own": "places.predict('own', early=0, health=3)",
        "places-17-measure-lines": f"places.measure('lines', stop={who.found(it)})",
        "places-18-explain-cannot": f"places.explain('cannot', {who.letter(it, 'cannot', 'beside-the-timer')!r})",
        "places-19-explain-service": f"places.explain('service', limit={limit}, after={who.letter(it, 'service', 'nothing')!r})",
    }
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = typed.pop(cell["id"], cell["source"])
    assert {} == typed
    path.write_text(json.dumps(notebook), "utf-8")


def test_run_all_on_a_fresh_notebook(path: Path) -> None:
    """A sentence in every cell, nothing on standard error, nothing measured, NOT_ATTEMPTED everywhere."""
    notebook = run(path)
    assert {"display_data"} == {output["output_type"] for output in outputs(notebook)}
    evidence = intake.evidence_of(LAB, {"places.ipynb": path.read_bytes()})
    assert "record" not in {entry.kind for entry in evidence.entries}
    assert {Outcome.NOT_ATTEMPTED} == {verdict.outcome for verdict in judge(LAB, evidence)}


def test_a_finished_notebook_has_all_points_alone_and_measures_nothing_again(path: Path) -> None:
    """10 of 10 in the card, in the journal and in the notebook alone; a second Run All only shows what was kept."""
    fill(path)
    notebook = run(path)
    assert {"display_data"} == {output["output_type"] for output in outputs(notebook)}
    assert "10 of 10" in said(notebook, "places-20-check")
    journal = path.parent / "journal.jsonl"
    before = journal.read_bytes()
    for files in ({"journal.jsonl": before}, {"places.ipynb": path.read_bytes()}):
        evidence = intake.evidence_of(LAB, files)
        assert ((), 10.0) == (evidence.findings, sum(verdict.points for verdict in judge(LAB, evidence)))
    again = run(path)
    assert "nothing was measured now" in said(again, "places-06-measure-six")
    assert before == journal.read_bytes()


def test_recorded_runs_stand_in_where_nothing_can_be_measured(tmp_path: Path) -> None:
    """In the room ``replay`` bets, questions and the puzzle count; the service's measurement earns nothing."""
    it = machinery.session("places", tmp_path, "replay")
    for slug in who.BETS:
        who.bet(it, slug, who.node_row(it, slug))
        shown = who.look(it, slug)
        assert "measured" == shown.state, shown.text
        assert "A recorded run" in shown.text
    who.look(it, "lines", stop=who.found(it))
    who.choose(it, "why", "the-code")
    points = {
        verdict.check: verdict.points
        for verdict in judge(LAB, intake.evidence_of(LAB, {"journal.jsonl": it.journal().path.read_bytes()}))
    }
    assert (2.0, 1.5, 0.0, 1.5) == tuple(points[f"places-{name}"] for name in ("bets", "why", "own-service", "lines"))


def test_the_cell_holds_the_starter_and_the_cells_are_the_steps() -> None:
    """What is typed over is what is run when nothing is typed."""
    cells = {cell.name: cell for cell in build.cells(MASTER)}
    assert LAB.script is not None
    starter = cells["places-14-script"].source
    assert LAB.script.starter.strip() == starter.partition("\n")[2].strip()
    assert {item.grade_id for item in LAB.items} == {cell.name for cell in cells.values() if cell.kind == "graded"}
