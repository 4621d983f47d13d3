"""The lab's own programs: as JavaScript (what is shown is what runs) and as what the model reads."""

from __future__ import annotations

from collections.abc import Sequence

from labs.phases.loop import Ask, Kind, Program, Source

#: How a callback is asked for; ``{}`` is what it does.
_ASK: dict[Kind, str] = {
    "tick": "process.nextTick(() => {});",
    "promise": "Promise.resolve().then(() => {});",
    "timeout": "setTimeout(() => {}, 0);",
    "immediate": "setImmediate(() => {});",
}
_INSIDE: dict[Source, tuple[str, ...]] = {
    "file": ("fs.stat('.', () => {",),
    "timer": ("setTimeout(() => {",),
    "immediate": ("setImmediate(() => {",),
    "close": ("const { port1 } = new MessageChannel();", "port1.on('close', () => {"),
    "cjs": (),
    "mjs": (),
}
_END: dict[Source, tuple[str, ...]] = {
    "file": ("});",), "timer": ("}, 5);",), "immediate": ("});",), "close": ("});", "port1.close();"), "cjs": (), "mjs": (),
}  # fmt: skip
#: Milliseconds of work at the end of a callback that asks for a timer: it is due when the loop comes to the timers.
BUSY = 3


def four(source: Source, lines: Sequence[Kind]) -> Program:
    """Return one callback that asks for one of each of these, in this order; each is called by its kind."""
    return Program(source, tuple(Ask(kind, kind) for kind in lines))


def between(pair: str, first: str) -> Program:
    """Return two callbacks A and B of one phase, each asking for a tick, and C of another.

    Args:
        pair: ``timers`` (asked for in an immediate) or ``immediates`` (asked for in a file's callback).
        first: What is asked for first: ``A`` or ``C``.
    """
    kind: Kind = "timeout" if pair == "timers" else "immediate"
    other: Kind = "immediate" if pair == "timers" else "timeout"
    both = tuple(Ask(kind, name, (Ask("tick", f"tick{name}"),)) for name in "AB")
    asks = (*both, Ask(other, "C")) if first == "A" else (Ask(other, "C"), *both)
    return Program("immediate" if pair == "timers" else "file", asks)


def text(program: Program, busy: int = BUSY) -> str:
    """Return the program as JavaScript; ``log`` and ``busy`` are given to it. Who asks for no timer has nothing to work for."""
    inner = [f"  {line}" if _INSIDE[program.source] else line for line in _lines(program.asks, busy)]
    return "\n".join([*_INSIDE[program.source], *inner, *_END[program.source]]) + "\n"


def _lines(asks: Sequence[Ask], busy: int) -> list[str]:
    lines = [_ask(one, busy) for one in asks]
    return [*lines, f"busy({busy});"] if busy and any(one.kind == "timeout" for one in asks) else lines


def _ask(one: Ask, busy: int) -> str:
    form = _ASK[one.kind]
    if not one.asks:
        return form.replace("{}", f"log('{one.name}')")
    inside = " ".join(_lines(one.asks, busy))
    return form.replace("{}", f"{{ log('{one.name}'); {inside} }}")
