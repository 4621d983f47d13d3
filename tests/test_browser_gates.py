"""The lab `gates` in JupyterLab and Notebook 7, in a real Chromium, on the server that `fourthreads start` starts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page

from course import asking, build, machinery, measuring, workspace
from course.session import Session
from grader import answering
from labs.gates import stories
from labs.gates.draw import needed
from tests import browser, classroom
from tests.browser import Server

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.timeout(300)]
ARTEFACTS = Path(__file__).resolve().parent.parent / "artefacts"


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


def learner(server: Server, name: str) -> str:
    """Give a learner a workspace of their own below the server's, and return the path of their notebook there."""
    workspace.update(server.workspace / name)
    return f"{name}/gates/gates.ipynb"


def letter(it: Session, slug: str, option: str) -> str:
    """Return the letter that an option was given in this learner's draw."""
    question = answering.found(it.lab, slug)
    assert question is not None
    here, seed = asking.scene(it, it.work(), question)
    return next(letter for letter, one in answering.lettered(question, here, seed).items() if one.slug == option)


@dataclass(frozen=True)
class Way:
    """What was typed by somebody on their way through the lab, and what was shown."""

    notebook: str
    folder: Path
    it: Session
    said: dict[str, str]
    red: list[str]
    troubles: list[str]


@pytest.fixture(scope="module")
def way(server: Server, page: Page) -> Way:
    """Go through all cells: the first bet is "no limit", everything else is as Node does it."""
    notebook = learner(server, "mira")
    folder = server.workspace / "mira" / "gates"
    book = browser.opened(page, server, notebook)
    said: dict[str, str] = {}

    def run(cell: str, source: str = "") -> None:
        if source:
            said[f"{cell} blank"] = book.run(cell)  # as the texts ask for: it prints the learner's numbers
            book.fill(cell, source)
        said[cell] = book.run(cell)

    run("gates-02-ready")
    said["too early"] = book.run("gates-05-measure-start")
    run("gates-04-predict-start", 'gates.predict("start", held=12, sure="bet")')
    run("gates-05-measure-start")
    run("gates-06-evidence")
    it = machinery.session("gates", folder)
    bets = {slug: stories.node(it.scene(it.work(), slug))[slug] for slug in ("one gate", "canary")}
    one = bets["one gate"]
    run("gates-07-predict-one-gate", f'gates.predict("one gate", held={one["held"]}, starts={one["starts"]})')
    run("gates-08-measure-one-gate")
    run("gates-09-explain-why", f'gates.explain("why", "{letter(it, "why", "one-line")}")')
    run("gates-why")
    run("gates-10-plot")
    run("gates-11-script", f"%%node gates\n{classroom.SOUND}")
    run("gates-12-predict-canary", f'gates.predict("canary", openings={bets["canary"]["openings"]})')
    run("gates-13-measure-canary")
    opens = list(needed(classroom.numbers(it, "state")["target"]))
    run("gates-14-measure-state", f'gates.measure("state", open={opens})')
    run("gates-15-explain-cannot", f'gates.explain("cannot", "{letter(it, "cannot", "done-before-started")}")')
    hours = classroom.numbers(it, "service")["pool"]
    run(
        "gates-16-explain-service",
        f'gates.explain("service", hour={hours}, after="{letter(it, "service", "postpone")}")',
    )
    for cell in ("gates-own-script", "gates-bets", "gates-state", "gates-cannot", "gates-service", "gates-17-check"):
        run(cell)
    book.save()
    browser.pictures(book, ARTEFACTS, "gates-way")
    notices = page.locator(".Toastify__toast").all_inner_texts()  # Jupyter asking whether it may send news, for one
    return Way(notebook, folder, it, said, book.red(), [*book.troubles, *notices])


def records(folder: Path) -> int:
    """Return how many records a learner's journal holds."""
    return sum(entry.kind == "record" for entry in machinery.session("gates", folder).journal().entries())


def test_a_bet_that_does_not_come_true_is_answered_in_its_own_words(way: Way) -> None:
    """No bet, no look; then what Node did beside what was said, the story that gives the number, and what does not fit it."""
    assert "First your bet" in way.said["too early"]
    assert "Noted: 12 held" in way.said["gates-04-predict-start"]
    shown = way.said["gates-05-measure-start"]
    assert "HELD  4 of 12" in shown and "you said 12 (bet)" in shown
    assert "Twelve is what you get if every asynchronous call receives a thread of its own" in shown
    assert 4 == way.said["gates-06-evidence"].count("<- held")


def test_the_numbers_of_the_draw_are_in_the_question_and_in_the_answer(way: Way) -> None:
    """The blank cell prints them; the measurement is about the same ones."""
    drawn = classroom.numbers(way.it, "one gate")
    asked = way.said["gates-07-predict-one-gate blank"]
    assert f"{drawn['pool']} slots, {drawn['tasks']} gates" in asked and f"gate {drawn['first']} is opened" in asked
    assert f"GATE {drawn['first']}  slots" in way.said["gates-08-measure-one-gate"]


