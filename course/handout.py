"""The course as a class hands it out: the code, without tests, and without reference solutions where the rules say so."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

from course import build
from course import folder as folders
from course.classroom import Classroom

ROOT = build.ROOT.parent
PARTS = ("course", "grader", "labs", "containers")
FILES = (
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "Makefile",
    "pyproject.toml",
    "requirements.lock",
    "requirements-test.lock",
)
#: Never handed out, whatever the rules are: what was made on this machine, and what only an instructor reads.
LEFT_OUT = {"__pycache__", ".ipynb_checkpoints", "node_modules"}
FOLDER = "four-threads"


def files(solutions: bool, root: Path = ROOT) -> Iterator[Path]:
    """Yield the files of the course that a class gets, below its root.

    Args:
        solutions: Whether the reference parts are among them.
        root: The course.
    """
    for name in FILES:
        if (root / name).is_file():
            yield Path(name)
    for part in PARTS:
        for place, below, names in os.walk(root / part):
            here = Path(place).relative_to(root)
            is_lab = len(here.parts) == 2 and here.parts[0] == "labs"
            hidden = LEFT_OUT | (set() if solutions or not is_lab else {"reference"})
            below[:] = sorted(name for name in below if name not in hidden and not name.startswith("."))
            for name in sorted(names):
                if not name.startswith(".") and not (is_lab and name == "README.md"):
                    yield here / name


def write(room: Classroom) -> Path:
    """Write ``handout/four-threads.zip`` into the class's folder: the course with ``class.toml`` in it; return its path."""
    target = room.folder / "handout" / f"{FOLDER}.zip"
    target.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in files(room.rules.solutions_open):
            packed.write(ROOT / path, f"{FOLDER}/{path}")
        packed.write(room.folder / folders.CLASS_FILE, f"{FOLDER}/course/{folders.CLASS_FILE}")
    return target
