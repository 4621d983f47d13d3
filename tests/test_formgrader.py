"""Whatever runs in a browser, put everywhere into a submission, runs nowhere: not in formgrader, not in feedback, not in reports."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Dialog, Page

from course import classroom as classes
from course import grading
from labs import acts
from tests import browser, gates_people, handed

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
RUN = "window.ran=1;console.log('ran');document.title='ran'"
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}"><script>{RUN}</script></svg>'
PAGE = f'<html><body onload="{RUN}"><script>{RUN}</script></body></html>'
#: Each would run, or run when clicked, in a page that takes a student's markdown as it is.
TEXTS = (
    f"<script>{RUN}</script>",
    f'<img src="x" onerror="{RUN}">',
    f"[a link](javascript:{RUN.replace(';', '%3B')}) <a href=\"javascript:{RUN}\">another</a>",
    f'<a href="&#106;avascript:{RUN}">hidden</a> <a href="data:text/html;base64,{base64.b64encode(PAGE.encode()).decode()}">data</a>',
    f"$\\href{{javascript:{RUN}}}{{x}}$ and $$\\href{{javascript:{RUN}}}{{y}}$$ \\(\\href{{javascript:{RUN}}}{{z}}\\)",
    f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe><object data="data:text/html,{PAGE}"></object><embed src="x">',
    f"![picture](attachment:evil.svg) [page](attachment:evil.html) {SVG}",
    f"<details open ontoggle=\"{RUN}\">x</details>\n\n<math><mtext></mtext><script>{RUN}</script></math>\n\n<style>@import 'x'</style>",
    f"</div></pre></textarea>--><script>{RUN}</script>",
    f"```\n</pre><script>{RUN}</script>\n```\n\n    </code><script>{RUN}</script>\n\nx\n\n<script>{RUN}</script>",
    f"<form action=\"javascript:{RUN}\"><button autofocus onfocus=\"{RUN}\">go</button></form>",
)  # fmt: skip
ATTACHED = {
    "evil.svg": {"image/svg+xml": base64.b64encode(SVG.encode()).decode()},
    "evil.html": {"text/html": base64.b64encode(PAGE.encode()).decode()},
}


def evil(folder: Path, room: classes.Classroom) -> None:
    """Hand in honest work with everything above in every place a student can reach."""

    def does(it: Any) -> None:
        gates_people.knows(it)
        it.write("fault", acts.Faulted(code=TEXTS[0], message=TEXTS[1], thing=TEXTS[2]))
        it.write("script", acts.Scripted(text="\n".join(TEXTS), kept=True, complete=False))

    handed.learner(folder, room.rules, "evil", does)
    path = folder / "gates.ipynb"
    whole = json.loads(path.read_text())
    everything = "\n\n".join(TEXTS)
    outputs: list[dict[str, Any]] = [
        {"output_type": "display_data", "metadata": {}, "data": {
            "text/html": everything, "image/svg+xml": SVG, "application/javascript": RUN, "text/markdown": everything, "text/latex": TEXTS[4],
        }},
        {"output_type": "stream", "name": "stderr", "text": everything},
        {"output_type": "error", "ename": TEXTS[0], "evalue": TEXTS[1], "traceback": [TEXTS[0], TEXTS[1]]},
    ]  # fmt: skip
    for cell in whole["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [*outputs, *cell.get("outputs", [])]
            cell["source"] = [everything]
        else:
            cell |= {"source": [everything], "attachments": ATTACHED}
        cell["metadata"]["name"] = cell["metadata"]["slideshow"] = TEXTS[0]
    for number, text in enumerate(TEXTS):
        whole["cells"] += [handed.text(text, attachments=ATTACHED), handed.code(text, outputs)]
        named = handed.text(text)
        named["metadata"] = {"nbgrader": {"grade_id": text, "grade": True, "solution": True, "points": number, "schema_version": 3,
                                          "locked": False, "task": False, "cell_type": "markdown"}}  # fmt: skip
        whole["cells"].append(named)
    whole["metadata"] |= {
        "title": TEXTS[0],
        "kernelspec": {"name": TEXTS[0], "display_name": TEXTS[0], "language": TEXTS[0]},
    }
    handed.save(folder, whole)
    for name, text in (("evil.html", PAGE), ("evil.svg", SVG), ("custom.css", "@import 'x'")):
        (folder / name).write_text(text)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> classes.Classroom:
    """A class with that submission, graded."""
    found = classes.make(tmp_path_factory.mktemp("class") / "net", "net-2027", ["gates"])
    evil(found.submitted / "evil" / "gates", found)
    (row,) = grading.grade(found.folder)
    assert (10.0, "graded") == (row["points"], row["state"]), row
    return found


@pytest.fixture(scope="module")
def formgrader(room: classes.Classroom, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of formgrader, started by our command on the loopback."""
    home, port = tmp_path_factory.mktemp("home"), browser.free_port()
    argv = [
        sys.executable,
        "-m",
        "course",
        "grade",
        str(room.folder),
        "--formgrader",
        "--no-browser",
        "--port",
        str(port),
    ]
    said = home / "server.log"
    with said.open("wb") as log:
        running = subprocess.Popen(
            argv, env=browser.environment(home, "t"), stdout=log, stderr=log, start_new_session=True
        )

    def address() -> str:
        return f"http://127.0.0.1:{browser.listening(home, running.pid) or port}/formgrader"

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"{address()}/gradebook?token=t", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return running.poll() is not None

    try:
        browser.until(answers, "formgrader")
        assert running.poll() is None, said.read_text()
        yield address()
    finally:
        running.terminate()
        try:
            running.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


