"""A small service and its client: every slot is held, a route is asked, and right behind it an innocent second request.

The client is here, outside of Node: which answer came first, and what stood in it, is observed. A route that the loop works
off itself answers first, though every slot is held. One that went to the pool leaves the loop free and waits.
"""

from __future__ import annotations

import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from labs import proc, rehearsal
from labs.errors import FourThreadsError, NoisyError, ScriptError
from labs.launch import Bounds
from labs.measurement import Run, Step
from labs.places.spent import Children, Spent, spent
from labs.run import NodeRun
from labs.supervise import Stage

#: Rounds of the key, bytes of a page. A page must take the loop far longer than its reply does.
ROUNDS, BYTES = 200_000, 12_000_000
SMOKE_ROUNDS, SMOKE_BYTES = 20_000, 600_000
#: Of the dry run: shorter, and long enough to tell whose thread did the work.
DRY_ROUNDS, DRY_BYTES = 100_000, 12_000_000
GIVEN = Path(__file__).with_name("service.cjs")
HEALTH = "health"
#: (route, parameters, body) -> whether this is the answer it must give.
Right = Callable[[str, Mapping[str, Any], bytes], bool]
_WITHIN = 15.0
#: So long nobody may have run before a service counts as waiting (seconds), and so long we wait for that: a script's timer never rests.
_QUIET, _REST = 0.05, 5.0
#: As long in a dry run: three routes wait for it, and must be through well before its bound on time.
_DRY_REST = 2.0


class Visit(Struct, frozen=True):
    """What the client saw of one route.

    Attributes:
        held: Slots that were held when the route was asked.
        early: Whether the route was answered while every slot was held.
        health_first: Whether the innocent request was answered while the route was not.
        status: Of the route's answer.
        body: Of the route's answer.
        used: Processor time by place, from the question to the answer.
    """

    held: int
    early: bool
    health_first: bool
    status: int
    body: bytes
    used: Spent


class _Asked:
    """One request over the service's socket, read without waiting."""

    def __init__(self, path: Path, target: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        # A path may be longer than a socket's name may be: reached through a descriptor of its folder it is short.
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._socket.connect(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)
        self._socket.sendall(f"GET /{target} HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n".encode())
        self._socket.setblocking(False)
        self.data = b""
        self.over = False

    def answered(self) -> bool:
        """Take what is there; return whether the answer is complete."""
        while not self.over and select.select([self._socket], [], [], 0)[0]:
            part = self._socket.recv(1 << 20)
            self.data += part
            self.over = not part
        return self.over

    def begun(self) -> bool:
        """Take what is there; return whether the answer has begun: a long one takes several turns of the loop."""
        self.answered()
        return bool(self.data)

    @property
    def status(self) -> int:
        head = self.data.split(b"\r\n", 1)[0].split()
        return int(head[1]) if len(head) > 1 and head[1].isdigit() else 0

    @property
    def body(self) -> bytes:
        head, _, body = self.data.partition(b"\r\n\r\n")
        return _unchunked(body) if b"transfer-encoding: chunked" in head.lower() else body

    def close(self) -> None:
        self._socket.close()


def _unchunked(body: bytes) -> bytes:
    found = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"0", 16)
        found, body = found + body[:length], body[length + 2 :]
        if not length:
            break
    return found


def serve(
    stage: Stage,
    script: str,
    routes: tuple[str, ...],
    slots: int,
    seed: int,
    *,
    smoke: bool,
    right: Right | None = None,
) -> Run:
    """Visit each route once and return the run.

    Args:
        stage: Where to run it.
        script: Calls ``serve`` with an object of routes.
        routes: Their names.
        slots: The pool's size.
        seed: Of the orders.
        smoke: Small orders.
        right: Whether a route's answer is the one it must give; None where that is not judged.

    Raises:
        ScriptError: The script offers no service, or not these routes.
    """
    with launched(stage, script, routes, slots, seed, smoke=smoke) as run:
        counts, steps = visit_all(run, stage, routes, slots, right)
        return run.finish(counts=counts, steps=steps)


