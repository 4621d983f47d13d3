"""The wrong models that people hold in good faith: what each predicts, and what speaks against it.

Every order comes from running the same program under other rules (draw.RULES).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labs.phases import drawing as see
from labs.phases import loop, programs
from labs.phases.draw import KINDS, RULES, kinds
from labs.phases.loop import Rules, Source
from labs.spec import Lines, Row, Scene, Story

Rows = Mapping[str, Row]
#: What a story says of each recursion: which of them keep a file waiting.
_STARVES: Mapping[str, tuple[str, ...]] = {
    "node": ("tick", "promise"),
    "timeout-starves": ("tick", "promise", "timeout"),
    "immediate-starves": ("tick", "promise", "immediate"),
    "tick-next-turn": ("promise",),
    "all-starve": KINDS,
    "none-starves": (),
}
#: What a wrong model has an opinion on; elsewhere its holder may say anything.
_SPEAKS: Mapping[str, frozenset[str]] = {
    "timeout-first": frozenset({"four", "two", "between"}),
    "immediate-first": frozenset({"four", "two", "between"}),
    "starts-at-timers": frozenset({"four", "two", "between"}),
    "tick-next-turn": frozenset({"four", "between", "modules"}),
    "promises-first": frozenset({"four", "modules"}),
    "once-a-phase": frozenset({"four", "two", "between"}),
    "as-asked": frozenset({"four", "two", "between"}),
    "suffix-is-nothing": frozenset({"modules"}),
}


def _rows(scene: Scene, rules: Rules) -> dict[str, Row]:
    p: Mapping[str, Any] = scene.parameters
    if "pair" in p:
        return {"between": {"order": loop.order(programs.between(p["pair"], p["first"]), rules)}}
    lines = kinds(p["lines"]) if "lines" in p else ()
    sources: Mapping[str, tuple[Source, ...]] = {"four": ("file", "timer")}
    if {*lines} == {"timeout", "immediate"}:
        sources = {"two": ("immediate", "close")}
    elif {*lines} == {"tick", "promise"}:
        sources = {"modules": ("cjs", "mjs")}
    elif not lines:
        return {}
    return {
        bet: {source: loop.order(programs.four(source, lines), rules) for source in found}
        for bet, found in sources.items()
    }


def rows(name: str, scene: Scene) -> Rows:
    """Return what a story (or ``node``) predicts of the program that the scene's numbers describe."""
    if "most" in scene.parameters:
        return {"starve": {"which": _STARVES[name]}} if name in _STARVES else {}
    if name == "node":
        return _rows(scene, loop.NODE)
    if name not in RULES:
        return {}
    return {bet: row for bet, row in _rows(scene, RULES[name]).items() if bet in _SPEAKS[name]}


def node(scene: Scene) -> Rows:
    """Return what Node does."""
    return rows("node", scene)


def _predicts(name: str) -> Callable[[Scene], Rows]:
    return lambda scene: rows(name, scene)


def _steps(scene: Scene, kind: str) -> int:
    found = see.run(see.record_of(scene), kind)
    return found.counts["steps"] if found else 0


def _four_timeout(scene: Scene) -> Lines:
    return (
        "The timer of 0 ms first: that is what you get if a timer that is due comes before everything that is only next.",
        "But in both programs the timer was due (3 ms had passed), and the immediate ran before it.",
    )


def _two_wrong_way(scene: Scene) -> Lines:
    return (
        "The immediate first, as from a file: then an immediate would always come before a timer.",
        "But here the loop stood at or behind its check when it was asked; the timers came round before the next check.",
    )


def _four_start(scene: Scene) -> Lines:
    return (
        "From a file the timer first: so it is if the loop, woken in its poll, begins its list of phases again at the top.",
        "But behind the poll it went on to check, where your immediate was. Nothing sent it back to the timers.",
    )


def _between_other(scene: Scene) -> Lines:
    first = "A timer" if scene.parameters["pair"] == "immediates" else "An immediate"
    other = "immediates" if scene.parameters["pair"] == "immediates" else "timers"
    return (
        f"{first} before the two {other}: so it is if one kind always comes before the other.",
        f"But the {other} were next from where the loop stood, and C's phase came after theirs.",
    )


def _between_start(scene: Scene) -> Lines:
    return (
        "The timer before the two immediates: so it is if the loop, woken by the file, begins at the top of its list.",
        "But it went on from the poll to check, and ran both immediates there, before it came round to the timers.",
    )


def _four_tick(scene: Scene) -> Lines:
    return (
        "The tick last: its name says that it waits for the next turn of the loop.",
        "But it ran in the very phase it was asked for in, before the loop moved on at all. The name is older than the rule.",
    )


def _between_tick(scene: Scene) -> Lines:
    return (
        "Both ticks at the end: so it is if a tick waits for the next turn.",
        "But tickA ran before B, in the middle of a phase. No turn lies between the two.",
    )


