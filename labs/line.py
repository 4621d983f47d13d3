"""A waiting line between processes: who came first is first; who died in it, or was stopped, keeps nobody waiting."""

from __future__ import annotations

import fcntl
import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ARRIVALS = itertools.count()
#: Who has not looked for so long (seconds) is passed by: it was stopped, or waits for something else. It keeps its place.
_PATIENCE = 10.0


@contextmanager
def standing(folder: Path, name: str) -> Iterator[Callable[[], int]]:
    """Stand in a line while the block runs; what is given, called every second or so, counts those who came before.

    A place is a file whose name sorts by when it was taken, and which its holder keeps locked. Its time of change is when its
    holder last looked, in nanoseconds since the boot: somebody may set the machine's clock meanwhile. The system lets go of the lock
    when the holder ends, however that happens: a place that is not locked is nobody's, and is removed by who comes across it.

    Args:
        folder: Where the line is; every process that stands in it can write there.
        name: Which line of that folder.

    Raises:
        OSError: The folder takes no files.
    """
    arrival = _now()
    mine = f"{name}-{arrival:020d}-{os.getpid()}-{next(_ARRIVALS)}.place"
    # It gets its name when it is locked: nobody can take it for a place whose holder is gone.
    path = folder / f".{mine}"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        os.fchmod(handle, 0o666)
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.utime(handle, ns=(arrival, arrival))
        path = path.rename(folder / mine)

        def ahead() -> int:
            os.utime(handle, ns=(now := _now(), now))
            return sum(_is_held(folder / other) for other in _places(folder, name) if other < mine)

        yield ahead
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(handle)


def _now() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def _places(folder: Path, name: str) -> list[str]:
    return [one for one in os.listdir(folder) if one.startswith(f"{name}-") and one.endswith(".place")]


def _is_held(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False  # it was given up meanwhile, or is none of ours
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _now() - os.fstat(handle).st_mtime_ns < _PATIENCE * 1e9
    else:
        with suppress(OSError):  # somebody else's, in a folder with the sticky bit
            path.unlink()
        return False
    finally:
        os.close(handle)
