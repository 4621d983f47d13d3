"""The learner's notebook of every lab in a real kernel with a real Node: fresh, finished, run again, handed in alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from course import machinery
from course.learner import answer
from grader.judge import judge
from grader.verdict import Outcome
from labs import catalog
from labs.journal import FILE_NAME
from labs.room_namespace import offers
from tests import notebooks, people, personas
from tests.needs import refuse

pytestmark = [
    pytest.mark.node,
    pytest.mark.timeout(300),  # a whole finished notebook, twice
    # The kernel's client warns about its own transport and event loop; neither is ours.
    pytest.mark.filterwarnings("default"),
]
#: Compares times in its measures, which takes minutes.
LONG = {"waves"}


@pytest.fixture
def path(slug: str, tmp_path: Path) -> Path:
    """A learner's own notebook, where this kernel lets us have the lab's room."""
    if "here" not in catalog.load(slug).rooms and not (offer := offers()).ok:
        refuse(offer.reason)
    return notebooks.given(tmp_path, slug)


@pytest.mark.parametrize("slug", catalog.slugs())
def test_run_all_on_a_fresh_notebook(path: Path, slug: str) -> None:
    """A sentence in every cell, nothing on standard error, nothing measured, NOT_ATTEMPTED everywhere."""
    notebook = notebooks.run(path)
    assert {"display_data"} == {output["output_type"] for output in notebooks.outputs(notebook)}
    found = notebooks.evidence(path)
    assert "record" not in {entry.kind for entry in found.entries}
    assert {Outcome.NOT_ATTEMPTED} == {verdict.outcome for verdict in judge(catalog.load(slug), found)}
    for name, text in people.of(slug).FRESH.items():
        assert text in notebooks.said(notebook, name)
    if catalog.load(slug).what_if is not None:
        assert any("image/png" in output["data"] for output in notebooks.outputs(notebook, "what-if"))


@pytest.mark.parametrize(
    "slug",
    [
        pytest.param(slug, marks=(pytest.mark.slow, pytest.mark.timeout(900)) if slug in LONG else ())
        for slug in catalog.slugs()
    ],
)
def test_a_finished_notebook_has_all_points_alone_and_measures_nothing_again(path: Path, slug: str) -> None:
    """10 of 10 in the card, in the journal and in the notebook alone; a second Run All only shows what was kept."""
    notebooks.fill(path)
    notebook = notebooks.run(path)
    assert {"display_data"} == {output["output_type"] for output in notebooks.outputs(notebook)}
    assert notebooks.said(notebook, "check").startswith(slug)
    assert "10 of 10" in notebooks.said(notebook, "check")
    journal = path.with_name(FILE_NAME)
    before = journal.read_bytes()
    for alone in (journal, path):
        assert ((), 10.0) == (notebooks.evidence(alone).findings, sum(notebooks.points(alone).values()))
    again = notebooks.run(path)
    for bet in catalog.load(slug).bets:
        assert "nothing was measured now" in notebooks.said(again, f"measure-{bet.measure.replace(' ', '-')}")
    assert "10 of 10" in notebooks.said(again, "check")
    assert before == journal.read_bytes()


@pytest.mark.parametrize("slug", catalog.slugs())
def test_recorded_runs_stand_in_where_nothing_can_be_measured(tmp_path: Path, slug: str) -> None:
    """In the room ``replay`` bets, questions and puzzles count; what is measured of a script of one's own earns nothing."""
    who, lab = people.of(slug), catalog.load(slug)
    it = machinery.session(slug, tmp_path / slug, "replay")
    for measure in lab.measures:
        if not measure.replay:
            continue
        if measure.bet:
            personas.bet(it, measure.bet, personas.node_row(it, measure.bet))
        typed = who.solutions(it).get(measure.slug, {})
        shown = answer(it, measure.slug, lambda it, slug=measure.slug, typed=typed: personas.look(it, slug, **typed))  # type: ignore[misc]  # bound now
        assert "measured" == shown.state, shown.text
        assert ("A recorded run" if measure.replayed is None else "Your choice counts.") in shown.text
        if not (measure.bet and measure.script):  # such a bet is about a script that the recorded run has not
            assert () == shown.stories
    personas.choose(it, "why", str(lab.question("why").right))
    points = notebooks.points(it.journal().path)
    for item in lab.items:
        scripted = [lab.measure(check.measure).script for check, _ in item.checks]
        if item.part in ("bets", "artefact") or item.question == "why":
            assert (0.0 if any(scripted) else item.points) == points[item.grade_id], item.grade_id
