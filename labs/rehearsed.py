"""What every lab says of a dry run in the same words: a script that is kept unfinished, and one that could not be seen to its end."""

from __future__ import annotations

from labs.spec import Rehearsed

KEPT_BEFORE = "Nothing was changed; your last working version is kept."
#: Lines of what Node printed that are shown.
_MOST = 5


def kept(text: str) -> Rehearsed:
    """Keep a script that is not yet what was asked for."""
    return Rehearsed(text, kept=True, complete=False)


def refused(text: str) -> Rehearsed:
    """Do not keep a script: the one from before stays."""
    return Rehearsed(text, kept=False, complete=False)


def broken(problem: str, message: str, text: str) -> Rehearsed:
    """Answer a script that could not be seen to its end; only what the machine did to it is kept.

    Args:
        problem: As labs.rehearsal.Findings has it.
        message: What to say about it.
        text: What Node printed, without our frames: shown where the script does not parse, or throws.
    """
    if problem == "restless":
        return kept(message)
    if problem in ("syntax", "error"):
        return refused(f"{_short(text)}\n{KEPT_BEFORE}")
    after = "" if "not affected" in message else " The next run is not affected."
    return refused(f"{message}{after}")


def _short(text: str) -> str:
    """Return Node's own line, caret and message."""
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join([*lines[: _MOST - 1], lines[-1]] if len(lines) > _MOST else lines)
