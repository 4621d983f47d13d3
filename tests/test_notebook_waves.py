"""The learner's notebook of ``waves`` in a real kernel with a real Node: fresh, finished, run again, handed in alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from course import asking, machinery, workspace
from course.session import Session
from grader import answering, intake
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog
from labs.waves import stories
from tests.test_notebook_gates import outputs, said

pytestmark = [
    pytest.mark.node,
    # The kernel's client warns about its own transport and event loop; neither is ours.
    pytest.mark.filterwarnings("default"),
]
WAVES = catalog.load("waves")
SOLUTION = (Path(machinery.__file__).parent.parent / "labs" / "waves" / "reference" / "solution.mjs").read_text("utf-8")
PROMISES = """import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
const hash = promisify(pbkdf2);
await Promise.all(Array.from({ length: n }, async (_, i) => {
  await hash('four', 'threads', parameters.rounds, 64, 'sha512');
  done(i + 1);
}));
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A learner's own notebook."""
    workspace.update(tmp_path)
    return tmp_path / "waves" / "waves.ipynb"


def run(path: Path) -> dict[str, Any]:
    """Run all cells of a notebook where it lies, save it, and return it as data; a cell that compares times has its time."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]  # nbformat ships no types
    NotebookClient(notebook, timeout=280, resources={"metadata": {"path": str(path.parent)}}).execute()
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]  # as above
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def _letter(it: Session, slug: str, option: str) -> str:
    question = answering.found(it.lab, slug)
    assert question is not None
    here, seed = asking.scene(it, it.work(), question)
    return next(letter for letter, one in answering.lettered(question, here, seed).items() if one.slug == option)


def fill(path: Path) -> None:
    """Type the right answers into the blanks, as their cells ask for them."""
    it = machinery.session("waves", path.parent)

    def bet(slug: str) -> str:
        row = stories.node(it.scene(it.work(), slug))[slug]
        typed = {name: round(float(value), 2) if isinstance(value, float) else value for name, value in row.items()}
        return f"waves.predict({slug!r}, {', '.join(f'{name}={value!r}' for name, value in typed.items())})"

    service, code = (it.drawn(it.work(), slug).parameters for slug in ("service", "code"))
    last = service["logins"] * service["cost"] // min(4, service["cores"])
    after = _letter(it, "service", "quarter" if service["cores"] == 16 else "same")
    typed = {
        "waves-04-script": f"%%node waves\n{SOLUTION}",
        "waves-05-predict-all-at-once": bet("all at once"),
        "waves-08-predict-other-cores": bet("other cores"),
        "waves-10-explain-why": f"waves.explain('why', {_letter(it, 'why', 'slots-then-cores')!r})",
        "waves-12-script": f"%%node waves\n{PROMISES}",
        "waves-13-predict-own": bet("own"),
        "waves-15-explain-code": f"waves.explain('code', at_once=1, times={code['users']}, repair={_letter(it, 'code', 'all')!r})",
        "waves-16-explain-service": f"waves.explain('service', last={last}, after={after!r})",
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
    evidence = intake.evidence_of(WAVES, {"waves.ipynb": path.read_bytes()})
    assert "record" not in {entry.kind for entry in evidence.entries}
    assert {Outcome.NOT_ATTEMPTED} == {verdict.outcome for verdict in judge(WAVES, evidence)}
    picture = next(cell for cell in notebook["cells"] if cell["id"] == "waves-11-what-if")["outputs"]
    assert any(
        "image/png" in output["data"] and "computed from the model" in "".join(output["data"]["text/plain"])
        for output in picture
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_finished_notebook_has_all_points_alone_and_measures_nothing_again(path: Path) -> None:
    """10 of 10 however busy the machine: in the card, in the journal and in the notebook alone; Run All again adds nothing."""
    fill(path)
    notebook = run(path)
    assert {"display_data"} == {output["output_type"] for output in outputs(notebook)}
    assert "10 of 10" in said(notebook, "waves-17-check")
    journal = path.parent / "journal.jsonl"
    for files in ({"journal.jsonl": journal.read_bytes()}, {"waves.ipynb": path.read_bytes()}):
        evidence = intake.evidence_of(WAVES, files)
        assert ((), 10.0) == (evidence.findings, sum(verdict.points for verdict in judge(WAVES, evidence)))
    before = journal.read_bytes()
    again = run(path)
    assert before == journal.read_bytes()
    for name in ("waves-06-measure-all-at-once", "waves-09-measure-other-cores", "waves-14-measure-own"):
        assert "nothing was measured now" in said(again, name)
    assert "10 of 10" in said(again, "waves-17-check")
