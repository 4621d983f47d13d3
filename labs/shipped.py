"""The recorded runs that every learner has: in the room ``replay`` they stand in for a measurement, with their own numbers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from labs.acts import freeze
from labs.measurement import Record, decode
from labs.spec import Lab, Measure, Parameters

LABS = Path(__file__).parent


def path(lab: Lab, measure: Measure, labs: Path = LABS) -> Path | None:
    """Return the file of a measure's recorded run, None where there is none."""
    found = labs / lab.slug / "replay" / f"{measure.replay}.json"
    return found if measure.replay is not None and found.is_file() else None


@cache
def _read(path: Path) -> Record:
    return decode(path.read_bytes())


def fixed(lab: Lab, thing: str) -> Record | None:
    """Return the recorded run whose numbers take the place of drawn ones in the room ``replay``; None where none does.

    A run that is computed anew for any numbers (``Measure.replayed``) takes nothing's place: it is in everybody's hands, and
    would give a puzzle's answer away.
    """
    measure = next((one for one in lab.measures if one.slug == thing and one.replayed is None), None)
    found = path(lab, measure) if measure is not None else None
    return _read(found) if found is not None else None


def over(run: Record, numbers: Parameters) -> Parameters:
    """Return drawn numbers with a run's own in place of those that it holds."""
    return {**numbers, **{key: freeze(run.parameters[key]) for key in numbers if key in run.parameters}}
