"""A request gets the calibration of the room it runs in and of the cores it runs on."""

from __future__ import annotations

import msgspec

from labs import lock, machine, rooms
from labs.machine import Calibration
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
    cores = asked.parameters.get("cores")
    count = cores if isinstance(cores, int) and not isinstance(cores, bool) else None

    def measure() -> Calibration:
        with lock.measuring(
            "calibration", None if on_progress is None else lambda sentence: on_progress(0, 0, sentence)
        ):
            return msgspec.json.decode(
                rooms.ask(where, "calibrate", msgspec.json.encode({"cores": count}), on_progress), type=Calibration
            )

    found = machine.calibrated(count, where.name, measure)
    return msgspec.structs.replace(asked, machine=found.machine, noise=found.noise)
