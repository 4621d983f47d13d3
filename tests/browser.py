"""A learner's course in a real browser: the server as `fourthreads start` starts it, and a headless Chromium that uses it."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Error, FloatRect, Locator, Page, WebSocket, sync_playwright

#: What keeps a headless Chromium at home: no updates, no start page, no services of its vendor.
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
#: Where a notebook is opened: path below the server's root.
PAGES = {"lab": "lab/tree", "notebook": "notebooks"}
#: Longest wait for the server, a kernel or a cell, in seconds; a bound against hanging, nothing is judged by it.
PATIENCE = 90.0
WIDTH = 1280
#: What differs in a complaint from one time to the next: the moment that JupyterLab appends to an address, and a kernel's id.
_NEVER_TWICE = re.compile(r"[?&]\d{13}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Unready(RuntimeError):
    """The server or the browser did not come up."""


def until(ready: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Wait until something holds, asking ten times a second.

    Raises:
        Unready: It did not within ``seconds``.
    """
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise Unready(f"not within {seconds:g} s: {what}")
        time.sleep(0.1)


@dataclass(frozen=True)
class Server:
    """A running JupyterLab in a learner's workspace."""

    workspace: Path
    port: int
    token: str
    said: Path

    @property
    def root(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/"

    def address(self, notebook: str, page: str = "lab") -> str:
        """Return where a notebook of the workspace is opened, in ``lab`` (without the tabs of before) or ``notebook``."""
        reset = "&reset" if page == "lab" else ""
        return f"{self.root}{PAGES[page]}/{notebook}?token={self.token}{reset}"

    def ask(self, path: str) -> Any:
        """Return what its API answers."""
        request = urllib.request.Request(f"{self.root}api/{path}", headers={"Authorization": f"token {self.token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def idle_kernels(self, notebook: str) -> list[str]:
        """Return the ids of a notebook's kernels that have nothing to do; none where the server is too busy to say."""
        try:
            kernels = [session["kernel"] for session in self.ask("sessions") if session["path"] == notebook]
        except OSError:
            return []
        return [kernel["id"] for kernel in kernels if kernel["execution_state"] == "idle"]


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listening(home: Path, pid: int) -> int | None:
    """Return the port that a server says it listens on, None before it does: another one than asked for, if that was taken."""
    try:
        port: int = json.loads((home / "run" / f"jpserver-{pid}.json").read_text("utf-8"))["port"]
    except (FileNotFoundError, ValueError):  # not there, or just being written
        return None
    return port


def settings(home: Path, theme: str, plain: bool = True) -> None:
    """Write a user's JupyterLab settings: the theme, and for ``plain`` that all cells are attached to the page."""
    found: dict[str, dict[str, Any]] = {"apputils-extension/themes": {"theme": THEMES[theme]}}
    if plain:
        found["notebook-extension/tracker"] = {"windowingMode": "none"}
    for name, values in found.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), "utf-8")


def environment(home: Path, token: str) -> dict[str, str]:
    """Return the environment of somebody who has never used Jupyter: everything it keeps goes below ``home``."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON", "NBGRADER"))
    }
    own = {
        "HOME": home, "JUPYTER_CONFIG_DIR": home / "config", "JUPYTER_DATA_DIR": home / "data",
        "JUPYTER_RUNTIME_DIR": home / "run", "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces", "IPYTHONDIR": home / "ipython",
        "FOURTHREADS_RUNTIME_DIR": home / "runtime",
    }  # fmt: skip
    return {**kept, **{name: str(path) for name, path in own.items()}, "JUPYTER_TOKEN": token, "MPLBACKEND": "agg"}


@contextmanager
def served(home: Path, theme: str = "light", workspace: Path | None = None) -> Iterator[Server]:
    """Run `fourthreads start --no-browser` in a home of its own until the block ends.

    Args:
        home: An empty folder; the workspace is made in it, unless one is given.
        theme: ``light`` or ``dark``.
        workspace: An existing workspace.

    Raises:
        Unready: It did not answer; the message holds what it said.
    """
    home.mkdir(parents=True, exist_ok=True)
    settings(home, theme)
    asked = Server(workspace or home / "four-threads", free_port(), secrets.token_hex(16), home / "server.log")
    argv = [sys.executable, "-m", "course", "start", "--no-browser", "--port", str(asked.port)]
    argv += ["--workspace", str(asked.workspace)]
    with asked.said.open("wb") as said:
        running = subprocess.Popen(
            argv, env=environment(home, asked.token), stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            start_new_session=True,
        )  # fmt: skip
    try:
        until(lambda: running.poll() is not None or listening(home, running.pid) is not None, "the server has a port")
        server = replace(asked, port=listening(home, running.pid) or asked.port)
        until(lambda: running.poll() is not None or _answers(server), f"the server at {server.root}")
        if running.poll() is not None:
            raise Unready(f"the server ended with {running.returncode}:\n{server.said.read_text()}")
        yield server
    finally:
        _end(running)


def _answers(server: Server) -> bool:
    try:
        return "version" in server.ask("")
    except (OSError, urllib.error.URLError, ValueError):
        return False


def _end(running: subprocess.Popen[bytes]) -> None:
    """End a server as Ctrl-C, Ctrl-C would: it ends its kernels first; what does not end is killed."""
    if running.poll() is None:
        running.terminate()
    try:
        running.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


@contextmanager
def chromium(profile: Path, width: int = WIDTH, height: int = 900) -> Iterator[Page]:
    """Open a page of Debian's Chromium, headless, with a fresh profile.

    Raises:
        Unready: There is no Chromium here.
    """
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise Unready("no chromium here: sudo apt install chromium")
    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            profile, executable_path=found, args=FLAGS, headless=True, viewport={"width": width, "height": height},
        )  # fmt: skip
        try:
            page = context.pages[0] if context.pages else context.new_page()
            page.set_default_timeout(PATIENCE * 1000)
            yield page
        finally:
            context.close()


@dataclass(frozen=True)
class Book:
    """A notebook that is open in the browser.

    Attributes:
        cells: Ids of its cells, in order.
        troubles: What the console called an error, and what was thrown.
    """

    page: Page
    cells: tuple[str, ...]
    troubles: list[str] = field(default_factory=list)

    @property
    def panel(self) -> Locator:
        """The notebook in front."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def cell(self, name: str) -> Locator:
        """Return a cell by its id."""
        return self.panel.locator(".jp-Notebook .jp-Cell").nth(self.cells.index(name))

    def prompt(self, name: str) -> str:
        """Return what stands beside a code cell: ``[ ]:``, ``[*]:`` or its number."""
        return self.cell(name).locator(".jp-InputPrompt").inner_text().strip()

    def fill(self, name: str, source: str) -> None:
        """Type a cell anew."""
        self.cell(name).locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source)

    def run(self, name: str) -> str:
        """Run a cell with Shift+Enter, wait until it is through, and return what it shows."""
        before = self.prompt(name)
        self.cell(name).locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        until(lambda: self.prompt(name) != before and self.number(name) is not None, f"cell {name} is through")
        return self.text(name)

    def number(self, name: str) -> int | None:
        """Return the execution count of a cell, None where it has not been run or still runs."""
        found = re.search(r"\d+", self.prompt(name))
        return int(found[0]) if found else None

    def text(self, name: str) -> str:
        """Return what a cell shows below itself, as it is read on the page."""
        return "\n".join(self.cell(name).locator(".jp-OutputArea-output").all_inner_texts()).strip()

    def code(self) -> tuple[str, ...]:
        """Return the ids of the code cells."""
        return tuple(name for name in self.cells if "jp-CodeCell" in (self.cell(name).get_attribute("class") or ""))

    def menu(self, *names: str) -> None:
        """Choose from the menu bar: ``"Run", "Run All Cells"``."""
        first, *rest = names
        self.page.locator(".lm-MenuBar-item", has_text=re.compile(f"^{re.escape(first)}$")).click()
        for name in rest:
            self.page.locator(".lm-Menu-item", has=self.page.get_by_text(name, exact=True)).first.click()

    def run_all(self) -> None:
        """Run All Cells from the menu, and wait until the last one is through."""
        code = self.code()
        before = {name: self.prompt(name) for name in code}
        self.menu("Run", "Run All Cells")
        last = code[-1]
        until(lambda: self.prompt(last) != before[last] and self.number(last) is not None, "all cells are through")

    def restart(self) -> None:
        """Restart the kernel from the menu, and agree to it; outputs stay."""
        self.menu("Kernel", "Restart Kernel…")
        self.page.locator(".jp-Dialog").get_by_role("button", name="Confirm Kernel Restart").click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")
        self.idle()

    def save(self) -> None:
        """Save, and wait until nothing is left to save."""
        self.page.keyboard.press("Control+S")
        until(lambda: self.page.locator(".jp-mod-dirty").count() == 0, "the notebook is saved")

    def idle(self) -> None:
        """Wait until there is a kernel and it has nothing to do."""
        sign = self.panel.locator(".jp-Notebook-ExecutionIndicator")
        until(lambda: sign.count() > 0 and sign.first.get_attribute("data-status") == "idle", "the kernel is idle")

    def red(self) -> list[str]:
        """Return every output that looks like a failure: a traceback, or anything on standard error."""
        marks = ("application/vnd.jupyter.error", "application/vnd.jupyter.stderr")
        return [text for mark in marks for text in self.panel.locator(f'[data-mime-type="{mark}"]').all_inner_texts()]


