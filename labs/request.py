"""What is asked of a room: one request in, all its runs, one record out."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from labs.errors import RecordError
from labs.measurement import Count, Machine, Noise, Parameters

SCHEMA = 1
#: A request larger than this is refused before it is parsed (bytes).
LARGEST_REQUEST = 1024 * 1024


class Request(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One measure of one lab, with everything the room needs to make it.

    Attributes:
        schema: :data:`SCHEMA`.
        lab: The lab's slug.
        measure: Which measure of the lab, such as ``"one gate"``.
        parameters: The draw's numbers and what the learner typed.
        seed: The seed of the draw; every random choice inside the room comes from it.
        draw: Which draw, from 0.
        script: The learner's script, or null for the one the lab gives.
        room: The room it is run in; stands in the record.
        machine: The machine as calibrated in this room, or null where the measure needs no calibration.
        noise: The calibration's noise floor; stands in the record beside the machine.
        smoke: Run at the smallest size that still exercises everything; such a record earns nothing.
        times: Measure ratios of times, too. A trial of counts leaves them out: they take most of the time and decide nothing.
    """

    schema: Literal[1] = 1
    lab: str
    measure: str
    parameters: Parameters = {}
    seed: Count = 0
    draw: Count = 0
    script: str | None = None
    room: Literal["here", "namespace", "container"] = "here"
    machine: Machine | None = None
    noise: Noise = Noise()
    smoke: bool = False
    times: bool = True


def encode(request: Request) -> bytes:
    """Return the request as JSON (UTF-8, one line)."""
    return msgspec.json.encode(request)


def decode(data: bytes) -> Request:
    """Read a request from JSON.

    Raises:
        RecordError: The bytes are not a request; the message starts with the field's path.
    """
    if len(data) > LARGEST_REQUEST:
        raise RecordError("$", f"is {len(data)} bytes long; at most {LARGEST_REQUEST} are read")
    try:
        return msgspec.json.decode(data, type=Request)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise RecordError.of(problem) from problem
