"""The course home: labs in order, state and points from the journals, and where to go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from course import homepage as home
from course import keeping, workspace
from tests import classroom, gates_people, personas


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A workspace."""
    workspace.update(tmp_path)
    return tmp_path


def row(there: Path) -> home.Row:
    """Return the row of gates."""
    return next(row for row in home.rows(there) if row.slug == "gates")


def test_a_fresh_lab_is_not_started(there: Path) -> None:
    """With its honest minutes and no points, and it is where to begin."""
    fresh = row(there)
    assert ("not started", 0.0, 10.0, "begin") == (fresh.state, fresh.points, fresh.most, fresh.next_step)
    assert fresh == home.resume(home.rows(there))


def test_a_lab_begun_says_where_to_go_on(there: Path) -> None:
    """The step and what is done there."""
    it = classroom.session(there / "gates")
    personas.bet(it, "start", {"held": 4})
    assert ("step 5 of 17", "measure start") == (row(there).state, row(there).next_step)


def test_a_finished_lab_is_finished(there: Path) -> None:
    """All points, nothing left."""
    gates_people.knows(classroom.session(there / "gates"))
    assert ("finished", 10.0, "") == (row(there).state, row(there).points, row(there).next_step)


def test_a_damaged_journal_is_named_and_stops_nothing(there: Path) -> None:
    """The home is still there."""
    (there / "gates" / "journal.jsonl").write_text("{\n{}\n")
    assert "cannot be read" in row(there).state
    assert "gates" in home.text(home.rows(there))


def test_the_page_is_a_table_of_links(there: Path) -> None:
    """Reached with Tab, opened with Enter; nothing that runs."""
    page = home.page(home.rows(there))
    assert '<a href="gates/gates.ipynb">' in page
    assert "<script" not in page and "onclick" not in page


def cells(there: Path) -> list[dict[str, Any]]:
    """Return the cells of the home."""
    found: list[dict[str, Any]] = json.loads((there / home.NOTEBOOK).read_text("utf-8"))["cells"]
    return found


def test_the_home_needs_nothing_to_be_run(there: Path) -> None:
    """It is markdown: state, points, minutes, rooms and next step stand there when it opens."""
    (cell,) = cells(there)
    text = "".join(cell["source"])
    assert "markdown" == cell["cell_type"]
    assert (
        "[gates](gates/gates.ipynb)" in text
        and "0 of 10" in text
        and "| 25 |" in text
        and "here, namespace, container" in text
    )


def test_it_resumes_at_the_step_where_somebody_stopped(there: Path) -> None:
    """The link leads to the heading of that step."""
    it = classroom.session(there / "gates")
    for slug in ("start", "one gate"):
        personas.bet(it, slug, personas.node_row(it, slug))
        personas.look(it, slug)
    workspace.update(there)
    assert "[gates: step 9 of 17, explain why](gates/gates.ipynb#9-%C2%B7-Why%3F)" in "".join(cells(there)[0]["source"])


def test_a_check_writes_the_home_anew(there: Path) -> None:
    """Points move when the card is looked at; a lab outside a workspace makes no home."""
    it = classroom.session(there / "gates")
    gates_people.knows(it)
    keeping.check(it)
    assert "| finished | 10 of 10 |" in "".join(cells(there)[0]["source"])
    alone = classroom.session(there / "gates" / "nbgrader" / "gates")
    keeping.check(alone)
    assert not (there / "gates" / "nbgrader" / home.NOTEBOOK).exists()


def test_cells_of_ones_own_in_the_home_stay(there: Path) -> None:
    """What somebody wrote there is theirs, and a home that is no notebook any more is left alone."""
    path = there / home.NOTEBOOK
    whole = json.loads(path.read_text("utf-8"))
    whole["cells"].append({"cell_type": "markdown", "id": "mine", "metadata": {}, "source": ["my notes"]})
    path.write_text(json.dumps(whole), "utf-8")
    workspace.update(there)
    assert ["fourthreads-home", "mine"] == [cell["id"] for cell in cells(there)]
    path.write_text("my notes", "utf-8")
    workspace.update(there)
    assert "my notes" == path.read_text("utf-8")
