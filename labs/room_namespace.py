"""The room `namespace`: on Linux, a process with mounts, network and processes of its own, where port 53 is ours.

``python -m labs.room_namespace -- COMMAND`` opens the room, runs the command in it with our standard streams, and ends
with its exit code. Three processes: the *doorkeeper* stays outside and removes the room's folder; the *first* process
of the room furnishes it and waits; the command runs beside it. When the first ends, also by force, the kernel ends
everything in the room.

No privileges are needed where the kernel lets a user make namespaces. This room is private and not sealed: files are
shared with the machine, and a script has the rights of whoever started it.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from labs import family, launch, marker, namespaces, scratch
from labs.errors import FourThreadsError, RoomError
from labs.namespaces import Refused

#: A name that stands in the room's ``/etc/hosts`` and nowhere else: who asks the name server for it does not find it there.
HOSTS_NAME = "only-in-the-hosts-file.test"
HOSTS_ADDRESS = "127.0.0.7"
#: What names are read from in the room; the first file's options keep a lookup waiting until the name server answers.
FILES = {
    "resolv.conf": "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nnetworks: files\nservices: files\n",
    "hosts": f"127.0.0.1 localhost\n::1 localhost\n{HOSTS_ADDRESS} {HOSTS_NAME}\n",
}
#: Folders with the sockets of name-service caches, which would answer before our name server is asked.
_CACHES = ("/var/run/nscd", "/run/nscd")
_SCRATCH_SIZE = 512 * 1024 * 1024
#: What ends a room. Held back until there is somebody to tell: process 1 of a room ignores what it has no handler for.
_STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_ELSE = 'A container needs none of this: room="container".'


class Offer(NamedTuple):
    """Whether the room is to be had here; if not, what forbids it and what to do instead."""

    ok: bool
    reason: str = ""
    remedy: str = ""


class NamespaceRoom:
    """The room; see labs.rooms.Room."""

    name = "namespace"

    def problem(self) -> str | None:
        """Say what forbids it here and what else works, or None where it can be opened (it is tried)."""
        offer = offers()
        return None if offer.ok else f"{offer.reason} {offer.remedy}"

    def start(self, verb: str) -> subprocess.Popen[bytes]:
        """Start ``python -m labs VERB --attached`` in it (see labs.rooms.Room)."""
        from labs import rooms  # it finds us by name

        return rooms.popen(command(launch.python("-m", "labs", verb, "--attached")))

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Remove the folder of a room whose doorkeeper was killed; everything else ended with it."""
        scratch.remove_leftovers()


ROOM = NamespaceRoom()


def command(argv: Sequence[str]) -> list[str]:
    """Return the command that runs ``argv`` in a room of its own."""
    return launch.python("-m", "labs.room_namespace", "--", *argv)


def offers() -> Offer:
    """Try to open the room and say whether that went well."""
    if sys.platform != "linux":
        return Offer(False, "The room namespace is made of Linux namespaces, and this is another system.", _ELSE)
    return _tried() or Offer(True)


@cache
def _tried() -> Offer | None:
    from labs import rooms

    process = rooms.popen(command(["true"]))
    try:
        answer, complaints = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        ROOM.remove(process)
        return Offer(False, "The room namespace did not open within a minute.", _ELSE)
    if process.returncode == 0:
        return None
    last = complaints.decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
    reason = _told(answer) or f"The room namespace could not be tried. It said: {last[0]}"
    return Offer(False, reason.removesuffix(_ELSE).strip(), _ELSE)


def _told(answer: bytes) -> str:
    import msgspec

    class Problem(msgspec.Struct):
        message: str

    with suppress(msgspec.ValidationError, msgspec.DecodeError):
        return msgspec.json.decode(answer, type=Problem).message
    return ""


# -- the doorkeeper, outside ------------------------------------------------------------------------------------------


def keep(argv: Sequence[str]) -> int:
    """Open a room, run a command in it, and return its exit code.

    Raises:
        RoomError: The kernel refused a step, or the room's names are answered by something else.
    """
    # Named like a measurement's folder, so that whoever comes next removes what a killed doorkeeper left.
    folder = Path(tempfile.mkdtemp(prefix=f"{scratch.PREFIX}{marker.own()}-"))
    try:
        _leave()
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        first = os.fork()
        if first == 0:
            _first(folder, argv)

        def tell(_number: int, _frame: FrameType | None) -> None:
            with suppress(ProcessLookupError):
                os.kill(first, signal.SIGTERM)

        for number in _STOPS:
            signal.signal(number, tell)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        return _code(os.waitpid(first, 0)[1])
    except Refused as problem:
        raise explained(problem) from problem
    finally:
        with suppress(OSError):
            folder.rmdir()  # empty on this side


def _leave() -> None:
    user, group = os.geteuid(), os.getegid()
    flags = namespaces.NEW_NETWORK | namespaces.NEW_PROCESSES | namespaces.NEW_IPC | namespaces.NEW_HOST_NAME
    try:
        namespaces.leave(flags, "namespaces of one's own")
    except Refused:
        # Without the right to make them we make a user namespace first, in which we have it.
        namespaces.leave(namespaces.NEW_USER | flags, "a user namespace (unshare)")
        namespaces.become_root_of(user, group)


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


