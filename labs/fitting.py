"""A request gets the calibration of the room it runs in and of the cores it runs on, and one that no longer fits is dropped."""

from __future__ import annotations

import msgspec

from labs import lock, machine, ratio, rooms
from labs.machine import Calibration
from labs.measurement import Record
from labs.request import Request
from labs.rooms import OnProgress, Room


def fitted(asked: Request, room: Room | str | None = None, on_progress: OnProgress | None = None) -> Request:
    """Return the request with the calibrated machine and its noise floor, from the cache while they hold.

    A parameter ``cores`` that is a number says on how many cores the measure runs; the curve is then that of so many.

    Args:
        asked: What will be measured.
        room: Where; default is the room that the request names.
        on_progress: Receives done, total, what.

    Raises:
        FourThreadsError: As the room said it.
    """
    where = rooms.find(room or asked.room) if isinstance(room, str | None) else room
    count = _cores(asked)

    def measure() -> Calibration:
        with lock.measuring(
            "calibration", None if on_progress is None else lambda sentence: on_progress(0, 0, sentence)
        ):
            return msgspec.json.decode(
                rooms.ask(where, "calibrate", msgspec.json.encode({"cores": count}), on_progress), type=Calibration
            )

    found = machine.calibrated(count, where.name, measure)
    return msgspec.structs.replace(asked, machine=found.machine, noise=found.noise)


def settle(asked: Request, record: Record, room: Room | str) -> None:
    """Drop the calibration that a record was made with, where it was disturbed or its controls say that it does not fit any more.

    A calibration holds for hours. One that was made beside other work says too little for all that time, and every ratio would be
    INCONCLUSIVE; so the next measurement begins with a new one. Only the controls decide this, never the ratio.
    """
    disturbed = (record.noise.floor or 1.0) > ratio.MOST_TOLERANCE
    if disturbed or ratio.MISFIT in record.warnings:
        machine.forget(_cores(asked), room if isinstance(room, str) else room.name)


def _cores(asked: Request) -> int | None:
    cores = asked.parameters.get("cores")
    return cores if isinstance(cores, int) and not isinstance(cores, bool) else None
