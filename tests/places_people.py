"""The people of ``places``: each a way to go through the lab's cells."""

from __future__ import annotations

from typing import Any

from course import asking, keeping, magic
from course.reply import Reply
from course.session import Session
from labs.places import lines, questions
from labs.places.reference import trial
from tests.personas import bet, choose, letter_a, look, node_row
from tests.places_room import SOUND, FakeRoom, session

__all__ = ["SOUND", "FakeRoom", "session"]
#: What cells of a fresh notebook say.
FRESH: dict[str, str] = {}
BETS = ("six", "six more", "victim", "own")


def found(it: Session) -> list[int]:
    """Return the puzzle's right lines."""
    return list(lines.right(it.scene(it.work(), "lines")))


def later_half(it: Session) -> list[Reply]:
    """Go through cells 14 to 19 knowing everything, the puzzle left out."""
    limit = questions.limit(it.scene(it.work(), "service"))
    return [
        magic.node(it, SOUND),
        bet(it, "own", node_row(it, "own")),
        look(it, "own"),
        choose(it, "cannot", "beside-the-timer"),
        choose(it, "service", "nothing", limit=limit),
    ]


def skips(it: Session) -> list[Reply]:
    """Go on from the puzzle, knowing everything."""
    return [look(it, "lines", stop=found(it)), *later_half(it)]


def misses(it: Session) -> list[Reply]:
    """Go on from the puzzle, and miss it."""
    return [look(it, "lines", stop=[])]


def knows(it: Session) -> list[Reply]:
    """Go through all cells knowing everything."""
    said = []
    for slug in BETS[:3]:
        said += [bet(it, slug, node_row(it, slug)), look(it, slug)]
    said.append(choose(it, "why", "the-code"))
    return [*said, *later_half(it), look(it, "lines", stop=found(it))]


def asleep(it: Session) -> list[Reply]:
    """Press every button with constant answers."""
    said = []
    for slug in ("six", "six more"):
        said += [bet(it, slug, {"paths": ["P"] * 6}), look(it, slug)]
    said += [bet(it, "victim", {"sync": "both", "callback": "both"}), look(it, "victim"), letter_a(it, "why")]
    said += [magic.node(it, "as given"), bet(it, "own", {"early": 1, "health": 1}), look(it, "own")]
    return [*said, look(it, "lines", stop=[1]), letter_a(it, "cannot"), letter_a(it, "service", limit=1)]


def blanks(it: Session) -> list[Reply]:
    """Run all cells of a fresh notebook."""
    said = []
    for slug in BETS:
        typed: dict[str, Any] = (
            {"paths": [...] * 6}
            if slug.startswith("six")
            else dict.fromkeys(("sync", "callback") if slug == "victim" else ("early", "health"), ...)
        )
        said += [bet(it, slug, typed, sure=...), look(it, slug)]
    said += [
        look(it, "lines", stop=[...]),
        asking.explain(it, "why", (...,), {}),
        asking.explain(it, "cannot", (...,), {}),
    ]
    return [*said, asking.explain(it, "service", (), {"limit": ..., "after": ...}), keeping.check(it)]


def solutions(it: Session) -> dict[str, dict[str, Any]]:
    """Return what solves each measure that is a puzzle."""
    return {"lines": {"stop": found(it)}}


def typed(it: Session) -> dict[str, str]:
    """Return the cells of a finished notebook that the definition of the lab does not tell."""
    return {
        "predict-six": f"places.predict('six', paths={list(node_row(it, 'six')['paths'])}, sure='bet')",  # type: ignore[arg-type]  # texts
        "script": f"%%node places\n{trial.SOUND_TEXT}",
        "measure-lines": f"places.measure('lines', stop={found(it)})",
    }
