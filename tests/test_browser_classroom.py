"""The browser's test of the native course once more, on the classroom image: the same steps, the same expectations."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs import container_engine
from labs.container_engine import Engine
from tests import browser
from tests.browser import Server
from tests.container import engine as engine
from tests.test_browser_gates import *  # noqa: F403 - all of its tests are ours too
from tests.test_container_classroom import SERVICE, built, options

pytestmark = [pytest.mark.browser, pytest.mark.container, pytest.mark.node, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")  # type: ignore[no-redef]  # ours in place of the native one
def server(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The course, started in its container; its workspace is a folder here, so that the tests can look into it."""
    built(engine)
    home = tmp_path_factory.mktemp("classroom")
    name, token = f"fourthreads-browser-{secrets.token_hex(4)}", secrets.token_hex(16)
    mask = os.umask(0)  # what the tests put there must be the learner's to change: another user than ours
    try:
        browser.settings(home, "light")
        workspace = home / "four-threads"
        workspace.mkdir()
        for folder in (home, *home.rglob("*")):
            folder.chmod(0o777 if folder.is_dir() else 0o666)
        for folder in home.parents:
            if folder.stat().st_uid == os.getuid() and folder != Path("/"):
                folder.chmod(folder.stat().st_mode | 0o055)
        more = ["--volume", f"{home / 'settings'}:/settings", "--env", "JUPYTERLAB_SETTINGS_DIR=/settings"]
        more += ["--env", f"JUPYTER_TOKEN={token}", "--env", "MPLBACKEND=agg"]
        container_engine.ask(
            engine, "run", "--detach", "--name", name, *options(engine, str(workspace)), *more, SERVICE["image"]
        )
        host = container_engine.ask(engine, "port", name, "8888").strip().splitlines()[0]
        server = Server(workspace, int(host.rpartition(":")[2]), token, home / "said")
        browser.until(lambda: browser._answers(server), f"the classroom at {server.root}", seconds=300)
        yield server
    finally:
        os.umask(mask)
        container_engine.ask(engine, "rm", "--force", name)