@contextmanager
def launched(
    stage: Stage, script: str, routes: tuple[str, ...], slots: int, seed: int, *, smoke: bool, rehearse: bool = False
) -> Iterator[NodeRun]:
    """Start the service (arguments and errors as for :func:`serve`); ``rehearse`` bounds it tightly, has its own sizes, and notes calls."""
    rounds, size = (DRY_ROUNDS, DRY_BYTES) if rehearse else (SMOKE_ROUNDS, SMOKE_BYTES) if smoke else (ROUNDS, BYTES)
    parameters = {"slots": slots, "rounds": rounds, "bytes": size, "pool": slots, "seed": seed}
    with stage.launch(
        script, name="service", parameters=parameters, pool=slots, gates=slots * len(routes), keep=True, tick=0.05,
        node_args=("--require", str(GIVEN)), bounds=rehearsal.BOUNDS if rehearse else Bounds(stall=10.0), rehearse=rehearse,
    ) as run:  # fmt: skip
        yield run


def visit_all(
    run: NodeRun, stage: Stage, routes: tuple[str, ...], slots: int, right: Right | None
) -> tuple[dict[str, int], list[Step]]:
    """Visit each route of a running service once; return what was counted (observed) and what was seen at rest."""
    seed = run.experiment.parameters["seed"]
    door = _door(run, routes)
    _ask(run, door, f"make/{seed}")
    counts: dict[str, int] = {} if right is None else {"sum_work_us": _hash(run, door, seed)}
    steps: list[Step] = []
    children = Children(run)
    for number, route in enumerate(routes):
        stage.progress(number, len(routes), f"{route}, with every slot held")
        seen = _visit(run, children, door, route, f"{route}/{seed}", number * slots, slots, steps)
        counts |= {
            f"{route}_early": int(seen.early), f"{route}_health_first": int(seen.health_first), f"{route}_status": seen.status,
            f"{route}_loop_us": seen.used.loop, f"{route}_pool_us": seen.used.pool, f"{route}_others_us": seen.used.others,
            f"{route}_children_us": seen.used.children,
        }  # fmt: skip
        if right is not None:
            counts[f"{route}_right"] = int(seen.status == 200 and right(route, run.experiment.parameters, seen.body))
        counts["held_slots"] = min(counts.get("held_slots", seen.held), seen.held)
    counts["pool_threads"] = len(run.look().workers)
    return counts, steps


def _door(run: NodeRun, routes: tuple[str, ...]) -> Path:
    door = run.experiment.folder / "service.sock"
    run.settle()  # the script has run, or says why not
    offered = _wait(run, lambda: run.reported("routes"), 1.0)
    if not offered:
        raise ScriptError("Your script offers no service: call serve({ ... }) once, with its routes in it.")
    missing = [route for route in routes if route not in offered[0]]
    if missing:
        raise ScriptError(f"Your service has no route {missing[0]!r}. It must keep {', '.join(routes)}.")
    return door


def _wait(run: NodeRun, ready: Callable[[], Any], within: float = _WITHIN) -> Any:
    found: list[Any] = [None]

    def is_ready() -> bool:
        found[0] = ready()
        return bool(found[0])

    if not run.wait_until(is_ready, within) and run.ending is not None:
        raise run.failure()
    return found[0]


def _ask(run: NodeRun, door: Path, target: str) -> None:
    asked = _Asked(door, target)
    try:
        if not _wait(run, asked.answered):
            raise NoisyError("The service did not answer in time. Nothing is lost; run the cell again later.")
    finally:
        asked.close()


def _hash(run: NodeRun, door: Path, seed: int) -> int:
    """Return the processor microseconds in which the loop hashes a page, small ones many times: beside them stands one request."""
    times = math.ceil(BYTES / int(run.experiment.parameters["bytes"]))
    before = spent(run, run.settle())
    _ask(run, door, f"hash/{seed}/{times}")
    return round(spent(run, run.settle()).since(before).loop / times)