def opened(page: Page, server: Server, notebook: str = "gates/gates.ipynb", kind: str = "lab") -> Book:
    """Open a notebook of the workspace and wait until its kernel is idle.

    Args:
        kind: ``lab`` for JupyterLab, ``notebook`` for Notebook 7.
    """
    cells = json.loads((server.workspace / notebook).read_text("utf-8"))["cells"]
    book = Book(page, tuple(cell["id"] for cell in cells))
    page.goto("about:blank")  # what the page that is left complains about is none of this book's
    page.on("console", lambda message: _note(book.troubles, message))
    page.on("pageerror", lambda error: book.troubles.append(f"thrown: {_short(error)}"))
    heard = _kernels_heard(page)
    page.goto(server.address(notebook, kind))
    book.panel.locator(".jp-Notebook .jp-Cell").first.wait_for()
    until(lambda: book.panel.locator(".jp-Notebook .jp-Cell").count() == len(cells), "all cells are there")
    # Before its kernel has spoken to the page, JupyterLab runs nothing. The server's own count of connections tells nothing:
    # a page that is closed while it connects is taken off without having been counted (jupyter_server 2.21).
    until(lambda: not heard().isdisjoint(server.idle_kernels(notebook)), "the page is connected to its kernel")
    book.idle()
    return book


