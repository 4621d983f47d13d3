"""The three bets: what is asked, what Node did beside it, and why it is so."""

from __future__ import annotations

import re

from labs.answers import Count, Tasks
from labs.gates import drawing as see
from labs.gates import stories
from labs.measurement import Record
from labs.model import canary_returns
from labs.spec import Bet, Blank, Lines, Row, Scene
from labs.words import beside, counted, listed, number, ordinal

_COMMENT = re.compile(r"//.*|/\*(?s:.*?)\*/")
HELD_OF = Blank(
    "held",
    Count(0, lambda parameters: int(parameters["tasks"]), "requests"),
    lambda answer: f"{answer} held",
    "how many of the requests does Node have in its hands right now, inside a thread?",
)


def _sure(scene: Scene) -> str:
    return f" ({scene.sure})" if scene.sure else ""


# start


def _start_ask(scene: Scene) -> str:
    tasks = scene.parameters["tasks"]
    return (
        f"{number(tasks, capital=True)} requests are out and all {tasks} gates are shut. How many are inside a thread?"
    )


def _start_actual(record: Record) -> Row | None:
    steps = see.steps_of(record)
    return {"held": len(see.held(steps[0]))} if steps else None


def look_at_start(scene: Scene) -> Lines:
    """Show how many are held, and who."""
    step = see.run_of(scene).steps[0]
    said = f"you said {scene.answers['held']}{_sure(scene)}" if "held" in scene.answers else ""
    return (
        beside(f"HELD  {len(see.held(step))} of {scene.parameters['tasks']}", said),
        f"{see.slots(step)}      {see.waiting(step)}",
    )


def _start_because(scene: Scene) -> Lines:
    run = see.run_of(scene)
    held, waits = len(see.held(run.steps[0])), len(run.steps[0].waiting)
    lines = [
        f"{number(held, capital=True)} threads are inside a call that cannot return. "
        f"{number(waits, capital=True)} requests have not been started at all.",
        f"Your loop is not stuck: {see.ticks(run)} timer ticks arrived meanwhile.",
    ]
    if scene.shape.cores == held:
        lines.append(
            f"{number(held, capital=True)} is also the number of your cores. The next run uses another size and tells the two apart."
        )
    return tuple(lines)


def _start_otherwise(scene: Scene) -> Lines:
    held = len(see.held(see.run_of(scene).steps[0]))
    return (
        f"None of the usual stories gives {scene.answers['held']}. Node's answer is {held}; keep your reason in mind and "
        "look what it misses.",
    )


# one gate


def _gate_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"Now your numbers: {p['pool']} slots, {p['tasks']} gates. Again all gates are shut. "
        f"Then gate {p['first']} is opened, so task {p['first']} finishes."
    )


def _gate_actual(record: Record) -> Row | None:
    steps = see.steps_of(record)
    if len(steps) < 2:
        return None
    return {"held": len(see.held(steps[0])), "starts": see.new_in(steps[0], steps[1])}


def _gate_look(scene: Scene) -> Lines:
    before, after = see.run_of(scene).steps[:2]
    answers = scene.answers
    said = f"you said {answers['held']} held, then {see.starts(answers['starts'])}{_sure(scene)}" if answers else ""
    return (
        see.rest("BEFORE", before, said),
        f"GATE {see.opened(after)}  {see.slots(after)}   {see.waiting(after)}     done {' '.join(after.finished)}",
    )


def _gate_because(scene: Scene) -> Lines:
    before, after = see.run_of(scene).steps[:2]
    lanes = enumerate(zip(before.slots, after.slots, strict=False), 1)
    still = [place for place, (was, now) in lanes if was == now]
    slots = f"Slot {still[0]}" if len(still) == 1 else f"Slots {listed(still)}"
    came = listed(see.new_in(before, after))
    return (f"The thread that finished {see.opened(after)} went on with {came}. {slots} did not move.",)


def _gate_otherwise(scene: Scene) -> Lines:
    """Say what Node took, and ask back; a row that fits no story gets no name."""
    before, after = see.run_of(scene).steps[:2]
    node, said, held = see.new_in(before, after), scene.answers["starts"], len(see.held(before))
    if said == node:
        return (
            f"The task is the one you said; only the number of slots is another. The size given was {held}, and {held} were held.",
        )
    took = listed(node) or "none"
    numbers = [int(task) for task in said] if isinstance(said, tuple) else []
    if not numbers:
        return (f"Node took {took}: one slot came free, and somebody was waiting. What would have kept it empty?",)
    if max(numbers) > max(node, default=0):
        return (
            f"Node took {took}. Nothing in this record says that later requests go first; what made you pick {listed(numbers)}?",
        )
    return (f"Node took {took}. {listed(numbers)} was in a slot before the gate was opened: look at BEFORE.",)


# canary


def _canary_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"{p['pool']} slots, {p['tasks']} gates, then your stat. Gates are opened one by one, each time one that is held. "
        "How many must be opened before the stat comes back?"
    )


