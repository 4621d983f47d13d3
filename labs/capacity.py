"""How much work k runnable threads get done at once on a machine."""

from __future__ import annotations

from msgspec import Struct

from labs.job import ModelError, Span
from labs.measurement import Machine

#: How far a sound measurement lies outside the model's interval, below and above, as fractions. Measured on 2 cores with
#: pbkdf2 and a capacity of (1, 1.97): 4 hashes on 3 slots took 2.00 (model: at least 2.03), 5 on 4 slots up to 3.3 (model: at
#: most 3.04). Short runs meet a calibration that is a little off, and a scheduler that takes a moment to use a free core.
BELOW, ABOVE = 0.03, 0.10


class Capacity(Struct, frozen=True):
    """A capacity curve.

    Attributes:
        cores: Cores that the process may use: up to so many threads each have one to themselves.
        curve: ``curve[k-1]``: work per second of k threads together, in units of one thread alone. Beyond its end the last
            value holds.
    """

    cores: int
    curve: tuple[float, ...]

    def at(self, threads: int) -> float:
        """Return the work per second of so many threads together (0 for none)."""
        return self.curve[min(threads, len(self.curve)) - 1] if threads else 0.0


def curve_of(cores: int, curve: tuple[float, ...]) -> Capacity:
    """Return a curve after looking whether it can be one.

    A measured value above k or above the cores (two threads seem to do the work of 2.02) is noise and is cut to them.

    Raises:
        ModelError: No core, no value, a value that is not positive, or one thread alone does not count as 1.
    """
    if cores < 1 or not curve or min(curve) <= 0 or abs(curve[0] - 1) > 0.2:
        raise ModelError(
            f"A capacity curve starts at 1 for one thread and is positive; {cores} cores and {curve} were given."
        )
    return Capacity(cores, tuple(min(float(k), float(cores), value / curve[0]) for k, value in enumerate(curve, 1)))


def ideal(cores: int, quota: float | None = None) -> Capacity:
    """Return the curve of so many equal, undisturbed cores: min(k, cores), under a quota no more than that, in units of one alone."""
    most = float(cores) if quota is None else quota
    return curve_of(cores, tuple(min(float(k), most) / min(1.0, most) for k in range(1, cores + 1)))


def capacity_of(machine: Machine) -> Capacity:
    """Return the calibrated curve of a machine, the ideal one under its quota where it was not calibrated."""
    return curve_of(machine.cores, machine.capacity) if machine.capacity else ideal(machine.cores, machine.quota)


def widened(span: Span, below: float = BELOW, above: float = ABOVE) -> Span:
    """Return the interval in which a sound measurement of the span lies (see :data:`BELOW`)."""
    return Span(span.low * (1 - below), span.high * (1 + above))
