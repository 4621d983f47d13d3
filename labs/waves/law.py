"""What the counts of this lab are by the model, for records that earn nothing. Its times have no single expected value."""

from __future__ import annotations

from labs import model
from labs.law import law, observed
from labs.measurement import Record, Run
from labs.waves import expect, reading, slips


def _told(run: Run) -> str:
    return slips.measured(run)


def _sound(run: Run, record: Record) -> str:
    return slips.expected(reading.tasks_of(record), expect.size(reading.parameter(record, "pool")))


def _trips(run: Run, record: Record) -> int:
    return run.counts["calls"] * model.gzip_trips(run.counts["written"])


LAW = (
    *(
        law(
            "waves",
            "started",
            measure,
            _told,
            _sound,
            "Hashes that were asked for at once, those that started before the first was back, those reported: as many start as there are slots.",
            sanity=slips.unsound,
        )
        for measure in ("other cores", "free")
    ),
    law("waves", "trips", "gzip", observed("jobs"), _trips, "Jobs in the pool: two for each call, and one more for each 16 KiB that it writes."),
)  # fmt: skip
