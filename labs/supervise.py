"""One Node per parameter set: start, bound, watch, reap.

A :class:`Stage` lives in the helper process (``python -m labs measure``), which has one thread and has adopted all
orphans among its descendants (labs.family). What happens while nobody waits is noticed at the next wait.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from labs import marker, node_binary
from labs.experiment import Experiment
from labs.launch import Bounds
from labs.measurement import Node, Noise, Pair, Run
from labs.request import Request
from labs.run import NodeRun
from labs.scratch import Scratch

__all__ = ["Bounds", "Cancelled", "Conducted", "NodeRun", "Stage"]


class Cancelled(BaseException):
    """The one who asked has gone, or told us to stop."""


class Conducted(Struct, frozen=True):
    """What a lab's procedure brings home.

    Attributes:
        runs: Its runs, in order.
        pairs: Paired times, where a ratio is judged.
        warnings: What the reader of the record should know.
        noise: The noise floor, where it was measured.
        script: The JavaScript that ran, where it was neither the learner's nor the lab's usual one.
        cores: How many cores the runs were bound to, where that was decided for them; None: all of this process's.
    """

    runs: tuple[Run, ...]
    pairs: tuple[Pair, ...] = ()
    warnings: tuple[str, ...] = ()
    noise: Noise = Noise()
    script: str | None = None
    cores: int | None = None


class Stage:
    """What a lab's procedure works with.

    Attributes:
        request: What was asked for.
        scratch: The measurement's folder.
        mark: Carried by every process started here (see labs.marker).
        node: Which Node ran last, None before the first.
        beside: Processes of ours that live through several runs (a control beside pairs); no run ends or counts them.
    """

    def __init__(self, request: Request, scratch: Scratch, mark: str, attached: int | None = None) -> None:
        self.request = request
        self.scratch = scratch
        self.mark = mark
        self.node: Node | None = None
        self.live: dict[int, NodeRun] = {}
        self.beside: set[int] = set()
        self._attached = attached

    def progress(self, done: int, total: int, what: str) -> None:
        """Tell the one who asked how far we are (one JSON line on stderr)."""
        line = msgspec.json.encode({"progress": [done, total], "what": what}) + b"\n"
        try:
            os.write(sys.stderr.fileno(), line)
        except BrokenPipeError as problem:
            raise Cancelled from problem

    @contextmanager
    def launch(
        self,
        script: str,
        *,
        name: str,
        parameters: Mapping[str, Any],
        pool: int | str | None,
        gates: int = 0,
        keep: bool = False,
        tick: float = 0.005,
        module: Literal["mjs", "cjs"] = "mjs",
        node_args: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        cores: Sequence[int] | None = None,
        bounds: Bounds | None = None,
        node: Path | None = None,
        rehearse: bool = False,
    ) -> Iterator[NodeRun]:
        """Start one Node with one parameter set; at the end of the block it and all it started are gone.

        Args:
            script: The JavaScript.
            name: Which part of the measure this run is.
            parameters: For the script (global ``parameters``) and the record; ``n`` is ``parameters["tasks"]``.
            pool: ``UV_THREADPOOL_SIZE``; None leaves it unset.
            gates: How many FIFOs to make; then ``gate``, ``n`` and ``done`` exist in the script.
            keep: Keep the process alive when the script has nothing more to do.
            tick: Seconds between two ticks of the timer beside the script.
            module: ``mjs`` or ``cjs``.
            node_args: Options for Node.
            environment: Further variables; the rest of the environment is fixed.
            cores: Cores it may run on.
            bounds: What it may use.
            node: Another Node than the pinned one.
            rehearse: Note what the script asks of ``fs``, in order.

        Raises:
            ScriptError: The script ended the measurement.
            SetupError: Node could not be started.
            RoomError: Its threads cannot be watched here.
        """
        what = Experiment(
            program=node_binary.checked(node) if node else node_binary.pinned(),
            script=script,
            name=name,
            parameters={**parameters, "pool": pool},
            folder=self.scratch.folder(),
            gates=gates,
            keep=keep,
            tick=tick,
            module=module,
            node_args=tuple(node_args),
            environment={**(environment or {}), marker.VARIABLE: self.mark},
            cores=cores,
            rehearse=rehearse,
        )
        run = NodeRun(what, bounds or Bounds(), self.check, lambda: frozenset({*self.live, *self.beside} - {run.pid}))
        try:
            run.start()
            self.live[run.pid] = run
            self.node = run.node
            yield run
        finally:
            run.stop()
            run.release()
            self.live.pop(run.pid, None)

    def check(self) -> None:
        """Stop here if nobody waits for the result any more.

        Raises:
            Cancelled: The other end of our standard input is gone.
        """
        if self._attached is not None and is_closed(self._attached):
            raise Cancelled

    def wait(self, until: Callable[[], bool], within: float, pause: float = 0.002) -> bool:
        """Wait for something outside of a run, at most ``within`` seconds; return whether it came."""
        end = time.monotonic() + within
        while not until():
            if time.monotonic() >= end:
                return False
            self.check()
            time.sleep(pause)
        return True


def is_closed(descriptor: int) -> bool:
    """Return whether the other end of a pipe is gone."""
    import select

    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    events = poll.poll(0)
    return bool(events) and (bool(events[0][1] & select.POLLHUP) or os.read(descriptor, 4096) == b"")
