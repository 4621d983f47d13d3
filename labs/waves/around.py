"""Numbers that are known as intervals: how a bet of "about four times" is held against what was measured.

A measured ratio is never exact, and what the model says of one is an interval too. :class:`Around` is a float that equals
whatever lies in its interval, so bets, stories and records are compared like any other answers.
"""

from __future__ import annotations

import math
from typing import Any

from labs.answers import Answer, Parameters, Ratio
from labs.ratio import SEPARABLE

#: Who says 2.2 of something that is 2.0 means the same: half (in logs) of what two models must differ by to be told apart.
SLACK = math.sqrt(SEPARABLE)


class Around(float):
    """A positive number known as an interval; equal to any number in it, and to any interval that touches it.

    Its value as a float is the geometric middle (the low end where the interval has no upper one).
    """

    low: float
    high: float

    def __new__(cls, low: float, high: float | None = None) -> Around:
        """Make the interval ``low`` to ``high``; one number stands for itself."""
        top = low if high is None else high
        made = super().__new__(cls, math.sqrt(low * top) if 0 < top < math.inf else low)
        made.low, made.high = low, top
        return made

    def __eq__(self, other: object) -> bool:
        """Whether the other number, or interval, lies here, with :data:`SLACK`."""
        if isinstance(other, Around):
            return self.low <= other.high * SLACK and other.low <= self.high * SLACK
        if isinstance(other, int | float):
            return self.low / SLACK <= other <= self.high * SLACK
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        """Whether it does not."""
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # equality here is no equivalence, so it cannot be a key

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep both ends in a copy."""
        return Around, (self.low, self.high)


#: What a record does not tell: equal to every number.
UNKNOWN = Around(0.0, math.inf)

_WORDS = {
    "same": 1.0, "the same": 1.0, "no change": 1.0, "unchanged": 1.0, "no": 1.0, "half": 0.5, "halved": 0.5,
    "a half": 0.5, "quarter": 0.25, "a quarter": 0.25, "double": 2.0, "doubled": 2.0, "twice": 2.0, "once": 1.0,
    "1/2": 0.5, "1/4": 0.25, "1/3": 1 / 3, "2/3": 2 / 3,
}  # fmt: skip


class Times(Ratio):
    """How many times as long: a positive number, or a word such as ``"same"``, ``"half"``, ``"twice"``."""

    def read(self, typed: object, parameters: Parameters) -> float:
        if isinstance(typed, str) and (meant := _WORDS.get(typed.strip().lower().rstrip("."))) is not None:
            return meant
        return super().read(typed, parameters)

    def say(self, answer: Answer) -> str:
        return times(answer)


def times(answer: Answer | None) -> str:
    """Say a ratio as a person would: ``4x``, ``0.5x``, ``4.1x``."""
    return f"{answer:.2g}x" if isinstance(answer, int | float) else "nothing"
