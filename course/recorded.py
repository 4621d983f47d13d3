"""Recorded runs: what stands in where a machine cannot measure. They are in every learner's hands, scripts that earn points are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from labs import catalog, measurement, shipped
from labs.measurement import Record
from labs.spec import Lab, Measure

LABS = shipped.LABS
#: Stands in a recorded run where a learner's own script would stand.
SCRIPT = "// What ran here is for the learner to write. It is not part of the recorded run.\n"


def path(lab: Lab, measure: Measure) -> Path | None:
    """Return the file of a measure's recorded run, None where there is none."""
    return shipped.path(lab, measure, LABS)


def silent(record: Record) -> Record:
    """Return a record with :data:`SCRIPT` in place of the script that ran."""
    return msgspec.structs.replace(record, script=measurement.script_of(SCRIPT))


def telling(lab: Lab) -> Iterator[Path]:
    """Yield the recorded runs of a lab whose script a learner is to write, with that script still in them."""
    for measure in lab.measures:
        if measure.script and (found := path(lab, measure)) is not None:
            if measurement.decode(found.read_bytes()).script.text != SCRIPT:
                yield found


def silence() -> list[Path]:
    """Take the scripts that earn points out of all recorded runs; return those that were changed."""
    changed = [found for slug in catalog.slugs() for found in telling(catalog.load(slug))]
    for one in changed:
        one.write_bytes(measurement.encode(silent(measurement.decode(one.read_bytes()))) + b"\n")
    return changed
