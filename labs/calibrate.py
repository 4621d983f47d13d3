"""Independent workers that hash synchronously: the witness for capacity, at calibration and beside each pair.

The unit of work is *one thread alone, undisturbed*: hashes per processor second of a lone worker. Measured in processor
time, the unit stays what it is when something else takes the core away, so a loaded machine shows a smaller capacity
instead of a slower unit. (A clock that changes its speed changes both.)
"""

from __future__ import annotations

import math
import os
import selectors
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import msgspec
from msgspec import Struct

from labs import affinity, node_binary
from labs.cgroup import Quota
from labs.errors import NoisyError, SetupError

_SCRIPT = Path(__file__).parent / "node" / "calibrate.mjs"
#: Rounds of one hash (pbkdf2, sha512): about half a millisecond, short against a window and long against its own overhead.
ROUNDS = 1000
#: A window without a quota (seconds): some twenty time slices of the scheduler.
WINDOW = 0.06
#: What passes before the window opens, so that all workers are at it (seconds).
LEAD = 0.005
#: Periods of a binding quota in one window. A whole number of them holds so many allowances wherever it begins.
PERIODS = 3
#: An answer that takes this much longer than the window will not come (seconds).
PATIENCE = 20.0


class Timing(Struct, frozen=True):
    """How long is measured on this machine.

    Attributes:
        lead: Before the window (seconds).
        window: The window (seconds).
        share: What one thread alone can get of a core: 1, or the quota where that is less.
        period: Of a quota that can bind (seconds), 0 without one.
    """

    lead: float = LEAD
    window: float = WINDOW
    share: float = 1.0
    period: float = 0.0


def timing(quota: Quota | None, cores: int) -> Timing:
    """Return the timing for a machine: whole periods of a quota that can bind, after one to settle in."""
    if quota is None or quota.cores >= cores:
        return Timing()
    periods = max(PERIODS, math.ceil(WINDOW / quota.period - 1e-9))
    return Timing(lead=quota.period, window=periods * quota.period, share=min(1.0, quota.cores), period=quota.period)


class Work(Struct, frozen=True):
    """What workers got done in one window; one entry a worker.

    Attributes:
        done: Hashes inside the window (a hash on its edge counts in part).
        total: Hashes between the two readings of ``cpu``.
        cpu: Processor seconds used.
        wait: Seconds ready to run and waiting for a core, null where the kernel does not tell.
        window: Seconds.
    """

    done: tuple[float, ...]
    total: tuple[int, ...]
    cpu: tuple[float, ...]
    wait: tuple[float | None, ...]
    window: float

    @property
    def speed(self) -> float:
        """Return hashes per second, all workers together."""
        return sum(self.done) / self.window

    @property
    def unit(self) -> float:
        """Return hashes per processor second."""
        return sum(self.total) / sum(self.cpu)


class Workers:
    """A Node with workers that wait for orders; a context manager.

    Raises on entry:
        SetupError: Node could not be started.
    """

    def __init__(
        self,
        timing: Timing | None = None,
        node: Path | None = None,
        cores: Sequence[int] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.timing = timing or Timing()
        self._node = node
        self._environment = dict(environment or {})
        self._cores = frozenset(cores) if cores is not None else affinity.mask()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Workers:
        node = self._node or node_binary.pinned()
        try:
            # A child inherits the cores of the thread that starts it. It ends with its standard input, also when we die.
            with affinity.on(self._cores):
                self._process = subprocess.Popen(
                    [os.fspath(node), os.fspath(_SCRIPT)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=self._environment,
                )
        except OSError as problem:
            raise SetupError(
                f"Node could not be started for the calibration: {problem.strerror}. Run `make setup`."
            ) from problem
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    @property
    def pid(self) -> int:
        """Return the process id of the workers' Node."""
        return self._running().pid

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise SetupError(
                "The workers have not been started, or were stopped before their last order; ours to repair."
            )
        return self._process

    def work(self, threads: int, timing: Timing | None = None) -> Work:
        """Let so many workers hash for one window.

        Raises:
            NoisyError: No answer came in time.
            SetupError: Node ended.
        """
        process = self._running()
        assert process.stdin is not None and process.stdout is not None  # both are pipes
        when = timing or self.timing
        order = {"threads": threads, "lead": when.lead, "window": when.window, "rounds": ROUNDS}
        try:
            process.stdin.write(msgspec.json.encode(order) + b"\n")
            process.stdin.flush()
        except OSError as problem:
            raise SetupError("The Node that calibrates ended by itself. Run `fourthreads doctor`.") from problem
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(when.lead + when.window + PATIENCE):
                raise NoisyError(
                    f"{threads} workers gave no answer within {PATIENCE:.0f} s: this machine is too busy now. Try again later."
                )
        line = process.stdout.readline()
        if not line:
            raise SetupError("The Node that calibrates ended by itself. Run `fourthreads doctor`.")
        return msgspec.json.decode(line, type=Work)

    def capacity(self, threads: int) -> float:
        """Measure the capacity of so many threads now, in units of one alone: the control beside a pair.

        Two windows: one worker alone for the unit, then all together. What lies above the number of threads or cores is an
        error of the unit, here as in the calibrated curve.
        """
        unit = self.work(1).unit
        return min(self.work(threads).speed / unit / self.timing.share, float(threads), float(len(self._cores)))
