"""The people of ``names``: each a way to go through the lab's cells."""

from __future__ import annotations

from typing import Any

from course import asking, keeping, magic
from course.reply import Reply
from course.session import Session
from labs.names.draw import solutions as solved
from labs.names.script import STARTER
from tests import classroom, personas
from tests.names_room import SOUND, FakeRoom, session

__all__ = ["SOUND", "FakeRoom", "session"]
#: What cells of a fresh notebook say.
FRESH: dict[str, str] = {}


def first_half(it: Session) -> list[Reply]:
    """Go through cells 5 to 14 knowing everything."""
    said = []
    for slug in ("start", "own"):
        said += [personas.bet(it, slug, personas.node_row(it, slug)), personas.look(it, slug)]
    said.append(personas.choose(it, "why", "ceiling"))
    said += [
        personas.bet(it, "second", personas.node_row(it, "second")),
        personas.look(it, "second"),
        personas.choose(it, "source", "half"),
    ]
    return said


def second_half(it: Session) -> list[Reply]:
    """Go through cells 15 to 24 knowing everything."""
    said = [personas.look(it, "state", **solutions(it)["state"]), personas.choose(it, "cannot", "free-below")]
    said += [
        personas.bet(it, "through", personas.node_row(it, "through")),
        personas.look(it, "through"),
        magic.node(it, SOUND),
    ]
    said += [
        personas.bet(it, "cache", personas.node_row(it, "cache")),
        personas.look(it, "cache"),
        personas.look(it, "ways", visits=6),
    ]
    said.append(personas.choose(it, "code", "hosts", asked=classroom.numbers(it, "code")["users"]))
    half = (classroom.numbers(it, "service")["pool"] + 1) // 2
    said.append(personas.choose(it, "service", "callers", dead=half))
    return said


def skips(it: Session) -> list[Reply]:
    """Go on from the puzzle, knowing everything."""
    return second_half(it)


def misses(it: Session) -> list[Reply]:
    """Go on from the puzzle, and miss it."""
    return [personas.look(it, "state", pool=4, held=0)]


def knows(it: Session) -> list[Reply]:
    """Go through all cells knowing everything."""
    return [*first_half(it), *second_half(it)]


def asleep(it: Session) -> list[Reply]:
    """Press every button with constant answers, the script as it is."""
    said = []
    for slug, row in (
        ("start", {"flying": 1, "back": 1}),
        ("own", {"alone": 1, "beside": 1}),
        ("second", {"names": 1, "files": 1}),
    ):
        said += [personas.bet(it, slug, row), personas.look(it, slug)]
    said += [personas.letter_a(it, "why"), personas.letter_a(it, "source"), personas.look(it, "state", pool=1, held=1)]
    said += [personas.letter_a(it, "cannot"), personas.bet(it, "through", {"back": [1]}), personas.look(it, "through")]
    said += [
        magic.node(it, STARTER),
        personas.bet(it, "cache", {"asked": 1}),
        personas.look(it, "cache"),
        personas.look(it, "ways", visits=1),
    ]
    said += [personas.letter_a(it, "code", asked=1), personas.letter_a(it, "service", dead=1)]
    return said


def blanks(it: Session) -> list[Reply]:
    """Run all cells of a fresh notebook."""
    said = personas.blank_bets(it)
    said += [personas.look(it, "state", pool=..., held=...), personas.look(it, "ways", visits=...)]
    said += [asking.explain(it, slug, (...,), {}) for slug in ("why", "source", "cannot")]
    said += [
        asking.explain(it, "code", (), {"asked": ..., "lost": ...}),
        asking.explain(it, "service", (), {"dead": ..., "after": ...}),
    ]
    return [*said, keeping.check(it)]


def solutions(it: Session) -> dict[str, dict[str, Any]]:
    """Return what solves each measure that is a puzzle, and what one may type into the others."""
    numbers = classroom.numbers(it, "state")
    pool, gates = solved(numbers["flying"], numbers["idle"])[0]
    return {"state": {"pool": pool, "held": gates}, "ways": {"visits": 3}}


def typed(it: Session) -> dict[str, str]:
    """Return the cells of a finished notebook that the definition of the lab does not tell."""
    start, state = personas.node_row(it, "start"), solutions(it)["state"]
    return {
        "predict-start": f"names.predict('start', flying={start['flying']}, back={start['back']}, sure='bet')",
        "measure-state": f"names.measure('state', pool={state['pool']}, held={state['held']})",
        "measure-ways": "names.measure('ways', visits=2)",
    }
