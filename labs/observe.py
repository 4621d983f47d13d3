"""What the threads of a running Node are in, read from outside: who holds a slot, who is parked, is the loop at rest.

Works as an ordinary user on one's own child processes. Nothing here relies on what the script says.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from labs import poolsize, proc, syscalls
from labs.errors import NoisyError, RoomError
from labs.measurement import Thread

#: What libuv calls its pool's threads, since 1.50.0 (Node 22.17 and 24.0).
WORKER = "libuv-worker"
_NAMED_SINCE = (1, 50)


class Seen(Struct, frozen=True):
    """One thread at one moment.

    Attributes:
        tid: Its id.
        call: The system call it sleeps in, None while it runs or waits for a core.
        path: The file it asked for, where the call names one.
        switches: How often it gave up its core by itself.
        disk: It waits for something that comes without anybody's doing, mostly a disk (state D): that is no rest.
    """

    tid: int
    call: str | None
    path: str | None = None
    switches: int = 0
    disk: bool = False

    @property
    def held(self) -> bool:
        """Asleep inside a task: in a blocking call other than the pool's own wait."""
        return self.call is not None and self.call not in syscalls.PARKING

    @property
    def parked(self) -> bool:
        """Asleep in the pool's own wait."""
        return self.call in syscalls.PARKING


class Look(Struct, frozen=True):
    """The pool and the loop at one moment.

    Attributes:
        at: When (seconds on the monotonic clock).
        workers: The pool's threads, by id.
        main: The thread that runs the JavaScript.
    """

    at: float
    workers: tuple[Seen, ...]
    main: Seen

    @property
    def asleep(self) -> bool:
        """Every pool worker is asleep, and none only until a disk answers."""
        return all(worker.call is not None and not worker.disk for worker in self.workers)

    @property
    def polling(self) -> bool:
        """The loop waits for something to do."""
        return self.main.call in syscalls.POLLING


class Observer:
    """Looks at one Node process.

    Attributes:
        pid: Its id.
        named: Whether this libuv names its workers; else new threads are counted.
        baseline: The threads that existed before the script began.
    """

    def __init__(self, pid: int, uv: str, baseline: Iterable[int]) -> None:
        self.pid = pid
        self.named = poolsize.version(uv) >= _NAMED_SINCE
        self.baseline = frozenset(baseline)
        self._calls = syscalls.names()
        self._names: dict[int, str] = {}

    def workers(self) -> list[int]:
        """Return the ids of the pool's threads: by name, or by difference where they have none."""
        fresh = [tid for tid in proc.tids(self.pid) if tid not in self.baseline]
        return [tid for tid in fresh if self._name(tid) == WORKER] if self.named else fresh

    def look(self) -> Look:
        """Look once. A worker that ends meanwhile is left out.

        Raises:
            FileNotFoundError, ProcessLookupError: The process is gone.
            RoomError: The system does not let us look.
        """
        at = time.monotonic()
        workers = []
        for tid in self.workers():
            with suppress(*proc.GONE):
                workers.append(self.thread(tid))
        return Look(at, tuple(workers), self.thread(self.pid))

    def is_idle(self) -> bool:
        """Return whether no thread of the process runs, or waits for a core or a disk (same errors as :meth:`look`)."""
        return all(proc.stat(self.pid, tid).state not in "RD" for tid in proc.tids(self.pid))

    def thread(self, tid: int) -> Seen:
        """Look at one thread (same errors as :meth:`look`)."""
        try:
            state, before = proc.resting(self.pid, tid)
            call = proc.call(self.pid, tid)
        except PermissionError as problem:
            raise RoomError(
                f"The system does not let us look into Node's threads: {problem.filename or '/proc/PID/task'} answered "
                f'"{problem.strerror}". A container usually may: room="container".'
            ) from problem
        if call is None:
            return Seen(tid, None, None, before)
        name = self._calls.get(call.number, f"call {call.number}")
        path = None
        if name in syscalls.PATH_ARGUMENT:
            text = proc.text_at(self.pid, call.arguments[syscalls.PATH_ARGUMENT[name]])
            path = None if text is None else os.fsdecode(text)
        return Seen(tid, name, path, before, disk=state == "D")

    def details(self, tasks: Mapping[str, str], look: Look, lanes: Sequence[int] = ()) -> tuple[Thread, ...]:
        """Return every thread for the record, the workers first and in the order of ``lanes``.

        ``tasks`` maps paths to task names.
        """
        workers = {seen.tid: seen for seen in look.workers}
        found = []
        for tid in dict.fromkeys((*lanes, *proc.tids(self.pid))):
            try:
                seen = workers.get(tid) or self.thread(tid)
                used = proc.schedule(self.pid, tid)
                cpu = used.cpu if used else proc.stat(self.pid, tid).cpu
                name = proc.name(self.pid, tid)
            except proc.GONE:
                continue
            role = "worker" if tid in workers else "main" if tid == self.pid else "other"
            state = "running" if seen.call is None else "asleep"
            if role == "worker" and seen.call is not None:
                state = "held" if seen.held else "parked"
            found.append(
                Thread(
                    name="new thread" if role == "worker" and not self.named else name,
                    role=role,  # type: ignore[arg-type]  # one of the three by construction
                    state=state,  # type: ignore[arg-type]  # one of the four by construction
                    call=seen.call or "",
                    task=tasks.get(seen.path or ""),
                    cpu=cpu,
                    run_queue=used.run_queue if used else None,
                )
            )
        return tuple(found)

    def _name(self, tid: int) -> str:
        known = self._names.get(tid)
        if known != WORKER:  # a thread names itself, soon after it began
            try:
                known = self._names[tid] = proc.name(self.pid, tid)
            except proc.GONE:
                return ""
        return known


def check_processor(pid: int, descriptor: int, within: float = 10.0) -> None:
    """Make sure that the calls we see are the calls that are made: the main thread is known to read ``descriptor``.

    Under an emulated processor (qemu-user) the numbers in ``/proc`` are those of the other architecture.

    Raises:
        RoomError: It is seen asleep in something else, or we may not look.
        NoisyError: It never got there.
    """
    observer = Observer(pid, "0", ())
    number = {name: number for number, name in syscalls.names().items()}["read"]
    end = time.monotonic() + within
    seen = None
    while time.monotonic() < end:
        observer.thread(pid)  # explains a refusal
        call = proc.call(pid, pid)
        if call is not None:
            if (call.number, call.arguments[0]) == (number, descriptor):
                return
            seen = f"call {call.number}"
        time.sleep(0.0005)
    if seen is None:
        raise NoisyError(f"Node did not come to rest within {within:.0f} s of its start. Run the cell again later.")
    raise RoomError(
        f"The main thread of Node reads from a pipe, but the system shows it in {seen} (expected call {number}). The "
        "processor seems to be emulated, so threads cannot be watched. Use a Node and a Python for this machine's processor."
    )
