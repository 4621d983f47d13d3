"""The warm-ups of ``places``: two gates more than the learner opened, and a program whose kinds have changed places."""

from __future__ import annotations

from labs.answers import Tasks, Words
from labs.gates import drawing as gates
from labs.gates.draw import held
from labs.phases import drawing, loop, programs
from labs.spec import Blank, Lines, Scene
from labs.warmup import WarmUp
from labs.words import counted, listed

# gates


def _gates(scene: Scene) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the gates that were opened, who was held at the end, and which two gates are opened now.

    Of the two, one holds the first of the slots, the other the first in the line whose gate is shut.

    Raises:
        ValueError: The record ends with too short a line for that.
    """
    steps = gates.run_of(scene).steps
    opened = tuple(gate for step in steps if (gate := gates.opened(step)) is not None)
    there = gates.held(steps[-1])
    shut = [int(name) for name in steps[-1].waiting if int(name) not in opened]
    if not opened or len(there) < len(steps[-1].slots) or len(shut) < 2:
        raise ValueError("no line is left in this record")
    return tuple(dict.fromkeys(opened)), there, (there[0], shut[0])


def _gates_ask(scene: Scene) -> str:
    opened, there, more = _gates(scene)
    which = f"Gate {opened[0]} was" if len(opened) == 1 else f"Gates {listed(opened)} were"
    return (
        f"{len(there)} slots, {counted(scene.parameters['tasks'], 'gate')}. {which} opened, and the slots held {listed(there)}. "
        f"Now gates {listed(more)} are opened too. Which tasks are held when all is quiet?"
    )


def _gates_solve(scene: Scene) -> tuple[int, ...]:
    opened, there, more = _gates(scene)
    return held(len(there), int(scene.parameters["tasks"]), {*opened, *more})


def _gates_because(scene: Scene) -> Lines:
    _, there, (leaves, waited) = _gates(scene)
    answer = _gates_solve(scene)
    stay = [task for task in answer if task in there]
    new = next(task for task in answer if task not in there)
    return (
        f"{leaves} leaves its slot, and the slot takes the first of the line. The gate of {waited} is open by then, so {waited} goes "
        f"straight through and makes room for the next, up to {new}, whose gate is shut.",
        f"{listed(stay)} {'stays' if len(stay) == 1 else 'stay'}: what holds a slot keeps it until its own gate is opened.",
    )


GATES = WarmUp(
    lab="gates",
    measure="state",
    ask=_gates_ask,
    blank=Blank(
        "held",
        Tasks(lambda parameters: int(parameters["tasks"])),
        lambda answer: f"held {listed(answer)}" if isinstance(answer, tuple) and answer else "none held",
        "which tasks are held?",
    ),
    solve=_gates_solve,
    because=_gates_because,
)


# phases

_ORDER = Words(("A", "tickA", "B", "tickB", "C"))


def exchanged(scene: Scene) -> loop.Program:
    """Return the record's program with the kinds exchanged: who was a timer is an immediate now, and the other way round."""
    was = programs.between(str(scene.parameters["pair"]), str(scene.parameters["first"]))
    kinds: dict[loop.Kind, loop.Kind] = {"timeout": "immediate", "immediate": "timeout"}
    return loop.Program(was.source, tuple(loop.Ask(kinds[one.kind], one.name, one.asks) for one in was.asks))


def _phases_ask(scene: Scene) -> str:
    pair = str(scene.parameters["pair"])
    seen = drawing.names(drawing.record_of(scene).runs[0])
    if len(seen) != 5:
        raise ValueError("not all five ran in this record")
    where, kinds = (
        ("an immediate's callback", "timers A and B and an immediate C")
        if pair == "timers"
        else ("a file's callback", "immediates A and B and a timer C")
    )
    text = "\n".join(f"    {line}" for line in programs.text(exchanged(scene)).rstrip().split("\n"))
    return (
        f"In {where}, two {kinds} were asked for. They ran as {' '.join(seen)}.\n"
        f"Now the kinds change places:\n{text}\nIn which order are the five logged?"
    )


def _phases_because(scene: Scene) -> Lines:
    ran = loop.run(exchanged(scene))
    first, later = ran[0], ran[1]
    return (
        f"The loop goes on from where it is: {first.phase} comes next, with {first.name}, and {later.phase} after it, with A and B.",
        "Ticks are no phase: they are emptied after each callback, so tickA stands before B. That is as it was in the record.",
    )


PHASES = WarmUp(
    lab="phases",
    measure="between",
    ask=_phases_ask,
    blank=Blank("order", _ORDER, _ORDER.say, "all five"),
    solve=lambda scene: loop.order(exchanged(scene)),
    because=_phases_because,
)

WARM_UPS = (GATES, PHASES)
