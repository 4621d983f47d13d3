"""One Node process with one parameter set: let it begin, look at it at rest, act, bring its run home."""

from __future__ import annotations

import errno
import math
import os
import select
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from labs import experiment, poolsize, proc, said
from labs.claims import Claim, ClaimsFile
from labs.errors import FourThreadsError, NoisyError, ScriptError, SetupError
from labs.experiment import Experiment
from labs.launch import Bounds
from labs.measurement import Callback, Node, Run, Source, Step, Task, Thread
from labs.observe import Look, Observer, check_processor
from labs.process import Process

#: Seconds in which the pool must come to rest.
_REST = 10.0
#: Share of that time a main thread must stand in one and the same call before we say that it does not come back.
_STUCK = 0.2
#: Seconds in which Node must start.
_START = 30.0
#: Seconds in which a process is gone after its ``exit`` event, unless it is still at work or a held slot keeps it.
_EXIT = 0.3
_CLAIMS = 1024 * 1024


class NodeRun(Process):
    """One Node process. Made by ``Stage.launch``; all waiting below also watches the bounds.

    Attributes:
        experiment: What it runs.
        node: Which Node it is.
        size: Threads its pool must have (labs.poolsize).
    """

    def __init__(
        self, what: Experiment, bounds: Bounds, still_wanted: Callable[[], None], others: Callable[[], frozenset[int]]
    ) -> None:
        super().__init__(bounds, still_wanted, others)
        self.experiment = what
        self.node = Node(version="", uv="")
        self.size = 0
        self._observer: Observer | None = None
        self._names = {str(what.gate(number)): str(number) for number in range(1, what.gates + 1)}
        self._openers: dict[int, int] = {}
        self._order: list[int] = []
        self._threads: tuple[Thread, ...] = ()
        self._spent = 0.0
        self._ticked = 0
        self._stalled = False
        experiment.prepare(what)
        self._claims = ClaimsFile(what.claims, _CLAIMS)

    def start(self) -> None:
        """Start Node, look at its threads before the script exists, and let the script begin.

        Raises:
            SetupError: Node could not be started.
            NoisyError: It did not start in time.
            RoomError: Its threads cannot be watched here.
        """
        ready, say_ready = self.pipe()
        wait_go, go = self.pipe()
        what = self.experiment
        experiment.setup(what, token=self._claims.token, ready=say_ready, go=wait_go)
        self.spawn(
            experiment.command(what, self.bounds), folder=what.folder, environment=experiment.environment(what),
            inherit=(say_ready, wait_go), cores=what.cores,
        )  # fmt: skip
        self.bounded = math.inf  # how long Node takes to start is none of the script's doing, and has its own bound
        words = b""
        while part := self._hear(ready):
            words += part
        if not words:
            self.wait_exit(5.0)
            failure = self.failure()
            raise failure if isinstance(failure, SetupError) else SetupError(f"Node could not be started. {failure}")
        self.node = msgspec.json.decode(words, type=Node)
        self.size = poolsize.in_force(what.parameters.get("pool"), self.node.uv)
        check_processor(self.pid, wait_go)
        self._observer = Observer(self.pid, self.node.uv, proc.tids(self.pid))
        self.bounded = time.monotonic()
        os.write(go, b"!")

    # -- look -------------------------------------------------------------------------------------------------------

    def look(self) -> Look:
        """Look once, whatever is going on.

        Raises:
            ScriptError: It has ended, or there are more pool threads than can be.
        """
        self.pump(0)
        self._check_alive()
        try:
            look = self._watcher.look()
        except proc.GONE:
            self._check_gone()
            raise
        if len(look.workers) > self.size:
            whose = "named like workers of the pool" if self._watcher.named else "that were not there before it"
            raise ScriptError(
                f"Your script runs beside {len(look.workers)} threads {whose}; a pool of this size has {self.size}. "
                "So it starts threads with that name itself, or changes UV_THREADPOOL_SIZE. Leave both to us."
            )
        return look

    def settle(self, within: float = _REST) -> Look:
        """Wait until every worker is asleep, twice in the same place, and the loop waits for something to do.

        Raises:
            Restless: That did not happen in time.
            ScriptError: The script ended, or its main thread never returns to its loop.
        """
        end = time.monotonic() + within
        spent = self._main_cpu()
        previous: object = None
        stuck, since = None, 0.0
        pause = 0.0005
        while True:
            look = self.look()
            claims = self.claims()
            self._check_exit(claims)
            begun = any(claim.kind == "asked" for claim in claims)
            at_rest = look.asleep and look.polling and begun
            if at_rest and previous == look.workers:
                self._threads = self._watcher.details(self._names, look, self.lanes(look))
                return look
            previous = look.workers if at_rest else None
            if look.main != stuck or look.main.call is None or look.polling or not self._is_idle():
                # Also a main thread that waits for another thread of its own (V8 collecting garbage) will come back.
                stuck, since = look.main, look.at
            elif look.asleep and look.at - since > within * _STUCK:
                raise said.standstill(look.main.call, self.task(look.main.path))
            if self._main_cpu() - spent > self.bounds.stall:
                self._stalled = True
                self.kill("time")
                raise self.failure()
            if look.at >= end:
                raise said.restless(look)
            self.pump(pause)
            pause = min(pause * 1.3, 0.005)

    def lanes(self, look: Look) -> tuple[int, ...]:
        """Return the pool's thread ids in an order that stays: by the tasks that were held at the first look."""
        held = {seen.tid: self.task(seen.path) if seen.held else None for seen in look.workers}
        fresh = held.keys() - {*self._order}
        self._order += sorted(fresh, key=lambda tid: (held[tid] is None, int(held[tid] or 0), tid))
        return tuple(self._order)

    def slots(self, look: Look) -> tuple[str | None, ...]:
        """Return which task each pool thread holds, in the order of :meth:`lanes`; None where it holds none we know."""
        held = {seen.tid: self.task(seen.path) for seen in look.workers if seen.held}
        return tuple(held.get(tid) for tid in self.lanes(look))

    def task(self, path: str | None) -> str | None:
        """Return the name of the task that opens a path, None where it is no gate."""
        return self._names.get(os.path.join(self.experiment.folder, path)) if path else None

    def opened(self) -> list[str]:
        """Return the tasks whose gate Node has open now, in the order of their descriptors (observed)."""
        try:
            return [name for _, path in proc.open_files(self.pid) if (name := self._names.get(path))]
        except proc.GONE:
            return []

    def claims(self) -> list[Claim]:
        """Return what the script has reported up to now (claimed)."""
        return self._claims.read()

    def reported(self, key: str) -> list[Any]:
        """Return what the script has reported under a key up to now, in order (claimed)."""
        reports = [claim.value for claim in self.claims() if claim.kind == "report" and isinstance(claim.value, dict)]
        return [report[key] for report in reports if key in report]

    def ticks(self) -> tuple[int, float]:
        """Return how many ticks of the timer arrived, and the longest gap between two in seconds (claimed)."""
        try:
            data = self.experiment.ticks.read_bytes()[:24].ljust(24, b"\0")
        except OSError:
            return (0, 0.0)
        count, gap, _ = struct.unpack("<ddd", data)
        return (int(count), gap) if 0 <= count < 2**53 and 0 <= gap < 1e9 else (0, 0.0)

    def since_start(self, at: float) -> float:
        """Return a moment of the monotonic clock in seconds since this run began."""
        return max(0.0, at - self.began)

    @property
    def threads(self) -> tuple[Thread, ...]:
        """Its threads at the last rest (see :meth:`settle`)."""
        return self._threads

    @property
    def text(self) -> str:
        """The end of what it printed, without our frames; kept, never parsed."""
        return said.clean(self.printed, str(self.experiment.folder))

    @property
    def exit_code(self) -> int | None:
        """Its exit code, where it ended by itself and without a signal."""
        return self.code if self.ending in ("exited", "died") and (self.code or 0) >= 0 else None

    # -- act --------------------------------------------------------------------------------------------------------

    def open_gate(self, number: int) -> None:
        """Open gate ``number`` and keep it open. If its task still waits, it will go straight through.

        Raises:
            ScriptError: The script has removed or replaced it.
        """
        path = self.experiment.gate(number)
        flags = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            try:
                self._openers[number] = os.open(path, os.O_WRONLY | flags)
            except OSError as problem:
                if problem.errno != errno.ENXIO:
                    raise
                # Nobody is at the gate yet. Opened for both, a FIFO does not wait on Linux (fifo(7)).
                self._openers[number] = os.open(path, os.O_RDWR | flags)
        except OSError as problem:
            raise ScriptError(f"Gate {number} is gone: your script removed or replaced it.") from problem

    def wait_until(self, ready: Callable[[], bool], within: float) -> bool:
        """Wait for something, at most ``within`` seconds of a living process; return whether it came.

        Raises:
            ScriptError: A bound was reached.
        """
        end = time.monotonic() + within
        while not ready():
            if time.monotonic() >= end or self.ending is not None:
                return False
            self.pump(0.001)
            self._check_bounds()
        return True

    def wait_exit(self, within: float | None = None) -> bool:
        """Wait until it has ended by itself; return whether it has. Without ``within``, its own bound on time counts.

        Raises:
            ScriptError: A bound was reached.
        """
        end = None if within is None else time.monotonic() + within
        while self.ending is None:
            if end is not None and time.monotonic() >= end:
                return False
            self.pump(0.01)
        self._check_bounds()
        return True

    def stop(self) -> None:
        """End it and everything it started, now. Harmless when called again."""
        super().stop()
        for descriptor in self._openers.values():
            os.close(descriptor)
        self._openers = {}

    def release(self) -> None:
        """Let go of what could still be read after its end."""
        self._claims.close()

    def finish(
        self,
        *,
        counts: Mapping[str, int] | None = None,
        sources: Mapping[str, Source] | None = None,
        tasks: Sequence[Task] = (),
        steps: Sequence[Step] = (),
        claims: Mapping[str, Any] | None = None,
        callbacks: Sequence[Callback] = (),
    ) -> Run:
        """Stop it and return what was seen; a count without a source is ``observed``."""
        self.stop()
        counts = dict(counts or {})
        return Run(
            name=self.experiment.name,
            parameters=self.experiment.parameters,
            counts=counts,
            sources={name: (sources or {}).get(name, "observed") for name in counts},
            tasks=tuple(tasks),
            steps=tuple(steps),
            threads=self._threads,
            callbacks=tuple(callbacks),
            claims=dict(claims or {}),
            text=self.text,
            wall=self.over - self.began,
            cpu=self.cpu,
            ended=self.ending or "stopped",
            exit_code=self.exit_code,
        )

    def failure(self) -> FourThreadsError:
        """Return the error that says how it ended, for a run that should not have."""
        if self._stalled:
            return said.stalled(self.bounds)
        return said.ended(self.ending or "stopped", self.code, self.text, self.bounds, self.size)

    # -- watch ------------------------------------------------------------------------------------------------------

    @property
    def _watcher(self) -> Observer:
        assert self._observer is not None  # set by start()
        return self._observer

    def _hear(self, ready: int) -> bytes:
        while not select.select([ready], [], [], 0.02)[0]:
            self.pump(0)
            # Node may also hang, and not die, where it cannot start its first threads.
            late = time.monotonic() - self.began
            if late > 1.0 and (short := said.thread_limit(poolsize.DEFAULT)) is not None:
                raise short
            if late > _START:
                raise NoisyError(
                    f"Node did not start within {_START:.0f} s. Nothing is lost; run the cell again later."
                )
        return os.read(ready, 4096)

    def watch(self) -> None:
        """Hold what it uses against its bounds, and see whether its loop still turns."""
        super().watch()
        if self.ending is None and self._observer is not None:
            cpu, ticked = self._main_cpu(), self.ticks()[0]
            if ticked != self._ticked or not self._spent:
                self._spent, self._ticked = cpu, ticked
            elif cpu - self._spent > self.bounds.stall:
                self._stalled = True
                self.kill("time")

    def _main_cpu(self) -> float:
        try:
            spent = proc.schedule(self.pid, self.pid)
            return spent.cpu if spent else proc.stat(self.pid, self.pid).cpu
        except proc.GONE:
            return 0.0

    def kill(self, why: Any) -> None:
        """End it and everything it started, now."""
        super().kill(why)
        if self.ending == "exited":
            # An uncaught error ends Node with code 1, as ``process.exit(1)`` does; only the harness can tell.
            with suppress(ScriptError):
                if any(claim.kind == "error" for claim in self._claims.read()):
                    self.ending = "died"

    def _check_alive(self) -> None:
        if self.ending is not None:
            raise self.failure()

    def _is_idle(self) -> bool:
        try:
            return self._watcher.is_idle()
        except proc.GONE:
            return False

    def _check_gone(self) -> None:
        """The process vanished while we looked: it ends now (giving back much memory takes a while), so say so."""
        self.wait_exit(_REST)
        self._check_alive()

    def _check_bounds(self) -> None:
        if self.ending not in (None, "exited", "died"):
            raise self.failure()

    def _check_exit(self, claims: list[Claim]) -> None:
        """A held slot keeps ``process.exit`` from ever ending: then what it said at its exit is all there is."""
        for claim in claims:
            if claim.kind == "exit":
                # Node prints an error after that event, so it is not given up while it is at work.
                end = time.monotonic() + _REST
                while not (gone := self.wait_exit(_EXIT)) and not self._is_idle() and time.monotonic() < end:
                    pass
                if not gone:
                    self.code = claim.value if isinstance(claim.value, int) else None
                    self.ending = "exited"
                self._check_alive()
