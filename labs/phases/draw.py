"""The numbers of one draw: the order of the lines, and what is to be brought about."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import permutations
from typing import Any, cast

from labs.phases import loop, programs
from labs.phases.loop import Kind, Program, Rules, Source
from labs.spec import Parameters, Shape

KINDS: tuple[Kind, ...] = ("tick", "promise", "immediate", "timeout")
TWO: tuple[Kind, ...] = ("immediate", "timeout")
SOURCES: tuple[Source, ...] = ("file", "timer", "immediate", "close")

#: The wrong models as other rules of the loop (labs.phases.loop.Rules); what each believes stands in stories.py.
RULES: Mapping[str, Rules] = {
    "timeout-first": Rules(after=dict.fromkeys(loop.NODE.after, ("timers", "poll", "check", "closing"))),
    "immediate-first": Rules(after=dict.fromkeys(loop.NODE.after, ("check", "closing", "timers", "poll"))),
    "starts-at-timers": Rules(after={**loop.NODE.after, "poll": ("timers", "poll", "check", "closing")}),
    "tick-next-turn": Rules(ticks_last=True),
    "promises-first": Rules(first="promise"),
    "once-a-phase": Rules(empties="phase"),
    "as-asked": Rules(as_asked=True),
    "suffix-is-nothing": Rules(module_is_task=False),
}
#: Orders that need no believer in "as asked": the lines are never drawn in one of them.
TAKEN = frozenset(
    loop.order(programs.four(source, ("timeout", "immediate", "promise", "tick")), rules)
    for source in ("file", "timer")
    for name, rules in {"node": loop.NODE, **RULES}.items()
    if name != "as-asked"
)


def reachable() -> tuple[tuple[str, ...], ...]:
    """Return every order in which the four can run that are asked for in one callback, wherever it is, the timer being due."""
    found = {loop.order(programs.four(source, KINDS)) for source in SOURCES}
    within = {loop.order(nested(source))[1:] for source in SOURCES}
    return tuple(sorted(found | within))


def nested(source: Source) -> Program:
    """Return the program that asks for the four inside a promise's callback."""
    return Program(source, (loop.Ask("promise", "outer", programs.four(source, KINDS).asks),))


def draw(chance: random.Random, shape: Shape) -> Mapping[str, Parameters]:
    """Return the parameters of every thing in this lab; nothing here depends on the machine."""
    lines = chance.choice([order for order in permutations(KINDS) if order not in TAKEN])
    modules = chance.choice([("tick", "promise"), ("promise", "tick")])
    between = {"pair": chance.choice(["timers", "immediates"]), "first": chance.choice(["A", "C"])}
    last = chance.choice([("immediate", "timeout"), ("timeout", "immediate")])
    return {
        "four": {"lines": list(lines)},
        "two": {"lines": list(TWO)},
        "between": between,
        "modules": {"lines": list(modules)},
        "starve": {"most": chance.choice([8_000, 12_000, 15_000, 20_000])},
        "A": {"target": ["tick", "promise", *last]},
        "B": {"target": ["promise", "tick", *last[::-1]]},
        "why": {},
        "cannot": _cannot(chance),
        "service": {"items": chance.choice([600, 2_500, 4_000, 9_000])},
        "recall": {"source": chance.choice(list(SOURCES))},
        "shares": {}, "formats": {}, "lines": {}, "idle": {},
    }  # fmt: skip


def _cannot(chance: random.Random) -> dict[str, Any]:
    """Choose an order that every callback gives, one that needs a promise's callback, and one that none gives."""
    can = reachable()
    plain = chance.choice([order for order in can if order[0] == "tick"])
    odd = chance.choice([order for order in can if order[0] == "promise" and order[2:] != plain[2:]])
    phases = set(TWO)
    never = chance.choice([
        order for order in permutations(KINDS)
        if order not in can and order[0] not in phases and not {*order[:2]} <= {"tick", "promise"}
    ])  # fmt: skip
    return {"plain": list(plain), "odd": list(odd), "never": list(never)}


def kinds(lines: object) -> tuple[Kind, ...]:
    """Return a draw's lines as the model takes them."""
    return tuple(cast(Kind, line) for line in lines)  # type: ignore[attr-defined]  # a list or tuple of our own draw
