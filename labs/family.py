"""Everything a run has started, also what tried to get away: adopt it, count it, end it."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from typing import NamedTuple

from labs import proc
from labs.errors import SetupError

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)


class Ended(NamedTuple):
    """A process that was waited for: how it ended (as ``os.waitstatus_to_exitcode``) and its processor seconds."""

    pid: int
    code: int
    cpu: float


class Size(NamedTuple):
    """What the family uses now: processes, and bytes of memory."""

    processes: int
    memory: int


def adopt() -> None:
    """Become the parent of every orphan among our descendants (child subreaper).

    Raises:
        SetupError: The kernel refuses; without it a detached child could outlive its run.
    """
    if _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise SetupError("This system does not let us adopt detached children (prctl). Linux 3.4 or newer is needed.")


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Ask the kernel to send us a signal when the thread that started us ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def shut() -> None:
    """Close our memory, descriptors and environment to other processes of the same user (``/proc/PID/mem`` and its like)."""
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def reap(keep: frozenset[int] = frozenset()) -> list[Ended]:
    """Collect every child that has ended, without waiting; children in ``keep`` are left to others."""
    found = []
    for child in proc.children(os.getpid()):
        with suppress(ChildProcessError):
            pid, status, usage = os.wait4(child, os.WNOHANG) if child not in keep else (0, 0, None)
            if usage is not None and pid:
                found.append(Ended(pid, os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime))
    return found


def size(keep: frozenset[int] = frozenset(), most: int = 100_000) -> Size:
    """Return what all living descendants of this process use; ``keep`` and what descends from it left out.

    Stops counting beyond ``most`` processes: a family that grows is not waited for.
    """
    processes = memory = 0
    for pid in proc.family(os.getpid(), keep):
        with suppress(*proc.GONE):
            memory += proc.resident(pid)
        processes += 1
        if processes > most:
            break
    return Size(processes, memory)


def end(keep: frozenset[int] = frozenset(), within: float = 30.0) -> list[Ended]:
    """Kill all descendants but ``keep`` and theirs, and collect them. Returns those that were collected.

    Whole process groups at a time: the kernel lets no member of a group that is being killed have another child, so
    a program that keeps forking cannot be faster than we are.
    """
    ended: list[Ended] = []
    ours = {os.getpgrp()} | {_group(pid) for pid in keep}
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        alive = False
        killed: set[int] = set()
        for pid in proc.family(os.getpid(), keep):
            alive = True
            group = _group(pid)
            if group in ours or group == 0:
                _signal(pid, signal.SIGKILL)
            elif group not in killed:
                killed.add(group)
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
        ended += reap(keep)
        if not alive and not {*proc.children(os.getpid())} - keep:
            break
        time.sleep(0.0005)
    return ended


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