def test_the_way_ends_with_a_full_card(way: Way) -> None:
    """10 of 10, as the journal has it; a bet that does not come true costs nothing."""
    assert "10 of 10" in way.said["gates-17-check"].splitlines()[0]
    assert "STAT BACK after" in way.said["gates-13-measure-canary"]
    assert "reached" in way.said["gates-14-measure-state"]


def test_nothing_is_red_and_the_console_is_silent(way: Way) -> None:
    """No traceback, nothing on standard error, no error in the browser's console."""
    assert ([], []) == (way.red, way.troubles)


def test_a_finished_notebook_measures_nothing_again(way: Way, server: Server, page: Page) -> None:
    """Run All shows each kept record with its day; the journal is the same to the byte."""
    before = (way.folder / "journal.jsonl").read_bytes()
    book = browser.opened(page, server, way.notebook)
    book.run_all()
    for cell, measure in (("05", "start"), ("08", "one gate"), ("13", "canary")):
        shown = book.text(f"gates-{cell}-measure-{measure.replace(' ', '-')}")
        (kept,) = way.it.work().records[measure, 0]
        assert "nothing was measured now" in shown
        assert f"Kept from {measuring.day(kept.record.clock.wall)}" in shown
    assert before == (way.folder / "journal.jsonl").read_bytes()
    assert ([], []) == (book.red(), book.troubles)


def test_after_a_restart_only_the_second_cell_is_missed(way: Way, server: Server, page: Page) -> None:
    """A later cell alone is Python's own NameError; with cell 2 everything is there again."""
    book = browser.opened(page, server, way.notebook)
    book.restart()
    assert "NameError" in book.run("gates-17-check")
    assert "After a restart of the kernel, run this cell first." in book.run("gates-02-ready")
    assert "10 of 10" in book.run("gates-17-check")


def test_pictures_and_texts_fit_their_cells(way: Way, server: Server, page: Page) -> None:
    """At 1280 pixels: the picture is not scaled down, says in text what it shows, and nothing runs out of a cell."""
    book = browser.opened(page, server, way.notebook)
    book.run("gates-02-ready")
    book.run("gates-10-plot")
    picture = book.cell("gates-10-plot").locator("img")
    natural, shown = picture.evaluate("img => [img.naturalWidth, img.clientWidth]")
    assert 300 < natural == shown
    assert "slots [1] [2] [3] [4]" in (picture.get_attribute("alt") or "")
    wide = book.panel.locator("pre.fourthreads").evaluate_all(
        "all => all.filter(pre => pre.scrollWidth > pre.clientWidth + 1).map(pre => pre.textContent)"
    )
    assert [] == wide


def test_the_longest_line_stands_in_one(server: Server, page: Page) -> None:
    """An answer's 110 characters fit a window of 1280 pixels; what is longer is broken between words."""
    book = browser.opened(page, server, learner(server, "wide"))
    book.fill("gates-04-predict-start", "from course.reply import say\nfrom course.display import show")
    book.run("gates-04-predict-start")
    book.fill("gates-07-predict-one-gate", "show(say('word ' * 21 + 'words')); show(say('words ' * 30))")
    book.run("gates-07-predict-one-gate")
    one, two = book.cell("gates-07-predict-one-gate").locator("pre.fourthreads").all()
    once, twice = (int(pre.evaluate("pre => pre.getClientRects()[0].height")) for pre in (one, two))
    assert 2 * once <= twice + 1 < 3 * once
    words = two.evaluate(
        """pre => { const range = document.createRange(), text = pre.firstChild; return [...text.data.matchAll(/w[a-z]+/g)]
        .map(found => { range.setStart(text, found.index); range.setEnd(text, found.index + found[0].length);
        return range.getClientRects().length }) }"""
    )
    assert [1] * 30 == words


@pytest.mark.parametrize("kind", [*browser.PAGES])
def test_run_all_on_a_fresh_notebook(server: Server, page: Page, kind: str) -> None:
    """In JupyterLab and in Notebook 7: bets say they are blank, measures want the bet first; nothing measured, nothing red."""
    book = browser.opened(page, server, learner(server, f"fresh-{kind}"), kind)
    book.run_all()
    for cell in ("gates-04-predict-start", "gates-07-predict-one-gate", "gates-12-predict-canary"):
        assert "No number yet" in book.text(cell)
    for cell in ("gates-05-measure-start", "gates-08-measure-one-gate", "gates-13-measure-canary"):
        assert "First your bet" in book.text(cell)
    assert 0 == records(server.workspace / f"fresh-{kind}" / "gates")
    assert all(book.text(cell) for cell in book.code())
    browser.pictures(book, ARTEFACTS, f"gates-fresh-{kind}")
    assert ([], set()) == (book.red(), {*book.troubles} - own_troubles(server, page, kind))


def own_troubles(server: Server, page: Page, kind: str) -> set[str]:
    """Return what Jupyter's own page complains about where a notebook without anything of ours is open."""
    cell: dict[str, object] = {
        "cell_type": "code",
        "id": "empty",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": "",
    }
    empty = {"cells": [cell], "metadata": {"kernelspec": build.KERNEL}, "nbformat": 4, "nbformat_minor": 5}
    (server.workspace / "empty.ipynb").write_text(json.dumps(empty), "utf-8")
    return {*browser.opened(page, server, "empty.ipynb", kind).troubles}
