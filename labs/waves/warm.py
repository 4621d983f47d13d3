"""What ``waves`` remembers of ``gates`` before its first bet: a slot goes on by itself, with the next in line."""

from __future__ import annotations

from dataclasses import dataclass

from labs.answers import Count
from labs.measurement import Record, Step
from labs.spec import Blank, Lines, Scene
from labs.warmup import WarmUp
from labs.words import counted, listed, number

#: How many more slots than in the record, and how many of the held gates are opened: fewer than a whole group.
_MORE, _OPENED = 3, 2


@dataclass(frozen=True)
class Asked:
    """The numbers of the question: what is to be imagined."""

    slots: int
    gates: int
    opened: int

    @property
    def waiting(self) -> int:
        """Return how many wait when all is quiet: each slot that came free has taken one from the line."""
        return self.gates - self.slots - self.opened


def asked(scene: Scene) -> Asked:
    """Return other numbers than the record's, so that its notebook does not hold the answer, nor the question its own."""
    pool, tasks, first = (int(scene.parameters[name]) for name in ("pool", "tasks", "first"))
    slots = pool + _MORE
    stated = {pool, tasks, first, slots, _OPENED, tasks - pool, tasks - pool - 1}
    waiting = next(
        many for many in range(_OPENED + 1, slots + tasks) if many not in stated and slots + _OPENED + many != tasks
    )
    return Asked(slots, slots + _OPENED + waiting, _OPENED)


def _ask(scene: Scene) -> str:
    p, now = scene.parameters, asked(scene)
    return (
        f"There were {p['pool']} slots and {p['tasks']} gates, and gate {p['first']} was opened. Now imagine {now.slots} slots and "
        f"{now.gates} gates, all shut. Then {number(now.opened)} of the held gates are opened. When all is quiet again, how many tasks wait?"
    )


def _because(scene: Scene) -> Lines:
    now = asked(scene)
    lines = [
        f"{now.slots} slots hold {now.slots} tasks; the {number(now.opened)} that came free took the next {number(now.opened)} of the "
        f"line: {now.gates} - {now.slots} - {now.opened} = {now.waiting}."
    ]
    if (seen := _seen(scene.record)) is not None:
        lines.append(seen)
    return tuple(lines)


def _seen(record: Record | None) -> str | None:
    """Say what the record shows of it, None where it shows something else."""
    steps: tuple[Step, ...] = record.runs[0].steps if record is not None and record.runs else ()
    if record is None or len(steps) < 2:
        return None
    before, after = ({name for name in step.slots if name is not None} for step in steps[:2])
    came, stayed = after - before, [name for name in steps[0].slots if name in after]
    if len(came) != 1 or not stayed:
        return None
    return f"In that record {came.pop()} started while {listed(stayed)} {'was' if len(stayed) == 1 else 'were'} still held: no slot waits for a group."


GATES = WarmUp(
    lab="gates",
    measure="one gate",
    ask=_ask,
    blank=Blank(
        "waiting", Count(), lambda answer: f"{counted(int(str(answer)), 'task')} waiting", "how many tasks wait?"
    ),
    solve=lambda scene: asked(scene).waiting,
    because=_because,
)

WARM_UPS = (GATES,)
