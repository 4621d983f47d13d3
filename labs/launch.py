"""Start one program with bounds, as a child that cannot outlive us."""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from labs import family
from labs.errors import SetupError


class Bounds(Struct, frozen=True, kw_only=True):
    """How much one run may use.

    Attributes:
        wall: Seconds it may run (a script's begin when it does, not when Node starts).
        stall: Processor seconds the loop's thread may use without letting one timer tick through, or while we wait
            for it to come to rest.
        output: Bytes it may print.
        memory: Bytes of memory of its own, over all its processes.
        heap: Megabytes of JavaScript objects (V8's old space).
        processes: Processes at a time, itself included.
        threads: Threads that its user may start beside those that exist at its start (no bound for root).
        file_size: Bytes in one file.
    """

    wall: float = 60.0
    stall: float = 2.0
    output: int = 512 * 1024
    memory: int = 1536 * 1024 * 1024
    heap: int = 512
    processes: int = 24
    threads: int = 2048
    file_size: int = 64 * 1024 * 1024


def start(
    argv: Sequence[str | os.PathLike[str]],
    *,
    folder: Path,
    environment: Mapping[str, str],
    output: int,
    inherit: Sequence[int],
    bounds: Bounds,
    cores: Sequence[int] | None = None,
) -> int:
    """Start a program in a session of its own and return its process id.

    Args:
        argv: Program and arguments.
        folder: Where it starts.
        environment: All of its environment.
        output: Descriptor that receives what it prints, to either stream.
        inherit: Further descriptors it keeps, under the same numbers.
        bounds: What the kernel can enforce of them is set here: file size, and threads of this user.
        cores: The cores it may run on; None leaves them as they are.

    Raises:
        SetupError: It could not be started.
    """
    parent = os.getpid()
    threads = _thread_limit(bounds.threads)
    failed, failing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            family.die_with_parent()
            if os.getppid() != parent:
                os._exit(127)
            os.setsid()
            for usual in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(usual, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (bounds.file_size, bounds.file_size))
            if threads is not None:
                resource.setrlimit(resource.RLIMIT_NPROC, threads)
            if cores is not None:
                os.sched_setaffinity(0, cores)
            os.chdir(folder)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            for number in inherit:
                os.set_inheritable(number, True)
            os.execve(argv[0], [os.fspath(part) for part in argv], dict(environment))
        except BaseException as problem:  # noqa: BLE001 - the child must never return into its parent's program
            os.write(failing, f"{type(problem).__name__}: {problem}".encode())
        finally:
            os._exit(127)
    os.close(failing)
    try:
        if problem_text := os.read(failed, 4096):
            os.waitpid(pid, 0)
            raise SetupError(f"{argv[0]} could not be started: {problem_text.decode(errors='replace')}")
    finally:
        os.close(failed)
    return pid


def _thread_limit(more: int) -> tuple[int, int] | None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    wanted = threads_of_user() + more
    if soft != resource.RLIM_INFINITY and soft <= wanted:
        return None
    return (wanted, hard)


def threads_of_user() -> int:
    """Return how many threads this user has now, over all processes that are visible."""
    from labs import proc

    total = 0
    for pid in proc.pids():
        try:
            if os.stat(f"/proc/{pid}").st_uid == os.getuid():
                total += proc.stat(pid).threads
        except proc.GONE:
            continue
    return total


def python(*arguments: str) -> list[str]:
    """Return the command line that runs this very Python with ``arguments``.

    ``-P`` keeps the working folder out of what is imported: it is the learner's, and a ``json.py`` there is not ours.
    """
    return [sys.executable, "-P", *arguments]
