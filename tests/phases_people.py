"""The people of ``phases``: each a way to go through the lab's cells."""

from __future__ import annotations

from typing import Any

from course import asking, keeping, magic
from course.reply import Reply
from course.session import Session
from labs.phases.draw import KINDS
from tests import personas
from tests.phases_room import BETS, LUCKY, SOUND, FakeRoom, session

__all__ = ["SOUND", "FakeRoom", "session"]
#: What cells of a fresh notebook say.
FRESH: dict[str, str] = {"script": "Part A (tick promise"}
#: A learner's own, with nothing read from the parameters: both targets are in the sheet of the cell.
FOUR = """function four() {
  setImmediate(() => log('immediate'));
  setTimeout(() => log('timeout'), 0);
  Promise.resolve().then(() => log('promise'));
  process.nextTick(() => log('tick'));
  busy(3);
}
"""


def own(it: Session, script: str = SOUND) -> list[Reply]:
    """Write the two parts, and measure them."""
    return [magic.node(it, script), personas.look(it, "A"), personas.look(it, "B")]


def transfer(it: Session) -> list[Reply]:
    """Answer the two questions at the end."""
    sent = it.drawn(it.work(), "service").parameters["items"]
    return [personas.choose(it, "cannot", "never"), personas.choose(it, "service", "immediate", sent=sent)]


def skips(it: Session) -> list[Reply]:
    """Go on from the artefact, knowing everything."""
    return [*own(it), *transfer(it)]


def misses(it: Session) -> list[Reply]:
    """Go on from the artefact, and miss it."""
    return own(it, LUCKY)


def knows(it: Session) -> list[Reply]:
    """Go through all cells knowing everything."""
    return [*personas.right_bets(it), personas.choose(it, "why", "ring"), *own(it), *transfer(it)]


def asleep(it: Session) -> list[Reply]:
    """Press every button with constant answers."""
    typed: dict[str, dict[str, Any]] = {
        "four": dict.fromkeys(("file", "timer"), " ".join(KINDS)), "two": dict.fromkeys(("immediate", "close"), "timeout immediate"),
        "between": {"order": "A tickA B tickB C"}, "modules": dict.fromkeys(("cjs", "mjs"), "tick promise"), "starve": {"which": "tick"},
    }  # fmt: skip
    said = []
    for slug in BETS:
        said += [personas.bet(it, slug, typed[slug]), personas.look(it, slug)]
    said += own(it, it.lab.script.starter if it.lab.script else "")
    said += [asking.explain(it, slug, (), {"choice": "a"}) for slug in ("why", "cannot")]
    return [*said, asking.explain(it, "service", (), {"fix": "a", "sent": 1})]


def blanks(it: Session) -> list[Reply]:
    """Run all cells of a fresh notebook."""
    said = personas.blank_bets(it)
    said += [asking.explain(it, slug, (...,), {}) for slug in ("why", "cannot")]
    said += [personas.look(it, slug) for slug in ("A", "B")]
    return [*said, asking.explain(it, "service", (), {"sent": ..., "fix": ...}), keeping.check(it)]


def solutions(it: Session) -> dict[str, dict[str, Any]]:
    """Return what solves each measure that is a puzzle."""
    return {}


def typed(it: Session) -> dict[str, str]:
    """Return the cells of a finished notebook that the definition of the lab does not tell."""
    late = it.drawn(it.work(), "A").parameters["target"][2] == "immediate"
    inside = {True: "fs.stat('.', {});", False: "setImmediate({});"}
    return {
        "script": f"%%node phases\n{FOUR}part('A', () => {{ {inside[late].format('four')} }});\n"
        f"part('B', () => {{ {inside[not late].format('() => Promise.resolve().then(four)')} }});\n"
    }
