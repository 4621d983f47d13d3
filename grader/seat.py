"""Seat a submission in a fresh copy of the master: whatever was done to its cells, the graded ones are the master's.

A submitted notebook is only ever read as data. Its graded and locked cells are thrown away; what the student wrote in
blanks is carried over as text; everything else they added is listed at the end. What could run in a browser (HTML, links,
attachments, outputs, metadata) does not come along, so nothing a student wrote can act in formgrader or in feedback.
"""

from __future__ import annotations

import copy
import html
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import nh3

#: A student's cell longer than this is cut (characters); the whole text stays in the submission.
LONGEST_SOURCE = 100_000
#: Markdown longer than this is shown as it was typed (characters): a parser may need very long for it.
LONGEST_MARKDOWN = 8_000
#: After so much markdown in one submission the rest is shown as it was typed (characters).
MOST_MARKDOWN = 60_000
#: More cells of a student's own than this are counted, not shown.
MOST_EXTRA_CELLS = 200

Notebook = dict[str, Any]
Cell = dict[str, Any]

EXTRA_TITLE = "## Further cells of this submission\n\nThey are shown as text; they were not run and are not graded."


def text_of(value: object) -> str:
    """Return a cell's source as one string, whatever the file held there (notebook format 4 allows a list of lines)."""
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    if not isinstance(value, str):
        return ""
    value = value.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be written to a file
    if len(value) > LONGEST_SOURCE:
        return value[:LONGEST_SOURCE] + f"\n... cut here: {len(value)} characters in all"
    return value


def clean_markdown(text: str, plain: bool = False) -> str:
    """Return student's markdown as HTML in which nothing runs and nothing is fetched.

    It is rendered first and cleaned afterwards: links and images made by markdown's own syntax are cleaned too.

    Args:
        text: What the student typed.
        plain: Show it as it was typed.
    """
    rendered = f"<pre>{html.escape(text)}</pre>" if plain else _rendered(text)
    cleaned = nh3.clean(
        rendered,
        tags=nh3.ALLOWED_TAGS - {"img", "map", "area"},
        attributes={"a": {"href", "title"}},
        url_schemes={"http", "https", "mailto"},
    )
    if not cleaned.strip():
        return ""
    # One HTML block from end to end: a blank line would end it, and what follows would be read as markdown again. The
    # classes keep MathJax away, whose \\href takes javascript: addresses.
    lines = [line if line.strip() else "&#10;" for line in cleaned.strip().splitlines()]
    return "\n".join(['<div class="tex2jax_ignore mathjax_ignore">', *lines, "</div>"])


def _rendered(text: str) -> str:
    """Return markdown as HTML, pictures as their words; as plain text where it cannot be rendered or is very long."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        def image(self, text: str, url: str, title: str | None = None) -> str:
            return html.escape(text)

    if len(text) <= LONGEST_MARKDOWN:
        try:
            return str(MarkdownWithMath(renderer=Renderer(escape=False)).render(text))
        except Exception:  # a student's text: nesting, attachments that are not there, whatever a parser falls over
            pass
    return f"<pre>{html.escape(text)}</pre>"


def grade_id(cell: object) -> str | None:
    """Return the nbgrader id of a cell, None where it has none or is damaged."""
    if not isinstance(cell, Mapping):
        return None
    metadata = cell.get("metadata")
    ours = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    found = ours.get("grade_id") if isinstance(ours, Mapping) else None
    return found if isinstance(found, str) else None


def cells_of(notebook: object) -> list[Cell]:
    """Return the cells of a submitted notebook that are cells at all."""
    cells = notebook.get("cells") if isinstance(notebook, Mapping) else None
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []


def seat(master: Notebook, submitted: object) -> Notebook:
    """Return the master with the student's text in its blanks, and the student's further cells after it.

    Args:
        master: The released notebook (nbformat 4 as plain data).
        submitted: Whatever the student's file parsed to.

    Returns:
        A new notebook; no output, attachment or metadata of the student's is in it.
    """
    seated = copy.deepcopy(master)
    blanks = {grade_id(cell): cell for cell in seated["cells"] if _is_blank(cell)}
    known = {grade_id(cell) for cell in seated["cells"]} | {None}
    given_text = {(cell["cell_type"], text_of(cell["source"]).strip()) for cell in seated["cells"]}
    filled: set[str] = set()
    extra: list[Cell] = []
    left = MOST_MARKDOWN

    def shown(text: str) -> str:
        nonlocal left
        left -= len(text)
        return clean_markdown(text, plain=left < 0)

    for cell in cells_of(submitted):
        name = grade_id(cell)
        source = text_of(cell.get("source"))
        if name in blanks and name is not None and name not in filled:
            filled.add(name)
            blanks[name]["source"] = source if blanks[name]["cell_type"] == "code" else shown(source)
        elif name not in known or name in filled or (name is None and _is_own(cell, source, given_text)):
            extra.append(_as_text(cell, source, shown))
    seated["cells"] += _listed(extra)
    for number, cell in enumerate(seated["cells"]):
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
        cell.pop("attachments", None)
        cell.setdefault("id", f"seated-{number:03d}")
    return seated


def _is_blank(cell: Cell) -> bool:
    ours = cell["metadata"].get("nbgrader", {})
    return bool(ours.get("solution")) and not ours.get("locked")


def _is_own(cell: Cell, source: str, given: set[tuple[str, str]]) -> bool:
    return bool(source.strip()) and (cell.get("cell_type"), source.strip()) not in given


def _as_text(cell: Cell, source: str, shown: Callable[[str], str]) -> Cell:
    if cell.get("cell_type") == "markdown":
        return {"cell_type": "markdown", "metadata": {}, "source": shown(source)}
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def _listed(extra: Iterable[Cell]) -> list[Cell]:
    cells = list(extra)
    if not cells:
        return []
    more = len(cells) - MOST_EXTRA_CELLS
    title = EXTRA_TITLE + (f" {more} more are not shown." if more > 0 else "")
    listed = [{"cell_type": "markdown", "metadata": {}, "source": title}, *cells[:MOST_EXTRA_CELLS]]
    for number, cell in enumerate(listed):
        cell["id"] = f"further-{number:03d}"
    return listed
