"""From masters to notebooks: ``course/notebooks/NN_slug.py`` (py:percent) becomes ``course/source/SLUG/SLUG.ipynb``.

The same master gives the same bytes. A cell's header names it and says what nbgrader does with it; points never stand
there, they come from the lab's definition:

============================================================  =================================================
``# %% [markdown] nbgrader={"grade_id": ...}``                text, locked
``# %% nbgrader={"grade_id": ..., "solution": true}``         the learner's: a blank ``...``, or ``%%node``
``# %% nbgrader={"grade_id": ITEM, "grade": true}``           graded, locked: one for each item of the lab
``# %% nbgrader={"grade_id": ...}``                           given code, locked
============================================================  =================================================

Without a name a cell is called ``cell-007``, by its place.
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
    """

    kind: str
    name: str
    source: str


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
        given = cell.metadata.get("nbgrader", {})
        name = str(given.get("grade_id", f"cell-{place:03d}"))
        kind = "text" if cell.cell_type == "markdown" else "graded" if given.get("grade") else "given"
        if kind == "given" and given.get("solution"):
            kind = "blank"
        if kind == "graded" and name not in items:
            raise BuildError(
                f"{master.name}: {name!r} is graded, and the lab has no such item; it has {', '.join(sorted(items))}."
            )
        source = cell.source
        if language := cell.metadata.get("language"):
            # jupytext keeps the script of a magic as commented text, with the magic in the header.
            source = f"%%{language} {cell.metadata.get('magic_args', '')}".rstrip() + f"\n{source}"
        if kind in ("given", "blank") and is_blank(source) != (kind == "blank"):
            raise BuildError(
                f"{master.name}: {name!r} has a blank to type into, or is marked as solution: it must be both."
            )
        found.append(Cell(kind, name, source))
    names = [cell.name for cell in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BuildError(f"{master.name}: two cells have the name {twice[0]!r}.")
    graded = {cell.name for cell in found if cell.kind == "graded"}
    if missing := sorted(items - graded):
        raise BuildError(f'{master.name}: no cell is the graded cell of {missing[0]!r}: its header says "grade": true.')
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