def _modules_tick(scene: Scene) -> Lines:
    return (
        "The promise first in both: then a tick would have to wait for a turn of the loop.",
        "But in CommonJS the tick came first, and the loop had not even started.",
    )


def _promise_first(scene: Scene) -> Lines:
    return (
        "Promises before ticks: in a browser there are no ticks, so the promise is what comes next there.",
        "But Node empties its own queue of ticks first, and then the promises. Both ran in the phase they were asked for in.",
    )


def _modules_promise(scene: Scene) -> Lines:
    return (
        "The promise first in both: so it is if promises always come before ticks.",
        "But in CommonJS the tick was first. One and the same pair of lines, two orders: what differs is where they run.",
    )


def _between_phase(scene: Scene) -> Lines:
    return (
        "Both ticks behind B: so Node 10 did it, which emptied its ticks when a phase was over.",
        "But tickA ran between A and B: since Node 11 they are emptied after each callback.",
    )


def _asked(scene: Scene) -> Lines:
    return (
        "In the order of the lines: so it would be with one queue for all of them.",
        "But ticks and promises are emptied after each callback; timers and immediates wait until the loop comes round.",
    )


def _two_asked(scene: Scene) -> Lines:
    return (
        "In the order of the lines: so it would be with one queue for both of them.",
        "But timers and immediates have a phase each, and the loop comes to one after the other.",
    )


def _suffix(scene: Scene) -> Lines:
    return (
        "The tick first in both: so it is if a file's suffix only says how to import.",
        "But the body of an ES module is itself a microtask: what it leaves in that queue comes before any tick.",
    )


def _starve_all(scene: Scene) -> Lines:
    return (
        "All four: whoever asks for himself again and again never lets anybody in.",
        f"But immediates let the file in after {see.many(_steps(scene, 'immediate'), 'step')} and timers after "
        f"{see.many(_steps(scene, 'timeout'), 'step')}: between two of them the loop goes round.",
    )


def _starve_none(scene: Scene) -> Lines:
    return (
        "None: asynchronous code lets others in between.",
        f"But {_steps(scene, 'tick'):,} ticks ran without a break, and as many promises: the loop was not asked in between.",
    )


def _starve_tick(scene: Scene) -> Lines:
    return (
        "Only the promise: a tick that waits for the next turn would let the loop go round.",
        f"But all {_steps(scene, 'tick'):,} ticks ran before the file came in. Where was the next turn?",
    )


def _starve_kind(kind: str, noun: str) -> Callable[[Scene], Lines]:
    return lambda scene: (
        f"The {kind} too: so it is if a new one runs before the loop has gone on to anything else.",
        f"But the file came in after {see.many(_steps(scene, kind), noun)}: each new one waits for the next time its phase comes "
        "round.",
    )


STORIES = (
    Story(
        "timeout-first",
        "0 ms is soonest: a due timer comes before any immediate",
        _predicts("timeout-first"),
        {"four": _four_timeout, "between": _between_other},
    ),
    Story(
        "immediate-first",
        "immediate means at once: before any timer",
        _predicts("immediate-first"),
        {"two": _two_wrong_way, "between": _between_other},
    ),
    Story(
        "starts-at-timers",
        "six phases in one order, and whatever wakes the loop starts it at the first",
        _predicts("starts-at-timers"),
        {"four": _four_start, "between": _between_start},
    ),
    Story(
        "tick-next-turn",
        "nextTick is the next turn of the loop",
        _predicts("tick-next-turn"),
        {"four": _four_tick, "between": _between_tick, "modules": _modules_tick, "starve": _starve_tick},
    ),
    Story(
        "promises-first",
        "promises before ticks",
        _predicts("promises-first"),
        {"four": _promise_first, "modules": _modules_promise},
    ),
    Story(
        "once-a-phase",
        "ticks and promises are emptied when a phase is over",
        _predicts("once-a-phase"),
        {"between": _between_phase},
    ),
    Story(
        "as-asked",
        "one queue: in the order in which it was asked",
        _predicts("as-asked"),
        {"four": _asked, "two": _two_asked, "between": _asked},
    ),
    Story(
        "suffix-is-nothing", "ES modules and CommonJS run alike", _predicts("suffix-is-nothing"), {"modules": _suffix}
    ),
    Story(
        "all-starve",
        "whoever asks for himself again starves all others",
        _predicts("all-starve"),
        {"starve": _starve_all},
    ),
    Story(
        "timeout-starves",
        "a timer of 0 ms that asks for the next starves all others",
        _predicts("timeout-starves"),
        {"starve": _starve_kind("timeout", "timer")},
    ),
    Story(
        "immediate-starves",
        "setImmediate that asks for the next starves all others",
        _predicts("immediate-starves"),
        {"starve": _starve_kind("immediate", "immediate")},
    ),
    Story("none-starves", "asynchronous code lets others in", _predicts("none-starves"), {"starve": _starve_none}),
)
