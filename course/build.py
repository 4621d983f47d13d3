"""From masters to notebooks: ``course/notebooks/NN_slug.py`` (py:percent) becomes ``course/source/SLUG/SLUG.ipynb``.

The same master gives the same bytes. A cell's header may name its graded item (``# %% grade_id="gates-why"``); its points
come from the lab. What a learner types into is told by its text: a blank ``...`` or ``%%node`` in the first line.

=================  ===========================================================
cell               nbgrader
=================  ===========================================================
text               locked
code with a blank  solution: the learner's, kept as it is
item's grade_id    graded, locked, with the points of the lab's definition
other code         locked
=================  ===========================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labs import catalog
from labs.errors import FourThreadsError
from labs.spec import Lab

ROOT = Path(__file__).resolve().parent
MASTERS = ROOT / "notebooks"
SOURCE = ROOT / "source"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "mimetype": "text/x-python", "name": "python", "pygments_lexer": "ipython3"}
_BLANK = re.compile(r"(?<![.\w])\.\.\.(?![.\w])")


class BuildError(FourThreadsError):
    """A master cannot become a notebook; the text names the cell."""

    code = "build"


@dataclass(frozen=True)
class Cell:
    """One cell of a master.

    Attributes:
        kind: ``text``, ``blank``, ``graded`` or ``given``.
        name: Its id: the ``grade_id``, or ``cell-007`` by its place.
        source: Its text.
        step: The lab's step it belongs to, from its place, from 1.
    """

    kind: str
    name: str
    source: str
    step: int


def masters() -> tuple[Path, ...]:
    """Return the masters, in the order of the course."""
    return tuple(sorted(MASTERS.glob("[0-9][0-9]_*.py")))


def slug_of(master: Path) -> str:
    """Return the lab of a master: ``00_gates.py`` is about ``gates``."""
    return master.stem.split("_", 1)[1]


def is_blank(source: str) -> bool:
    """Return whether a learner types into a code cell: it has a blank, or is a script of theirs."""
    code = "\n".join(line.split("#", 1)[0] for line in source.splitlines())
    return source.startswith("%%node") or bool(_BLANK.search(code))


def cells(master: Path) -> tuple[Cell, ...]:
    """Read a master.

    Raises:
        BuildError: It names an item twice, or one that the lab does not have, or misses one.
    """
    import jupytext  # type: ignore[import-untyped]  # it carries no types

    lab = catalog.load(slug_of(master))
    items = {item.grade_id for item in lab.items}
    notebook = jupytext.reads(master.read_text("utf-8"), fmt="py:percent")
    found: list[Cell] = []
    for place, cell in enumerate(notebook.cells, 1):
        name = cell.metadata.get("grade_id")
        if cell.cell_type == "markdown":
            kind = "text"
        elif name in items:
            kind = "graded"
        else:
            kind = "blank" if is_blank(cell.source) else "given"
        found.append(Cell(kind, str(name or f"cell-{place:03d}"), cell.source, int(cell.metadata.get("step", 0))))
    names = [cell.name for cell in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BuildError(f"{master.name}: two cells have the name {twice[0]!r}.")
    graded = {cell.name for cell in found if cell.kind == "graded"}
    if missing := sorted(items - graded):
        raise BuildError(f"{master.name}: no cell is the graded cell of {missing[0]!r}: write # %% grade_id=\"{missing[0]}\".")
    return tuple(found)


def notebook(master: Path) -> dict[str, Any]:
    """Return a master's notebook, with nbgrader's metadata, without outputs."""
    lab = catalog.load(slug_of(master))
    return {
        "cells": [_cell(cell, lab) for cell in cells(master)],
        "metadata": {"kernelspec": KERNEL, "language_info": LANGUAGE},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(cell: Cell, lab: Lab) -> dict[str, Any]:
    kind = "markdown" if cell.kind == "text" else "code"
    grader: dict[str, Any] = {
        "cell_type": kind,
        "grade": cell.kind == "graded",
        "grade_id": cell.name,
        "locked": cell.kind != "blank",
        "schema_version": 3,
        "solution": cell.kind == "blank",
        "task": False,
    }
    if cell.kind == "graded":
        grader["points"] = next(item.points for item in lab.items if item.grade_id == cell.name)
    metadata: dict[str, Any] = {"nbgrader": grader}
    if cell.kind != "blank":
        metadata |= {"deletable": False, "editable": False}
    whole = {"cell_type": kind, "id": cell.name, "metadata": metadata, "source": cell.source.splitlines(keepends=True)}
    return whole if kind == "markdown" else {**whole, "execution_count": None, "outputs": []}


def text(master: Path) -> str:
    """Return the notebook's bytes as text; deterministic."""
    return json.dumps(notebook(master), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def target(master: Path) -> Path:
    """Return where a master's notebook belongs."""
    slug = slug_of(master)
    return SOURCE / slug / f"{slug}.ipynb"


def stale() -> Iterator[Path]:
    """Yield every notebook that is not what its master says."""
    for master in masters():
        path = target(master)
        if not path.is_file() or path.read_text("utf-8") != text(master):
            yield path


def build() -> list[Path]:
    """Build every notebook whose master has changed; return those."""
    changed = list(stale())
    for master in masters():
        path = target(master)
        if path in changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(master), "utf-8")
    return changed
