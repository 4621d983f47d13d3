"""The learner's two parts: what each must bring about, what came of it at three paces, and what to say about that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from labs.answers import Answer
from labs.measurement import Callback, Record
from labs.phases import drawing as see
from labs.phases.draw import KINDS
from labs.phases.rehearse import Findings, Logged, Part
from labs.rehearsed import broken
from labs.spec import CountCheck, Lines, Rehearsed, Scene, ScriptTask

STARTER = """part('A', () => {
  // your lines here
});
part('B', () => {
  // your lines here
});
"""
RUNS = ("as it is", "slow", "quick")
HINTS = (
    "Four lines as in the first bet bring about one order. Two things change it: the callback they stand in, and what runs it.",
    "Which of timeout and immediate is first follows from the phase: what comes next behind it? Is the timer due by then?",
    "Which of tick and promise is first follows from the queue you are in: inside a promise's callback, which one goes on?",
)


def target(scene: Scene) -> tuple[str, ...]:
    """Return the order that a part shall bring about."""
    return tuple(scene.parameters["target"])


def ask(part: str, scene: Scene) -> str:
    """Return what a part is to do, in the draw's words."""
    return f"Part {part}: one callback asks for all four, and they are logged in this order at any pace: {' '.join(target(scene))}."


def _form(callbacks: tuple[Callback, ...] | tuple[Logged, ...]) -> str | None:
    """Say what keeps a part from being judged by its order: not all four, another kind, or not all asked for in one callback."""
    names = [one.name for one in callbacks]
    if not names:
        return "nothing logged"
    if sorted(names) != sorted(KINDS):
        return "not each of the four once"
    if any(one.name != one.kind for one in callbacks):
        return "logged in another kind of callback"
    if len({one.asked_id for one in callbacks}) > 1:
        return "not asked for in one callback"
    return None


def came(record: Record) -> Answer | None:
    """Return the order that a part brought about at every pace, or in words what is the matter; None without its runs."""
    runs = [run for run in (see.run(record, name) for name in RUNS) if run is not None]
    if len(runs) < len(RUNS):
        return None
    for run in runs:
        if (odd := _form(run.callbacks)) is not None:
            return odd
    orders = {see.names(run) for run in runs}
    return orders.pop() if len(orders) == 1 else "by luck"


def _told(scene: Scene, answer: Answer | None) -> Lines:
    record = see.record_of(scene)
    wanted = target(scene)
    if answer == "by luck":
        others = [run for run in record.runs if see.names(run) != see.names(record.runs[0])]
        shown = " ".join(see.names(others[0])) if others else ""
        return (
            f"But {others[0].name if others else 'at another pace'}: {shown}. What comes first depends on whether a millisecond "
            "has passed. Make it certain: a phase that decides by itself, or busy(3) so that the timer is due.",
        )
    if isinstance(answer, str):
        return (_odd(record, answer),)
    if answer != wanted and isinstance(answer, tuple):
        if _pair(answer, ("tick", "promise")) != _pair(wanted, ("tick", "promise")):
            return (
                "Tick and promise are the other way round. In which of the two queues are you when you ask for them?",
            )
        return (
            "Timeout and immediate are the other way round. From which phase do you ask, and what comes next behind it?",
        )
    return ("The same at all three paces: no luck in it.",)


def _odd(record: Record, what: str) -> str:
    first = record.runs[0].callbacks
    if what == "nothing logged":
        return "Nothing was logged. Ask for the four in one callback; each logs its own name, as in the first bet."
    if what == "not each of the four once":
        logged = " ".join(one.name for one in first) or "nothing"
        return f"Logged: {logged}. It takes each of {', '.join(KINDS)} once."
    if what == "logged in another kind of callback":
        one = next((one for one in first if one.name != one.kind), None)
        return (
            f"'{one.name}' was logged in a callback of the kind {one.kind}." if one else "A name and its kind differ."
        )
    return "The four were asked for in different callbacks. All four lines stand in one; what is nested decides its own order."


def _pair(order: tuple[Any, ...], two: tuple[str, str]) -> tuple[Any, ...]:
    return tuple(name for name in order if name in two)