def asked_behind(record: Record) -> bool:
    """Say whether the stat came back when one that stood behind all gates would have, and not before."""
    pool, tasks = record.parameters.get("pool"), record.parameters.get("tasks")
    if not isinstance(pool, int) or not isinstance(tasks, int):
        return False
    return see.openings_until_canary(record) == canary_returns(tasks, pool)


def _canary_actual(record: Record) -> Row | None:
    openings = see.openings_until_canary(record)
    return {"openings": openings} if openings is not None and asked_behind(record) else None


def _canary_look(scene: Scene) -> Lines:
    run = see.run_of(scene)
    assert scene.record is not None
    openings, tasks = see.openings_until_canary(scene.record), scene.parameters["tasks"]
    if openings is None:
        return (
            f"NO STAT after {counted(sum(see.opened(step) is not None for step in run.steps), 'opening')}",
            "All gates are open and done('stat') was never called. Ask for the stat after the loop, and report it.",
        )
    said = f"you said {scene.answers['openings']}{_sure(scene)}" if "openings" in scene.answers else ""
    if not asked_behind(scene.record):
        return _canary_elsewhere(scene.record.script.text, openings)
    pool = scene.parameters["pool"]
    first = "1, 2, 3" if pool == 3 else f"1 to {pool}"
    return (
        beside(f"STAT BACK after {counted(openings, 'opening')}", said),
        f"It stood {ordinal(tasks + 1)} in the line: {tasks} gates, then the stat. Slots take {first}; "
        f"{number(openings)} {'opening' if openings == 1 else 'openings'} later it is its turn.",
    )


def _canary_elsewhere(script: str, openings: int) -> Lines:
    """Say what may have been instead; counts alone do not tell a stat before the gates from a report that awaits none."""
    if openings == 0 and "Sync(" in _COMMENT.sub("", script):
        return (
            "STAT BACK before the first gate. A call that ends in Sync stands in no line: the loop makes it itself, and stands still for it.",
            "That is another lab's subject (places). For this one, use fs.stat, and run this cell again.",
        )
    if openings == 0:
        return (
            "STAT BACK at opening 0: either it stood before the gates, or done('stat') did not wait for its answer.",
            "Ask for it after the loop, report it where its answer is, and run this cell again; your bet stays open.",
        )
    return (
        f"STAT BACK after {counted(openings, 'opening')}: it did not stand right behind the gates.",
        "Ask for it once, after the loop, with nothing else before it; then run this cell again.",
    )


def _canary_because(scene: Scene) -> Lines:
    run = see.run_of(scene)
    return (
        "In general: behind N shut gates on P slots (N >= P), each time opening one that is held: N + 1 - P.",
        f"{see.loop_was(run)} The file was never slow. It was never asked.",
    )


def _canary_otherwise(scene: Scene) -> Lines:
    """Say what speaks against the number alone; a row that fits no story gets no name."""
    pool, tasks = scene.parameters["pool"], scene.parameters["tasks"]
    said = scene.answers["openings"]
    for guess, voice in (
        (0, stories.canary_overtakes),
        (1, stories.canary_next),
        (pool, stories.canary_group),
        (tasks - pool, stories.canary_fence),
        (tasks, stories.canary_all),
    ):
        if said == guess:
            return voice(scene)
    assert isinstance(said, int)
    back = canary_returns(tasks, pool)
    if said < back:
        inside = ", ".join(str(task) for task in range(said + 1, said + pool + 1))
        return (f"After {counted(said, 'opening')} the slots hold {inside}. Your stat is not among them yet.",)
    return (f"After {back} openings {number(pool - 1)} gates are still shut, and one slot is free: it took your stat.",)


START = Bet(
    slug="start",
    measure="start",
    blanks=(HELD_OF,),
    ask=_start_ask,
    actual=_start_actual,
    look=look_at_start,
    because=_start_because,
    otherwise=_start_otherwise,
    next_step="Next: the cell below shows how we know.",
)

ONE_GATE = Bet(
    slug="one gate",
    measure="one gate",
    blanks=(
        Blank(
            "held",
            Count(0, lambda parameters: int(parameters["tasks"]), "requests"),
            lambda answer: f"{answer} held",
            "slots held before the gate opens",
        ),
        Blank(
            "starts",
            Tasks(lambda parameters: int(parameters["tasks"])),
            see.starts,
            "which task or tasks start because of it? a list; [] if none",
        ),
    ),
    ask=_gate_ask,
    actual=_gate_actual,
    look=_gate_look,
    because=_gate_because,
    otherwise=_gate_otherwise,
    next_step="Next: say why (the cell below).",
)

CANARY = Bet(
    slug="canary",
    measure="canary",
    blanks=(
        Blank(
            "openings",
            Count(0, lambda parameters: int(parameters["tasks"]), "gates"),
            lambda answer: counted(int(answer), "opening") if isinstance(answer, int) else str(answer),
            "how many gates must be opened before the stat comes back?",
        ),
    ),
    ask=_canary_ask,
    actual=_canary_actual,
    look=_canary_look,
    because=_canary_because,
    otherwise=_canary_otherwise,
    next_step="Next: bring a state about (the cell below).",
)

BETS = (START, ONE_GATE, CANARY)
