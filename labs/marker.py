"""The mark that everything of one measurement carries, so that leftovers of a killed one can be told and removed.

A mark is ``PID.START.NAMESPACE.RANDOM`` of the helper process: its id, its start in clock ticks after boot, the process
namespace in which that id means something (a room may have its own), and some random letters. It stands in the
environment of every process the helper starts and in the name of its scratch folder.
"""

from __future__ import annotations

import os
import re
import signal
import time
from contextlib import suppress

from labs import proc

VARIABLE = "FOURTHREADS_MEASUREMENT"
_SHAPE = re.compile(r"(\d+)\.(\d+)\.(\d+)\.[0-9a-f]{8}")


def own() -> str:
    """Return a new mark of this process."""
    return f"{os.getpid()}.{_start(os.getpid())}.{_namespace()}.{os.urandom(4).hex()}"


def is_dead(mark: str) -> bool:
    """Return whether the process that a mark names has ended; False for what is no mark, or one of another namespace.

    Process ids of another namespace name other processes here. What it leaves is the kernel's to remove.
    """
    found = _SHAPE.fullmatch(mark)
    if found is None or int(found[3]) != _namespace():
        return False
    pid = int(found[1])
    try:
        return proc.stat(pid).state in "ZX" or _start(pid) != int(found[2])
    except proc.GONE:
        return True


def leftovers() -> list[int]:
    """Return living processes of ours whose measurement is dead: by their environment, or by the folder they stand in."""
    found = []
    for pid in proc.pids():
        if pid == os.getpid():
            continue
        mark = proc.environment(pid).get(VARIABLE.encode(), b"").decode(errors="replace")
        if not mark:
            with suppress(OSError):
                standing = re.search(rf"/fourthreads-({_SHAPE.pattern})-", os.readlink(f"/proc/{pid}/cwd"))
                mark = standing[1] if standing else ""
        if mark and is_dead(mark):
            found.append(pid)
    return found


def remove_leftovers(within: float = 5.0) -> None:
    """Kill what is left of dead measurements, and wait until it is gone (at most ``within`` seconds)."""
    end = time.monotonic() + within
    while (rest := leftovers()) and time.monotonic() < end:
        for pid in rest:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


def _start(pid: int) -> int:
    return round(proc.stat(pid).start * 100)


def _namespace() -> int:
    return int(os.readlink("/proc/self/ns/pid").removeprefix("pid:[").removesuffix("]"))
