"""The loop as libuv and Node run it, in a few lines: in which order do callbacks run that a program asks for?

Every timer is taken to be due when the loop comes to its timers: a callback that asks for one goes on for 3 ms. Then the
order is the same on every machine. What is left out is what depends on luck: whether a millisecond has passed.

Sources: facts of libuv 1.44 to 1.52 (``src/unix/core.c``, ``uv_run``: the cyclic order is the same before and after 1.45),
Node 20 to 26 (``internal/timers.js``, ``internal/process/task_queues.js``; where an ES module's body stands in the loop:
as of 22.18 and 24.3, before that it was in the poll). The wrong models are other :class:`Rules`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["tick", "promise", "timeout", "immediate"]
Source = Literal["file", "timer", "immediate", "close", "cjs", "mjs"]
Phase = Literal["main", "timers", "poll", "check", "closing"]

#: Where the loop stands while a source's callback runs.
PHASE_OF: Mapping[Source, Phase] = {
    "file": "poll", "timer": "timers", "immediate": "check", "close": "closing", "cjs": "main", "mjs": "main",
}  # fmt: skip
_RING: tuple[Phase, ...] = ("timers", "poll", "check", "closing")


def _after(phase: Phase) -> tuple[Phase, ...]:
    """Return the ring from the phase behind this one; before the first turn the timers are looked at once."""
    at = _RING.index(phase) + 1 if phase in _RING else 0
    return (*_RING[at:], *_RING[:at])


@dataclass(frozen=True)
class Ask:
    """One callback that is asked for, and what it asks for itself when it runs."""

    kind: Kind
    name: str
    asks: tuple[Ask, ...] = ()


@dataclass(frozen=True)
class Program:
    """What is asked for, in this order, in one callback of the source."""

    source: Source
    asks: tuple[Ask, ...]


@dataclass(frozen=True)
class Ran:
    """One callback that ran, and where the loop stood."""

    name: str
    kind: Kind
    phase: Phase


@dataclass(frozen=True)
class Rules:
    """How callbacks are ordered; the defaults are Node's.

    Attributes:
        after: Phase of the first callback -> the phases that follow, in order, again and again.
        empties: When ticks and promises run: after each ``callback``, or after each ``phase``.
        first: Which of the two is emptied first.
        ticks_last: Ticks wait until nothing else is there.
        as_asked: One queue for everything.
        module_is_task: The body of an ES module runs inside a microtask.
    """

    after: Mapping[Phase, tuple[Phase, ...]] = field(
        default_factory=lambda: {phase: _after(phase) for phase in ("main", *_RING)}
    )
    empties: Literal["callback", "phase"] = "callback"
    first: Literal["tick", "promise"] = "tick"
    ticks_last: bool = False
    as_asked: bool = False
    module_is_task: bool = True


NODE = Rules()


class _Loop:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.queues: dict[str, deque[Ask]] = {kind: deque() for kind in ("tick", "promise", "timeout", "immediate")}
        self.line: deque[Ask] = deque()
        self.ran: list[Ran] = []
        self.phase: Phase = "main"

    def ask(self, asks: tuple[Ask, ...]) -> None:
        for one in asks:
            (self.line if self.rules.as_asked else self.queues[one.kind]).append(one)

    def call(self, one: Ask) -> None:
        self.ran.append(Ran(one.name, one.kind, self.phase))
        self.ask(one.asks)

    def empty(self, first: str = "") -> None:
        """Run all of one queue, then all of the other, until both are empty (``processTicksAndRejections``)."""
        ticks, promises = self.queues["tick"], self.queues["promise"]
        while promises or (ticks and not self.rules.ticks_last):
            if (first or self.rules.first) == "tick":
                while ticks and not self.rules.ticks_last:
                    self.call(ticks.popleft())
            while promises:
                self.call(promises.popleft())
            if self.rules.first == "promise":
                while ticks and not self.rules.ticks_last:
                    self.call(ticks.popleft())
            first = ""

    def batch(self, kind: str) -> None:
        """Run what is due in a phase; what is asked for meanwhile waits for the next time."""
        due = list(self.queues[kind])
        self.queues[kind].clear()
        for one in due:
            self.call(one)
            if self.rules.empties == "callback":
                self.empty()
        self.empty()

    def left(self) -> bool:
        return any(self.queues.values())


def run(program: Program, rules: Rules = NODE) -> tuple[Ran, ...]:
    """Return the callbacks of a program in the order in which they run."""
    loop = _Loop(rules)
    loop.phase = PHASE_OF[program.source]
    loop.ask(program.asks)
    while loop.line:
        loop.call(loop.line.popleft())
    # The body of an ES module runs inside a microtask: what it leaves as microtasks comes before any tick.
    loop.empty("promise" if program.source == "mjs" and rules.module_is_task else "")
    turn = deque(rules.after[loop.phase])
    while loop.left():
        if rules.ticks_last and not any(loop.queues[kind] for kind in ("promise", "timeout", "immediate")):
            loop.call(loop.queues["tick"].popleft())
            continue
        loop.phase = turn[0]
        turn.rotate(-1)
        if loop.phase == "timers":
            loop.batch("timeout")
        elif loop.phase == "check":
            loop.batch("immediate")
    return tuple(loop.ran)


def order(program: Program, rules: Rules = NODE) -> tuple[str, ...]:
    """Return the names in the order in which they run."""
    return tuple(one.name for one in run(program, rules))
