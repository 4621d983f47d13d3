"""The people of ``birth``: each a way to go through the lab's cells."""

from __future__ import annotations

from typing import Any

from course import asking, keeping, magic
from course.reply import Reply
from course.session import Session
from tests import personas
from tests.birth_room import BETS, LATE, SOUND, FakeRoom, session

__all__ = ["SOUND", "FakeRoom", "session"]
#: What cells of a fresh notebook say.
FRESH: dict[str, str] = {"script": "threads where nothing is set outside"}


def own(it: Session, script: str = SOUND) -> list[Reply]:
    """Write the program, and measure it both ways."""
    return [magic.node(it, script), personas.look(it, "unset"), personas.look(it, "both")]


def transfer(it: Session) -> list[Reply]:
    """Answer the two questions at the end."""
    return [personas.choose(it, "cannot", "grown"), personas.choose(it, "service", "outside", threads=4)]


def skips(it: Session) -> list[Reply]:
    """Go on from the artefact, knowing everything."""
    return [*own(it), *transfer(it)]


def misses(it: Session) -> list[Reply]:
    """Go on from the artefact, and miss it."""
    return own(it, LATE)


def knows(it: Session) -> list[Reply]:
    """Go through all cells knowing everything."""
    return [*personas.right_bets(it), personas.choose(it, "why", "first-job"), *own(it), *transfer(it)]


def asleep(it: Session) -> list[Reply]:
    """Press every button with constant answers."""
    said = []
    for slug in BETS:
        typed = {blank.name: "none" if blank.name == "used" else 1 for blank in it.lab.bet(slug).blanks}
        said += [personas.bet(it, slug, typed), personas.look(it, slug)]
    said += own(it, LATE)
    said += [asking.explain(it, slug, (), {"choice": "a"}) for slug in ("why", "cannot")]
    return [*said, asking.explain(it, "service", (), {"fix": "a", "threads": 1})]


def blanks(it: Session) -> list[Reply]:
    """Run all cells of a fresh notebook."""
    said = personas.blank_bets(it)
    said += [asking.explain(it, slug, (...,), {}) for slug in ("why", "cannot")]
    said += [personas.look(it, slug) for slug in ("unset", "both")]
    return [*said, asking.explain(it, "service", (), {"threads": ..., "fix": ...}), keeping.check(it)]


def solutions(it: Session) -> dict[str, dict[str, Any]]:
    """Return what solves each measure that is a puzzle."""
    return {}


def typed(it: Session) -> dict[str, str]:
    """Return the cells of a finished notebook that the definition of the lab does not tell."""
    size = it.drawn(it.work(), "unset").parameters["size"]
    return {
        "script": f"%%node birth\nif (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = '{size}';\n"
        "const token = require('./token.cjs');\nfs.promises.readFile(__filename).then(() => ready());\n"
    }
