"""Points are numbers over outcomes: tries, draws, weights that move."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import policy
from grader.verdict import Outcome

CHECKS = ("count", "ratio", "order")


@pytest.mark.parametrize(
    ("right_at", "draw", "expected"), [(0, 0, 1.0), (1, 0, 0.5), (2, 0, 0.0), (None, 0, 0.0), (0, 1, 0.5), (1, 1, 0.25)]
)
def test_a_question_earns_by_try_and_draw(right_at: int | None, draw: int, expected: float) -> None:
    """First try all, second half, then none; a new draw is worth half."""
    assert expected == policy.question_share(right_at, draw)


def test_a_draw_is_worth_a_quarter_at_least() -> None:
    """1, 1/2, 1/4, and then 1/4 for ever."""
    assert [1.0, 0.5, 0.25, 0.25] == [policy.worth(draw) for draw in range(4)]


def test_what_cannot_be_judged_moves_its_weight_where_it_is_told() -> None:
    """A ratio that is not separable gives its weight to the count beside it."""
    outcomes = [("count", Outcome.PASS), ("ratio", Outcome.NOT_SEPARABLE), ("order", Outcome.CONTRADICTS)]
    weights = {"count": 0.4, "ratio": 0.4, "order": 0.2}
    assert 0.8 == pytest.approx(policy.check_share(outcomes, weights, {"ratio": "count"}))


def test_without_an_heir_the_weight_is_shared() -> None:
    """Among all checks that could be judged."""
    outcomes = [("count", Outcome.PASS), ("ratio", Outcome.INCONCLUSIVE), ("order", Outcome.CONTRADICTS)]
    assert 0.5 == pytest.approx(policy.check_share(outcomes, {"count": 0.3, "ratio": 0.4, "order": 0.3}, {}))


@given(st.lists(st.sampled_from(list(Outcome)), min_size=3, max_size=3), st.sampled_from(["", *CHECKS]))
def test_no_weight_is_lost_or_made(outcomes: list[Outcome], heir: str) -> None:
    """Weights sum to one before and after moving, as long as something could be judged."""
    paired = list(zip(CHECKS, outcomes, strict=True))
    now = policy.moved(paired, {"count": 0.5, "ratio": 0.25, "order": 0.25}, {"ratio": heir})
    assert 1.0 == pytest.approx(sum(now.values()))
    assert 0.0 <= policy.check_share(paired, {"count": 0.5, "ratio": 0.25, "order": 0.25}, {"ratio": heir}) <= 1.0


@given(st.lists(st.sampled_from([Outcome.PASS, Outcome.CONTRADICTS]), min_size=3, max_size=3), st.sampled_from(CHECKS))
def test_noise_never_costs_a_point(outcomes: list[Outcome], noisy: str) -> None:
    """Making a failed check unjudgeable cannot lower the share."""
    weights = {"count": 0.5, "ratio": 0.25, "order": 0.25}
    paired = dict(zip(CHECKS, outcomes, strict=True))
    before = policy.check_share(list(paired.items()), weights, {})
    if paired[noisy] is Outcome.CONTRADICTS:
        after = policy.check_share(list((paired | {noisy: Outcome.INCONCLUSIVE}).items()), weights, {})
        assert after >= before - 1e-12
