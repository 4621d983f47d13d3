"""Look at any running Node from outside, read-only: its pool's size, who holds a slot, what the loop does."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from labs import poolsize, proc, syscalls
from labs.errors import FourThreadsError
from labs.observe import WORKER, Observer, Seen

_NEVER_BY_NAME = "0"  # an Observer for a libuv that does not name its workers


class AuditError(FourThreadsError):
    """That process cannot be looked at; the text says why."""

    code = "audit"


class Slot(Struct, frozen=True):
    """One thread of the pool at the moment of the look.

    Attributes:
        state: ``held`` (asleep inside a task), ``parked`` (in the pool's own wait), ``running``.
        call: The system call it is in; empty while it runs.
        path: The file it asked for, where the call names one and it can be read.
        cpu: Processor seconds it has used.
    """

    state: str
    call: str
    path: str | None
    cpu: float


class Audit(Struct, frozen=True):
    """What was seen of one process.

    Attributes:
        pid: Its id.
        threads: All its threads.
        named: Whether its libuv names the pool's threads (since 1.50.0: Node 22.17 and 24.0); without names they
            cannot be told from V8's, and ``pool_threads``, ``slots`` and ``held_slots`` are null.
        pool_threads: The pool's threads that exist; 0 before the first use.
        size_set: ``UV_THREADPOOL_SIZE`` in the environment the process was started with; null where unset.
        size_expected: The size that gives the pool when it is born. A program may still change the variable before.
        held_slots: Slots whose thread is asleep inside a task.
        slots: Every slot.
        loop: What the main thread does: ``polls`` (waits for something to do), ``runs``, or the call it is blocked in.
    """

    pid: int
    threads: int
    named: bool
    pool_threads: int | None
    size_set: str | None
    size_expected: int
    held_slots: int | None
    slots: tuple[Slot, ...] | None
    loop: str


def audit(pid: int) -> Audit:
    """Look at a running Node once.

    Raises:
        AuditError: There is no such process, it is no Node, or the system does not let us look.
        RoomError: This processor's system calls are not known here.
    """
    try:
        named = _names_its_workers(pid)
        observer = Observer(pid, "1.50.0" if named else _NEVER_BY_NAME, ())
        slots = tuple(_slot(pid, observer.thread(tid)) for tid in observer.workers()) if named else None
        main = observer.thread(pid)
        threads = len(proc.tids(pid))
        setting = proc.environment(pid).get(b"UV_THREADPOOL_SIZE")
    except proc.GONE as problem:
        raise AuditError(f"There is no process {pid} here (any more). `pgrep node` lists those there are.") from problem
    except PermissionError as problem:
        raise AuditError(_kept_out(pid, os.geteuid() == 0)) from problem
    text = None if setting is None else setting.decode(errors="replace")
    return Audit(
        pid=pid,
        threads=threads,
        named=named,
        pool_threads=None if slots is None else len(slots),
        size_set=text,
        size_expected=poolsize.in_force(text, "1.52.0" if named else "1.49.0"),
        held_slots=None if slots is None else sum(slot.state == "held" for slot in slots),
        slots=slots,
        loop="runs" if main.call is None else "polls" if main.call in syscalls.POLLING else main.call,
    )


def _kept_out(pid: int, root: bool) -> str:
    """Say what to do where the system does not let this user look; to root nothing is advised that is so already."""
    if root:
        return (
            f"The system does not let even root look into process {pid} from here: in a container, or under a security rule, root "
            "may lack that right (CAP_SYS_PTRACE). Run it on the machine itself, outside the container."
        )
    return f"The system does not let this user look into process {pid}. Run it as the user that runs that Node, or as root."


def _slot(pid: int, seen: Seen) -> Slot:
    state = "running" if seen.call is None else "held" if seen.held else "parked"
    return Slot(state, seen.call or "", seen.path, proc.stat(pid, seen.tid).cpu)


def _names_its_workers(pid: int) -> bool:
    """Say whether the process's libuv names its workers: by a name that is there, or by the text in its program.

    Raises:
        AuditError: The process is no Node.
    """
    if any(proc.name(pid, tid) == WORKER for tid in proc.tids(pid)):
        return True
    programs = list(_programs(pid))
    if not any(_holds(program, b"UV_THREADPOOL_SIZE") for program in programs):
        raise AuditError(
            f"Process {pid} is no Node: nothing it runs knows libuv's pool. `pgrep node` lists those there are."
        )
    return any(_holds(program, WORKER.encode()) for program in programs)


def _programs(pid: int) -> Iterator[Path]:
    """Yield the process's program, and libuv where it is a library of its own, as files we can open."""
    yield Path(f"/proc/{pid}/exe")
    mapped = Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines()
    paths = {fields[5] for line in mapped if len(fields := line.split(maxsplit=5)) == 6 and "/libuv.so" in fields[5]}
    yield from (Path(f"/proc/{pid}/root{path}") for path in sorted(paths))


def _holds(program: Path, text: bytes) -> bool:
    with suppress(FileNotFoundError, ValueError), program.open("rb") as file:
        if os.fstat(file.fileno()).st_size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return content.find(text) >= 0
    return False
