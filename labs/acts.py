"""The bodies of journal entries, each read strictly into its own frozen type."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from labs.answers import Answer
from labs.errors import RecordError
from labs.journal import Entry
from labs.measurement import Count, Record
from labs.measurement import decode as decode_record

#: No learner draws more often; a larger number is a forgery that would only cost time.
DrawNumber = Annotated[int, Meta(ge=0, le=10_000)]
Cores = Annotated[int, Meta(ge=1, le=8192)]


class _Body(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Frozen; a key that is not a field is refused."""


class Opened(_Body, frozen=True):
    """The lab was opened: whose it is. ``course`` is the course's id (empty for self-paced study), ``version`` the release."""

    course: str
    learner: str
    version: str


class Drawn(_Body, frozen=True):
    """Numbers were drawn for one thing, after a look at the machine."""

    thing: str
    draw: DrawNumber
    seed: Count
    cores: Cores
    parameters: dict[str, Any]
    capacity: tuple[float, ...] = ()


class Betted(_Body, frozen=True):
    """A bet was made; ``typed`` is what stood in the cell where that says more than the value."""

    bet: str
    draw: DrawNumber
    answers: dict[str, Any]
    sure: str | None = None
    typed: dict[str, Any] = {}


class Recorded(_Body, frozen=True):
    """A measurement ended; ``typed`` is what the learner passed to it."""

    thing: str
    draw: DrawNumber
    record: dict[str, Any]
    typed: dict[str, Any] = {}


class Scripted(_Body, frozen=True):
    """A script cell was run."""

    text: str
    kept: bool
    complete: bool


class Answered(_Body, frozen=True):
    """A question was answered; ``right`` is what the notebook said, and is computed anew by the judge."""

    question: str
    draw: DrawNumber
    answers: dict[str, Any]
    right: bool


class Hinted(_Body, frozen=True):
    """A hint was shown: of which thing, and which one, from 1."""

    thing: str
    level: Count


class Looked(_Body, frozen=True):
    """The worked record of a thing was read."""

    thing: str


class Nothing(_Body, frozen=True):
    """No more to say than that it happened (``skip``, ``solution``)."""


class Faulted(_Body, frozen=True):
    """A fault of the course, with its code."""

    code: str
    message: str
    thing: str = ""


BODIES: dict[str, type[_Body]] = {
    "open": Opened, "draw": Drawn, "bet": Betted, "record": Recorded, "script": Scripted, "answer": Answered,
    "hint": Hinted, "evidence": Looked, "skip": Nothing, "solution": Nothing, "fault": Faulted,
}  # fmt: skip


def freeze(value: Any) -> Any:
    """Return the value with every list turned into a tuple, as definitions write them; JSON knows only lists."""
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, dict):
        return {key: freeze(item) for key, item in value.items()}
    return value


def body(entry: Entry) -> Any:
    """Return the entry's body in its own type.

    Raises:
        RecordError: It has not the shape of its kind.
    """
    try:
        return msgspec.convert(entry.body, BODIES[entry.kind])
    except msgspec.ValidationError as problem:
        raised = RecordError.of(problem)
        raise RecordError(raised.path.replace("$", "$.body", 1), raised.problem) from problem


def row(answers: dict[str, Any]) -> dict[str, Answer]:
    """Return answers as they were read from JSON, lists as tuples."""
    return {name: freeze(value) for name, value in answers.items()}


@lru_cache(maxsize=256)
def _record(data: bytes) -> Record:
    return decode_record(data)


def record(made: Recorded) -> Record:
    """Return the record inside a ``record`` entry.

    Raises:
        RecordError: No real run can have produced it.
    """
    return _record(msgspec.json.encode(made.record))
