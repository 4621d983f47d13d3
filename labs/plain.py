"""Plain files, and nothing else: what lies in a learner's folder under a name of ours must never keep us waiting."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from labs.errors import SetupError

_KINDS = {
    stat.S_IFDIR: "a folder", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip


class NotPlain(SetupError):
    """Something else stands where a plain file was expected; the text says what it is (``what``) and what to do."""

    code = "not-plain"

    def __init__(self, path: Path, kind: str) -> None:
        self.what = f"{path} is {kind}, where a plain file was expected."
        super().__init__(f"{self.what} Move it away (or put the file back) and run this again; nothing is lost.")


def read(path: Path) -> bytes:
    """Return the bytes of a plain file, or of one that a link leads to.

    Raises:
        NotPlain: It is a folder, a FIFO, a socket or a device.
        OSError: It is not there, or may not be read.
    """
    if kind := _KINDS.get(stat.S_IFMT(os.stat(path).st_mode)):
        raise NotPlain(path, kind)
    # Not waiting for a writer, should it have become a FIFO since.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        return file.read()


def read_if_there(path: Path) -> bytes | None:
    """Return the bytes of a plain file, None where there is nothing of that name.

    Raises:
        NotPlain: Something else stands there.
        OSError: It may not be read.
    """
    try:
        return read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, whatever stood there.

    Raises:
        OSError: The folder does not take it, or a folder has that name.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)  # what a crash left, or anything else: it is not opened
    new.write_bytes(data)
    os.replace(new, path)
