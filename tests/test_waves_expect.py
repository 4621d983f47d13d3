"""What the model and the wrong models say of hashes."""

from __future__ import annotations

import pytest

from labs import ratio
from labs.capacity import Capacity, curve_of, ideal
from labs.waves import expect

TWO = curve_of(2, (1.0, 1.97, 1.97, 1.97))


@pytest.mark.parametrize(
    ("tasks", "pool", "measured"),
    [
        (4, 2, 2.05),
        (8, 2, 4.05),
        (4, 3, 2.0),
        (5, 3, 3.0),
        (4, 4, 2.03),
        (5, 4, 2.6),
        (5, 4, 3.3),
        (8, 4, 4.3),
        (8, 8, 4.1),
    ],
)
def test_the_interval_holds_what_was_measured_on_two_cores(tasks: int, pool: int, measured: float) -> None:
    """All over one with pbkdf2, 200,000 rounds of sha512, as measured on two cores for the course."""
    low, high = expect.all_over_one(tasks, pool, TWO)

    assert low <= measured <= high


@pytest.mark.parametrize("tasks", [2, 5, 8])
def test_a_pool_of_one_does_them_one_by_one(tasks: int) -> None:
    """N times one, on any machine."""
    low, high = expect.all_over_one(tasks, 1, ideal(4))

    assert low <= tasks <= high


@pytest.mark.parametrize(
    ("capacity", "inseparable"),
    [(ideal(1), {"one-by-one"}), (TWO, set()), (ideal(4), {"core-a-slot"}), (ideal(16), {"core-a-slot"})],
)
def test_which_stories_eight_hashes_tell_apart_depends_on_the_cores(capacity: Capacity, inseparable: set[str]) -> None:
    """On one core they go one by one; with a core a slot the textbook is right; on two cores each story stands alone."""
    accepted = ratio.band(expect.all_over_one(8, None, capacity), expect.all_over_one_stories(8, None))

    assert inseparable == {*accepted.inseparable}


def test_more_slots_change_nothing_on_two_cores_and_halve_the_time_on_eight() -> None:
    """The same script, two machines."""
    few, many = expect.more_slots(8, 8, 4, TWO), expect.more_slots(8, 8, 4, ideal(8))

    assert few.low < 1.0 < few.high
    assert many.low < 0.5 < many.high < few.low


def test_more_slots_on_two_cores_are_told_from_every_story() -> None:
    """Half the time, and twice the time, are both far off."""
    accepted = ratio.band(expect.more_slots(8, 8, 4, TWO), expect.more_slots_stories(8, 8, 4))

    assert () == accepted.inseparable