def _kernels_heard(page: Page) -> Callable[[], set[str]]:
    """Watch a page's sockets; return what tells the ids of the kernels that have spoken to it."""
    spoken: set[str] = set()

    def watch(opened: WebSocket) -> None:
        if found := re.search(r"/api/kernels/([^/?]+)/channels", opened.url):
            opened.on("framereceived", lambda _: spoken.add(found[1]))

    def heard() -> set[str]:
        page.title()  # events are delivered only while the driver is asked something
        return spoken

    page.on("websocket", watch)
    return heard


def _note(troubles: list[str], message: ConsoleMessage) -> None:
    if message.type == "error":
        troubles.append(_NEVER_TWICE.sub("", f"{message.text} ({message.location.get('url', '')})"))


def _short(error: Error) -> str:
    return (error.message or str(error)).splitlines()[0]


def pictures(book: Book, folder: Path, name: str, height: int = 1500) -> list[Path]:
    """Take the whole open notebook, the window as wide as it is, in pages of at most ``height`` pixels; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{name}-[0-9].png"):
        old.unlink()
    width, usual = size(book.page)
    for _ in range(3):  # a page that is taller lays its cells out anew
        hidden = int(
            book.panel.locator(".jp-WindowedPanel-outer").evaluate(
                "box => { box.scrollTop = 0; return box.firstElementChild.scrollHeight + 40 - box.clientHeight }"
            )
        )
        if hidden <= 0:
            break
        book.page.set_viewport_size({"width": width, "height": min(size(book.page)[1] + hidden, 15000)})
    bottom = book.panel.locator(".jp-Notebook .jp-Cell").last.bounding_box()
    end = bottom["y"] + bottom["height"] + 20 if bottom else float(usual)
    files: list[Path] = []
    top = 0.0
    while top < end:
        path = folder / f"{name}-{len(files) + 1}.png"
        clip: FloatRect = {"x": 0, "y": top, "width": width, "height": min(height, end - top)}
        book.page.screenshot(path=path, clip=clip)
        files.append(path)
        top += height
    book.page.set_viewport_size({"width": width, "height": usual})
    return files


def crop(book: Book, names: Sequence[str], path: Path) -> None:
    """Take a few cells of the open notebook, one below the other, the others hidden."""
    path.parent.mkdir(parents=True, exist_ok=True)
    width, usual = size(book.page)
    book.page.set_viewport_size({"width": width, "height": 3000})
    for name in book.cells:
        book.cell(name).evaluate("(cell, shown) => { cell.style.display = shown ? '' : 'none' }", name in names)
    book.panel.locator(".jp-WindowedPanel-outer").evaluate("box => { box.scrollTop = 0 }")
    boxes = [box for name in names if (box := book.cell(name).bounding_box())]
    top, left = min(box["y"] for box in boxes), min(box["x"] for box in boxes)
    end = max(box["y"] + box["height"] for box in boxes)
    clip: FloatRect = {"x": left, "y": top, "width": boxes[0]["width"], "height": end - top + 6}
    book.page.screenshot(path=path, clip=clip)
    book.page.set_viewport_size({"width": width, "height": usual})


def size(page: Page) -> tuple[int, int]:
    """Return width and height of the window, in pixels."""
    found = page.viewport_size
    return (found["width"], found["height"]) if found else (WIDTH, 900)


def typed(path: Path, sources: Mapping[str, str]) -> None:
    """Put sources into the cells of a notebook on disk, by cell id."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = sources.get(cell["id"], cell["source"])
    path.write_text(json.dumps(notebook), "utf-8")
