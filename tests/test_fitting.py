"""A request gets the calibration of its room and cores."""

from __future__ import annotations

import pytest

from labs import fitting, machine
from labs.request import Request


@pytest.mark.node
def test_the_calibration_is_that_of_the_cores_the_measure_runs_on() -> None:
    """One core by affinity: a curve for one core, measured in the room and kept."""
    said: list[str] = []
    asked = Request(lab="waves", measure="all over one", parameters={"pool": 4, "tasks": 8, "cores": 1})

    found = fitting.fitted(asked, "here", lambda done, total, what: said.append(what))

    assert found.machine is not None
    assert (1, 2) == (found.machine.cores, len(found.machine.capacity))
    assert found.noise.floor is not None
    assert "calibrating this machine" in said
    assert found.machine == machine.calibrated(1).machine
    assert asked.parameters == found.parameters