def ran(page: Page, address: str, click: bool = True) -> list[str]:
    """Open a page, click every link of a notebook in it, and return every sign that something of a student's ran."""
    signs: list[str] = []

    def on_dialog(dialog: Dialog) -> None:
        signs.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def on_console(message: ConsoleMessage) -> None:
        if message.text == "ran":
            signs.append("console")

    page.on("dialog", on_dialog)
    page.on("console", on_console)
    page.goto(address, wait_until="load")
    page.wait_for_function("document.readyState === 'complete'")
    links = page.locator("#notebook a, main a, .cell a, .jp-Cell a")
    for index in range(min(links.count(), 60) if click else 0):
        href = links.nth(index).get_attribute("href") or ""
        if re.match(r"(?i)\s*(javascript|data|vbscript):", href):
            signs.append(f"a link to {href[:40]}")
    if click:
        page.evaluate("document.querySelectorAll('a, button, details').forEach(it => {"
                      "if ((it.getAttribute('href') || '').trim().toLowerCase().startsWith('java')) it.click()})")  # fmt: skip
    page.wait_for_timeout(300)  # what runs late: images, frames
    for frame in page.frames:
        if frame.evaluate("window.ran === 1 || document.title === 'ran'"):
            signs.append(f"ran in {frame.url}")
    return signs


def test_the_signs_are_seen_where_it_does_run(tmp_path: Path) -> None:
    """A page that takes the texts as they are: the test would notice."""
    (tmp_path / "plain.html").write_text(f"<!DOCTYPE html><main>{''.join(TEXTS)}</main>")
    with browser.chromium(tmp_path / "profile") as page:
        assert ran(page, (tmp_path / "plain.html").as_uri())


def test_nothing_runs_in_formgrader(room: classes.Classroom, formgrader: str, tmp_path: Path) -> None:
    """On the page where a person grades, and on every list that leads there."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{room.folder / 'gradebook.db'}") as book:
        number = book.find_submission_notebook("gates", "gates", "evil").id
    with browser.chromium(tmp_path / "profile") as page:
        assert [] == ran(page, f"{formgrader}/submissions/{number}/?token=t")
        assert 0 < page.locator(".nbgrader_cell, .nbgrader-cell, .cell, .jp-Cell").count(), "the notebook is shown"
        assert "Further cells of this submission" in page.content()
        for path in ("", "/gradebook", "/gradebook/gates", "/gradebook/gates/gates", "/manage_submissions/gates", "/manage_students",
                     "/manage_students/evil/gates"):  # fmt: skip
            assert [] == ran(page, f"{formgrader}{path}?token=t", click=False)


def test_an_instructor_keeps_nbgraders_menu(formgrader: str, tmp_path: Path) -> None:
    """Learners do without it; who grades finds formgrader there."""
    with browser.chromium(tmp_path / "profile") as page:
        page.goto(f"{formgrader.removesuffix('/formgrader')}/lab?token=t&reset")
        page.locator(".lm-MenuBar-item", has_text="Nbgrader").click()
        page.locator(".lm-Menu-item", has_text="Formgrader").first.wait_for()


def test_what_a_student_added_is_not_served(room: classes.Classroom, formgrader: str) -> None:
    """formgrader gives out the files of a graded folder; a page or a picture of a student's is not among them."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{room.folder / 'gradebook.db'}") as book:
        number = book.find_submission_notebook("gates", "gates", "evil").id
    for name in ("evil.html", "evil.svg"):
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{formgrader}/submissions/{number}/{name}?token=t", timeout=10)


@pytest.mark.parametrize("page_of", ["feedback/evil/gates/gates.html", "report/class.html"])
def test_nothing_runs_in_our_pages_and_nothing_is_fetched(
    room: classes.Classroom, tmp_path: Path, page_of: str
) -> None:
    """Feedback and report, opened from the disk as a student would."""
    asked: list[str] = []
    path = room.folder / page_of
    with browser.chromium(tmp_path / "profile") as page:
        page.on("request", lambda request: asked.append(request.url))
        assert [] == ran(page, path.as_uri())
        assert 1 == page.locator("h1").count()
        if page_of.startswith("feedback"):
            assert page.evaluate("document.querySelector('figure img').naturalWidth") > 300, (
                "the picture is in the page"
            )
    assert {path.as_uri()} == {url for url in asked if not url.startswith("data:image/png")}
    text = path.read_text()
    assert "<script" not in text.lower() and "Content-Security-Policy" in text
    assert [] == re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?!data:image/png|#)\w+:""", text)


def test_the_page_of_a_learner_works_without_a_mouse_and_on_a_small_screen(
    room: classes.Classroom, tmp_path: Path
) -> None:
    """No sideways scrolling at 640 pixels (a 1280 pixel window at 200 %), heads and captions for screen readers."""
    with browser.chromium(tmp_path / "profile", width=640) as page:
        page.goto((room.folder / "feedback/evil/gates/gates.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert 4 == page.locator("th[scope=col]").count() and 6 == page.locator("th[scope=row]").count()
        assert page.locator("figure img").get_attribute("alt")
