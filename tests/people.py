"""Who goes through a lab, by name: every lab has a module ``tests/SLUG_people.py`` of this form."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from course.reply import Reply
from course.session import Session
from tests.classroom import Room


class People(Protocol):
    """Ways to go through the cells of one lab, without Node.

    Attributes:
        SOUND: A script that is all that was asked for.
        FRESH: Cell of a fresh notebook -> what it says, where that is told before anything was done.
    """

    SOUND: str
    FRESH: dict[str, str]

    def FakeRoom(self, cores: int = 2) -> Room:  # noqa: N802
        """Return a room that answers as an undisturbed machine with so many cores."""

    def session(self, folder: Path, cores: int = 2, learner: str = "mira", room: Room | None = None) -> Session:
        """Return a session on such a machine."""

    def knows(self, it: Session) -> list[Reply]:
        """Go through all cells, knowing everything."""

    def skips(self, it: Session) -> list[Reply]:
        """Go on where ``skip`` leads to, knowing everything."""

    def misses(self, it: Session) -> list[Reply]:
        """Do there what does not reach it."""

    def asleep(self, it: Session) -> list[Reply]:
        """Press every button with constant answers."""

    def blanks(self, it: Session) -> list[Reply]:
        """Run all cells of a fresh notebook."""

    def solutions(self, it: Session) -> dict[str, dict[str, Any]]:
        """Return what is typed into each measure that takes something: what solves it, where it is a puzzle."""

    def typed(self, it: Session) -> dict[str, str]:
        """Return the cells of a finished notebook (``measure-state``) that the definition of the lab does not tell."""


def of(slug: str) -> People:
    """Return the people of a lab."""
    return cast(People, import_module(f"tests.{slug}_people"))
