"""The warm-up of ``phases``: the line behind the slots, one opening further than the record of ``gates`` went."""

from __future__ import annotations

from labs.answers import One
from labs.gates import drawing as gates
from labs.spec import Blank, Lines, Scene
from labs.warmup import WarmUp
from labs.words import spaced


def _seen(scene: Scene) -> tuple[int, int, tuple[int, ...]]:
    """Return which gate was opened, which task started then, and who was left in the line.

    Raises:
        ValueError: The record does not show one opening after which one task started and others still waited.
    """
    before, after = gates.run_of(scene).steps[:2]
    gate, started = gates.opened(after), gates.new_in(before, after)
    line = tuple(int(name) for name in after.waiting)
    if gate is None or len(started) != 1 or len(line) < 2:
        raise ValueError("no opening in this record")
    return gate, started[0], line


def _other(scene: Scene) -> int:
    """Return a held gate to open next: never one after which tasks dealt out in advance would go on with the same task."""
    gate, _, line = _seen(scene)
    pool = len(gates.run_of(scene).steps[0].slots)
    return next(task for task in range(pool, 0, -1) if task != gate and task + pool != line[0])


def _ask(scene: Scene) -> str:
    gate, started, _ = _seen(scene)
    tasks = scene.parameters["tasks"]
    pool = len(gates.run_of(scene).steps[0].slots)
    return (
        f"{pool} slots, {tasks} gates, all shut. Gate {gate} was opened, and task {started} started. "
        f"Now gate {_other(scene)} is opened as well. Which task starts then?"
    )


def _because(scene: Scene) -> Lines:
    gate, started, line = _seen(scene)
    return (
        f"When gate {gate} had been opened and {started} had started, the line was {spaced(line)}: {line[0]} had asked before "
        "the others.",
        f"Gate {_other(scene)} decides which slot comes free. What that slot takes is the first of the line.",
    )


GATES = WarmUp(
    lab="gates",
    measure="one gate",
    ask=_ask,
    blank=Blank(
        "task",
        One(1, lambda parameters: int(parameters["tasks"]), "tasks"),
        lambda answer: f"task {answer}",
        "which task starts?",
    ),
    solve=lambda scene: _seen(scene)[2][0],
    because=_because,
)

WARM_UPS = (GATES,)
