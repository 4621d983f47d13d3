"""One Node process under watch, from its start to the moment when nothing of it is left."""

from __future__ import annotations

import errno
import os
import select
import signal
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from labs import family, launch, poolsize, proc, said, scratch
from labs.claims import Claim, ClaimsFile
from labs.errors import NoisyError, ScriptError, SetupError
from labs.launch import Bounds
from labs.measurement import Ending, Node, Run, Source, Step, Task, Thread
from labs.observe import Look, Observer, check_processor

_HARNESS = Path(__file__).parent / "node"
#: Bytes of what a script printed that are kept for the record.
_TEXT = 8192
#: Seconds in which the pool must come to rest.
_REST = 10.0
#: Seconds a main thread must stand in one and the same call before we say that it does not come back.
_STUCK = 2.0
#: Seconds between two looks at memory and processes.
_WATCH = 0.05


class Restless(NoisyError):
    """The threads did not come to rest in time; worth another try."""


class NodeRun:
    """One Node process. Made by ``Stage.launch``; all waiting below also watches the bounds.

    Attributes:
        name: Which part of the measure this run is.
        pid: Its process id, 0 before the start.
        node: Which Node it is.
        size: Threads its pool must have.
        folder: Where it runs.
        gates: The paths of its FIFOs.
    """

    def __init__(
        self,
        *,
        program: Path,
        script: str,
        name: str,
        parameters: Mapping[str, Any],
        folder: Path,
        gates: int,
        keep: bool,
        tick: float,
        module: str,
        node_args: Sequence[str],
        environment: Mapping[str, str],
        cores: Sequence[int] | None,
        bounds: Bounds,
        rehearse: bool,
        still_wanted: Callable[[], None],
        others: Callable[[], frozenset[int]],
    ) -> None:
        self.name = name
        self.pid = 0
        self.node = Node(version="", uv="")
        self.size = 0
        self.folder = folder
        self.gates = tuple(folder / f"gate-{number}" for number in range(1, gates + 1))
        self._parameters = dict(parameters)
        self._bounds = bounds
        self._still_wanted = still_wanted
        self._others = others
        self._cores = cores
        self._descriptors: list[int] = []
        self._openers: dict[int, int] = {}
        self._text = b""
        self._printed = 0
        self._ending: Ending | None = None
        self._code: int | None = None
        self._cpu = 0.0
        self._began = self._over = 0.0
        self._watched = 0.0
        self._stalled: tuple[float, float] = (0.0, 0.0)
        self._order: list[int] = []
        self._threads: tuple[Thread, ...] = ()
        self._observer: Observer | None = None

        for path in self.gates:
            scratch.make_fifo(path)
        text = folder / f"script.{module}"
        text.write_text(script)
        entry = text
        if module == "mjs":
            entry = folder / "entry.mjs"
            begin = (_HARNESS / "begin.mjs").as_uri()
            entry.write_text(f"import {msgspec.json.encode(begin).decode()};\nimport './script.mjs';\n")
        self._claims = ClaimsFile(folder / "claims.jsonl", bounds.claims)
        self._ticks = folder / "ticks"
        self._ticks.write_bytes(bytes(24))
        self._setup = folder / "setup.json"
        self._harness = {
            "claims": str(self._claims.path), "ticks": str(self._ticks), "token": self._claims.token,
            "parameters": self._parameters, "gates": [str(path) for path in self.gates], "tick": tick, "keep": keep,
            "module": module, "rehearse": rehearse, "folder": str(folder),
        }  # fmt: skip
        self._argv: list[str | os.PathLike[str]] = [
            program, f"--max-old-space-size={bounds.heap}", *node_args,
            "--require", _HARNESS / "harness.cjs", entry,
        ]  # fmt: skip
        self._environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8", "TZ": "UTC",
            "NO_COLOR": "1", "FOURTHREADS_SETUP": str(self._setup), **environment,
        }  # fmt: skip
        if (pool := self._parameters["pool"]) is not None:
            self._environment["UV_THREADPOOL_SIZE"] = str(pool)

    # -- start ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it, look at its threads before the script exists, and let the script begin."""
        ready, say_ready = self._pipe()
        wait_go, go = self._pipe()
        self._output, say = self._pipe()
        self._setup.write_bytes(msgspec.json.encode({**self._harness, "ready": say_ready, "go": wait_go}))
        self._began = time.monotonic()
        self.pid = launch.start(
            self._argv, folder=self.folder, environment=self._environment, output=say,
            inherit=(say_ready, wait_go), bounds=self._bounds, cores=self._cores,
        )  # fmt: skip
        for descriptor in (say_ready, say):
            self._close(descriptor)
        os.set_blocking(self._output, False)
        words = b""
        while part := self._read_ready(ready):
            words += part
        if not words:
            self.wait_exit(5.0)
            self.stop()
            raise SetupError(f"Node could not be started. It said: {self.text or 'nothing'}")
        self.node = msgspec.json.decode(words, type=Node)
        self.size = poolsize.in_force(self._parameters["pool"], self.node.uv)
        check_processor(self.pid, wait_go)
        self._observer = Observer(self.pid, self.node.uv, proc.tids(self.pid))
        os.write(go, b"!")

    def _read_ready(self, ready: int) -> bytes:
        while not select.select([ready], [], [], 0.05)[0]:
            self._pump(0)
        return os.read(ready, 4096)

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._descriptors += ends
        return ends

    def _close(self, descriptor: int) -> None:
        self._descriptors.remove(descriptor)
        os.close(descriptor)

    # -- look -------------------------------------------------------------------------------------------------------

    def look(self) -> Look:
        """Look once, whatever is going on.

        Raises:
            ScriptError: It has ended, or there are more pool threads than can be.
        """
        self._pump(0)
        self._check_alive()
        assert self._observer is not None  # set by start()
        try:
            look = self._observer.look()
        except proc.GONE:
            self.wait_exit(1.0)
            self._check_alive()
            raise
        if len(look.workers) > self.size:
            whose = "named like workers of the pool" if self._observer.named else "that were not there before it"
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
        previous: tuple[object, ...] = ()
        stuck: tuple[object, float] = (None, 0.0)
        pause = 0.0005
        while True:
            look = self.look()
            claims = self.claims()
            self._check_exit(claims)
            now = look.workers if look.asleep else ()
            if look.polling and look.asleep and any(claim.kind == "asked" for claim in claims):
                if previous == (now,):
                    self._remember(look)
                    return look
                previous = (now,)
            else:
                previous = ()
            if look.main != stuck[0] or look.main.call is None or look.polling:
                stuck = (look.main, look.at)
            elif look.asleep and look.at - stuck[1] > _STUCK:
                where = self._place(look.main.path, look.main.call)
                raise ScriptError(f"Your loop stands still: its own thread is {where} and does not come back.")
            if look.at >= end:
                raise self._restless(look)
            self._pump(pause)
            pause = min(pause * 1.3, 0.005)

    def slots(self, look: Look) -> tuple[str | None, ...]:
        """Return which task each pool thread holds, in an order that stays: by the tasks of the first look."""
        held = {seen.tid: self._task(seen.path) if seen.held else None for seen in look.workers}
        fresh = sorted(held.keys() - {*self._order}, key=lambda tid: (held[tid] is None, _number(held[tid]), tid))
        self._order += fresh
        return tuple(held.get(tid) for tid in self._order)

    def opened(self) -> list[str]:
        """Return the tasks whose gate Node has open now, in the order of their descriptors (observed)."""
        try:
            files = proc.open_files(self.pid)
        except proc.GONE:
            return []
        return [name for _, path in files if (name := self._names().get(path))]

    def claims(self) -> list[Claim]:
        """Return what the script has reported up to now (claimed)."""
        return self._claims.read()

    def ticks(self) -> tuple[int, float]:
        """Return how many ticks of the timer arrived, and the longest gap between two in seconds (claimed)."""
        data = self._ticks.read_bytes()[:24].ljust(24, b"\0")
        count, gap, _ = struct.unpack("<ddd", data)
        return (int(count), gap) if 0 <= count < 2**53 and 0 <= gap < 1e9 else (0, 0.0)

    def since_start(self, at: float) -> float:
        """Return a moment of the monotonic clock in seconds since this run began."""
        return max(0.0, at - self._began)

    @property
    def text(self) -> str:
        """The end of what it printed, without our frames; kept, never parsed."""
        return said.clean(self._text.decode(errors="replace"), str(self.folder))

    @property
    def ending(self) -> Ending | None:
        """How it ended, None while it lives."""
        return self._ending

    # -- act --------------------------------------------------------------------------------------------------------

    def open_gate(self, number: int) -> None:
        """Open gate ``number`` and keep it open. If its task still waits, it will go straight through."""
        path = self.gates[number - 1]
        try:
            self._openers[number] = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as problem:
            if problem.errno != errno.ENXIO:
                raise ScriptError(f"Gate {number} is gone: your script removed or replaced it.") from problem
            # Nobody is at the gate yet. Opened for both, a FIFO does not wait on Linux (fifo(7)).
            self._openers[number] = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)

    def wait_until(self, ready: Callable[[], bool], within: float) -> bool:
        """Wait for something, at most ``within`` seconds of a living process; return whether it came.

        Raises:
            ScriptError: A bound was reached.
        """
        end = time.monotonic() + within
        while not ready():
            if time.monotonic() >= end or self._ending is not None:
                return False
            self._pump(0.001)
            if self._ending not in (None, "exited", "died"):
                self._check_alive()
        return True

    def wait_exit(self, within: float | None = None) -> bool:
        """Wait until it has ended by itself; return whether it has. Without ``within``, its own bound on time counts.

        Raises:
            ScriptError: A bound was reached.
        """
        end = None if within is None else time.monotonic() + within
        while self._ending is None:
            if end is not None and time.monotonic() >= end:
                return False
            self._pump(0.02)
        if self._ending not in ("exited", "died"):
            self._check_alive()
        return True

    def stop(self) -> None:
        """End it and everything it started, now. Harmless when called again."""
        if self.pid and self._over == 0.0:
            if self._ending is None:
                self._reap()
            if self._ending is None:
                self._ending = "stopped"
            for ended in family.end(self._others()):
                self._note(ended)
            self._over = time.monotonic()
            self._drain()
        for descriptor in (*self._descriptors, *self._openers.values()):
            os.close(descriptor)
        self._descriptors = []
        self._openers = {}

    def finish(
        self,
        *,
        counts: Mapping[str, int] | None = None,
        sources: Mapping[str, Source] | None = None,
        tasks: Sequence[Task] = (),
        steps: Sequence[Step] = (),
        claims: Mapping[str, Any] | None = None,
    ) -> Run:
        """Stop it and return what was seen; a count without a source is ``observed``."""
        self.stop()
        counts = dict(counts or {})
        return Run(
            name=self.name,
            parameters=self._parameters,
            counts=counts,
            sources={name: (sources or {}).get(name, "observed") for name in counts},
            tasks=tuple(tasks),
            steps=tuple(steps),
            threads=self._threads,
            claims=dict(claims or {}),
            text=self.text,
            wall=self._over - self._began,
            cpu=self._cpu,
            ended=self._ending or "stopped",
            exit_code=self._code if self._ending == "exited" else None,
        )

    def failure(self) -> Exception:
        """Return the error that says how it ended, for a run that should not have."""
        if self._stalled[1] < 0:
            return said.stalled(self._bounds)
        return said.ended(self._ending or "stopped", self._code, self.text, self._bounds, self.size)

    # -- watch ------------------------------------------------------------------------------------------------------

    def _pump(self, seconds: float) -> None:
        """Wait a little; take what it prints, notice its end and its bounds, and whether anybody still wants it."""
        self._still_wanted()
        if self._ending is None:
            if select.select([self._output], [], [], seconds)[0] and not self._drain():
                # Everything that could print is gone, or has closed its output: no use in asking again at once.
                time.sleep(seconds)
            self._reap()
        if self._ending is None:
            if self._printed > self._bounds.output:
                self._kill("output")
            elif time.monotonic() - self._began > self._bounds.wall:
                self._kill("time")
            elif time.monotonic() - self._watched > _WATCH:
                self._watch()

    def _drain(self) -> bool:
        """Take what was printed; return whether there was something."""
        some = False
        with suppress(BlockingIOError):
            while self._printed <= self._bounds.output and (part := os.read(self._output, 65536)):
                some = True
                self._printed += len(part)
                self._text = (self._text + part)[-_TEXT:]
        return some

    def _reap(self) -> None:
        for ended in family.reap(self._others()):
            self._note(ended)

    def _note(self, ended: family.Ended) -> None:
        self._cpu += ended.cpu
        if ended.pid == self.pid:
            self._code = ended.code
            if self._ending is None:
                self._ending = "exited" if ended.code >= 0 else "died"
                if ended.code == -signal.SIGXFSZ:
                    self._ending = "file-size"
                with suppress(ScriptError):
                    if any(claim.kind == "error" for claim in self._claims.read()):
                        self._ending = "died"
                self._drain()

    def _watch(self) -> None:
        self._watched = time.monotonic()
        used = family.size(self._others())
        if used.processes > self._bounds.processes:
            self._kill("processes")
        elif used.memory > self._bounds.memory:
            self._kill("memory")
        elif self._observer is not None:
            with suppress(*proc.GONE):
                spent = proc.schedule(self.pid, self.pid)
                cpu = spent.cpu if spent else proc.stat(self.pid, self.pid).cpu
                count = self.ticks()[0]
                if count != self._stalled[1]:
                    self._stalled = (cpu, count)
                elif cpu - self._stalled[0] > self._bounds.stall:
                    self._stalled = (cpu, -1.0)
                    self._kill("time")

    def _kill(self, why: Ending) -> None:
        self._ending = why
        for ended in family.end(self._others()):
            self._note(ended)
        self._over = time.monotonic()

    def _check_alive(self) -> None:
        if self._ending is not None:
            raise self.failure()

    def _check_exit(self, claims: list[Claim]) -> None:
        """A held slot keeps ``process.exit`` from ever ending: then what it said at its exit is all there is."""
        for claim in claims:
            if claim.kind == "exit" and not self.wait_exit(1.0):
                self._code = claim.value if isinstance(claim.value, int) else None
                self._ending = "exited"
            self._check_alive()

    def _remember(self, look: Look) -> None:
        assert self._observer is not None  # set by start()
        self._threads = self._observer.details(self._names(), look)

    def _names(self) -> dict[str, str]:
        return {str(path): str(number) for number, path in enumerate(self.gates, 1)}

    def _task(self, path: str | None) -> str | None:
        return self._names().get(os.path.join(self.folder, path)) if path else None

    def _place(self, path: str | None, call: str) -> str:
        name = self._task(path)
        return f"inside {call}" + (f" at gate {name}" if name else "")

    def _restless(self, look: Look) -> Restless:
        held = sum(worker.held for worker in look.workers)
        moving = sum(worker.call is None for worker in look.workers)
        load = proc.load()
        cores = len(os.sched_getaffinity(0))
        busy = f"load {load:.0f} on {cores} cores" if load is not None else f"{cores} cores"
        return Restless(
            f"Your machine was too busy to watch ({busy}). Nothing is lost; run the cell again later. "
            f"What we saw: {held} held and {f'{moving} ' if moving else ''}still moving."
        )


def _number(name: str | None) -> int:
    return int(name) if name is not None and name.isdigit() else 0
