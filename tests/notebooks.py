"""Help for tests that run a learner's notebook in a real kernel: filled in, run where it lies, read as data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from course import machinery, workspace
from grader import intake
from grader.judge import judge
from grader.work import Evidence
from labs import catalog
from tests import people, screenshots


def given(folder: Path, slug: str) -> Path:
    """Return a learner's own notebook, as it is given out."""
    workspace.update(folder)
    return folder / slug / f"{slug}.ipynb"


def fill(path: Path) -> None:
    """Type the right answers into the blanks, and what the lab's people type that nobody could guess."""
    slug = path.stem
    it = machinery.session(slug, path.parent)
    notebook = json.loads(path.read_text("utf-8"))
    typed = dict(screenshots.filled(it, notebook))
    for name, source in people.of(slug).typed(it).items():
        typed[cell_id(notebook, name)] = source
    for cell in notebook["cells"]:
        cell["source"] = typed.pop(cell["id"], cell["source"])
    assert {} == typed
    path.write_text(json.dumps(notebook), "utf-8")


def run(path: Path, seconds: int = 280) -> dict[str, Any]:
    """Run all cells of a notebook where it lies, save it, and return it as data; each cell may take so long."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]  # nbformat ships no types
    NotebookClient(notebook, timeout=seconds, resources={"metadata": {"path": str(path.parent)}}).execute()
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]  # as above
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def cell_id(notebook: Mapping[str, Any], name: str) -> str:
    """Return the id of the last cell of that name, whatever its number: ``measure-state`` for ``gates-15-measure-state``."""
    return [str(cell["id"]) for cell in notebook["cells"] if re.fullmatch(rf"\w+-\d+-{name}", cell["id"])][-1]


def outputs(notebook: Mapping[str, Any], name: str | None = None) -> list[dict[str, Any]]:
    """Return every output of a notebook, or of one of its cells."""
    which = None if name is None else cell_id(notebook, name)
    return [output for cell in notebook["cells"] if which in (None, cell["id"]) for output in cell.get("outputs", [])]


def said(notebook: Mapping[str, Any], name: str) -> str:
    """Return what one cell said."""
    return "\n".join("".join(output["data"]["text/plain"]) for output in outputs(notebook, name))


def evidence(path: Path) -> Evidence:
    """Return what one file holds, a notebook or a journal, without anything beside it."""
    slug = path.parent.name
    return intake.evidence_of(catalog.load(slug), {path.name: path.read_bytes()})


def points(path: Path) -> dict[str, float]:
    """Return the points of each item, by the one file alone."""
    return {verdict.check: verdict.points for verdict in judge(catalog.load(path.parent.name), evidence(path))}
