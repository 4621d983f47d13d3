"""One program under watch: what it prints, what it uses, how it ends, and that nothing of it is left."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from labs import family, launch
from labs.launch import Bounds
from labs.measurement import Ending

#: Bytes of what it printed that are kept.
_TEXT = 8192
#: Seconds between two looks at memory and processes.
_WATCH = 0.02


class Process:
    """A program and everything it starts.

    Attributes:
        pid: Its process id, 0 before the start.
        bounds: What it may use.
        ending: How it ended, None while it lives.
        code: Its exit code, minus the signal's number where one ended it; None while it lives.
        cpu: Processor seconds of what has ended.
        began, over: Monotonic seconds of its start, and of the moment when nothing was left (0.0 before).
        bounded: Monotonic seconds of the moment from which its bound on time counts: its start, unless set later.
    """

    def __init__(self, bounds: Bounds, still_wanted: Callable[[], None], others: Callable[[], frozenset[int]]) -> None:
        self.pid = 0
        self.bounds = bounds
        self.ending: Ending | None = None
        self.code: int | None = None
        self.cpu = 0.0
        self.began = self.over = self.bounded = 0.0
        self._still_wanted = still_wanted
        self._others = others
        self._descriptors: list[int] = []
        self._output = -1
        self._printed = 0
        self._tail = b""
        self._watched = 0.0

    def spawn(
        self,
        argv: Sequence[str | os.PathLike[str]],
        *,
        folder: Path,
        environment: Mapping[str, str],
        inherit: Sequence[int] = (),
        cores: Sequence[int] | None = None,
    ) -> None:
        """Start it; the descriptors in ``inherit`` go over to it.

        Raises:
            SetupError: It could not be started.
        """
        self._output, say = self.pipe()
        # What does not fit into the pipe may stay in Node's memory for ever, where a flood cannot be told from a loop.
        with suppress(OSError):
            fcntl.fcntl(say, fcntl.F_SETPIPE_SZ, 2 * self.bounds.output)
        self.began = self.bounded = time.monotonic()
        self.pid = launch.start(
            argv, folder=folder, environment=environment, output=say, inherit=inherit, bounds=self.bounds, cores=cores
        )
        for descriptor in (say, *inherit):
            self.close(descriptor)
        os.set_blocking(self._output, False)

    def pipe(self) -> tuple[int, int]:
        """Make a pipe that is closed at the end: (read here, write here)."""
        ends = os.pipe()
        self._descriptors += ends
        return ends

    def close(self, descriptor: int) -> None:
        """Close one end of such a pipe earlier."""
        self._descriptors.remove(descriptor)
        os.close(descriptor)

    def pump(self, seconds: float) -> None:
        """Wait a little; take what it prints, notice its end and its bounds, and whether anybody still wants it."""
        self._still_wanted()
        if self.ending is None:
            if select.select([self._output], [], [], seconds)[0] and not self._drain():
                # Whoever could print is gone or has closed its output: asking again at once would only spin.
                time.sleep(seconds)
            self._reap()
        if self.ending is None:
            if self._printed > self.bounds.output:
                self.kill("output")
            elif time.monotonic() - self.bounded > self.bounds.wall:
                self.kill("time")
            elif time.monotonic() - self._watched > _WATCH:
                self._watched = time.monotonic()
                self.watch()

    def watch(self) -> None:
        """Hold what it uses against its bounds."""
        used = family.size(self._others(), self.bounds.processes)
        if used.processes > self.bounds.processes:
            self.kill("processes")
        elif used.memory > self.bounds.memory:
            self.kill("memory")

    def kill(self, why: Ending) -> None:
        """End it and everything it started, now."""
        self.ending = why
        for ended in family.end(self._others()):
            self._note(ended)
        self.over = time.monotonic()

    def stop(self) -> None:
        """End it and everything it started, unless it has ended by itself. Harmless when called again."""
        if self.pid and not self.over:
            self._reap()
            self.kill(self.ending or "stopped")
            self._drain()
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []

    @property
    def printed(self) -> str:
        """The end of what it printed, to either stream."""
        return self._tail.decode(errors="replace")

    def _drain(self) -> bool:
        some = False
        with suppress(BlockingIOError):
            while self._printed <= self.bounds.output and (part := os.read(self._output, 65536)):
                some = True
                self._printed += len(part)
                self._tail = (self._tail + part)[-_TEXT:]
        return some

    def _reap(self) -> None:
        for ended in family.reap(self._others()):
            self._note(ended)

    def _note(self, ended: family.Ended) -> None:
        self.cpu += ended.cpu
        if ended.pid == self.pid:
            self.code = ended.code
            if self.ending is None:
                self.ending = "exited" if ended.code >= 0 else "died"
                if ended.code == -signal.SIGXFSZ:
                    self.ending = "file-size"
                self._drain()
