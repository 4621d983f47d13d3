"""libuv's line and workers, without time: who takes what.

A transcript of ``worker()`` and ``post()`` in `src/threadpool.c` (libuv 1.23.1 to 1.52.1; the lines named below are those of
1.52.1). Tasks are whole numbers, so that the simulation and the controller of held work share it at full speed.
"""

from __future__ import annotations

from collections import deque

#: ``run_slow_work_message``: stands in the line for all pending slow work.
MARKER = -1


class Threadpool:
    """The queues of one pool. The caller keeps the workers and tells what they do.

    Attributes:
        size: Workers.
        threshold: The most slow tasks at once (threadpool.c:46).
        line: ``wq``: everything that waits, in order, with at most one :data:`MARKER`.
        pending: ``slow_io_pending_wq``: slow tasks that wait.
        slow_running: Slow tasks inside a worker.
    """

    __slots__ = ("line", "marked", "pending", "size", "slow_running", "threshold")

    def __init__(self, size: int) -> None:
        self.size = size
        self.threshold = (size + 1) // 2
        self.line: deque[int] = deque()
        self.pending: deque[int] = deque()
        self.slow_running = 0
        self.marked = False

    def post(self, task: int, slow: bool) -> None:
        """Put a task in the line (threadpool.c:143-161): slow work is stood for by one marker."""
        if slow:
            self.pending.append(task)
            if self.marked:
                return
            self.marked = True
            task = MARKER
        self.line.append(task)

    def take(self) -> int | None:
        """Return the task of a worker that looks for work now, or None where it parks (threadpool.c:72-117)."""
        line = self.line
        while line:
            task = line[0]
            if task != MARKER:
                return line.popleft()
            if self.slow_running < self.threshold:
                line.popleft()
                self.marked = False
                self.slow_running += 1
                task = self.pending.popleft()
                if self.pending:
                    self.marked = True
                    line.append(MARKER)
                return task
            if len(line) == 1:
                return None
            # At the threshold: the marker goes behind everything that waits at this moment.
            line.popleft()
            line.append(MARKER)
        return None

    def ended(self, slow: bool) -> None:
        """Note that a worker came out of a task (threadpool.c:133-136)."""
        if slow:
            self.slow_running -= 1

    def waiting(self) -> list[int]:
        """Return the tasks that wait: the line in order, the slow ones where the marker stands."""
        found: list[int] = []
        for task in self.line:
            if task == MARKER:
                found.extend(self.pending)
            else:
                found.append(task)
        return found