# -- the first process, inside ----------------------------------------------------------------------------------------


def _first(folder: Path, argv: Sequence[str]) -> None:
    """Furnish the room, start the command, wait for it; never returns."""
    code = 2
    try:
        family.die_with_parent()
        environment = {**os.environ, **furnish(folder)}
        check_names()
        code = _run(argv, environment)
    except Refused as problem:
        _say(explained(problem))
    except FourThreadsError as problem:
        _say(problem)
    except BaseException:  # noqa: BLE001 - the first process must never return into the doorkeeper's program
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def furnish(folder: Path) -> dict[str, str]:
    """Make this process's mounts, ``/proc`` and loopback the room's; return what is new in the environment.

    Args:
        folder: An empty folder; the room's files and scratch are in memory behind it and end with the room.

    Raises:
        Refused: By the kernel, with the step.
    """
    # Left here and not by the doorkeeper, who must see the folder without what is mounted on it.
    namespaces.leave(namespaces.NEW_MOUNTS, "a mount namespace (unshare)")
    namespaces.keep_mounts_private()
    namespaces.mount_proc()
    namespaces.mount_scratch(folder, _SCRATCH_SIZE)
    etc = Path("/etc")
    if not all((etc / name).is_file() for name in FILES):  # nothing to cover: absent, or a link to nowhere
        namespaces.make_writable(etc, folder)
        for name in FILES:
            if not (etc / name).is_file():
                (etc / name).unlink(missing_ok=True)
                (etc / name).touch()
    for name, text in FILES.items():
        content = folder / name
        content.write_text(text)
        content.chmod(0o644)
        namespaces.cover_file(etc / name, content)
    for cache_folder in {Path(name).resolve() for name in _CACHES}:
        if cache_folder.is_dir():
            namespaces.cover_folder(cache_folder)
    namespaces.raise_loopback()
    own = folder / "scratch"
    own.mkdir(mode=0o700)
    return {"TMPDIR": str(own), "FOURTHREADS_SCRATCH_DIR": str(own)}


def check_names() -> None:
    """Make sure that a name asked for in this room reaches a name server in this room.

    Raises:
        RoomError: It does not; something else answered, or nothing did.
        SetupError: Port 53 is not to be had.
    """
    from labs import nameserver
    from labs.resolver import HoldingServer

    with HoldingServer("127.0.0.1", 53) as server:
        nameserver.check_names(server.reached_by)


def _run(argv: Sequence[str], environment: dict[str, str]) -> int:
    program = shutil.which(argv[0], path=environment.get("PATH"))
    if program is None:
        raise RoomError(f"There is no program {argv[0]!r} to run in the room.")
    child = os.fork()
    if child == 0:
        try:
            family.die_with_parent()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
            os.execve(program, list(argv), environment)
        finally:
            os._exit(127)
    signal.signal(signal.SIGTERM, lambda _number, _frame: os.kill(child, signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells the command itself
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
    while True:
        ended, status = os.wait()
        if ended == child:
            return _code(status)


# -- what is said -----------------------------------------------------------------------------------------------------


def explained(problem: Refused) -> RoomError:
    """Return the error that says what was refused, by what as far as can be told, and what else works."""
    answer = os.strerror(problem.number)
    return RoomError(
        f"The room namespace cannot be opened: the kernel refused {problem.step} ({answer}). {_cause(problem)}{_ELSE}"
    )


def _cause(problem: Refused) -> str:
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "AppArmor lets an ordinary user make a namespace here and refuses the rest "
            "(kernel.apparmor_restrict_unprivileged_userns is 1; an administrator can set it to 0). "
        )
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return "This system keeps namespaces for root (kernel.unprivileged_userns_clone is 0; an administrator can set it to 1). "
    if problem.number == errno.ENOSPC or _setting("user/max_user_namespaces") == "0":
        return (
            f"The limit is user.max_user_namespaces, here {_setting('user/max_user_namespaces') or 'unknown'}; "
            "an administrator can raise it. "
        )
    if problem.step == "mounting /proc":
        return "Part of /proc is covered here, as in a container; then the kernel gives nobody a fresh one. "
    with suppress(OSError):
        if "\nSeccomp:\t2\n" in Path("/proc/self/status").read_text():
            return "A filter on system calls (seccomp) holds this process, as in a container. "
    return ""


def _setting(name: str) -> str | None:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return None


def _say(problem: FourThreadsError) -> None:
    import msgspec

    line = msgspec.json.encode({"error": problem.code, "message": str(problem)}) + b"\n"
    with suppress(OSError):
        os.write(1, line)


def main(arguments: Sequence[str]) -> int:
    """Run the program; a problem is one JSON line on standard output and exit code 2, as from ``python -m labs``."""
    if len(arguments) < 2 or arguments[0] != "--":
        sys.stderr.write("usage: python -m labs.room_namespace -- COMMAND [ARGUMENT ...]\n")
        return 2
    try:
        return keep(arguments[1:])
    except FourThreadsError as problem:
        _say(problem)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
