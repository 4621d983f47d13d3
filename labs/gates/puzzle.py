"""Bring a state about: the learner's own openings, drawn, and what to say about where they led."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from labs.answers import Answer, Count, Opening
from labs.gates import drawing as see
from labs.gates.draw import DEFAULT_POOL
from labs.measurement import Record, Source, Step
from labs.pool import Pool
from labs.pool import held as gate
from labs.spec import Blank, Lines, Parameters, Scene
from labs.words import listed, ordinal

NEXT = "Next: what cannot be (the cell below)."
AGAIN = 'Next: change your list and run this cell again; gates.hint("state") helps.'

OPEN = Blank(
    "open",
    Opening(lambda parameters: int(parameters["tasks"])),
    lambda answer: listed(answer) if isinstance(answer, tuple) else str(answer),
    "the gates you open, in your order",
)


def ask(scene: Scene) -> str:
    """Return what is to be brought about, in the draw's numbers."""
    p = scene.parameters
    return (
        f"Turn it round: {p['pool']} slots, {p['tasks']} gates, all shut. Open gates so that, when all is quiet, "
        f"the slots hold {listed(sorted(p['target']))}."
    )


def _openings(scene: Scene) -> tuple[int, ...]:
    return tuple(gate for step in see.run_of(scene).steps if (gate := see.opened(step)) is not None)


def _target(scene: Scene) -> tuple[int, ...]:
    return tuple(sorted(scene.parameters["target"]))


def look(scene: Scene) -> Lines:
    """Draw each opening, then speak about what is there."""
    run, target = see.run_of(scene), _target(scene)
    there = see.held(run.steps[-1])
    mark = f"target {' '.join(map(str, target))}: {'reached' if there == target else 'not yet'}"
    if there != target:
        return (*see.trace(run, mark), *_missed(scene, there), AGAIN)
    said = _reached(run.steps, target)
    return (*see.trace(run, mark, most=5 - len(said)), *said, NEXT)


def _reached(steps: tuple[Step, ...], target: tuple[int, ...]) -> Lines:
    early = [
        gate
        for before, step in pairwise(steps)
        if (gate := see.opened(step)) is not None and str(gate) in before.waiting
    ]
    for gate in early:
        if gate < max(target):
            through = next(iter(_took_its_place(steps, gate)), max(target))
            return (
                f"You opened {gate} while it was still waiting: nothing happened then. When its turn came it went straight",
                f"through, and {through} took its place. One opening, two done.",
            )
    if early:
        return (
            f"You opened {listed(early)} too, behind {max(target)} in the line: nothing comes of that while the slots are full.",
        )
    return _claim(target)


def _claim(target: tuple[int, ...]) -> Lines:
    return (
        f"Somebody who believes in batches would call this impossible: {max(target)} runs while {min(target)} has not moved.",
    )


def _took_its_place(steps: tuple[Step, ...], opening: int) -> list[int]:
    """Return who sat down in the slot through which a gate went that had been opened early."""
    for before, after in pairwise(steps):
        if str(opening) in after.finished and str(opening) not in before.finished:
            return [task for task in see.new_in(before, after) if task > opening and str(task) in after.slots]
    return []


def _missed(scene: Scene, there: tuple[int, ...]) -> Lines:
    """Say what speaks against it, without the answer."""
    openings, target = _openings(scene), _target(scene)
    steps = see.run_of(scene).steps
    if openings and set(openings) <= set(target):
        return ("You opened the gates of the tasks you want to keep. An open gate lets its task go.",)
    if openings and steps[-1].slots == steps[0].slots:
        those = "that one was" if len(openings) == 1 else "those two were" if len(openings) == 2 else "those were"
        return (f"Nothing moved: {those} still in the line. Look at who is in the slots.",)
    gone = [task for task in target if task in openings]
    if gone:
        place = openings.index(gone[0]) + 1
        return (f"{gone[0]} was meant to stay. Its gate was your {ordinal(place)} opening.",)
    extra = [task for task in there if task not in target]
    which = "One of these should not be there. Which gate keeps it?"
    if len(extra) != 1:
        which = "Some of these should not be there. Which gates keep them?"
    return (f"Slots hold {' '.join(map(str, there)) or 'nobody'}. {which}",)


HINTS = (
    "Who must be gone so that the last one of your target could start?",
    "Everybody up to that last one has started. Which of them are not in the target?",
    "Those, and only those, have their gates opened.",
)


def simulated(record: Record) -> tuple[frozenset[str], ...]:
    """Return what the slots must hold after the start and after each opening, by the model."""
    parameters = record.parameters
    size = parameters["pool"] or DEFAULT_POOL
    tasks = parameters["tasks"]
    assert isinstance(size, int) and isinstance(tasks, int)
    pool = Pool(size)
    pool.submit(*[gate(str(task)) for task in range(1, tasks + 1)])
    seen = [frozenset(pool.held)]
    for step in record.runs[0].steps[1:]:
        pool.release(str(see.opened(step)))
        seen.append(frozenset(pool.held))
    return tuple(seen)


def replayed(record: Record, parameters: Parameters) -> Record:
    """Return a recorded run with other openings: what libuv's order makes of them.

    Raises:
        ModelError: A gate is opened twice.
    """
    pool = Pool(parameters["pool"])
    pool.submit(*[gate(str(task)) for task in range(1, parameters["tasks"] + 1)])
    steps = [_rest("start", pool)]
    for opening in parameters["open"]:
        pool.release(str(opening))
        steps.append(_rest(f"open {opening}", pool))
    counts = {
        "held_slots": len(see.held(steps[0])),
        "pool_threads": parameters["pool"],
        "openings": len(steps) - 1,
        "started": len(pool.started),
        "finished": len(pool.finished),
    }
    sources: dict[str, Source] = dict.fromkeys(counts, "claimed")
    run = msgspec.structs.replace(
        record.runs[0],
        parameters=dict(parameters),
        counts=counts,
        sources=sources,
        tasks=(),
        steps=tuple(steps),
        threads=(),
        claims={},
    )
    warning = "The openings are the learner's; what came of them was computed, not measured."
    return msgspec.structs.replace(
        record, parameters=dict(parameters), runs=(run,), warnings=(*record.warnings, warning)
    )


def _rest(action: str, pool: Pool) -> Step:
    return Step(action=action, slots=pool.slots, waiting=pool.waiting, finished=pool.finished)


def reached(record: Record) -> Answer:
    """Return what the slots held in the end."""
    return see.held(record.runs[0].steps[-1])


def unlike_model(record: Record) -> str | None:
    """Say where the record and the model part: then something outside interfered, and nothing can be judged."""
    for step, expected in zip(record.runs[0].steps, simulated(record), strict=True):
        there = {name for name in step.slots if name is not None and name != see.CANARY}
        if there != expected:
            return (
                f"After {step.action!r} the slots held {' '.join(sorted(there, key=int)) or 'nobody'}, where libuv's order gives "
                f"{' '.join(sorted(expected, key=int)) or 'nobody'}. Run the cell again."
            )
    return None


FREE = (
    Blank("pool", Count(1, 64), lambda answer: f"{answer} slots", "slots"),
    Blank("tasks", Count(1, 100), lambda answer: f"{answer} gates", "gates"),
)
