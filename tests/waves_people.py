"""The people of ``waves``: each a way to go through the lab's cells."""

from __future__ import annotations

from typing import Any

from course import asking, keeping, magic
from course.reply import Reply
from course.session import Session
from tests import classroom
from tests.hashroom import SLIPS, SOUND, FakeRoom, session
from tests.personas import bet, choose, letter_a, look, node_row

__all__ = ["SOUND", "FakeRoom", "session"]
#: What cells of a fresh notebook say.
FRESH: dict[str, str] = {"what-if": "computed from the model"}
BETS = ("all at once", "other cores", "own")
#: The blanks of each bet that take a number.
BLANKS = {
    "all at once": ("started", "times", "more"),
    "other cores": ("started", "times"),
    "own": ("started", "ended", "times"),
}
#: All hashes at once, by promises.
PROMISES = """import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
const hash = promisify(pbkdf2);
await Promise.all(Array.from({ length: n }, async (_, i) => {
  await hash('four', 'threads', parameters.rounds, 64, 'sha512');
  done(i + 1);
}));
"""


def first_half(it: Session) -> list[Reply]:
    """Go through the cells up to the why, knowing everything."""
    said = [magic.node(it, SOUND)]
    for slug in BETS[:2]:
        said += [bet(it, slug, node_row(it, slug)), look(it, slug)]
    return [*said, choose(it, "why", "slots-then-cores")]


def own(it: Session, script: str = SOUND) -> list[Reply]:
    """Write a script and measure it."""
    return [magic.node(it, script), bet(it, "own", node_row(it, "own")), look(it, "own")]


def transfer(it: Session) -> list[Reply]:
    """Answer the two questions at the end, knowing everything."""
    p = classroom.numbers(it, "service")
    last = p["logins"] * p["cost"] // min(4, p["cores"])
    return [
        choose(it, "code", "all", at_once=1, times=classroom.numbers(it, "code")["users"]),
        choose(it, "service", "quarter" if p["cores"] == 16 else "same", last=last),
    ]


def skips(it: Session) -> list[Reply]:
    """Go on from the script, knowing everything."""
    return [*own(it), *transfer(it)]


def misses(it: Session) -> list[Reply]:
    """Go on from the script, and miss it."""
    return own(it, SLIPS["no-report"][0])


def knows(it: Session) -> list[Reply]:
    """Go through all cells knowing everything."""
    return [*first_half(it), *own(it), *transfer(it)]


def asleep(it: Session) -> list[Reply]:
    """Press every button with constant answers, with a script that reports nothing."""
    said = [magic.node(it, SLIPS["no-report"][0])]
    for slug in BETS:
        said += [bet(it, slug, dict.fromkeys(BLANKS[slug], 1)), look(it, slug)]
    said += [letter_a(it, "why"), letter_a(it, "service", last=1)]
    return [*said, asking.explain(it, "code", (), {"repair": "a", "at_once": 1, "times": 1})]


def blanks(it: Session) -> list[Reply]:
    """Run all cells of a fresh notebook."""
    said = [magic.node(it, SLIPS["no-report"][0])]
    for slug in BETS:
        said += [bet(it, slug, dict.fromkeys(BLANKS[slug], ...)), look(it, slug)]
    said += [
        asking.explain(it, "why", (...,), {}),
        asking.explain(it, "code", (), {"at_once": ..., "times": ..., "repair": ...}),
    ]
    return [*said, asking.explain(it, "service", (), {"last": ..., "after": ...}), keeping.check(it)]


def solutions(it: Session) -> dict[str, dict[str, Any]]:
    """Return what solves each measure that is a puzzle."""
    return {}


def typed(it: Session) -> dict[str, str]:
    """Return the cells of a finished notebook that the definition of the lab does not tell."""
    cells = {"script": f"%%node waves\n{PROMISES}"}
    for slug in BETS:
        row = {
            name: round(value, 2) if isinstance(value, float) else value for name, value in node_row(it, slug).items()
        }
        cells[f"predict-{slug.replace(' ', '-')}"] = (
            f"waves.predict({slug!r}, {', '.join(f'{name}={value!r}' for name, value in row.items())})"
        )
    return cells
