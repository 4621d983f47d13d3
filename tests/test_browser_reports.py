"""The pages for a class in a real browser: nothing runs, nothing is fetched, and they fit a projector and half a screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import histogram, report
from labs import catalog
from tests import bettors, browser
from tests.test_overview import RELEASED, of_300

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def pages(folder: Path) -> dict[str, Path]:
    """Write the pages of a class of 40 (bets) and of 300 (table)."""
    found = {"class": report.class_page(of_300(), "Class net", RELEASED)}
    for slug in ("gates", "places"):
        lab = catalog.load(slug)
        found[slug] = report.histogram_page(lab, histogram.histograms(lab, bettors.room_of(lab, 40)), 40)
    made = {name: folder / f"{name}.html" for name in found}
    for name, text in found.items():
        made[name].write_text(text, "utf-8")
    return made


def test_pages_of_a_class_fit_and_stay_by_themselves(tmp_path: Path) -> None:
    """No sideways scrolling at 1280 and 640 pixels, opened and shut; no request but for the page itself."""
    asked: list[str] = []
    made = pages(tmp_path)
    for width in (1280, 640):
        with browser.chromium(tmp_path / f"profile-{width}", width=width) as page:
            page.on("request", lambda request: asked.append(request.url))
            for name, path in made.items():
                page.goto(path.as_uri())
                for opened in ("false", "true"):
                    page.evaluate(f"document.querySelectorAll('details').forEach((one) => {{ one.open = {opened}; }})")
                    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (name, width)
    assert {path.as_uri() for path in made.values()} == {*asked}


def test_what_node_did_is_opened_by_the_keyboard(tmp_path: Path) -> None:
    """Shut, no bar has another colour and no idea has a name; Enter opens it."""
    with browser.chromium(tmp_path / "profile") as page:
        page.goto(pages(tmp_path)["gates"].as_uri())
        hidden = page.locator("tr.node").first
        assert not hidden.is_visible()
        assert "batches:" not in page.inner_text("main")
        page.locator("summary").nth(1).focus()
        page.keyboard.press("Enter")
        assert "batches:" in page.inner_text("main")
        assert page.locator("section").nth(1).locator("tr.node").first.is_visible()
