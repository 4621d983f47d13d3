"""One answer of the system: lines of text, the journal entries that belong to it, perhaps a picture."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field

from labs.journal import Entry

WIDTH = 110
#: An answer is at most this many lines; tables, cards and questions are longer.
MOST_LINES = 6
#: A command in a sentence; who copies it needs it on one line. And what stands for its blanks while lines are made: no text has it.
_COMMAND = re.compile(r"\w+\.\w+\([^()]*\)|%%node \w+|\bfourthreads \w+( \w+)?")
_JOINT = "\ue000"


@dataclass(frozen=True)
class Reply:
    """What one act is answered with.

    Attributes:
        lines: The text; each line is wrapped when it is shown.
        entries: What a lone notebook needs to be judged: the entries about this thing, old and new.
        stories: Slugs of the stories that were named; for tests and the class view, never shown as such.
        state: How the act went: ``noted``, ``blank``, ``refused``, ``measured``, ``kept``, ``missed``, ``right``, ``settled``,
            ``inconclusive``, ``error`` or ``said``.
        picture: A PNG image.
    """

    lines: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    stories: tuple[str, ...] = ()
    state: str = "said"
    picture: bytes | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The lines, wrapped."""
        return "\n".join(wrapped(self.lines))


def wrapped(lines: Iterable[str]) -> list[str]:
    """Return the lines at most 110 characters wide; a line's own indent is kept for its continuation."""
    done: list[str] = []
    for whole in lines:
        for line in whole.split("\n"):
            if len(line) <= WIDTH:
                done.append(line)
                continue
            indent = line[: len(line) - len(line.lstrip())]
            parts = textwrap.wrap(
                _COMMAND.sub(_joined, line.strip()), WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False,
            )  # fmt: skip
            done += [part.replace(_JOINT, " ") for part in parts]
    return done


def _joined(command: re.Match[str]) -> str:
    """Return a command held together at its blanks, unless no line could hold it."""
    return command[0].replace(" ", _JOINT) if len(command[0]) < WIDTH else command[0]


def say(*lines: str, state: str = "said", entries: tuple[Entry, ...] = ()) -> Reply:
    """Return a reply of these lines."""
    return Reply(lines, entries=entries, state=state)
