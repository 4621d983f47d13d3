"""How sure a count of errors makes us."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import binomial


@pytest.mark.parametrize(
    ("errors", "tries", "bound"),
    [
        (0, 250, 1 - 0.05 ** (1 / 250)),
        (0, 1, 0.95),
        (0, 0, 1.0),
        (3, 3, 1.0),
        (0, 10, 0.2589),
        (1, 10, 0.3942),
        (5, 100, 0.1023),
    ],
)
def test_bound_is_the_one_of_clopper_and_pearson(errors: int, tries: int, bound: float) -> None:
    """Known values: without an error in closed form, else from tables (one-sided, 95 %)."""
    assert pytest.approx(bound, abs=5e-5) == binomial.at_most(errors, tries)


def test_two_sided_interval_of_ten_in_a_hundred_is_the_one_in_every_table() -> None:
    """4.90 % to 17.62 %, each side at 97.5 %."""
    seen = binomial.at_least(10, 100, 0.975), binomial.at_most(10, 100, 0.975)

    assert pytest.approx((0.0490, 0.1762), abs=5e-5) == seen


def test_rule_of_three() -> None:
    """Without an error in n tries the bound is close to 3/n; 2,995 tries make 1 in 1,000."""
    assert 3 / 1000 == pytest.approx(binomial.at_most(0, 1000), rel=0.003)
    assert binomial.at_most(0, 2995) <= 0.001 < binomial.at_most(0, 2994)


@given(st.integers(1, 400).flatmap(lambda tries: st.tuples(st.integers(0, tries - 1), st.just(tries))))
def test_at_the_bound_so_few_errors_are_seen_in_five_of_a_hundred_trials(seen: tuple[int, int]) -> None:
    """The bound solves its own equation, and lies above the rate that was seen."""
    bound = binomial.at_most(*seen)

    assert 0.05 == pytest.approx(binomial.cumulative(*seen, bound), abs=1e-6)
    assert seen[0] / seen[1] < bound < 1


def test_more_errors_than_tries_cannot_be() -> None:
    """That is a fault of the counting."""
    with pytest.raises(ValueError, match="cannot be"):
        binomial.at_most(3, 2)
