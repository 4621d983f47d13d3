"""A request gets the calibration of its room and cores."""

from __future__ import annotations

import msgspec
import pytest

from labs import fitting, machine, ratio
from labs.measurement import Clock, Machine, Node, Noise, Pair, Record, script_of
from labs.request import Request
from labs.waves import conduct, expect


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


def _kept() -> machine.Calibration:
    """Return a calibration that is in the cache."""
    made = machine.Calibration(Machine(cores=2, capacity=(1.0, 1.2, 1.2, 1.2)), Noise(floor=1.02), rate=1.0)
    return machine.calibrated(measure=lambda: made, fresh=True)


def _record(controls: float, floor: float = 1.02) -> tuple[Request, Record]:
    """Return a request and its record: nine pairs, beside each of which so many cores' worth of work got done."""
    calibrated = msgspec.structs.replace(_kept(), noise=Noise(floor=floor))
    asked = Request(
        lab="waves", measure="own", parameters={"pool": 3, "tasks": 8}, machine=calibrated.machine, noise=calibrated.noise
    )  # fmt: skip
    pairs = tuple(Pair(expect.ALL_OVER_ONE, "numerator", 4.0, 1.0, controls, 0.0) for _ in range(9))
    warnings = (ratio.MISFIT,) if conduct.misfit(asked, pairs) else ()
    return asked, Record(
        schema=1, lab="waves", measure="own", parameters=asked.parameters, seed=1, draw=0, node=Node(version="", uv=""),
        machine=calibrated.machine, room="here", script=script_of(""), runs=(), clock=Clock(wall=0.0, monotonic=0.0, boot=""),
        pairs=pairs, noise=calibrated.noise, warnings=warnings,
    )  # fmt: skip


def _again() -> machine.Calibration:
    """Return a calibration that is told from the one in the cache by its rate."""
    return machine.Calibration(Machine(cores=2, capacity=(1.0, 1.9, 1.9, 1.9)), Noise(floor=1.02), rate=2.0)


@pytest.mark.parametrize("controls", [1.98, 0.6])
def test_a_calibration_that_its_controls_do_not_fit_is_made_anew(controls: float) -> None:
    """It was made beside other work, or the machine has changed since: the next measurement does not rest on it."""
    asked, record = _record(controls)

    fitting.settle(asked, record, "here")

    assert 2.0 == machine.calibrated(measure=_again).rate


def test_a_calibration_that_was_disturbed_is_made_anew() -> None:
    """Without it no times are compared; asking again must not find the same one for minutes."""
    asked, record = _record(1.2, floor=1.5)

    fitting.settle(asked, record, "here")

    assert 2.0 == machine.calibrated(measure=_again).rate


def test_a_calibration_that_fits_is_kept() -> None:
    """Whatever the ratio was: only the controls decide."""
    asked, record = _record(1.23)

    fitting.settle(asked, record, "here")

    assert 1.0 == machine.calibrated(measure=_again).rate
