"""Processor time by place: what the loop's own thread used, what the pool's, what a script's own threads and processes. Read from the kernel."""

from __future__ import annotations

import time

from msgspec import Struct

from labs import proc
from labs.observe import Look
from labs.run import NodeRun

#: V8's own threads (compilers, garbage), whoever made the garbage: their time is nobody's work. From Node 26 on "node-V8Worker".
_ENGINE = "V8Worker"


class Spent(Struct, frozen=True):
    """Processor microseconds by place.

    Attributes:
        loop: Of the thread that runs the JavaScript.
        pool: Of the pool's workers.
        others: Of all other threads of this Node but V8's own.
        children: Of the processes it has started, and of theirs.
    """

    loop: int
    pool: int
    others: int
    children: int

    def since(self, before: Spent) -> Spent:
        """Return what was used since an earlier look (never less than nothing: a thread may have ended)."""
        return Spent(
            max(0, self.loop - before.loop),
            max(0, self.pool - before.pool),
            max(0, self.others - before.others),
            max(0, self.children - before.children),
        )


class Children:
    """The processes that a script has started: of one that has ended, what it had used when it was last looked at.

    The kernel adds up what ended children used in ticks of 10 ms, more than some of the work that is weighed here.
    """

    def __init__(self, run: NodeRun) -> None:
        self._run = run
        self._used: dict[int, float] = {}

    def look(self) -> None:
        """Look again: who waits for something does so as often as it can."""
        for pid in proc.family(self._run.pid):
            try:
                self._used[pid] = _whole(pid)
            except proc.GONE:
                continue

    def used(self) -> float:
        """Look again; return processor seconds."""
        self.look()
        return sum(self._used.values())


def spent(run: NodeRun, look: Look, children: Children | None = None) -> Spent:
    """Return what has been used up to now; exact for threads that sleep."""
    workers = {worker.tid for worker in look.workers}
    whole = _whole(run.pid)
    loop = pool = engine = others = 0.0
    for tid in proc.tids(run.pid):
        try:
            used = proc.schedule(run.pid, tid)
            cpu = used.cpu if used else proc.stat(run.pid, tid).cpu
            name = proc.name(run.pid, tid)
        except proc.GONE:
            continue
        if tid == run.pid:
            loop += cpu
        elif tid in workers:
            pool += cpu
        elif name.endswith(_ENGINE):
            engine += cpu
        else:
            others += cpu
    # A thread that has ended is in no folder any more; what it used stands in the process's own sum.
    others = max(others, whole - loop - pool - engine)
    started = children.used() if children is not None else 0.0
    return Spent(round(loop * 1e6), round(pool * 1e6), round(others * 1e6), round(started * 1e6))


def _whole(pid: int) -> float:
    """Return the processor seconds of a process, of its ended threads too: by its own clock, which counts in nanoseconds.

    ``stat`` counts in ticks of 10 ms, more than some of the work that is weighed here; it stands in where there is no such clock.
    """
    try:
        return time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3): CPUCLOCK_SCHED of the process
    except OSError:
        return proc.stat(pid).cpu
