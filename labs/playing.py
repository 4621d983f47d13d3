"""What a lab gives to play with: numbers to choose, and what the model says of them beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from labs.measurement import Record


@dataclass(frozen=True)
class Slider:
    """A whole number of a what-if.

    Attributes:
        name: The keyword, such as ``pool``.
        low: Smallest value.
        high: Largest value.
        start: Where it stands at first: the learner's records and cores -> a value.
    """

    name: str
    low: int
    high: int
    start: Callable[[Mapping[str, Record], int], int]


@dataclass(frozen=True)
class WhatIf:
    """What the model says of numbers that the learner chooses, beside what was measured. Nothing in it is graded.

    Attributes:
        sliders: The numbers.
        text: Records and numbers -> lines.
        picture: Records and numbers -> a figure that shows the same.
    """

    sliders: tuple[Slider, ...]
    text: Callable[[Mapping[str, Record], Mapping[str, int]], tuple[str, ...]]
    picture: Callable[[Mapping[str, Record], Mapping[str, int]], Any]
