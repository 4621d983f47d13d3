"""Read what was handed in: plain files only, never through a link, never more than is sane."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from labs.errors import RecordError

#: A handed-in file larger than this is refused (bytes).
LARGEST = 64 * 1024 * 1024


def read_plain(path: Path, largest: int = LARGEST) -> bytes | None:
    """Return the bytes of a plain file, None where there is no such file.

    Raises:
        RecordError: It is a link, a special file, or too large.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise RecordError(
            path.name, f"cannot be opened ({problem.strerror}); a plain file is needed, no link"
        ) from problem
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise RecordError(path.name, "is no plain file")
        if facts.st_size > largest:
            raise RecordError(path.name, f"is {facts.st_size} bytes long; at most {largest} are read")
        return file.read(largest + 1)[:largest]
