"""The what-if of ``waves`` in JupyterLab, in a real Chromium: sliders redraw text and picture, and both stay without them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from course import workspace
from tests import browser
from tests.browser import Book, Server

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.timeout(300)]
ARTEFACTS = Path(__file__).resolve().parent.parent / "artefacts"
CELL = "waves-11-what-if"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A course, started."""
    with browser.served(tmp_path_factory.mktemp("home")) as server:
        yield server


@pytest.fixture(scope="module")
def page(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A browser."""
    with browser.chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


def drawn(book: Book) -> tuple[str, str]:
    """Return the first line of the what-if's text, and its picture."""
    output = book.cell(CELL)
    text = output.locator("pre.fourthreads").first.inner_text().splitlines()[0]
    return text, str(output.locator("img").first.get_attribute("src"))


def slide(book: Book, place: int, key: str, times: int) -> None:
    """Move a slider with the keyboard, as somebody without a mouse does."""
    handle = book.cell(CELL).locator(".noUi-handle").nth(place)
    handle.focus()
    for _ in range(times):
        book.page.keyboard.press(key)


def test_sliders_redraw_text_and_picture_and_both_outlive_them(server: Server, page: Page) -> None:
    """Moved, saved, and opened again with a kernel that knows nothing of them: what was last drawn still stands there."""
    workspace.update(server.workspace / "jonas")
    notebook = "jonas/waves/waves.ipynb"
    book = browser.opened(page, server, notebook)
    book.run("waves-02-ready")
    book.run(CELL)
    before = drawn(book)
    assert "4 slots, 8 hashes," in before[0] and before[1].startswith("data:image/png")

    slide(book, 0, "ArrowRight", 4)
    browser.until(lambda: "8 slots, 8 hashes," in drawn(book)[0], "the text follows the slider")
    browser.until(lambda: drawn(book)[1] != before[1], "the picture follows the slider")
    moved = drawn(book)
    browser.crop(book, ("waves-11-text", CELL), ARTEFACTS / "waves-what-if.png")
    assert [] == book.red()

    book.save()
    saved = json.loads((server.workspace / notebook).read_text("utf-8"))
    outputs = next(cell for cell in saved["cells"] if cell["id"] == CELL)["outputs"]
    assert any(
        moved[0] in "".join(output["data"]["text/plain"]) and "image/png" in output["data"] for output in outputs
    )
    again = browser.opened(page, server, notebook)
    again.restart()
    assert moved == drawn(again)


def test_run_all_on_a_fresh_notebook(server: Server, page: Page) -> None:
    """Bets say they are blank, measures want the bet first; nothing red, and nothing runs out of its cell."""
    workspace.update(server.workspace / "fresh")
    book = browser.opened(page, server, "fresh/waves/waves.ipynb")
    book.run_all()
    for name in ("all-at-once", "other-cores", "own"):
        cells = [cell for cell in book.cells if cell.endswith(name)]
        assert any("No number yet" in book.text(cell) for cell in cells) and any(
            "First your bet" in book.text(cell) for cell in cells
        )
    assert all(book.text(cell) for cell in book.code())
    wide = book.panel.locator("pre.fourthreads").evaluate_all(
        "all => all.filter(pre => pre.scrollWidth > pre.clientWidth + 1).map(pre => pre.textContent)"
    )
    assert ([], []) == (wide, book.red())
    browser.pictures(book, ARTEFACTS, "waves-fresh-lab")
