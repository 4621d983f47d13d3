"""Linux namespaces, mounts and the loopback interface, straight from the C library.

Every function raises :class:`Refused`, which knows what was asked of the kernel and what the kernel answered.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from pathlib import Path

# linux/sched.h
NEW_MOUNTS = 0x00020000
NEW_HOST_NAME = 0x04000000
NEW_IPC = 0x08000000
NEW_USER = 0x10000000
NEW_PROCESSES = 0x20000000
NEW_NETWORK = 0x40000000
# linux/mount.h
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 1, 2, 4, 8
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
# linux/sockios.h and linux/if.h
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1

_libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):  # noqa: N818  # what the kernel did; the room turns it into a RoomError
    """The kernel refused one step.

    Attributes:
        step: What was asked, as the object of "the kernel refused".
        number: The error's number, as in :mod:`errno`.
    """

    def __init__(self, step: str, number: int) -> None:
        super().__init__(f"{step}: {os.strerror(number)}")
        self.step = step
        self.number = number


def _check(result: int, step: str) -> None:
    if result != 0:
        raise Refused(step, ctypes.get_errno())


def leave(flags: int, step: str) -> None:
    """Leave the namespaces that ``flags`` name for new ones (unshare(2)); of processes, the next child is the first."""
    _check(_libc.unshare(flags), step)


def become_root_of(user: int, group: int) -> None:
    """Be user 0 of the user namespace just entered; outside it we stay who we were (user_namespaces(7))."""
    for file, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        try:
            Path(f"/proc/self/{file}").write_text(text)
        except OSError as problem:
            raise Refused(f"being root of one's own user namespace ({file})", problem.errno or 0) from problem


def mount(source: str, target: Path | str, kind: str, flags: int, data: str, step: str) -> None:
    """Mount (mount(2))."""
    _check(_libc.mount(source.encode(), os.fsencode(target), kind.encode(), flags, data.encode()), step)


def keep_mounts_private() -> None:
    """Let no mount from here on be seen outside, nor one from outside here."""
    mount("none", "/", "", _RECURSIVE | _PRIVATE, "", "a private mount namespace (mount --make-rprivate /)")


def mount_proc() -> None:
    """Show the processes of this namespace in ``/proc``."""
    mount("proc", "/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_PROGRAMS, "", "mounting /proc")


def mount_scratch(target: Path, size: int) -> None:
    """Mount an empty folder in memory over ``target``, ``size`` bytes at most, ours alone."""
    flags = _NO_SUID | _NO_DEVICES
    mount("fourthreads", target, "tmpfs", flags, f"mode=0700,size={size}", f"mounting a folder in memory on {target}")


def cover_file(path: Path, content: Path) -> None:
    """Show ``content`` where ``path`` is, behind whatever links."""
    mount(str(content), path.resolve(), "", _BIND, "", f"covering {path}")


def cover_folder(path: Path) -> None:
    """Show an empty folder where ``path`` is."""
    flags = _NO_SUID | _NO_DEVICES | _NO_PROGRAMS
    mount("fourthreads", path.resolve(), "tmpfs", flags, "mode=0755,size=4096", f"covering {path}")


def make_writable(path: Path, scratch: Path) -> None:
    """Let files be made in a folder without changing it: what is made is kept in ``scratch`` (overlayfs, Linux 5.11)."""
    above, work = scratch / "above", scratch / "work"
    above.mkdir()
    work.mkdir()
    data = f"lowerdir={path},upperdir={above},workdir={work}"
    mount("overlay", path, "overlay", 0, data, f"laying a writable folder over {path}")


def raise_loopback() -> None:
    """Bring the loopback interface of a new network namespace up (netdevice(7))."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            asked = struct.pack("16sH22x", b"lo", 0)
            (flags,) = struct.unpack_from("H", fcntl.ioctl(any_socket, _GET_FLAGS, asked), 16)
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH22x", b"lo", flags | _UP))
        except OSError as problem:
            raise Refused("bringing the loopback interface up", problem.errno or 0) from problem