def _visit(
    run: NodeRun, children: Children, door: Path, route: str, target: str, opened: int, slots: int, steps: list[Step]
) -> Visit:
    def wait(ready: Callable[[], Any], within: float = _WITHIN) -> Any:
        def is_ready() -> Any:
            children.look()  # one that ends in between has been seen with nearly all of its time
            return ready()

        return _wait(run, is_ready, within)

    arrived = len(run.reported("arrived"))
    os.kill(run.pid, signal.SIGUSR2)
    look = run.settle()
    held = _held(run, opened, slots)
    if held < slots:
        # What a script asked of the pool before may still be on its way; the gates stand behind it in the line.
        run.wait_until(lambda: _held(run, opened, slots) == slots, _WITHIN)
        look, held = run.settle(), _held(run, opened, slots)
    steps.append(Step(action=f"hold for {route}", slots=run.slots(look), at=run.since_start(look.at)))
    before = spent(run, look, children)
    first = _Asked(door, target)
    second: _Asked | None = None
    try:
        # The second one comes when the first has been handed to its route, so it cannot overtake by chance.
        wait(lambda: len(run.reported("arrived")) > arrived or first.begun())
        second = _Asked(door, HEALTH)
        while not wait(lambda: second is not None and second.answered() or first.begun(), 0.5):
            run.settle()  # explains a loop that never turns
        # Health is read first: if nothing of the route is there even a moment later, it had not come before.
        health_first = second.answered() and not first.begun()
        run.settle()
        # A thread or a process of the script's own may still be at work on the answer; the pool's are all in a gate.
        resting = _Resting(run)
        wait(lambda: first.begun() or resting.still(), _DRY_REST if run.experiment.rehearse else _REST)
        run.settle()
        early = first.begun()
        for gate in range(opened + 1, opened + slots + 1):
            run.open_gate(gate)
        if not wait(lambda: first.answered() and second is not None and second.answered()):
            raise _unanswered(run, route)
        look = run.settle()
        steps.append(Step(action=f"answer of {route}", slots=run.slots(look), at=run.since_start(look.at)))
        return Visit(held, early, health_first, first.status, first.body, spent(run, look, children).since(before))
    finally:
        first.close()
        if second is not None:
            second.close()


def _unanswered(run: NodeRun, route: str) -> FourThreadsError:
    """Return the error for a route that was not answered: whose fault that is depends on whether somebody is still at work."""
    try:
        at_work = any(proc.stat(pid, tid).state in "RD" for pid, tid in _threads(run))
    except proc.GONE:
        at_work = True
    if at_work:
        return NoisyError(
            f"The route {route!r} was not back in time, and something was still at work: your machine was too busy, or that work has "
            "no end. Nothing is lost; run the cell again later."
        )
    return ScriptError(
        f"The route {route!r} did not answer, with every slot free again. Does it return a promise of its reply?"
    )


def _threads(run: NodeRun) -> list[tuple[int, int]]:
    """Return (process, thread) of Node and of all that it has started."""
    return [(pid, tid) for pid in (run.pid, *proc.family(run.pid)) for tid in proc.tids(pid)]


class _Resting:
    """Whether all but the loop's thread sleeps, in the script's processes too, and has not run for a while; our clock ticks in the loop.

    One look is not enough: a thread that starts, or wakes another one, is asleep in between, and so is one that waits for the disk.
    """

    def __init__(self, run: NodeRun) -> None:
        self._run = run
        self._used: dict[tuple[int, int], proc.Schedule | None] | None = None
        self._since = 0.0

    def still(self) -> bool:
        """Look again; return whether nothing has run since a look that lies far enough back."""
        used, now = self._look(), time.monotonic()
        if used is None or used != self._used:
            self._used, self._since = used, now
        return used is not None and now - self._since >= _QUIET

    def _look(self) -> dict[tuple[int, int], proc.Schedule | None] | None:
        try:
            others = [(pid, tid) for pid, tid in _threads(self._run) if tid != self._run.pid]
            if any(proc.stat(pid, tid).state != "S" for pid, tid in others):
                return None
            return {(pid, tid): proc.schedule(pid, tid) for pid, tid in others}
        except proc.GONE:
            return None


def _held(run: NodeRun, opened: int, slots: int) -> int:
    mine = {str(gate) for gate in range(opened + 1, opened + slots + 1)}
    return sum(name in mine for name in run.slots(run.look()))
