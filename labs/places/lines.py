"""Eight lines of somebody's module: which of them keep the loop standing until they are through?"""

from __future__ import annotations

import msgspec

from labs.answers import Answer, Tasks
from labs.measurement import Record
from labs.places import computed, paths
from labs.places import drawing as see
from labs.places.draw import LINES
from labs.places.facts import path
from labs.spec import Blank, CountCheck, Lines, Parameters, Scene
from labs.words import listed

NEXT = "Next: what cannot be (the cell below)."
AGAIN = 'Next: change your list and run this cell again; places.hint("lines") helps.'
NUMBERS = tuple(range(1, LINES + 1))

STOP = Blank(
    "stop",
    Tasks(LINES, "line"),
    lambda answer: listed(answer) if isinstance(answer, tuple) else str(answer),
    "the lines that keep the loop standing",
)

HINTS = (
    "The name says little: Sync at its end is a promise that it stops the loop, and its absence is none.",
    "Is there a function to call back, or a promise that somebody else keeps? async is neither, and a stream tells nothing: those of "
    "crypto stay, those of files and gzip leave.",
    "Files, host names and compression leave the loop, so does crypto with a callback or in crypto.subtle; sockets and fs.watch wait "
    "outside. Everything else is the loop's.",
)


def right(scene: Scene) -> tuple[int, ...]:
    """Return the lines that the loop works off itself, by the table of facts."""
    return tuple(
        place for place, call in zip(NUMBERS, scene.parameters["lines"], strict=True) if path(str(call)) == "L"
    )


def parameters(scene: Scene) -> Parameters:
    """Return what the room is asked for: only the lines that were named are tried."""
    lines = [str(call) for call in scene.parameters["lines"]]
    stop = [int(number) for number in scene.answers.get("stop", ())]  # type: ignore[union-attr]  # a tuple by its kind
    return {
        "lines": lines,
        "pool": scene.parameters["pool"],
        "stop": stop,
        "calls": [lines[number - 1] for number in stop],
    }


def ask(scene: Scene) -> str:
    """Return the eight lines."""
    return "\n".join(
        (
            'A machine wrote this module and noted above it: "nothing in here blocks". Which lines keep the loop standing?',
            *see.listing(scene.parameters["lines"], NUMBERS),
        )
    )


def look(scene: Scene) -> Lines:
    """Say what came of each line that was named; of those that were not, only whether one is missing."""
    assert scene.record is not None
    named = dict(zip(scene.answers.get("stop", ()), paths.all_seen(scene.record) or (), strict=False))  # type: ignore[arg-type]  # as above
    stops = [number for number, found in named.items() if found == "L"]
    others = {number: found for number, found in named.items() if found != "L"}
    lines = []
    if stops:
        lines.append(f"{_these(stops)} done before the loop turned, with every slot held and no pool thread made.")
    if others:
        number, found = next(iter(others.items()))
        assert isinstance(number, int)
        code = see.code(str(scene.parameters["lines"][number - 1]))
        away = "while every slot was held" if "P" in found else "while the other end was silent"
        lines.append(f"Line {number}, {code}, did not come back {away}, and the loop turned meanwhile.")
        if len(others) > 1:
            lines.append(
                f"Nor did line{'s' if len(others) > 2 else ''} {listed([other for other in others if other != number])}."
            )
        return (*lines, AGAIN)
    if not stops:
        return ("You named none, so none was tried. Some of the eight do keep the loop standing.", AGAIN)
    if (left := len(right(scene)) - len(stops)) > 0:
        return (*lines, f"{'One more line does' if left == 1 else 'More lines do'} the same.", AGAIN)
    return (
        *lines,
        "That is all of them. The comment above the module believed the names; you asked the threads.",
        NEXT,
    )


def _these(numbers: list[object]) -> str:
    return f"Line {numbers[0]} was" if len(numbers) == 1 else f"Lines {listed(numbers)} were"


def replayed(record: Record, asked: Parameters) -> Record:
    """Return a recorded run with other lines: what the table of facts says of them."""
    warning = "The lines are the learner's; what came of them was looked up, not measured."
    return msgspec.structs.replace(
        record,
        parameters=dict(asked),
        runs=computed.runs(asked["calls"], asked["pool"]),
        warnings=(*record.warnings, warning),
    )


def unlike_facts(record: Record) -> str | None:
    """Say where the record and the table of facts part: then something outside interfered, and nothing can be judged."""
    for call in paths.calls(record):
        if (found := paths.seen(record, call)) != path(call):
            return f"{see.code(call)} took the path {found or 'none'} here, where {path(call)} is known of it. Run the cell again."
    return None


def _named(record: Record) -> Answer | None:
    stop = record.parameters.get("stop")
    return tuple(sorted(int(number) for number in stop)) if isinstance(stop, list) else None  # type: ignore[arg-type]  # numbers


CHECK = CountCheck(
    slug="places-lines",
    measure="lines",
    measured=_named,
    expected=right,
    wrong=lambda scene: {},
    because=lambda scene: (
        "Each line that was named was made once, alone, with every slot held, and with every other end silent."
    ),
    next_step='places.measure("lines", stop=[...]): try again as often as you like.',
    sanity=unlike_facts,
)
