"""Who has to wait: the timer, the stat, both, or nobody."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from labs.answers import Refusal
from labs.measurement import Run

_NOBODY = {"none", "nobody", "neither", "no"}


@dataclass(frozen=True)
class Waits:
    """``"timer"``, ``"stat"``, ``"both"`` or ``"none"``; a list of the two is taken too."""

    noun: ClassVar[str] = "answer"

    def read(self, typed: object, parameters: Mapping[str, Any]) -> str:
        text = " ".join(str(part) for part in typed) if isinstance(typed, list | tuple | set) else str(typed)
        words: set[str] = {*re.findall(r"[a-z]+", text.lower())} - {"and", "the", "one"}
        if typed is None or not words or (words <= _NOBODY):
            return "none"
        if words == {"both"} or words == {"timer", "stat"}:
            return "both"
        if len(words) == 1 and words <= {"timer", "stat"}:
            return words.pop()
        raise Refusal('One of "timer", "stat", "both" or "none", please: who has to wait?')

    def say(self, answer: Any) -> str:
        return {"both": "both wait", "none": "nobody waits"}.get(str(answer), f"the {answer} waits")


def told(run: Run) -> bool:
    """Return whether a run holds what was counted of the timer and of the stat."""
    return {"ticks", "stat_after"} <= run.counts.keys()


def waited(run: Run) -> str:
    """Return who waited in a run of work: the timer if no tick arrived, the stat if a job had to end before it was back."""
    timer, stat = run.counts["ticks"] == 0, run.counts["stat_after"] >= 1
    return "both" if timer and stat else "timer" if timer else "stat" if stat else "none"
