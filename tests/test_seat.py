"""A submission is seated in the master: graded cells are the master's, and what a student wrote is text."""

from __future__ import annotations

import re

import pytest

from grader import seat
from tests import handed

LIVE = re.compile(
    r"<\s*(script|iframe|object|embed|svg|math|style|form|img|link|meta|base)\b|\son\w+\s*=|(?:href|src)=.?\s*(?:javascript|data)",
    re.IGNORECASE,
)


def sources(found: seat.Notebook) -> str:
    """Return the text of all cells."""
    return "\n".join(seat.text_of(cell["source"]) for cell in found["cells"])


@pytest.mark.parametrize(
    "text",
    ["<script>x</script>", '<img src=x onerror="x">', "[a](javascript:x)", "![a](attachment:gone.svg)", "[a]: javascript:x\n\n[a]",
     "<a href='&#106;avascript:x'>a</a>", "<svg onload=x>", "</div><script>x</script>", "a\n\n\n<script>x</script>", "[" * 3000, "> " * 5000,
     "$\\href{javascript:x}{y}$", "<!-- <script>x</script> -->", "<style>@import 'x'</style>", "\\begin{equation}</script><script>x</script>"],
)  # fmt: skip
def test_students_markdown_cannot_run(text: str) -> None:
    """It is rendered and cleaned, one block from end to end; where it cannot be rendered it is shown as it was typed."""
    cleaned = seat.clean_markdown(text)
    assert LIVE.search(re.sub(r"&\w+;", "", cleaned)) is None, cleaned
    assert "\n\n" not in cleaned
    assert (
        cleaned == ""
        or cleaned.startswith('<div class="tex2jax_ignore mathjax_ignore">')
        and cleaned.endswith("</div>")
    )


def test_graded_cells_are_the_masters_whatever_was_done_to_them() -> None:
    """Edited, retyped, raised in points, split, deleted: none of it arrives."""
    master = handed.release()
    mine = handed.release()
    for cell in mine["cells"]:
        if cell["metadata"]["nbgrader"]["grade"]:
            cell |= {"cell_type": "markdown", "source": "changed"}
            cell["metadata"]["nbgrader"]["points"] = 100
    mine["cells"] = mine["cells"][5:] + mine["cells"][:2]
    seated = seat.seat(master, mine)
    graded = [cell for cell in master["cells"] if cell["metadata"]["nbgrader"]["grade"]]
    assert graded == [
        {**cell, "source": cell["source"]}
        for cell in seated["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade")
    ]


def test_a_students_text_stands_in_its_blank_and_the_rest_at_the_end() -> None:
    """Nothing they wrote is lost to the person who reads it."""
    mine = handed.release()
    handed.cell(mine, "gates-09-explain-why")["source"] = ['gates.explain("why", "b")']
    mine["cells"].insert(3, handed.code("my_own = 1"))
    seated = seat.seat(handed.release(), mine)
    assert (
        'gates.explain("why", "b")'
        == handed.cell({"cells": seated["cells"][: len(handed.release()["cells"])]}, "gates-09-explain-why")["source"]
    )
    assert "my_own = 1" == seated["cells"][-1]["source"]
    assert "Further cells" in seated["cells"][-2]["source"]


@pytest.mark.parametrize(
    "submitted", [None, [], {"cells": 3}, {"cells": [None, 1, {"metadata": []}]}, {"cells": [{"source": {"a": 1}}]}]
)
def test_whatever_the_file_parsed_to_is_taken(submitted: object) -> None:
    """The master comes out."""
    assert len(handed.release()["cells"]) == len(seat.seat(handed.release(), submitted)["cells"])
