"""System-call numbers, by architecture: what a sleeping thread is in.

Only the calls a Node thread is found asleep in are named; any other number is shown as ``call N``. Source: the kernel's
``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/unistd.h`` (arm64 uses the generic table).
"""

from __future__ import annotations

import os

from labs.errors import RoomError

_X86_64 = {
    "read": 0, "open": 2, "poll": 7, "pread64": 17, "select": 23, "nanosleep": 35, "connect": 42, "accept": 43,
    "recvfrom": 45, "recvmsg": 47, "wait4": 61, "fcntl": 72, "flock": 73, "futex": 202, "epoll_wait": 232,
    "clock_nanosleep": 230, "waitid": 247, "openat": 257, "pselect6": 270, "ppoll": 271, "epoll_pwait": 281,
    "io_uring_enter": 426, "openat2": 437, "epoll_pwait2": 441, "futex_wait": 455,
}  # fmt: skip
_ARM64 = {
    "read": 63, "pread64": 67, "pselect6": 72, "ppoll": 73, "connect": 203, "accept": 202, "recvfrom": 207,
    "recvmsg": 212, "wait4": 260, "fcntl": 25, "flock": 32, "futex": 98, "clock_nanosleep": 115, "nanosleep": 101,
    "waitid": 95, "openat": 56, "epoll_pwait": 22, "io_uring_enter": 426, "openat2": 437, "epoll_pwait2": 441,
    "futex_wait": 455,
}  # fmt: skip
_TABLES = {"x86_64": _X86_64, "aarch64": _ARM64}

#: The calls in which an event loop waits for something to do.
POLLING = frozenset({"epoll_wait", "epoll_pwait", "epoll_pwait2"})
#: The pool's own wait for work (a condition variable).
PARKING = frozenset({"futex", "futex_wait"})
#: Calls that carry a path, and which of their arguments points to it.
PATH_ARGUMENT = {"open": 0, "openat": 1, "openat2": 1}


def names(architecture: str | None = None) -> dict[int, str]:
    """Return number -> name for an architecture as ``uname -m`` names it (default: this one).

    Raises:
        RoomError: No table for that architecture.
    """
    architecture = architecture or os.uname().machine
    table = _TABLES.get(architecture)
    if table is None:
        raise RoomError(
            f"Four Threads reads threads on x86_64 and aarch64; this processor calls itself {architecture}. "
            'A recorded run works everywhere: room="replay".'
        )
    return {number: name for name, number in table.items()}
