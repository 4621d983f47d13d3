"""The course home: labs in order, state and points from the journals, and where to go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from course import homepage as home
from course import workspace
from tests import classroom, personas


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
    personas.knows(classroom.session(there / "gates"))
    assert ("finished", 10.0, "") == (row(there).state, row(there).points, row(there).next_step)


def test_a_damaged_journal_is_named_and_stops_nothing(there: Path) -> None:
    """The home is still there."""
    (there / "gates" / "journal.jsonl").write_text("{")
    assert "cannot be read" in row(there).state
    assert "gates" in home.text(home.rows(there))


def test_the_page_is_a_table_of_links(there: Path) -> None:
    """Reached with Tab, opened with Enter; nothing that runs."""
    page = home.page(home.rows(there))
    assert '<a href="gates/gates.ipynb">' in page
    assert "<script" not in page and "onclick" not in page
