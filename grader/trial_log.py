"""What a trial found, a line at a time: an append-only file, so that a trial can be stopped and gone on with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from grader.shapes import MachineShape
from grader.verdict import Outcome
from labs.errors import RecordError
from labs.measurement import Machine, Noise, Pair, Parameters


class Head(Struct, frozen=True, forbid_unknown_fields=True, tag="head"):
    """The first line: where and when.

    Attributes:
        schema: 1.
        began: Date (UTC), ``2026-11-30``.
        processor: As the kernel names it.
        cores: Of the machine, whichever of them the trial ran on.
        node: Node's version and libuv's.
    """

    schema: int
    began: str
    processor: str
    cores: int
    node: str


class Call(Struct, frozen=True, forbid_unknown_fields=True, tag="call"):
    """One call of the trial that found something to do; what it made follows.

    Attributes:
        date: Day (UTC).
        command: As it would be typed, without the files of one machine.
        revision: Of the code, with ``+`` where files were changed since; empty where it is no git checkout.
    """

    date: str
    command: str
    revision: str = ""


class Judged(Struct, frozen=True, forbid_unknown_fields=True):
    """One check on one live run.

    Attributes:
        check: Its slug; ``bet NAME`` where a bet was tried.
        right: Whether it had to pass.
        outcome: What came out.
        named: The stories that were named; for a bet, those that were not though their row of answers was given.
        extra: For a bet: stories that were named beside one whose row was given, though they say something else (null: not noted).
        wanted: One of these had to be named, or none at all where this is empty.
        because: The verdict's reason, where it is not what was asked for.
    """

    check: str
    right: bool
    outcome: Outcome
    named: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    because: str = ""
    extra: tuple[str, ...] | None = None


class Live(Struct, frozen=True, forbid_unknown_fields=True, tag="live"):
    """One live run.

    Attributes:
        unit: Which.
        lab: Whose.
        shape: On what.
        judged: What its checks said.
        beside: How many threads ran beside ours when it began, load among them (null: unknown).
        load: Load processes of this trial (null: unknown).
        loads: Load processes of all trials that were seen on this machine when it began (null: unknown).
    """

    unit: str
    lab: str
    shape: MachineShape
    judged: tuple[Judged, ...]
    beside: float | None = None
    load: int | None = None
    loads: int | None = None


class Block(Struct, frozen=True, forbid_unknown_fields=True, tag="pairs"):
    """Pairs that were recorded one after the other.

    Attributes:
        unit: Which.
        lab: Whose.
        shape: On what.
        case: Slug of the series.
        check: The ratio check.
        series: Blocks of one number and length belong together: one draw, one calibration, no pause but for a stopped trial.
        scene: The check's own parameters.
        machine: As calibrated before the series.
        noise: Of that calibration.
        pairs: In the order in which they were made; none where this machine cannot bring the series' prediction about.
        because: Why there are none, where something went amiss.
        beside: How many threads ran beside ours when it began, load among them (null: unknown).
        load: Load processes of this trial (null: unknown).
        loads: Load processes of all trials that were seen on this machine when it began (null: unknown).
        length: Pairs that the series was to have (null: not noted).
    """

    unit: str
    lab: str
    shape: MachineShape
    case: str
    check: str
    series: int
    scene: Parameters
    machine: Machine
    noise: Noise
    pairs: tuple[Pair, ...] = ()
    because: str = ""
    beside: float | None = None
    load: int | None = None
    loads: int | None = None
    length: int | None = None


Line = Head | Call | Live | Block


def series(block: Block) -> tuple[str, MachineShape, str, str, int | None, int]:
    """Return which series a block belongs to."""
    return block.lab, block.shape, block.check, block.case, block.length, block.series


def read(path: Path) -> tuple[Line, ...]:
    """Return the lines of a trial's file; nothing where it does not exist. A last line that was cut off is left out.

    Raises:
        RecordError: It is no trial's file; the text names the line.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return ()
    return tuple(_decoded(path, lines))


def _decoded(path: Path, lines: list[bytes]) -> Iterator[Line]:
    *whole, _cut = lines
    for number, line in enumerate(whole, 1):
        try:
            found = msgspec.json.decode(line, type=Line)
        except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise RecordError(f"{path}:{number}", f"is no line of a trial: {problem}") from problem
        if (number == 1) != isinstance(found, Head):
            raise RecordError(f"{path}:{number}", "is out of place: a trial's file has one head, in its first line")
        yield found


def append(path: Path, line: Line) -> None:
    """Add one line, whole: what an earlier trial left half written is cut off first."""
    with open(path, "ab+") as file:
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            if file.read(1) != b"\n":
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)
        file.write(msgspec.json.encode(line) + b"\n")
