"""What can go wrong on the ground floor, in sentences for the person who meets it."""

from __future__ import annotations

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


class RoomError(FourThreadsError):
    """The room an experiment needs is not to be had here."""

    code = "room"


class ScriptError(FourThreadsError):
    """The learner's script did something that ends the measurement; not a verdict."""

    code = "script"


class NoisyError(FourThreadsError):
    """The machine was too busy, or something foreign interfered: nothing is lost, run it again."""

    code = "noise"
