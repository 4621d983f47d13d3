"""The five bets: what is asked, what Node did beside it, and why it is so."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labs.answers import Answer, Words
from labs.measurement import Record
from labs.phases import drawing as see
from labs.phases import loop, programs
from labs.phases.draw import KINDS, kinds
from labs.phases.kinds import Some
from labs.phases.loop import Source
from labs.spec import Bet, Blank, Lines, Row, Scene
from labs.words import beside

_FOUR = Words(KINDS)
_TWO = Words(("timeout", "immediate"))
_BETWEEN = Words(("A", "tickA", "B", "tickB", "C"))
_MODULES = Words(("tick", "promise"))
_WHICH = Some(KINDS)


def _order(name: str, kind: Words, ask: str) -> Blank:
    return Blank(name, kind, lambda answer: f"{name}: {kind.say(answer)}", ask)


def _program(scene: Scene, source: Source) -> str:
    return programs.text(programs.four(source, kinds(scene.parameters["lines"]))).rstrip("\n")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _actual(*names: str) -> Callable[[Record], Row | None]:
    def actual(record: Record) -> Row | None:
        found = {name: see.order(record, name) for name in names}
        return {name: order for name, order in found.items() if order is not None} if all(found.values()) else None

    return actual


def _look(*names: str) -> Callable[[Scene], Lines]:
    def look(scene: Scene) -> Lines:
        runs = [see.run(see.record_of(scene), name) for name in names]
        return tuple(see.line(run, scene.answers.get(run.name)) for run in runs if run is not None)

    return look


# four


def _four_ask(scene: Scene) -> str:
    return (
        f"In a file's callback, with your order of the lines:\n{_indented(_program(scene, 'file'))}\n"
        "And the same five lines in the callback of a timer: setTimeout(() => { ... }, 5). In which order are the four logged?"
    )


def _four_because(scene: Scene) -> Lines:
    return (
        "The timer was due all the time. But from the poll the loop goes on to check, and from its timers it comes through the "
        "poll to check: the next look at the timers comes after that. The tick and the promise waited for no phase at all.",
    )


def _four_otherwise(scene: Scene) -> Lines:
    """Speak to one thing at a time; a row that fits no story gets no name."""
    record = see.record_of(scene)
    for name in ("file", "timer"):
        did, said = see.order(record, name) or (), _said(scene, name)
        if said == did:
            continue
        if {*said[:2]} != {"tick", "promise"}:
            return (
                "The tick and the promise ran in the phase they were asked for in, before the loop went on anywhere.",
            )
        if said[:2] != did[:2]:
            return (
                "The tick was first and the promise second, in both. Node has two queues there; which does it empty first?",
            )
        return (
            f"Look at the phases in {see.TITLES[name]}: what lies between the callback and the next look at the timers?",
        )
    return ("Each of the two is as Node had it.",)


def _said(scene: Scene, name: str) -> tuple[str, ...]:
    answer = scene.answers.get(name)
    return tuple(str(word) for word in answer) if isinstance(answer, tuple) else ()


# two


def _two_ask(scene: Scene) -> str:
    program = _indented(_program(scene, "immediate"))
    return (
        f"Now in the callback of an immediate:\n{program}\nAnd the same three lines where something closes: "
        "port1.on('close', () => { ... }). Which is first, each time?"
    )


def _two_because(scene: Scene) -> Lines:
    return (
        "Behind check and closing come the timers, and one was due. A new immediate waits for the next check: the check that "
        "is under way runs only what was there when it began.",
    )


def _two_otherwise(scene: Scene) -> Lines:
    return (
        "The two agree in Node: check and closing are neighbours, and behind both the timers come before the next check.",
    )


# between


def _between_program(scene: Scene) -> loop.Program:
    return programs.between(scene.parameters["pair"], scene.parameters["first"])


def _between_ask(scene: Scene) -> str:
    return (
        f"Two of a kind, and each asks for a tick when it runs:\n"
        f"{_indented(programs.text(_between_program(scene)).rstrip())}\n"
        "In which order are the five logged?"
    )


def _between_actual(record: Record) -> Row | None:
    order = see.names(record.runs[0]) if record.runs else ()
    return {"order": order} if order else None


def _between_look(scene: Scene) -> Lines:
    runs = see.record_of(scene).runs
    return (see.line(runs[0], scene.answers.get("order"), "ORDER"),) if runs else ()


def _between_because(scene: Scene) -> Lines:
    pair = scene.parameters["pair"]
    return (
        f"A and B are both due in one phase, and still tickA comes between them: ticks are emptied after each callback. Then the "
        f"loop goes on, and C's phase comes after that of the {pair}.",
    )


def _between_otherwise(scene: Scene) -> Lines:
    said = _said(scene, "order")
    if said.index("B") < said.index("A"):
        return ("A was asked for before B and is of the same kind: within one phase the order is that of asking.",)
    if said.index("tickA") < said.index("A") or said.index("tickB") < said.index("B"):
        return ("tickA is asked for by A, tickB by B: neither can run before who asks for it.",)
    return (
        "Go through it with two questions: which phase is next from here? And what is emptied before the next callback?",
    )


# modules


def _modules_ask(scene: Scene) -> str:
    return (
        f"These two lines are a whole file, once CommonJS (.cjs), once an ES module (.mjs):\n{_indented(_program(scene, 'cjs'))}\n"
        "In which order are the two logged?"
    )


def _modules_because(scene: Scene) -> Lines:
    return (
        "The body of an ES module runs inside a microtask. When it ends, that queue is not empty yet, so it goes on: the "
        "promise comes first there. A CommonJS file runs on the bare stack, and the ticks are emptied first.",
    )


def _modules_otherwise(scene: Scene) -> Lines:
    return (
        "In CJS it is the order of your first record. In MJS the body itself is in one of the two queues: which one?",
    )


# starve


def _starve_ask(scene: Scene) -> str:
    most = scene.parameters["most"]
    return (
        "A file is asked for. Then something asks for itself again and again, each time it runs:\n"
        "    fs.stat('.', () => { back = true; });\n"
        "    function again() {\n"
        "      if (!back && steps++ < n) process.nextTick(again);   // or a promise, an immediate, a timeout of 0\n"
        "    }\n"
        f"Which of {', '.join(KINDS)} keep the file waiting to the end? n is {most:,}; for the last two much more.\n"
        'Type them like this: "promise timeout", or "none".'
    )


def _starve_actual(record: Record) -> Row | None:
    found = {name: see.run(record, name) for name in KINDS}
    counts = {name: run.counts for name, run in found.items() if run is not None}
    if not all({"steps", "most"} <= counts.get(name, {}).keys() for name in KINDS):
        return None
    return {"which": tuple(name for name in KINDS if counts[name]["steps"] >= counts[name]["most"])}


def _starve_look(scene: Scene) -> Lines:
    record = see.record_of(scene)
    steps: Mapping[str, int] = {run.name: run.counts.get("steps", 0) for run in record.runs}
    which = _starve_actual(record)
    kept = _WHICH.say(which["which"]) if which else "-"
    said: Answer | None = scene.answers.get("which")
    return (
        "FILE CAME AFTER  " + "   ".join(f"{name} {see.many(count, 'step')}" for name, count in steps.items()),
        beside(f"KEPT WAITING     {kept}", f"you said {_WHICH.say(said)}" if said is not None else ""),
    )


def _starve_because(scene: Scene) -> Lines:
    return (
        "Ticks and promises are emptied before the loop goes on, new ones too: it never gets to its poll. A new immediate or "
        "timer waits for the next time its phase comes round, and on the way there lies the poll.",
    )


def _starve_otherwise(scene: Scene) -> Lines:
    return (
        "Ask of each: does it wait for a phase of the loop? If it does, the loop passes its poll on the way there.",
    )


FOUR = Bet(
    slug="four",
    measure="four",
    blanks=(_order("file", _FOUR, "in a file's callback"), _order("timer", _FOUR, "in a timer's callback")),
    ask=_four_ask,
    actual=_actual("file", "timer"),
    look=_look("file", "timer"),
    because=_four_because,
    otherwise=_four_otherwise,
    next_step="Next: the cell below shows how we know.",
)
TWO = Bet(
    slug="two",
    measure="two",
    blanks=(_order("immediate", _TWO, "in an immediate's callback"), _order("close", _TWO, "where something closes")),
    ask=_two_ask,
    actual=_actual("immediate", "close"),
    look=_look("immediate", "close"),
    because=_two_because,
    otherwise=_two_otherwise,
    next_step="Next: your third bet (the cell below).",
)
BETWEEN = Bet(
    slug="between",
    measure="between",
    blanks=(_order("order", _BETWEEN, "all five"),),
    ask=_between_ask,
    actual=_between_actual,
    look=_between_look,
    because=_between_because,
    otherwise=_between_otherwise,
    next_step="Next: say why (the cell below).",
)
MODULES = Bet(
    slug="modules",
    measure="modules",
    blanks=(_order("cjs", _MODULES, "as a CommonJS file"), _order("mjs", _MODULES, "as an ES module")),
    ask=_modules_ask,
    actual=_actual("cjs", "mjs"),
    look=_look("cjs", "mjs"),
    because=_modules_because,
    otherwise=_modules_otherwise,
    next_step="Next: your last bet (the cell below).",
)
STARVE = Bet(
    slug="starve",
    measure="starve",
    blanks=(
        Blank(
            "which",
            _WHICH,
            lambda answer: f"{_WHICH.say(answer)} keep it waiting",
            "which of the four? none is possible",
        ),
    ),
    ask=_starve_ask,
    actual=_starve_actual,
    look=_starve_look,
    because=_starve_because,
    otherwise=_starve_otherwise,
    next_step="Next: two orders of your own (the cell below).",
)

BETS = (FOUR, TWO, BETWEEN, MODULES, STARVE)
