"""The scratch folder of one measurement: private, able to hold FIFOs, gone afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labs import marker
from labs.errors import SetupError

#: What a folder's name begins with; the mark of its measurement follows.
PREFIX = "fourthreads-"


class Scratch:
    """A folder that only its owner can enter.

    Attributes:
        path: Where it is.
        warnings: What the learner should know about where it is.
    """

    def __init__(self, path: Path, warnings: tuple[str, ...] = ()) -> None:
        self.path = path
        self.warnings = warnings
        self._made = 0

    def folder(self) -> Path:
        """Make a new folder in it, for one run."""
        self._made += 1
        path = self.path / f"run-{self._made}"
        path.mkdir(mode=0o700)
        return path


@contextmanager
def scratch(mark: str, bases: tuple[Path, ...] | None = None) -> Iterator[Scratch]:
    """Make a scratch folder named after ``mark`` (see labs.marker) and remove it at the end, whatever happened.

    ``bases`` are tried in order; the first that can hold a FIFO is taken.

    Raises:
        SetupError: None of them can.
    """
    made: Path | None = None
    refused: list[str] = []
    try:
        for base in bases if bases is not None else places():
            try:
                made = base / f"{PREFIX}{mark}-{os.urandom(4).hex()}"
                made.mkdir(mode=0o700)
                _try_fifo(made)
            except OSError as problem:
                refused.append(f"{base} ({problem.strerror})")
                if made is not None:
                    _remove(made)
                    made = None
                continue
            warnings = tuple(f"Gates cannot be made in {place}; we use {base} instead." for place in refused)
            yield Scratch(made, warnings)
            return
        raise SetupError(
            f"Gates are FIFOs, and no folder here can hold one: tried {', '.join(refused) or 'none'}. "
            "Set TMPDIR to a folder on a Linux file system."
        )
    finally:
        if made is not None:
            _remove(made)


def places() -> tuple[Path, ...]:
    """Return where a scratch folder may go, best first."""
    asked = os.environ.get("FOURTHREADS_SCRATCH_DIR")
    named = [asked, os.environ.get("TMPDIR"), "/tmp", os.environ.get("XDG_RUNTIME_DIR"), "/dev/shm"]
    return tuple(dict.fromkeys(Path(name) for name in named if name))


def remove_leftovers() -> None:
    """Remove scratch folders whose measurement is dead (it was killed before it could clean up)."""
    for base in places():
        with suppress(OSError):
            for entry in os.scandir(base):
                mark = entry.name.removeprefix(PREFIX).rpartition("-")[0]
                if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False) and mark:
                    if entry.stat(follow_symlinks=False).st_uid == os.getuid() and marker.is_dead(mark):
                        _remove(Path(entry.path))


def make_fifo(path: Path) -> Path:
    """Make a FIFO that only its owner can open."""
    os.mkfifo(path, 0o600)
    return path


def _try_fifo(folder: Path) -> None:
    make_fifo(folder / "try").unlink()


def _remove(path: Path) -> None:
    """Remove a folder with all that is in it, links and not what they point to. Nobody lives in it any more."""
    with suppress(OSError):
        for folder, folders, _ in os.walk(path, topdown=True):
            for name in folders:
                # A script may have taken our rights on its own folders away.
                inner = os.path.join(folder, name)
                if not os.path.islink(inner):
                    os.chmod(inner, 0o700)
    for folder, folders, files in os.walk(path, topdown=False):
        for name in (*files, *folders):
            inner = os.path.join(folder, name)
            with suppress(OSError):
                (os.unlink if name in files or os.path.islink(inner) else os.rmdir)(inner)
    with suppress(OSError):
        os.rmdir(path)
