"""The labs of the course, in order."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from labs.errors import FourThreadsError
from labs.spec import Lab

#: Every lab of the curriculum, in the order in which it is taught.
CURRICULUM = (
    "gates", "phases", "places", "machine", "waves", "birth", "names", "starvation", "workers", "blind", "claims", "incident",
)  # fmt: skip


class UnknownLab(FourThreadsError):
    """There is no lab of that name."""

    code = "unknown-lab"


@cache
def slugs() -> tuple[str, ...]:
    """Return the labs that are there, in order."""
    return tuple(slug for slug in CURRICULUM if (Path(__file__).parent / slug / "lab.py").is_file())


@cache
def load(slug: str) -> Lab:
    """Return the lab of that name.

    Raises:
        UnknownLab: There is none; the text lists those there are.
    """
    if slug not in slugs():
        raise UnknownLab(f"There is no lab {slug!r}. The labs are: {', '.join(slugs())}.")
    found = import_module(f"labs.{slug}.lab").LAB
    assert isinstance(found, Lab)
    return found
