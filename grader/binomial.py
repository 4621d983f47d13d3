"""How sure a count of errors makes us of their rate: exact bounds after Clopper and Pearson (Biometrika 26, 1934)."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, lgamma, log, log1p

#: Halvings of an interval between 0 and 1: beyond this a double does not change.
_HALVINGS = 60


def at_most(errors: int, tries: int, level: float = 0.95) -> float:
    """Return the rate that is not exceeded, said with this confidence (one-sided).

    The largest rate at which so few errors would still be seen in 5 of 100 trials. Without an error it is
    1 - 0.05^(1/n), close to the rule of three, 3/n. Without a try it is 1.

    Raises:
        ValueError: There are more errors than tries.
    """
    if not 0 <= errors <= tries:
        raise ValueError(f"{errors} errors in {tries} tries cannot be.")
    return 1.0 if errors == tries else _where(lambda rate: cumulative(errors, tries, rate) > 1 - level)


def at_least(errors: int, tries: int, level: float = 0.95) -> float:
    """Return the rate that is reached, said with this confidence (one-sided); 0 without an error."""
    return 1.0 - at_most(tries - errors, tries, level) if tries else 0.0


def cumulative(errors: int, tries: int, rate: float) -> float:
    """Return the chance of at most so many errors in so many tries."""
    if rate <= 0 or errors >= tries:
        return 1.0
    if rate >= 1:
        return 0.0
    whole = lgamma(tries + 1)
    return sum(
        exp(whole - lgamma(k + 1) - lgamma(tries - k + 1) + k * log(rate) + (tries - k) * log1p(-rate))
        for k in range(errors + 1)
    )


def _where(holds: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high
