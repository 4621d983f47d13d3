"""What a learner may type into a blank, read kindly.

A kind turns what was typed into a plain value (integer, float, string, tuple) or raises :class:`Refusal` with one
sentence. ``...`` is a blank: it is never passed in here, and never a mistake.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

Answer = int | float | str | tuple[int, ...] | tuple[str, ...]
Parameters = Mapping[str, Any]
#: A bound that may depend on the draw.
Bound = int | Callable[[Parameters], int]
#: The bound of a count that has none.
MANY = 1_000_000

WORDS = "none one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
NUMBERS = {word: value for value, word in enumerate(WORDS.split())} | {"zero": 0, "no": 0}


class Refusal(Exception):
    """What was typed cannot be an answer to this blank; the text says what can."""


class Kind(Protocol):
    """How one blank is read and said. What is typed is a number, unless the kind has a ``noun``: ``order``."""

    def read(self, typed: object, parameters: Parameters) -> Answer:
        """Turn what was typed into a value, or raise :class:`Refusal`."""

    def say(self, answer: Answer) -> str:
        """Say the value as a person would."""


def shown(typed: object, most: int = 40) -> str:
    """Return what was typed as a message may quote it: short, whatever it is."""
    try:
        text = repr(typed)
    except Exception:  # noqa: BLE001 - an integer of 5,000 digits has none, and anything may come from a learner
        text = f"a {type(typed).__name__}"
    return text if len(text) <= most else f"{text[:most]} ..."


def read(name: str, kind: Kind, typed: object, parameters: Parameters) -> Answer:
    """Read what was typed into the blank ``name`` (empty where it was the only thing to type).

    Raises:
        Refusal: It cannot be an answer to this blank; the text says which blank, what stood there, and what can.
    """
    try:
        return kind.read(typed, parameters)
    except Refusal as refusal:
        raise Refusal(f"You typed {name}{'=' if name else ''}{shown(typed)}. {refusal}") from None


def noun(kind: Kind) -> str:
    """Return what is typed into a blank of this kind, in one word."""
    return str(getattr(kind, "noun", "number"))


def _numbers(text: str) -> list[int | str]:
    """Return the whole numbers in a text; those too long to be meant stay texts."""
    return [int(digits) if len(digits) <= 9 else digits for digits in re.findall(r"\d+", text)]


def _bound(bound: Bound, parameters: Parameters) -> int:
    return bound(parameters) if callable(bound) else bound


def whole(typed: object) -> int | None:
    """Return the whole number that was meant (``4``, ``4.0``, ``"4"``, ``"four"``), or None."""
    if isinstance(typed, bool):
        return None
    if isinstance(typed, int):
        return typed
    if isinstance(typed, float):
        return int(typed) if math.isfinite(typed) and typed == int(typed) else None
    if isinstance(typed, str):
        text = typed.strip().lower()
        if text in NUMBERS:
            return NUMBERS[text]
        return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else None
    return None


@dataclass(frozen=True)
class Count:
    """A whole number from low to high; a list of names counts as its length."""

    low: Bound = 0
    high: Bound = MANY
    of: str = ""

    def read(self, typed: object, parameters: Parameters) -> int:
        low, high = _bound(self.low, parameters), _bound(self.high, parameters)
        if isinstance(typed, list | tuple | set | frozenset):
            typed = len(typed)
        number = whole(typed)
        if number is None or not low <= number <= high:
            if high == MANY and (number is None or number < low):
                raise Refusal(f"A whole number from {low} on, please.")
            raise Refusal(f"Between {low} and {high}, please{f': there are only {high} {self.of}' if self.of else ''}.")
        return number

    def say(self, answer: Answer) -> str:
        return str(answer)


@dataclass(frozen=True)
class One(Count):
    """One thing by its number; a list of one is that one, and any other list is refused."""

    def read(self, typed: object, parameters: Parameters) -> int:
        if isinstance(typed, list | tuple | set | frozenset):
            typed = whole(next(iter(typed))) if len(typed) == 1 else None
        return super().read(typed, parameters)


@dataclass(frozen=True)
class Tasks:
    """A set of numbers from 1 to high, of tasks or what else is numbered, kept in ascending order; empty where none."""

    high: Bound
    of: str = "task"

    def read(self, typed: object, parameters: Parameters) -> tuple[int, ...]:
        high = _bound(self.high, parameters)
        if typed is None or (isinstance(typed, str) and typed.strip().lower() in {"", "none", "no", "nothing", "[]"}):
            return ()
        if isinstance(typed, str) and re.fullmatch(r"[\d\s,;and\[\](){}]+", typed):
            typed = _numbers(typed)
        items = list(typed) if isinstance(typed, list | tuple | set | frozenset) else [typed]
        numbers = []
        for item in items:
            number = whole(item)
            if number is None or not 1 <= number <= high:
                raise Refusal(f"There is no {self.of} {shown(item)} here: they are numbered from 1 to {high}.")
            numbers.append(number)
        return tuple(sorted({*numbers}))

    def say(self, answer: Answer) -> str:
        return ", ".join(str(number) for number in answer) if isinstance(answer, tuple) and answer else "none"


@dataclass(frozen=True)
class Opening:
    """A list of task numbers in the learner's own order; repeats are kept."""

    high: Bound

    def read(self, typed: object, parameters: Parameters) -> tuple[int, ...]:
        high = _bound(self.high, parameters)
        if isinstance(typed, str):
            typed = _numbers(typed)
        items = list(typed) if isinstance(typed, list | tuple) else [typed]
        for item in items:
            number = whole(item)
            if number is None or not 1 <= number <= high:
                raise Refusal(f"There is no gate {shown(item)} here: they are numbered from 1 to {high}.")
        return tuple(number for item in items if (number := whole(item)) is not None)

    def say(self, answer: Answer) -> str:
        return ", ".join(str(number) for number in answer) if isinstance(answer, tuple) else str(answer)


