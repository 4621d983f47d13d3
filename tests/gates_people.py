"""The people of ``gates``: each a way to go through the lab's cells."""

from __future__ import annotations

from typing import Any

from course import asking, keeping, magic
from course.reply import Reply
from course.session import Session
from labs.gates.draw import needed
from tests import classroom
from tests.classroom import SOUND, FakeRoom, session
from tests.personas import bet, choose, letter_a, look, node_row

__all__ = ["SOUND", "FakeRoom", "session"]
#: What cells of a fresh notebook say.
FRESH: dict[str, str] = {}


def knows(it: Session) -> list[Reply]:
    """Go through all cells knowing everything."""
    said = []
    for slug in ("start", "one gate"):
        said += [bet(it, slug, node_row(it, slug)), look(it, slug)]
    said.append(choose(it, "why", "one-line"))
    return [*said, *later_half(it)]


def later_half(it: Session) -> list[Reply]:
    """Go through cells 11 to 16 knowing everything."""
    said = [magic.node(it, classroom.SOUND), bet(it, "canary", node_row(it, "canary")), look(it, "canary")]
    said.append(look(it, "state", **solutions(it)["state"]))
    said.append(choose(it, "cannot", "done-before-started"))
    said.append(choose(it, "service", "postpone", hour=classroom.numbers(it, "service")["pool"]))
    return said


def skips(it: Session) -> list[Reply]:
    """Go on from the puzzle, knowing everything."""
    return [look(it, "state", **solutions(it)["state"]), *later_half(it)]


def misses(it: Session) -> list[Reply]:
    """Go on from the puzzle, and miss it."""
    return [look(it, "state", open=[1])]


def asleep(it: Session) -> list[Reply]:
    """Press every button with constant answers."""
    said = [
        bet(it, "start", {"held": 1}),
        look(it, "start"),
        bet(it, "one gate", {"held": 1, "starts": []}),
        look(it, "one gate"),
    ]
    said += [
        letter_a(it, "why"),
        magic.node(it, classroom.STARTER),
        bet(it, "canary", {"openings": 1}),
        look(it, "canary"),
    ]
    said += [look(it, "state", open=[1]), letter_a(it, "cannot"), letter_a(it, "service", hour=1)]
    return said


def blanks(it: Session) -> list[Reply]:
    """Run all cells of a fresh notebook."""
    said = []
    for slug, names in (("start", ("held",)), ("one gate", ("held", "starts")), ("canary", ("openings",))):
        said += [bet(it, slug, dict.fromkeys(names, ...)), look(it, slug)]
    said += [look(it, "state", open=[...]), asking.explain(it, "why", (...,), {})]
    said += [asking.explain(it, "cannot", (...,), {}), asking.explain(it, "service", (), {"hour": ..., "after": ...})]
    return [*said, keeping.check(it)]


def solutions(it: Session) -> dict[str, dict[str, Any]]:
    """Return what solves each measure that is a puzzle."""
    return {"state": {"open": list(needed(classroom.numbers(it, "state")["target"]))}}


def typed(it: Session) -> dict[str, str]:
    """Return the cells of a finished notebook that the definition of the lab does not tell."""
    return {
        "predict-start": f"gates.predict('start', held={node_row(it, 'start')['held']}, sure='bet')",
        "script": f"%%node gates\n{SOUND}",
        "measure-state": f"gates.measure('state', open={solutions(it)['state']['open']})",
    }
