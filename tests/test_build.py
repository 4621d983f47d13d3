"""Masters become notebooks, the same bytes each time; workspaces never lose work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from course import build, folder, workspace
from labs import catalog
from labs.errors import SetupError


def test_no_notebook_is_stale() -> None:
    """What is committed is what the masters say."""
    assert [] == list(build.stale())


@pytest.mark.parametrize("master", build.masters(), ids=lambda path: str(path.stem))
def test_a_notebook_is_sound(master: Path) -> None:
    """No outputs, unique ids, a graded cell for each item with the lab's points, every other cell locked but the blanks."""
    import nbformat

    built = build.notebook(master)
    nbformat.validate(nbformat.from_dict(built))  # type: ignore[no-untyped-call]  # nbformat ships no types
    lab = catalog.load(build.slug_of(master))
    cells = built["cells"]
    graded = {
        cell["id"]: cell["metadata"]["nbgrader"]["points"] for cell in cells if cell["metadata"]["nbgrader"]["grade"]
    }
    assert {item.grade_id: item.points for item in lab.items} == graded
    assert len(cells) == len({cell["id"] for cell in cells})
    for cell in cells:
        assert [] == cell.get("outputs", [])
        assert cell["metadata"]["nbgrader"]["locked"] != cell["metadata"]["nbgrader"]["solution"]


def test_the_same_master_gives_the_same_bytes() -> None:
    """Building is deterministic."""
    for master in build.masters():
        assert build.text(master) == build.text(master)


MASTER = '# %% nbgrader={{"grade_id": "a"}}\ngates = 1\n\n{}\n'


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ('# %% nbgrader={"grade_id": "a"}\n2', "two cells have the name"),
        ('# %% nbgrader={"grade_id": "b", "grade": true}\n2', "no such item"),
        ('# %% nbgrader={"grade_id": "b"}\nf(...)', "it must be both"),
        ("", "no cell is the graded cell"),
    ],
)
def test_a_master_that_cannot_be_is_named(tmp_path: Path, cell: str, said: str) -> None:
    """Names twice, items that are not there, blanks that are locked, items without a cell."""
    path = tmp_path / "00_gates.py"
    path.write_text(MASTER.format(cell))
    with pytest.raises(build.BuildError, match=said):
        build.cells(path)


@pytest.mark.parametrize(
    ("source", "expected"),
    [("f(x=...)", True), ("%%node gates\nfor", True), ("f([...])", True), ("f(1)  # ...", False), ("a[1:2]", False)],
)
def test_a_blank_is_told_by_its_text(source: str, expected: bool) -> None:
    """``...`` in code, or a script; a comment is none."""
    assert expected is build.is_blank(source)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release with one notebook."""
    path = tmp_path / "source" / "gates" / "gates.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text('{"cells": []}')
    return tmp_path / "source"


def test_a_second_start_changes_nothing(tmp_path: Path, release: Path) -> None:
    """The identity stays, the notebook stays."""
    there = tmp_path / "mine"
    assert ["new"] == [placed.how for placed in workspace.update(there, release)]
    who = folder.identity(there)
    assert ["same"] == [placed.how for placed in workspace.update(there, release)]
    assert who == folder.identity(there / "gates")


def test_work_is_never_overwritten(tmp_path: Path, release: Path) -> None:
    """A newer release arrives beside what was worked in, with a sentence, once."""
    there = tmp_path / "mine"
    workspace.update(there, release)
    mine = there / "gates" / "gates.ipynb"
    mine.write_text('{"cells": ["my work"]}')
    (release / "gates" / "gates.ipynb").write_text('{"cells": ["new"]}')
    (placed,) = workspace.update(there, release)
    assert ("beside", '{"cells": ["my work"]}') == (placed.how, mine.read_text())
    assert placed.path.name in placed.sentence and '{"cells": ["new"]}' == placed.path.read_text()
    assert ["same"] == [placed.how for placed in workspace.update(there, release)]


def test_an_untouched_notebook_is_brought_up_to_date(tmp_path: Path, release: Path) -> None:
    """Nobody worked in it, so nothing is lost."""
    there = tmp_path / "mine"
    workspace.update(there, release)
    (release / "gates" / "gates.ipynb").write_text('{"cells": ["new"]}')
    assert ["updated"] == [placed.how for placed in workspace.update(there, release)]


def test_a_class_file_is_found_upwards_and_read_strictly(tmp_path: Path) -> None:
    """Course id, salt, rooms; a key that is not one is named."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "class.toml").write_text(
        'course = "net-2027"\nsalt = "s"\nrooms = ["container"]\nsolutions = "never"\n'
    )
    found = folder.course(tmp_path / "a" / "b")
    assert ("net-2027/s", ("container",), "never") == (found.key, found.rooms, found.solutions)
    (tmp_path / "class.toml").write_text("curse = 1\n")
    with pytest.raises(SetupError, match="curse"):
        folder.course(tmp_path)


def test_without_a_class_file_the_defaults_are_those_of_one_alone(tmp_path: Path) -> None:
    """No id in the seeds, solutions open."""
    assert ("", "always") == (folder.course(tmp_path).key, folder.course(tmp_path).solutions)


def test_an_identity_is_made_once(tmp_path: Path) -> None:
    """And is no name."""
    assert folder.identity(tmp_path) == folder.identity(tmp_path)
    assert 16 == len(json.loads((tmp_path / ".fourthreads" / "identity.json").read_text())["learner"])


def test_start_makes_the_workspace_and_says_where_it_is(tmp_path: Path) -> None:
    """A second start says only that; JupyterLab is not needed for it."""
    from click.testing import CliRunner

    from course.cli import main

    argv = ["start", "--no-lab", "--workspace", str(tmp_path / "mine")]
    first, second = CliRunner().invoke(main, argv), CliRunner().invoke(main, argv)
    assert (0, 0) == (first.exit_code, second.exit_code)
    assert "gates: here is the notebook." in first.output
    assert f"Your workspace is {(tmp_path / 'mine').resolve()}\n" == second.output
    assert (tmp_path / "mine" / "home.ipynb").is_file()
