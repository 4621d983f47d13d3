"""A learner's folder: one folder a lab with its notebook; work in it is never overwritten."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course import folder as folders
from course import homepage
from course.build import SOURCE
from labs import catalog, plain
from labs.errors import SetupError

#: Which release each notebook of the workspace was copied from: name -> digest.
RELEASES = "releases.json"


@dataclass(frozen=True)
class Placed:
    """What happened to one notebook: ``new``, ``same``, ``updated`` (it was untouched), ``beside`` (it was worked in)."""

    slug: str
    path: Path
    how: str

    @property
    def sentence(self) -> str:
        """What to tell the learner; empty where nothing happened."""
        match self.how:
            case "new":
                return f"{self.slug}: here is the notebook."
            case "updated":
                return f"{self.slug}: a newer release took the place of the untouched notebook."
            case "beside":
                return f"{self.slug}: there is a newer release. Your work stays as it is; the new one is beside it: {self.path.name}"
        return ""


def default() -> Path:
    """Return where a workspace is made without being asked: ``FOURTHREADS_WORKSPACE``, or ``~/four-threads``."""
    asked = os.environ.get("FOURTHREADS_WORKSPACE")
    return Path(asked).expanduser() if asked else Path.home() / "four-threads"


def around(here: Path) -> Path:
    """Return the workspace that ``here`` lies in; ``here`` itself where it lies in none."""
    return next(
        (place for place in (here, *here.parents) if (place / folders.HIDDEN / "identity.json").is_file()), here
    )


def of_lab(slug: str, here: Path) -> Path:
    """Return the folder of a lab for somebody who is in ``here``: in the workspace that one is in, else in the default one."""
    nearest = around(here)
    # Who was handed one lab alone works in a folder that is no workspace: the notebook lies right in it.
    return next(
        (folder for folder in (nearest / slug, nearest) if (folder / f"{slug}.ipynb").is_file()), default() / slug
    )


def update(workspace: Path, source: Path = SOURCE) -> tuple[Placed, ...]:
    """Make a workspace, or bring it up to date; the learner's identity is made once.

    Raises:
        SetupError: Its identity or class file cannot be read.
    """
    workspace.mkdir(parents=True, exist_ok=True)
    rules = SOURCE.parent / folders.CLASS_FILE  # a class's hand-out carries it
    if rules.is_file() and not (workspace / folders.CLASS_FILE).exists():
        plain.write(workspace / folders.CLASS_FILE, rules.read_bytes())
    folders.course(workspace)
    folders.identity(workspace)
    noted = _noted(workspace)
    placed = tuple(_place(workspace, slug, path, noted) for slug, path in _released(source))
    homepage.refresh(workspace)
    plain.write(workspace / folders.HIDDEN / RELEASES, json.dumps(noted, indent=1, sort_keys=True).encode())
    return placed


def _released(source: Path) -> Iterator[tuple[str, Path]]:
    for slug in catalog.CURRICULUM:
        path = source / slug / f"{slug}.ipynb"
        if path.is_file():
            yield slug, path


def _noted(workspace: Path) -> dict[str, str]:
    path = workspace / folders.HIDDEN / RELEASES
    try:
        found = json.loads(plain.read(path))
    except (OSError, ValueError, SetupError):
        return {}
    return {str(name): str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}


def _place(workspace: Path, slug: str, release: Path, noted: dict[str, str]) -> Placed:
    data = release.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    path = workspace / slug / release.name
    if not path.exists():
        plain.write(path, data)
        noted[slug] = digest
        return Placed(slug, path, "new")
    if noted.get(slug) == digest:
        return Placed(slug, path, "same")
    if (
        hashlib.sha256(plain.read(path)).hexdigest() in (noted.get(slug), digest)
        and not (path.parent / "journal.jsonl").exists()
    ):
        plain.write(path, data)
        noted[slug] = digest
        return Placed(slug, path, "updated")
    beside = path.with_name(f"{slug}-new-{digest[:6]}.ipynb")
    if not beside.exists():
        plain.write(beside, data)
    noted[slug] = digest
    return Placed(slug, beside, "beside")
