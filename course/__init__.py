"""The top floor: teaches. ``from course import lab`` is all a notebook needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course.learner import Learner


def lab(slug: str, room: str | None = None) -> Learner:
    """Open a lab in the current folder, and say where the learner is.

    Args:
        slug: Its name, such as ``gates``.
        room: Where to measure; ``replay`` for recorded runs. Default: the best room this machine offers.
    """
    from course.learner import open_lab

    return open_lab(slug, room)


def home() -> None:
    """Show the labs of this workspace: how far each is, and where to go on."""
    from pathlib import Path

    from course.homepage import show

    show(Path.cwd())
