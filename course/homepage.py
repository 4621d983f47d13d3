"""The course home: the labs in order, how far each is, what it costs, where to go on; read from the learner's journals."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course import build, steps
from course.reply import Reply
from grader import work as works
from grader.card import total
from grader.marks import marks
from grader.work import Evidence
from labs import catalog
from labs.errors import RecordError
from labs.journal import Journal
from labs.spec import Lab

NOTEBOOK = "home.ipynb"


@dataclass(frozen=True)
class Row:
    """One lab in the home.

    Attributes:
        state: ``not started``, ``step 6 of 17`` or ``finished``.
        next_step: What to do there next; empty where nothing is left.
    """

    slug: str
    title: str
    minutes: int
    rooms: tuple[str, ...]
    state: str
    points: float
    most: float
    next_step: str
    last: float

    @property
    def path(self) -> str:
        """The notebook, seen from the home."""
        return f"{self.slug}/{self.slug}.ipynb"


def rows(workspace: Path) -> tuple[Row, ...]:
    """Return a row for each lab that has a notebook in the workspace."""
    found = [catalog.load(slug) for slug in catalog.slugs()]
    return tuple(
        _row(lab, workspace / lab.slug) for lab in found if (workspace / lab.slug / f"{lab.slug}.ipynb").is_file()
    )


def _row(lab: Lab, folder: Path) -> Row:
    try:
        entries = Journal(folder, lab.slug).entries()
    except RecordError as problem:
        state = "its journal cannot be read"
        return Row(lab.slug, lab.title, lab.minutes, lab.rooms, state, 0.0, lab.max_points, str(problem), 0.0)
    done = works.read(lab, entries)
    points, most = total(marks(lab, Evidence(lab.slug, entries)))
    at = steps.position(done)
    begun = any(entry.kind not in ("open", "draw") for entry in entries)
    finished = at >= len(lab.steps)
    state = "finished" if finished else f"step {at} of {len(lab.steps)}" if begun else "not started"
    left = (
        "" if finished and points >= most else "look at your card" if finished else _step(lab, at) if begun else "begin"
    )
    return Row(
        lab.slug, lab.title, lab.minutes, lab.rooms, state, points, most, left, done.last.wall if done.last else 0.0
    )


def _step(lab: Lab, at: int) -> str:
    verb, thing = steps.act(lab.steps[at - 1])
    words = {
        "predict": "bet on",
        "measure": "measure",
        "evidence": "read the record of",
        "explain": "explain",
        "node": "your script",
        "check": "your card",
    }
    return f"{words[verb]} {thing}".strip() if verb in words else thing


def resume(found: Iterable[Row]) -> Row | None:
    """Return where to go on: the lab worked in last if it is not finished, else the first that is not."""
    open_ones = [row for row in found if row.state != "finished"]
    begun = [row for row in open_ones if row.last > 0]
    return max(begun, key=lambda row: row.last) if begun else next(iter(open_ones), None)


def text(found: tuple[Row, ...]) -> str:
    """Return the home as text."""
    lines = [f"{'lab':<12}{'state':<16}{'points':<14}{'minutes':<9}{'runs in':<28}next"]
    for row in found:
        points = f"{row.points:g} of {row.most:g}"
        lines.append(
            f"{row.slug:<12}{row.state:<16}{points:<14}{row.minutes:<9}{', '.join(row.rooms):<28}{row.next_step}".rstrip()
        )
    there = resume(found)
    lines.append(f"Go on with: {there.path}" if there else "All labs here are finished.")
    return "\n".join(lines)


def page(found: tuple[Row, ...]) -> str:
    """Return the home as HTML: a table whose links are reached with Tab and opened with Enter."""
    escape = html.escape
    body = "".join(
        f'<tr><td><a href="{escape(row.path, quote=True)}">{escape(row.slug)}</a></td><td>{escape(row.title)}</td>'
        f"<td>{escape(row.state)}</td><td>{row.points:g} of {row.most:g}</td><td>{row.minutes}</td>"
        f"<td>{escape(', '.join(row.rooms))}</td><td>{escape(row.next_step)}</td></tr>"
        for row in found
    )
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("lab", "question", "state", "points", "minutes", "runs in", "next")
    )
    there = resume(found)
    on = (
        f'<p>Go on with <a href="{escape(there.path, quote=True)}">{escape(there.slug)}</a>: {escape(there.next_step)}</p>'
        if there
        else ""
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{on or '<p>All labs here are finished.</p>'}"


def show(workspace: Path) -> None:
    """Show the home where the learner is."""
    from course import display

    found = rows(workspace)
    if display.shell() is None:
        display.show(Reply((text(found),)))
        return
    from IPython.display import display as shown

    shown({"text/plain": text(found), "text/html": page(found)}, raw=True)  # type: ignore[no-untyped-call]  # untyped in IPython


def notebook() -> str:
    """Return the home's notebook; the same bytes each time."""
    welcome = [
        "# Four Threads\n",
        "\n",
        "Run the cell below (Shift+Enter): it shows your labs, how far you are, and where to go on. It can be run at any time.",
    ]
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "home-text", "metadata": {}, "source": welcome},
        {
            "cell_type": "code", "id": "home", "metadata": {}, "execution_count": None, "outputs": [],
            "source": ["from course import home\n", "\n", "home()"],
        },
    ]  # fmt: skip
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": build.KERNEL, "language_info": build.LANGUAGE},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, sort_keys=True) + "\n"
