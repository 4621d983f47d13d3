"""From outcomes to points: numbers only. The maximum comes from the master, never from a submission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.verdict import Outcome

#: What a right answer earns by try: first all, second half, then nothing for this draw.
TRIES = (1.0, 0.5)
#: After so many misses the answer is shown.
MOST_MISSES = 3
#: A new draw is worth half of the one before, down to this.
LEAST_WORTH = 0.25
#: Of two records the one with the better outcome counts; earlier stands for better.
BEST_FIRST = (
    Outcome.PASS,
    Outcome.CONTRADICTS,
    Outcome.NOT_SEPARABLE,
    Outcome.INCONCLUSIVE,
    Outcome.ERROR,
    Outcome.NOT_ATTEMPTED,
)
#: Outcomes that cost nothing: their weight moves to what could be judged.
UNJUDGED = frozenset({Outcome.NOT_SEPARABLE, Outcome.INCONCLUSIVE, Outcome.ERROR})


def worth(draw: int) -> float:
    """Return what a question's draw is worth: 1, 1/2, then 1/4 for ever. Measured puzzles keep their full worth."""
    return max(LEAST_WORTH, 0.5**draw)


def question_share(right_at: int | None, draw: int) -> float:
    """Return the share of a question's points, given the place of the right answer among the tries (from 0)."""
    return TRIES[right_at] * worth(draw) if right_at is not None and right_at < len(TRIES) else 0.0


def moved(
    outcomes: Sequence[tuple[str, Outcome]], weights: Mapping[str, float], to: Mapping[str, str]
) -> dict[str, float]:
    """Return the weights after those of checks that cannot be judged have moved.

    Args:
        outcomes: Check -> outcome.
        weights: Check -> weight; they sum to 1.
        to: Check -> the check that takes its weight; without one it is shared among the checks that could be judged.
    """
    judged = [check for check, outcome in outcomes if outcome not in UNJUDGED]
    if not judged:
        return dict(weights)
    now = {check: weights[check] for check in judged}
    for check, outcome in outcomes:
        if outcome not in UNJUDGED:
            continue
        if to.get(check) in now:
            now[to[check]] += weights[check]
            continue
        for one in judged:
            now[one] += weights[check] / len(judged)
    return now


def check_share(outcomes: Sequence[tuple[str, Outcome]], weights: Mapping[str, float], to: Mapping[str, str]) -> float:
    """Return the share of an artefact's points: the weights of the checks that pass, after moving."""
    passed = {check for check, outcome in outcomes if outcome is Outcome.PASS}
    return min(1.0, sum(weight for check, weight in moved(outcomes, weights, to).items() if check in passed))


def rounded(points: float) -> float:
    """Return points with four decimals at most, so that a third of a point adds up on every machine."""
    return round(points, 4) + 0.0