def look(part: str, scene: Scene) -> Lines:
    """Draw what came, then speak about it."""
    record = see.record_of(scene)
    first = see.run(record, RUNS[0])
    answer, wanted = came(record), target(scene)
    mark = f"wanted {' '.join(wanted)}: {'reached' if answer == wanted else 'not yet'}"
    drawn = see.line(first, title="PART " + part) if first else "PART " + part
    after = {"A": "Next: part B (the cell below).", "B": "Next: what cannot be (the cell below)."}[part]
    again = f'Next: change part {part}, run its cell, then this one; phases.hint("{part}") helps.'
    return (drawn, mark, *_told(scene, answer), after if answer == wanted else again)


def _swapped(order: tuple[str, ...], one: str, other: str) -> tuple[str, ...]:
    change = {one: other, other: one}
    return tuple(change.get(name, name) for name in order)


def _wrong(scene: Scene) -> Mapping[str, Answer]:
    """Return what comes of the place that a wrong model chooses: its holder takes the pair to come so anywhere, or from there."""
    order = target(scene)
    swapped = _swapped(order, "timeout", "immediate")
    late = order.index("immediate") < order.index("timeout")
    found: dict[str, Answer] = dict.fromkeys(
        ("immediate-first",) if late else ("timeout-first", "starts-at-timers"), swapped
    )
    if order[0] == "promise":
        found["promises-first"] = _swapped(order, "tick", "promise")
    return found


def _check(part: str) -> CountCheck:
    def because(scene: Scene) -> str:
        answer = came(see.record_of(scene))
        told = " ".join(answer) if isinstance(answer, tuple) else str(answer)  # type: ignore[arg-type]  # an order of words
        return f"Part {part} gave {told!r} at three paces; wanted was {' '.join(target(scene))!r}."

    return CountCheck(
        slug=f"phases-part-{part.lower()}",
        measure=part,
        measured=came,
        expected=target,
        wrong=_wrong,
        because=because,
        next_step=f'Ask for the four in one callback whose phase decides the order; then phases.measure("{part}").',
        sanity=lambda record: None if len(record.runs) == len(RUNS) else "The part was not run at all three paces.",
    )


CHECK_A, CHECK_B = _check("A"), _check("B")


def rehearsed(findings: Mapping[str, Any], scene: Scene) -> Rehearsed:
    """Say what the dry run saw in each part; the order is for the measurement to show."""
    seen = msgspec.convert(findings, Findings)
    if seen.problem is not None:
        return broken(seen.problem, seen.message, seen.text)
    # Each part is a measure of its own, with draws of its own.
    wanted = {part: tuple(numbers["target"]) for part, numbers in scene.scripted.items()}
    told = [(_part_told(part, wanted[part.name]), _form(part.logged) is None) for part in seen.parts]
    sound = len(told) == 2 and all(good for _, good in told)
    begun = any(part.logged for part in seen.parts)
    what = "In each part one callback asks for all four; they shall be logged in the order in brackets, at any pace."
    lines = ["Kept." if sound else f"Kept. {what}" if begun else what] + [text for text, _ in told]
    if sound:
        lines.append('Next: phases.measure("A") shows the order, at three paces.')
    return Rehearsed("\n".join(lines), kept=begun, complete=sound)


def _part_told(part: Part, wanted: tuple[str, ...]) -> str:
    odd = _form(part.logged)
    name = f"Part {part.name} ({' '.join(wanted)}):"
    if odd is None:
        kind = part.logged[0].asked_in
        # The body of an ES module runs inside a promise, as far as the trace can tell.
        body = kind in ("promise", "main")
        within = "a promise's callback, or in the module's body" if body else f"one callback of the kind {kind}"
        return f"{name} all four are asked for in {within}."
    if odd == "nothing logged":
        return f"{name} nothing is logged yet."
    if odd == "not each of the four once":
        return f"{name} logs, in some order, {' '.join(one.name for one in part.logged)}; it takes each of {', '.join(KINDS)} once."
    if odd == "logged in another kind of callback":
        one = next(one for one in part.logged if one.name != one.kind)
        return f"{name} '{one.name}' is logged in a callback of the kind {one.kind}."
    return f"{name} the four are asked for in different callbacks; they shall stand in one."


TASK = ScriptTask(starter=STARTER, rehearse=rehearsed)
