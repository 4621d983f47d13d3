"""What is typed into the blanks of this lab beside orders: some of a few labels, in no order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from labs.answers import Answer, Refusal, shown

_NONE = frozenset({"", "none", "no", "nothing", "[]"})


@dataclass(frozen=True)
class Some:
    """A set of labels, kept in their own order; empty where none."""

    labels: tuple[str, ...]
    noun: ClassVar[str] = "answer"

    def read(self, typed: object, parameters: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the labels that were meant."""
        if typed is None or (isinstance(typed, str) and typed.strip().lower() in _NONE):
            return ()
        parts = re.split(r"[\s,;+&]+", typed.strip()) if isinstance(typed, str) else typed
        if not isinstance(parts, list | tuple | set | frozenset):
            raise Refusal(f"Some of these, please: {', '.join(self.labels)}; or none.")
        said = {part.strip().lower() if isinstance(part, str) else shown(part) for part in parts} - {"and"}
        if unknown := sorted(said - {*self.labels}):
            raise Refusal(f"{shown(unknown[0])} is none of the labels here: {', '.join(self.labels)}.")
        return tuple(label for label in self.labels if label in said)

    def say(self, answer: Answer) -> str:
        """Say them: ``tick promise``, or ``none``."""
        return " ".join(str(word) for word in answer) if isinstance(answer, tuple) and answer else "none"
