"""What can go wrong on the ground floor, in sentences for the person who meets it."""

from __future__ import annotations

import errno
import re


class FourThreadsError(Exception):
    """Base of every error that is ours to explain: its text is a whole message (what, what was looked for, what to do).

    Attributes:
        code: A permanent short name, so that texts may improve without breaking callers.
    """

    code = "fault"


class RecordError(FourThreadsError):
    """Data that was handed in is not what it says it is."""

    code = "bad-record"

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path} {problem}")
        self.path = path
        self.problem = problem

    @classmethod
    def of(cls, problem: Exception) -> RecordError:
        """Translate an error of the JSON library; its texts end in ``- at `$.path` ``."""
        if isinstance(problem, RecursionError):
            return cls("$", "is nested too deeply to be a record")
        if isinstance(problem, UnicodeDecodeError):
            return cls("$", "is not UTF-8 text")
        text = str(problem)
        found = re.fullmatch(r"(?s)(.*?) - at `(.*?)`", text)
        what, path = found.groups() if found else (text, "$")
        return cls(path, f"cannot be read: {what}")


class SetupError(FourThreadsError):
    """This machine or installation lacks something; the text says what to do."""

    code = "setup"

    @classmethod
    def refused(cls, problem: OSError) -> SetupError | None:
        """Say what the system refused where that is the machine's state (full, read-only, forbidden), None where it is not."""
        if problem.errno not in _STATES:
            return None
        where = f": {problem.filename}" if problem.filename else ""
        return cls(
            f"The system refused: {problem.strerror}{where}. {_STATES[problem.errno]} Then run it again; nothing is lost."
        )


_ROOM = "Make room on that disk (TMPDIR names another place for scratch files)."
_OURS = "Use a folder in which you may write."
_FILES = "Close some programs, or allow more open files (ulimit -n)."
_STATES = {
    errno.ENOSPC: _ROOM, errno.EDQUOT: _ROOM, errno.EROFS: _OURS, errno.EACCES: _OURS, errno.EPERM: _OURS,
    errno.EMFILE: _FILES, errno.ENFILE: _FILES,
}  # fmt: skip


class RoomError(FourThreadsError):
    """The room an experiment needs is not to be had here."""

    code = "room"


class ScriptError(FourThreadsError):
    """The learner's script did something that ends the measurement; not a verdict."""

    code = "script"


class NoisyError(FourThreadsError):
    """The machine was too busy, or something foreign interfered: nothing is lost, run it again."""

    code = "noise"
