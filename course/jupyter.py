"""How JupyterLab is started for a learner: in the workspace, at the home, without nbgrader's menu and buttons."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from course.folder import HIDDEN
from labs import plain

#: Plugins of nbgrader's extension that a learner has no use for. Validate runs the whole notebook inside the server and
#: freezes it (measured: 9 s for a status request); the course's own check answers in the notebook. The menu leads to the others.
PLUGINS = ("menu", "validate-assignment", "formgrader", "create-assignment", "course-list", "assignment-list")
SERVER = ("validate_assignment", "formgrader", "course_list", "assignment_list")

#: No question about news in front of the first lab, and nothing asks the network whether there is a newer JupyterLab.
SETTINGS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}


def configure(workspace: Path) -> Path:
    """Write the course's own Jupyter configuration into the workspace and return its folder (for ``JUPYTER_CONFIG_PATH``)."""
    folder = workspace / HIDDEN / "jupyter"
    hidden = {f"@jupyter/nbgrader:{name}": True for name in PLUGINS}
    _write(folder / "labconfig" / "page_config.json", {"disabledExtensions": hidden})
    _write(folder / "labconfig" / "default_setting_overrides.json", SETTINGS)
    extensions = {f"nbgrader.server_extensions.{name}": False for name in SERVER}
    server = {"jpserver_extensions": extensions, "log_level": "WARN"}  # forty lines of log would hide the address
    _write(folder / "jupyter_server_config.json", {"ServerApp": server})
    return folder


def environment(workspace: Path) -> dict[str, str]:
    """Return this process's environment with the course's configuration in front of what else is configured."""
    paths = [str(configure(workspace)), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    return dict(os.environ) | {"JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}


def argv(folder: Path, default: str, browser: bool, port: int | None, page: str = "/lab") -> list[str]:
    """Return how JupyterLab is started in a folder.

    Args:
        folder: Its root.
        default: The address it opens, below ``page``.
        browser: Whether it opens a browser.
        port: Where it listens; None for the first free one.
        page: ``/lab``, or ``""`` for a page of an extension.
    """
    found = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url={page}{default}",
    ]
    found += [f"--ServerApp.open_browser={browser}"]
    found += [f"--ServerApp.port={port}"] if port else []
    found += ["--allow-root"] if os.geteuid() == 0 else []  # in a container people are root; Jupyter would refuse
    return found


def _write(path: Path, data: object) -> None:
    plain.write(path, (json.dumps(data, indent=1) + "\n").encode())
