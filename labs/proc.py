"""``/proc``, read and parsed: one function a file, no judgement.

Every function of a single process or thread raises ``FileNotFoundError`` or ``ProcessLookupError`` when it is gone;
:data:`GONE` names both. Times are seconds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

GONE = (FileNotFoundError, ProcessLookupError)
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Call(NamedTuple):
    """What ``/proc/PID/task/TID/syscall`` says of a sleeping thread: the number, and the six arguments."""

    number: int
    arguments: tuple[int, ...]


class Stat(NamedTuple):
    """From ``/proc/PID/stat``: state letter, parent, start (seconds after boot), processor seconds, threads."""

    state: str
    parent: int
    session: int
    start: float
    cpu: float
    threads: int


class Schedule(NamedTuple):
    """From ``schedstat``: seconds on a core, seconds ready and waiting for one."""

    cpu: float
    run_queue: float


def _read(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(handle, 65536):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(handle)


def pids() -> list[int]:
    """Return all process ids that are visible."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def tids(pid: int) -> list[int]:
    """Return the thread ids of a process, ascending."""
    return sorted(int(name) for name in os.listdir(f"/proc/{pid}/task"))


def stat(pid: int, tid: int | None = None) -> Stat:
    """Return the state of a process, or of one of its threads."""
    where = f"/proc/{pid}/stat" if tid is None else f"/proc/{pid}/task/{tid}/stat"
    # The name stands in parentheses and may hold any character, so the fields are counted from its end.
    fields = _read(where).rpartition(b")")[2].split()
    return Stat(
        state=fields[0].decode(),
        parent=int(fields[1]),
        session=int(fields[3]),
        start=int(fields[19]) / _TICK,
        cpu=(int(fields[11]) + int(fields[12])) / _TICK,
        threads=int(fields[17]),
    )


def call(pid: int, tid: int) -> Call | None:
    """Return the system call a thread sleeps in; None while it runs, waits for a core, or sleeps outside of a call.

    Raises:
        PermissionError: This process may not look into that one.
    """
    try:
        fields = _read(f"/proc/{pid}/task/{tid}/syscall").split()
    except PermissionError as problem:
        if is_ending(pid, tid):
            raise ProcessLookupError(problem.errno, "is ending", problem.filename) from problem
        raise
    if not fields or fields[0] == b"running" or fields[0].startswith(b"-"):
        return None
    return Call(int(fields[0]), tuple(int(field, 16) for field in fields[1:7]))


def name(pid: int, tid: int) -> str:
    """Return a thread's own name (at most 15 bytes)."""
    return _read(f"/proc/{pid}/task/{tid}/comm").rstrip(b"\n").decode(errors="replace")


def resting(pid: int, tid: int) -> tuple[str, int]:
    """Return a thread's state letter, and how often it gave up its core by itself (``voluntary_ctxt_switches``)."""
    text = _read(f"/proc/{pid}/task/{tid}/status")
    state = text.partition(b"\nState:\t")[2][:1].decode()
    return state, int(text.rpartition(b"\nvoluntary_ctxt_switches:")[2].split()[0])


def schedule(pid: int, tid: int) -> Schedule | None:
    """Return a thread's processor and run-queue seconds; None where the kernel was built without ``schedstat``."""
    try:
        fields = _read(f"/proc/{pid}/task/{tid}/schedstat").split()
    except FileNotFoundError:
        stat(pid, tid)  # tells a missing thread from a missing file
        return None
    return Schedule(int(fields[0]) / 1e9, int(fields[1]) / 1e9)


def is_ending(pid: int, tid: int) -> bool:
    """Return whether a thread has let go of its memory: its files then belong to root, and only root may read them on."""
    return _read(f"/proc/{pid}/task/{tid}/statm").split()[0] == b"0"


def resident(pid: int) -> int:
    """Return the bytes of memory a process alone holds (resident, without what it shares with files)."""
    fields = _read(f"/proc/{pid}/statm").split()
    return (int(fields[1]) - int(fields[2])) * _PAGE


def text_at(pid: int, address: int, limit: int = 4096) -> bytes | None:
    """Return the zero-terminated bytes at an address of a process; None where there is nothing readable."""
    try:
        handle = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except (PermissionError, *GONE):  # it ends just now; who may not look has been told by call()
        return None
    found = b""
    try:
        # Page by page: the text may end right before a page that is not mapped.
        while len(found) < limit:
            here = address + len(found)
            part = os.pread(handle, _PAGE - here % _PAGE, here)
            text, end, _ = part.partition(b"\0")
            found += text
            if end or not part:
                return found if end else None
    except (OSError, OverflowError):
        return None
    finally:
        os.close(handle)
    return None


def open_files(pid: int) -> list[tuple[int, str]]:
    """Return (descriptor, target) of everything a process has open, ascending."""
    found = []
    for number in sorted(map(int, os.listdir(f"/proc/{pid}/fd"))):
        try:
            found.append((number, os.readlink(f"/proc/{pid}/fd/{number}")))
        except GONE:
            continue
    return found


def environment(pid: int) -> dict[bytes, bytes]:
    """Return the environment a process was started with; empty where it may not be read."""
    try:
        entries = _read(f"/proc/{pid}/environ").split(b"\0")
    except (PermissionError, *GONE):
        return {}
    return dict(entry.partition(b"=")[::2] for entry in entries if b"=" in entry)


def children(pid: int) -> list[int]:
    """Return the processes a process is the parent of, zombies among them."""
    found: list[int] = []
    try:
        for tid in tids(pid):
            found += map(int, _read(f"/proc/{pid}/task/{tid}/children").split())
    except GONE:
        # The process is gone (then nothing is found), or the kernel was built without this file.
        return [child for child, parent in _parents() if parent == pid]
    return sorted(found)


def family(root: int, keep: frozenset[int] = frozenset()) -> Iterator[int]:
    """Yield the living descendants of a process, parents before children; ``keep`` and what descends from it left out."""
    rest = children(root)
    while rest:
        pid = rest.pop(0)
        if pid in keep:
            continue
        try:
            if stat(pid).state not in "ZX":
                yield pid
        except GONE:
            continue
        rest += children(pid)


def _parents() -> Iterator[tuple[int, int]]:
    for pid in pids():
        try:
            yield pid, stat(pid).parent
        except GONE:
            continue


def load() -> float | None:
    """Return the load average of the last minute, None where the system does not tell."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def running() -> float | None:
    """Return how many threads are running or ready beside ours at this moment, None where the system does not tell."""
    found = _read("/proc/stat").partition(b"\nprocs_running ")[2].split()
    return max(0.0, float(found[0]) - 1) if found else None
