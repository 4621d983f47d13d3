"""The verb ``calibrate``: this machine, measured inside a room."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from labs import family, marker
from labs.errors import RecordError


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be calibrated: so many cores by affinity, or all (null)."""

    cores: Annotated[int, Meta(ge=1)] | None = None


def answer(data: bytes, attached: int | None) -> bytes:
    """Answer with a ``labs.machine.Calibration``, telling progress on stderr.

    Raises:
        RecordError: The question cannot be read.
        SetupError: There is no Node, or there are fewer cores.
        Cancelled: Nobody waits for the answer any more.
    """
    from labs import machine, supervise

    try:
        wanted = msgspec.json.decode(data.strip() or b"{}", type=Wanted)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise RecordError.of(problem) from problem

    def tell(done: int, total: int) -> None:
        if attached is not None and supervise.is_closed(attached):
            raise supervise.Cancelled
        line = {"progress": [done, total], "what": "calibrating this machine"}
        os.write(sys.stderr.fileno(), msgspec.json.encode(line) + b"\n")

    family.adopt()
    marker.remove_leftovers()
    try:
        return msgspec.json.encode(machine.calibrate(wanted.cores, tell))
    finally:
        family.end()
