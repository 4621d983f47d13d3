"""Machine shapes for a trial: so many cores by affinity, beside load or not, under a CPU quota or not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from labs import affinity, cgroup
from labs.errors import SetupError

#: Processes that compute beside a measurement on a busy machine.
BUSY = 2
#: Period of a quota that we set (microseconds): the kernel's own default.
PERIOD = 100_000
_GROUP = "fourthreads-trial"
#: Says that it runs, then never yields its core; ends when we do, because its standard input ends.
_LOOP = """
import os, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(0)), daemon=True).start()
print("on", flush=True)
while True:
    pass
"""


class MachineShape(Struct, frozen=True, order=True):
    """What a trial is run on.

    Attributes:
        cores: By affinity.
        busy: Beside :data:`BUSY` processes that compute on the same cores.
        quota: Cores that the control group allows on the average, null without a limit.
    """

    cores: int
    busy: bool = False
    quota: float | None = None

    def __str__(self) -> str:
        """Return its name in tables: ``2 cores, idle``."""
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        limit = "" if self.quota is None else f", quota of {self.quota:g} CPU"
        return f"{cores}, {'busy' if self.busy else 'idle'}{limit}"


@dataclass(frozen=True)
class Load:
    """What computes beside a measurement."""

    processes: tuple[subprocess.Popen[bytes], ...] = ()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the cores be idle for a while: machines are calibrated when they are quiet."""
        for process in self.processes:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        try:
            yield
        finally:
            for process in self.processes:
                process.send_signal(signal.SIGCONT)


@contextmanager
def busy(processes: int) -> Iterator[Load]:
    """Keep so many processes computing for the duration of the block, on the cores of the calling thread."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(processes):
            started.append(
                subprocess.Popen([sys.executable, "-c", _LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
        for process in started:
            assert process.stdout is not None
            process.stdout.readline()
        yield Load(tuple(started))
    finally:
        for process in started:
            process.kill()
            process.communicate()


def loads() -> int | None:
    """Return how many load processes there are on this machine, of this trial and of others; None where it does not tell."""
    try:
        return sum(_LOOP.encode() in _arguments(folder) for folder in Path("/proc").iterdir() if folder.name.isdigit())
    except OSError:
        return None


def _arguments(folder: Path) -> list[bytes]:
    try:
        return (folder / "cmdline").read_bytes().split(b"\0")
    except OSError:  # it has ended meanwhile
        return []


@contextmanager
def on(shape: MachineShape) -> Iterator[Load]:
    """Give this process, and all it starts, the shape for the duration of the block.

    Raises:
        SetupError: This machine has fewer cores, or does not let us set a quota.
    """
    with ExitStack() as stack:
        stack.enter_context(affinity.on(affinity.narrowed(shape.cores)))
        if shape.quota is not None:
            stack.enter_context(limited(shape.quota))
        yield stack.enter_context(busy(BUSY)) if shape.busy else Load()


@contextmanager
def limited(cores: float) -> Iterator[None]:
    """Put this process into a control group of its own that allows so much of a CPU, and back at the end.

    Raises:
        SetupError: Control groups cannot be changed here; the text says which refused and how.
    """
    home, made = _make(cores)
    try:
        yield
    finally:
        _write(home / "cgroup.procs", os.getpid())
        with suppress(OSError):
            made.rmdir()


def _make(cores: float) -> tuple[Path, Path]:
    """Return our own group and a new one with the quota, with this process in it."""
    refused: list[str] = []
    groups = list(cgroup.folders())
    own = {version: home for home, version in reversed(groups)}
    for home, version in groups:
        _sweep(home)
        made = home / f"{_GROUP}-{os.getpid()}"
        try:
            if version == 2 and "cpu" not in (home / "cgroup.subtree_control").read_text().split():
                _write(home / "cgroup.subtree_control", "+cpu")
            made.mkdir()
            try:
                if version == 2:
                    _write(made / "cpu.max", f"{round(cores * PERIOD)} {PERIOD}")
                else:
                    _write(made / "cpu.cfs_period_us", PERIOD)
                    _write(made / "cpu.cfs_quota_us", round(cores * PERIOD))
                _write(made / "cgroup.procs", os.getpid())
            except OSError:
                made.rmdir()
                raise
            return own[version], made
        except OSError as problem:
            refused.append(f"{home}: {problem.strerror}")
    why = "; ".join(refused) or "no control group with a CPU controller is mounted"
    raise SetupError(
        f"A CPU quota cannot be set here ({why}). As root, or in a scope of your own "
        "(systemd-run --user --scope -p Delegate=yes), it can. The other shapes need none: leave --quota out."
    )


def _sweep(home: Path) -> None:
    """Remove what a trial left that was ended by force; a group in use refuses."""
    for left in home.glob(f"{_GROUP}-*"):
        with suppress(OSError):
            left.rmdir()


def _write(path: Path, value: object) -> None:
    path.write_text(str(value))
