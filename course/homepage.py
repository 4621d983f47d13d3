"""The course home: the labs in order, how far each is, what it costs, where to go on; read from the learner's journals."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from course import build, steps
from course.reply import Reply
from grader import work as works
from grader.card import total
from grader.marks import marks
from grader.work import Evidence
from labs import catalog, plain
from labs.errors import FourThreadsError, SetupError
from labs.journal import Journal
from labs.spec import Lab

NOTEBOOK = "home.ipynb"
CELL = "fourthreads-home"
#: Ids of the home's cells in earlier releases.
OLD_CELLS = ("home-text", "home")


@dataclass(frozen=True)
class Row:
    """One lab in the home.

    Attributes:
        state: ``not started``, ``step 6 of 17`` or ``finished``.
        next_step: What to do there next; empty where nothing is left.
        last: When it was worked in last (seconds since 1970), 0 where it was not.
        heading: The heading of the step where it goes on.
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
    heading: str = ""

    @property
    def path(self) -> str:
        """The notebook, seen from the home."""
        return f"{self.slug}/{self.slug}.ipynb"

    @property
    def target(self) -> str:
        """The notebook at the heading where it goes on, as JupyterLab and Notebook 7 name headings."""
        return f"{self.path}#{quote(self.heading.replace(' ', '-'))}" if self.heading else self.path


def rows(workspace: Path) -> tuple[Row, ...]:
    """Return a row for each lab that has a notebook in the workspace."""
    found = [catalog.load(slug) for slug in catalog.slugs()]
    return tuple(
        _row(lab, workspace / lab.slug) for lab in found if (workspace / lab.slug / f"{lab.slug}.ipynb").is_file()
    )


def _row(lab: Lab, folder: Path) -> Row:
    whole = Row(lab.slug, lab.title, lab.minutes, lab.rooms, "", 0.0, lab.max_points, "", 0.0)
    try:
        entries = Journal(folder, lab.slug).entries()
    except FourThreadsError as problem:
        return replace(whole, state="its journal cannot be read", next_step=str(problem))
    done = works.read(lab, entries)
    points, most = total(marks(lab, Evidence(lab.slug, entries)))
    at = steps.position(done)
    begun = any(entry.kind not in ("open", "draw") for entry in entries)
    finished = at >= len(lab.steps)
    return replace(
        whole,
        state="finished" if finished else f"step {at} of {len(lab.steps)}" if begun else "not started",
        points=points,
        next_step=""
        if finished and points >= most
        else "look at your card"
        if finished
        else _step(lab, at)
        if begun
        else "begin",
        last=done.last.wall if done.last else 0.0,
        heading=_heading(lab, folder, at) if begun else "",
    )


def _heading(lab: Lab, folder: Path, at: int) -> str:
    """Return the heading of a step, the nearest at or before it that has one."""
    try:
        cells = json.loads((folder / f"{lab.slug}.ipynb").read_text("utf-8"))["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    found = {int(number): whole for whole, number in re.findall(r"^#+ ((\d+) · .*)$", text, re.MULTILINE)}
    return str(found.get(max((number for number in found if number <= at), default=0), "")).strip()


def _step(lab: Lab, at: int) -> str:
    verb, thing = steps.act(lab.steps[at - 1])
    words = {
        "recall": "warm up with",
        "predict": "bet on",
        "measure": "measure",
        "evidence": "read the record of",
        "explain": "explain",
        "plot": "your records as a picture",
        "what_if": "numbers to play with",
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


def markdown(found: tuple[Row, ...]) -> str:
    """Return the home as markdown: where to go on, then the labs as a table whose links Tab reaches and Enter opens."""
    there = resume(found)
    if there is None:
        on = "All labs here are finished."
    else:
        step = f"{there.state}, {there.next_step}" if there.last else there.next_step
        on = f"**Go on:** [{there.slug}: {step}]({there.target})"
    lines = [
        "# Four Threads",
        "",
        on,
        "",
        "| lab | question | state | points | minutes | runs in | next |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in found:
        cells = (
            row.title,
            row.state,
            f"{row.points:g} of {row.most:g}",
            str(row.minutes),
            ", ".join(row.rooms),
            row.next_step,
        )
        lines.append(
            "| " + " | ".join([f"[{row.slug}]({row.path})", *(text.replace("|", "\\|") for text in cells)]) + " |"
        )
    lines += ["", "Points are out of each lab's whole. This page is written anew at every start and by each lab's last cell, `check()`; "
              "if it is open meanwhile: *File*, *Reload Notebook from Disk*."]  # fmt: skip
    return "\n".join(lines)


def notebook(found: tuple[Row, ...], own: Iterable[dict[str, Any]] = ()) -> str:
    """Return the home's notebook: nothing in it needs to be run, so it works wherever notebooks are shown.

    Args:
        found: The labs.
        own: Cells that the learner put into it; they stay, below.
    """
    source = markdown(found).splitlines(keepends=True)
    home: dict[str, Any] = {"cell_type": "markdown", "id": CELL, "metadata": {"editable": False}, "source": source}
    whole = {
        "cells": [home, *own],
        "metadata": {"kernelspec": build.KERNEL, "language_info": build.LANGUAGE},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def refresh(workspace: Path) -> None:
    """Write the home of a workspace anew, whole or not at all; cells of the learner's own in it stay."""
    path = workspace / NOTEBOOK
    own: list[dict[str, Any]] = []
    try:
        before = plain.read(path).decode()
        cells = json.loads(before).get("cells", [])
        own = [cell for cell in cells if cell.get("id") not in (CELL, *OLD_CELLS)]
    except FileNotFoundError:
        before = ""
    except (ValueError, AttributeError, OSError, SetupError):
        return  # somebody made something else of it; it is theirs
    text = notebook(rows(workspace), own)
    if text != before:
        plain.write(path, text.encode())