@dataclass(frozen=True)
class Ratio:
    """A positive number, such as how many times as long something takes."""

    low: float = 0.01
    high: float = 10_000.0

    def read(self, typed: object, parameters: Parameters) -> float:
        text = typed.strip().lower().rstrip("x ").replace(",", ".") if isinstance(typed, str) else typed
        number: float | None = None
        if isinstance(text, int | float) and not isinstance(text, bool):
            number = float(text) if -1e9 < text < 1e9 else None
        elif isinstance(text, str):
            if (counted := whole(text)) is not None:
                number = float(counted)
            elif re.fullmatch(r"\d*\.?\d+", text):
                number = float(text)
        if number is None or not self.low <= number <= self.high:
            raise Refusal(
                f"A number, please, such as 1.5: how many times as much. Between {self.low:g} and {self.high:g}."
            )
        return number

    def say(self, answer: Answer) -> str:
        return f"{answer:.3g}x" if isinstance(answer, int | float) else str(answer)


@dataclass(frozen=True)
class Choice:
    """One of the given words or letters."""

    options: tuple[str, ...]
    noun: ClassVar[str] = "answer"

    def read(self, typed: object, parameters: Parameters) -> str:
        text = typed.strip().strip("'\"().").lower() if isinstance(typed, str) else shown(typed).lower()
        for option in self.options:
            if text == option.lower():
                return option
        raise Refusal(f"One of {', '.join(self.options)}, please.")

    def say(self, answer: Answer) -> str:
        return str(answer)


@dataclass(frozen=True)
class Words:
    """An order of short labels, such as ``"tick micro timeout"``; commas, arrows and lists are taken too.

    Attributes:
        labels: The labels that may occur.
        exact: Each label exactly once.
    """

    labels: tuple[str, ...]
    exact: bool = True
    noun: ClassVar[str] = "order"

    def read(self, typed: object, parameters: Parameters) -> tuple[str, ...]:
        parts = re.split(r"[\s,;>→-]+", typed.strip()) if isinstance(typed, str) else typed
        if not isinstance(parts, list | tuple):
            raise Refusal(f"An order, please: {' '.join(self.labels)}, in the order you expect.")
        known = {label.lower(): label for label in self.labels}
        words = []
        for part in parts:
            label = known.get(part.strip().lower()) if isinstance(part, str) else None
            if label is None:
                raise Refusal(f"{shown(part)} is none of the labels here: {', '.join(self.labels)}.")
            words.append(label)
        if self.exact and sorted(words) != sorted(self.labels):
            raise Refusal(f"Each label once, please: {', '.join(self.labels)}.")
        return tuple(words)

    def say(self, answer: Answer) -> str:
        return " ".join(str(word) for word in answer) if isinstance(answer, tuple) else str(answer)
