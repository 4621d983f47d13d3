"""Processor time by place: what the loop's own thread used, what the pool's, what all others. Read from the kernel."""

from __future__ import annotations

from msgspec import Struct

from labs import proc
from labs.observe import Look
from labs.run import NodeRun


class Spent(Struct, frozen=True):
    """Processor microseconds of one Node: the thread that runs the JavaScript, the pool's workers, all others."""

    loop: int
    pool: int
    others: int

    def since(self, before: Spent) -> Spent:
        """Return what was used since an earlier look (never less than nothing: a thread may have ended)."""
        return Spent(
            max(0, self.loop - before.loop), max(0, self.pool - before.pool), max(0, self.others - before.others)
        )


def spent(run: NodeRun, look: Look) -> Spent:
    """Return what has been used up to now; exact for threads that sleep."""
    workers = {worker.tid for worker in look.workers}
    loop = pool = others = 0.0
    for tid in proc.tids(run.pid):
        try:
            used = proc.schedule(run.pid, tid)
            cpu = used.cpu if used else proc.stat(run.pid, tid).cpu
        except proc.GONE:
            continue
        if tid == run.pid:
            loop += cpu
        elif tid in workers:
            pool += cpu
        else:
            others += cpu
    # A thread that has ended is in no folder any more; what it used stands in the process's own sum, in whole ticks.
    others = max(others, proc.stat(run.pid).cpu - loop - pool)
    return Spent(round(loop * 1e6), round(pool * 1e6), round(others * 1e6))
