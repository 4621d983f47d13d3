"""The learner's notebook of ``names`` in a real kernel with a real Node: fresh, finished, run again, handed in alone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from course import asking, betting, machinery, measuring, workspace
from course.learner import answer
from course.session import Session
from grader import answering, intake
from grader.judge import judge
from grader.verdict import Outcome
from labs.room_namespace import offers
from tests import classroom, names_room, personas
from tests.names_room import BETS, LAB
from tests.test_notebook_gates import outputs, run, said

pytestmark = [
    pytest.mark.node,
    # The kernel's client warns about its own transport and event loop; neither is ours.
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A learner's own notebook, where this kernel lets us have the room."""
    offer = offers()
    if not offer.ok:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(offer.reason)
    workspace.update(tmp_path)
    return tmp_path / "names" / "names.ipynb"


def letter(it: Session, slug: str, option: str) -> str:
    """Return the letter that an option was given."""
    question = answering.found(it.lab, slug)
    assert question is not None
    here, seed = asking.scene(it, it.work(), question)
    return next(letter for letter, one in answering.lettered(question, here, seed).items() if one.slug == option)


def fill(path: Path) -> None:
    """Type the right answers into the blanks, as their cells ask for them."""
    it = machinery.session("names", path.parent)
    rows = {slug: names_room.node_row(it, slug) for slug in BETS}
    state = names_room.solve(it)
    numbers = {slug: classroom.numbers(it, slug) for slug in ("code", "service")}
    typed = {
        "names-05-predict-start": f"names.predict('start', flying={rows['start']['flying']}, back={rows['start']['back']}, sure='bet')",
        "names-08-predict-own": f"names.predict('own', alone={rows['own']['alone']}, beside={rows['own']['beside']})",
        "names-10-explain-why": f"names.explain('why', {letter(it, 'why', 'ceiling')!r})",
        "names-12-predict-second": f"names.predict('second', names={rows['second']['names']}, files={rows['second']['files']})",
        "names-14-explain-source": f"names.explain('source', {letter(it, 'source', 'half')!r})",
        "names-15-measure-state": f"names.measure('state', pool={state['pool']}, held={state['held']})",
        "names-16-explain-cannot": f"names.explain('cannot', {letter(it, 'cannot', 'free-below')!r})",
        "names-17-predict-through": f"names.predict('through', back={list(rows['through']['back'])})",
        "names-19-script": f"%%node names\n{names_room.SOUND}",
        "names-20-predict-cache": f"names.predict('cache', asked={rows['cache']['asked']})",
        "names-22-measure-ways": "names.measure('ways', visits=2)",
        "names-23-explain-code": f"names.explain('code', asked={numbers['code']['users']}, lost={letter(it, 'code', 'hosts')!r})",
        "names-24-explain-service": f"names.explain('service', dead={(numbers['service']['pool'] + 1) // 2}, "
        f"after={letter(it, 'service', 'callers')!r})",
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
    evidence = intake.evidence_of(LAB, {"names.ipynb": path.read_bytes()})
    assert "record" not in {entry.kind for entry in evidence.entries}
    assert {Outcome.NOT_ATTEMPTED} == {verdict.outcome for verdict in judge(LAB, evidence)}


def test_a_finished_notebook_has_all_points_alone_and_measures_nothing_again(path: Path) -> None:
    """10 of 10 in the card, in the journal and in the notebook alone; a second Run All only shows what was kept."""
    fill(path)
    notebook = run(path)
    assert {"display_data"} == {output["output_type"] for output in outputs(notebook)}
    assert "10 of 10" in said(notebook, "names-25-check")
    journal = path.parent / "journal.jsonl"
    before = journal.read_bytes()
    for files in ({"journal.jsonl": before}, {"names.ipynb": path.read_bytes()}):
        evidence = intake.evidence_of(LAB, files)
        assert ((), 10.0) == (evidence.findings, sum(verdict.points for verdict in judge(LAB, evidence)))
    again = run(path)
    assert "nothing was measured now" in said(again, "names-06-measure-start")
    assert before == journal.read_bytes()


def test_recorded_runs_stand_in_where_there_is_no_name_server(tmp_path: Path) -> None:
    """In the room ``replay`` bets, questions and the puzzle count; the cache's measurement earns nothing."""
    it = machinery.session("names", tmp_path, "replay")
    for slug in BETS:
        betting.predict(it, slug, names_room.node_row(it, slug))
        shown = answer(it, slug, lambda it, slug=slug: measuring.measure(it, slug, {}))  # type: ignore[misc]  # bound now
        assert "measured" == shown.state, shown.text
        assert "A recorded run" in shown.text
    measuring.measure(it, "state", names_room.solve(it))
    assert "in the hosts file" in measuring.measure(it, "ways", {"visits": 3}).text
    personas.choose(it, "why", "ceiling")
    points = {
        verdict.check: verdict.points
        for verdict in judge(LAB, intake.evidence_of(LAB, {"journal.jsonl": it.journal().path.read_bytes()}))
    }
    assert (2.0, 1.0, 0.0, 1.5) == tuple(points[f"names-{name}"] for name in ("bets", "why", "own-lookup", "state"))
