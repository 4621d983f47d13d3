"""How a session meets the machine it runs on."""

from __future__ import annotations

import pytest

from course import machinery
from labs import catalog, machine
from labs.machine import Calibration
from labs.measurement import Machine, Noise
from labs.spec import Shape


def look(monkeypatch: pytest.MonkeyPatch, floor: float) -> Shape:
    """Return what a draw of `waves` sees of a machine whose calibration had that noise floor."""
    seen = Calibration(machine=Machine(cores=2, capacity=(1.0, 1.1)), noise=Noise(floor=floor), rate=1.0)
    monkeypatch.setattr(machine, "calibrated", lambda **_: seen)

    return machinery._look(catalog.load("waves"))()


def test_a_draw_keeps_the_curve_of_a_quiet_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    """The draw's numbers stand on what this machine can do."""
    assert Shape(2, (1.0, 1.1)) == look(monkeypatch, 1.02)


def test_a_draw_keeps_no_curve_that_was_taken_beside_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A draw stays for good; a machine that was busy for a minute must not stay with it."""
    assert Shape(2) == look(monkeypatch, 2.0)
