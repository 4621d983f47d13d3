"""One measurement at a time on a machine, first come, first served; who waits is told for whom."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from labs.errors import NoisyError

if TYPE_CHECKING:
    from filelock import BaseFileLock

_NAME = "fourthreads-measuring"
#: How often who waits looks again (seconds).
_LOOK = 0.2


class Occupied(NoisyError):
    """Another measurement did not end while this one waited."""


def folder() -> Path:
    """Return where the lock lives: shared by all users of the machine unless FOURTHREADS_RUNTIME_DIR is set."""
    own = os.environ.get("FOURTHREADS_RUNTIME_DIR")
    path = Path(own) if own else Path(tempfile.gettempdir())
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def measuring(what: str, on_wait: Callable[[str], None] | None = None, within: float = 600.0) -> Iterator[None]:
    """Hold the machine for one measurement of ``what`` (a lab's slug).

    While another one is running, ``on_wait`` receives a sentence that says which and since when.

    Raises:
        Occupied: It was still running after ``within`` seconds.
    """
    from filelock import FileLock

    where = folder()
    lock = FileLock(where / f"{_NAME}.lock", mode=0o666)
    _take_turn(lock, where, on_wait, within)
    try:
        _write_holder(where, what)
        yield
    finally:
        with suppress(OSError):
            os.truncate(where / f"{_NAME}.json", 0)
        lock.release()


def _take_turn(lock: BaseFileLock, where: Path, on_wait: Callable[[str], None] | None, within: float) -> None:
    """Acquire the lock behind whoever came before; alone, it goes to who happens to ask when it is let go."""
    from labs import line

    end = time.monotonic() + within
    with line.standing(where, _NAME) as ahead:
        while (others := ahead()) or not _acquired(lock):
            after = f" and after {others} more that came first" if others else ""
            sentence = f"Another measurement is running ({_holder(where)}). Yours starts after it{after}."
            if on_wait is not None:
                on_wait(sentence)
            if time.monotonic() >= end:
                raise Occupied(f"{sentence} It did not end within {within:.0f} s. Run the cell again when it has.")
            if others:
                time.sleep(_LOOK)


def _acquired(lock: BaseFileLock) -> bool:
    from filelock import Timeout

    try:
        lock.acquire(timeout=_LOOK)
    except Timeout:
        return False
    return True


def _write_holder(where: Path, what: str) -> None:
    path = where / f"{_NAME}.json"
    # A file of another user in a folder with the sticky bit may be opened, but not with O_CREAT.
    flags = (
        os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | (0 if path.exists() else os.O_CREAT)
    )
    with suppress(OSError):
        handle = os.open(path, flags, 0o666)
        with suppress(OSError):
            os.fchmod(handle, 0o666)
        os.write(handle, json.dumps({"lab": what, "since": time.clock_gettime(time.CLOCK_BOOTTIME)}).encode())
        os.close(handle)


def _holder(where: Path) -> str:
    try:
        handle = os.open(where / f"{_NAME}.json", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            held = json.loads(os.read(handle, 1000))
        finally:
            os.close(handle)
        since = max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - float(held["since"]))
        return f"{str(held['lab'])[:40]}, since {since:.0f} s"
    except (OSError, ValueError, KeyError, TypeError):
        return "of somebody else"
