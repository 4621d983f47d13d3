"""The course home in a real browser, without a mouse; and JupyterLab without nbgrader's buttons."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests import browser, classroom, personas
from tests.browser import Server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
KINDS = ("lab", "notebook")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A course that was begun: the learner stopped at step 9."""
    home = tmp_path_factory.mktemp("home")
    it = classroom.session(home / "four-threads" / "gates")
    for slug in ("start", "one gate"):
        personas.bet(it, slug, personas.node_row(it, slug))
        personas.look(it, slug)
    with browser.served(home) as server:
        yield server


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """A fresh browser."""
    with browser.chromium(tmp_path / "profile") as page:
        yield page


@pytest.mark.parametrize("kind", KINDS)
def test_the_home_leads_to_where_one_stopped_without_a_mouse(server: Server, page: Page, kind: str) -> None:
    """Nothing has to be run; Tab reaches the links, Enter opens the lab at the step."""
    book = browser.opened(page, server, "home.ipynb", kind)
    told = book.panel.inner_text()
    assert "step 9 of 17" in told and "not started" not in told.split("gates")[0]
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(document.activeElement.textContent || '').startsWith('gates: step 9')"):
            break
    assert page.evaluate("document.activeElement.tagName") == "A"
    with page.context.expect_page(timeout=60_000) if kind == "notebook" else _same(page) as opened:
        page.keyboard.press("Enter")
    there = opened.value if kind == "notebook" else page
    there.locator(".jp-NotebookPanel:not(.lm-mod-hidden) h1", has_text="How many things run at once").wait_for(
        state="attached"
    )
    there.locator("h2", has_text="9 · Why").first.wait_for(state="visible")


class _same:
    """A block in which no new page is expected."""

    def __init__(self, page: Page) -> None:
        self.value = page

    def __enter__(self) -> _same:
        return self

    def __exit__(self, *problem: object) -> None:
        return None


@pytest.mark.parametrize("kind", KINDS)
def test_validate_is_not_there(server: Server, page: Page, kind: str) -> None:
    """nbgrader's button runs the whole notebook inside the server and freezes it; a learner never meets it."""
    book = browser.opened(page, server, "gates/gates.ipynb", kind)
    toolbar = book.panel.locator(".jp-Toolbar").first
    toolbar.wait_for()
    assert "Validate" not in toolbar.inner_text()
    assert 0 == page.get_by_role("button", name="Validate").count()
    asked = urllib.request.Request(
        f"{server.root}assignments/validate",
        data=b"path=gates/gates.ipynb",
        headers={"Authorization": f"token {server.token}"},
    )
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(asked, timeout=browser.PATIENCE)


@pytest.mark.parametrize("kind", KINDS)
def test_the_menu_of_nbgrader_is_not_there(server: Server, page: Page, kind: str) -> None:
    """It leads to an instructor's tools; in a learner's menu bar stands what a learner can use."""
    browser.opened(page, server, "gates/gates.ipynb", kind)
    page.locator(".lm-MenuBar-item", has_text="Help").wait_for()
    names = [name.strip() for name in page.locator(".lm-MenuBar-item").all_inner_texts()]
    assert {"File", "Edit", "Run", "Kernel"} <= {*names}
    assert "Nbgrader" not in names
