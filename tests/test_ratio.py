"""The ratio's estimator, band and verdict: pure functions of pairs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs import ratio
from labs.measurement import Machine, Pair
from labs.ratio import STAGES, Control, RatioError, band, estimate, judge

IDLE = Control(capacity=2.0, floor=1.03)
#: `waves` on two cores: eight hashes on four slots over one; what four wrong models say.
WAVES = (4.0, 4.3)
RIVALS = {"a core a slot": (2.0, 2.0), "no limit": (1.0, 1.0), "one by one": (8.0, 8.0)}


def pair(value: float, control: float = 2.0, throttled: float = 0.0, scale: float = 0.1) -> Pair:
    """Return a pair with this ratio."""
    return Pair(
        name="all over one",
        first="numerator",
        numerator=value * scale,
        denominator=scale,
        control=control,
        throttled=throttled,
    )


def pairs_of(values: Sequence[float], control: float = 2.0) -> list[Pair]:
    """Return a pair for each ratio."""
    return [pair(value, control) for value in values]


def noisy(centre: float, count: int, seed: int, spread: float = 0.05, control: float = 2.0) -> list[Pair]:
    """Synthetic pairs around a centre, always the same for one seed."""
    chance = random.Random(seed)
    return [
        pair(centre * math.exp(chance.gauss(0, spread)), control * math.exp(chance.gauss(0, 0.02)))
        for _ in range(count)
    ]


# --- the estimate -------------------------------------------------------------------------------------------------


def test_estimate_of_nine_is_the_fifth_value_and_the_interval_is_the_whole_range() -> None:
    """At nine pairs the interval is x(1) .. x(9)."""
    found = estimate(pairs_of([4.4, 4.1, 3.9, 4.2, 4.0, 4.3, 3.8, 4.5, 4.6]))

    assert pytest.approx((4.2, 3.8, 4.6, 9)) == (found.value, found.low, found.high, found.pairs)


@pytest.mark.parametrize(("count", "low", "high"), [(9, 1, 9), (15, 3, 13), (25, 7, 19)])
def test_interval_is_between_the_documented_order_statistics(count: int, low: int, high: int) -> None:
    """x(1..9), x(3..13), x(7..19), whatever the order in which the pairs came."""
    values = [float(k) for k in range(1, count + 1)]
    random.Random(count).shuffle(values)

    found = estimate(pairs_of(values))

    assert pytest.approx((low, high)) == (found.low, found.high)


@pytest.mark.parametrize("count", [0, 1, 8, 10, 24, 26])
def test_estimate_refuses_a_number_of_pairs_that_is_no_stage(count: int) -> None:
    """Looks are fixed beforehand; nobody stops where it suits them."""
    with pytest.raises(RatioError, match="are no stage"):
        estimate(pairs_of([4.0] * count))


def test_estimate_refuses_a_pair_without_time() -> None:
    """Zero seconds is not a measurement."""
    with pytest.raises(RatioError, match="zero seconds"):
        estimate([pair(4.0)] * 8 + [pair(0.0)])


def test_coverage_is_what_the_module_says() -> None:
    """0.39 %, 0.74 % and 1.46 % for one look, 2.13 % for the three together."""
    each = [ratio.miss_probability({count: rank}) for count, rank in STAGES.items()]

    assert [2 / 2**9, 2 * (1 + 15 + 105) / 2**15] == pytest.approx(each[:2])
    assert 0.0146 == pytest.approx(each[2], abs=5e-5)
    assert 0.0213 == pytest.approx(ratio.miss_probability(), abs=5e-5)


def test_coverage_agrees_with_a_simulation() -> None:
    """The count over paths and 20,000 seeded histories agree within four standard errors."""
    chance = random.Random(1)
    missed = 0
    for _ in range(20_000):
        above = [chance.random() < 0.5 for _ in range(25)]
        missed += any(not rank <= sum(above[:count]) <= count - rank for count, rank in STAGES.items())

    assert ratio.miss_probability() == pytest.approx(missed / 20_000, abs=4 * math.sqrt(0.0213 / 20_000))


def misses(shift: float) -> float:
    """Return the exact chance of a miss where a pair lies above the median of both orders with 1/2 + shift and 1/2 - shift in turn."""
    alive, missed = {0: 1.0}, 0.0
    for place in range(max(STAGES)):
        chance = 0.5 + (shift if place % 2 == 0 else -shift)
        alive = {
            above: alive.get(above, 0.0) * (1 - chance) + alive.get(above - 1, 0.0) * chance
            for above in range(place + 2)
        }
        if (rank := STAGES.get(place + 1)) is not None:
            missed += sum(alive.pop(above) for above in [*alive] if not rank <= above <= place + 1 - rank)
    return missed


def test_an_order_that_matters_makes_a_miss_rarer() -> None:
    """However far apart the medians of the two orders are, the bound for one median holds."""
    chances = [misses(step / 100) for step in range(51)]
    assert ratio.miss_probability() == pytest.approx(chances[0])
    assert chances == sorted(chances, reverse=True)


# --- the band -----------------------------------------------------------------------------------------------------


def test_band_goes_half_way_in_logs_to_the_nearest_wrong_model_on_each_side() -> None:
    """Between 2 and 4 the fence stands at the square root of 8, between 4.3 and 8 at that of 34.4."""
    found = band(WAVES, RIVALS)

    assert pytest.approx((math.sqrt(8), math.sqrt(34.4))) == (found.low, found.high)


def test_band_reaches_one_and_a_half_where_no_wrong_model_stands() -> None:
    """A side without a rival is not open: what no model predicts is no PASS."""
    found = band((1.0, 1.1), {"halves": (0.5, 0.5)})

    assert pytest.approx((math.sqrt(0.5), 1.65)) == (found.low, found.high)


def test_band_leaves_out_what_this_machine_cannot_separate() -> None:
    """Within 1.2 times the expected interval a wrong model is named as inseparable and draws no fence."""
    found = band(WAVES, {"near": (3.5, 3.6), "inside": (4.1, 4.2), "above": (4.9, 5.0), **RIVALS})

    assert ("near", "inside", "above") == found.inseparable
    assert tuple(RIVALS) == tuple(name for name, _ in found.separable)
    assert pytest.approx(math.sqrt(8)) == found.low


@pytest.mark.parametrize("broken", [(0.0, 1.0), (2.0, 1.0), (math.nan, 1.0), (1.0, math.inf)])
def test_band_refuses_an_interval_that_is_none(broken: tuple[float, float]) -> None:
    """Empty, endless and non-positive intervals are our mistake, said as such."""
    with pytest.raises(RatioError, match="two positive numbers"):
        band(broken, RIVALS)


@given(
    st.floats(0.1, 50),
    st.floats(1, 2),
    st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.floats(0.1, 50), st.floats(1, 2)), max_size=6),
)
def test_band_holds_the_expected_and_no_separable_model(
    low: float, wide: float, others: dict[str, tuple[float, float]]
) -> None:
    """For any models: the expected interval lies inside, every separable one outside, and each model is on one list."""
    rivals = {name: (a, a * b) for name, (a, b) in others.items()}

    found = band((low, low * wide), rivals)

    assert found.low < low
    assert low * wide < found.high
    assert all(b < found.low or a > found.high for _, (a, b) in found.separable)
    assert sorted(rivals) == sorted([*found.inseparable, *dict(found.separable)])


# --- the verdict --------------------------------------------------------------------------------------------------


def test_pairs_inside_the_band_pass_at_the_first_look() -> None:
    """Nine clean pairs are enough."""
    seen = judge(noisy(4.1, 25, seed=1), band(WAVES, RIVALS), IDLE)

    assert ("PASS", 9) == (seen.outcome, seen.estimate and seen.estimate.pairs)


@pytest.mark.parametrize(("centre", "name"), [(2.0, "a core a slot"), (1.0, "no limit"), (8.0, "one by one")])
def test_pairs_of_a_wrong_model_contradict_and_name_it(centre: float, name: str) -> None:
    """What a wrong model predicts, if it is measured, is named."""
    seen = judge(noisy(centre, 25, seed=2), band(WAVES, RIVALS), IDLE)

    assert ("CONTRADICTS", (name,)) == (seen.outcome, seen.fits)


def test_all_wrong_models_that_fit_are_named() -> None:
    """Two that say the same are both named, in the order given."""
    seen = judge(noisy(8.0, 9, seed=3), band(WAVES, {**RIVALS, "awaits in turn": (7.9, 8.4)}), IDLE)

    assert ("one by one", "awaits in turn") == seen.fits


def test_a_ratio_that_no_model_predicts_contradicts_without_a_name() -> None:
    """Twenty times is neither; nothing is guessed."""
    seen = judge(noisy(20.0, 9, seed=3), band(WAVES, RIVALS), IDLE)

    assert ("CONTRADICTS", ()) == (seen.outcome, seen.fits)


def test_no_separable_model_is_not_separable() -> None:
    """Two cores, four tasks: everybody says two."""
    seen = judge(noisy(2.0, 9, seed=4), band((2.0, 2.1), {"a core a slot": (2.0, 2.0)}), IDLE)

    assert "NOT_SEPARABLE" == seen.outcome


def test_an_interval_across_the_fence_asks_for_the_next_stage_and_is_inconclusive_after_the_last() -> None:
    """One stray pair in nine widens the whole range; at fifteen it is cut off; what stays across ends undecided."""
    stray = pairs_of([2.0] + [4.1] * 14)
    split = pairs_of([2.4, 4.1] * 13)

    assert "MORE" == judge(stray[:9], band(WAVES, RIVALS), IDLE).outcome
    assert "MORE" == judge(stray[:14], band(WAVES, RIVALS), IDLE).outcome
    assert "PASS" == judge(stray, band(WAVES, RIVALS), IDLE).outcome
    assert ["MORE", "MORE", "INCONCLUSIVE"] == [judge(split[:n], band(WAVES, RIVALS), IDLE).outcome for n in STAGES]


def test_too_few_pairs_are_more_for_a_conductor_and_inconclusive_in_a_finished_record() -> None:
    """A measurement that was cut short costs nothing and earns nothing."""
    seen = judge(pairs_of([4.1] * 8), band(WAVES, RIVALS), IDLE)

    assert ("MORE", "INCONCLUSIVE") == (seen.outcome, ratio.final(seen).outcome)


def test_pairs_after_the_deciding_look_change_nothing() -> None:
    """Measuring on until it fits is of no use."""
    good, wrong = noisy(4.1, 9, seed=5), noisy(8.0, 16, seed=6)

    assert judge(good, band(WAVES, RIVALS), IDLE) == judge(good + wrong, band(WAVES, RIVALS), IDLE)


def test_steady_load_is_inconclusive_however_sure_the_interval() -> None:
    """Two busy processes moved the median from 4.13 to 3.35; the control saw 1.4 cores' worth of work where 2.0 were."""
    shifted = noisy(2.5, 25, seed=7, spread=0.005, control=1.4)

    seen = judge(shifted, band(WAVES, RIVALS), IDLE)

    assert "INCONCLUSIVE" == seen.outcome
    assert "busy with something else in 9 of 9 pairs" in seen.because


def test_load_in_a_few_pairs_is_outvoted() -> None:
    """Three disturbed pairs of nine are kept and still decide nothing alone."""
    mixed = noisy(4.1, 6, seed=8) + pairs_of([3.4] * 3, control=1.4)

    assert "PASS" == judge(mixed, band(WAVES, RIVALS), IDLE).outcome


def test_load_in_many_pairs_asks_for_more_and_load_in_most_ends_it() -> None:
    """Four of nine may pass by; five of nine will not."""
    four = noisy(4.1, 5, seed=8) + pairs_of([4.0] * 4, control=1.4)
    five = noisy(4.1, 4, seed=8) + pairs_of([4.0] * 5, control=1.4)

    assert ("MORE", "INCONCLUSIVE") == tuple(judge(some, band(WAVES, RIVALS), IDLE).outcome for some in (four, five))


def test_load_that_no_further_pair_can_outvote_ends_the_waiting() -> None:
    """Five disturbed pairs are more than half of nine, whatever the other four would show."""
    five = pairs_of([4.0] * 5, control=1.4)

    assert ("MORE", "INCONCLUSIVE") == tuple(
        judge(some, band(WAVES, RIVALS), IDLE).outcome for some in (five[:4], five)
    )
    assert "INCONCLUSIVE" == judge(five + noisy(4.1, 4, seed=1), band(WAVES, RIVALS), IDLE).outcome


def test_a_machine_that_was_busy_when_calibrated_is_told_so() -> None:
    """More work gets done now than then: the calibration is what has to be repeated."""
    seen = judge(noisy(4.1, 9, seed=1, control=2.0), band(WAVES, RIVALS), Control(capacity=1.4))

    assert "INCONCLUSIVE" == seen.outcome
    assert "it was busier then" in seen.because


def test_what_the_controls_are_off_by_counts_as_bias() -> None:
    """Controls 8 % low are within tolerance, but a verdict needs 8 % of room as well."""
    close = [pair(2.75, control=1.85) for _ in range(9)]
    exact = [pair(2.75, control=2.0) for _ in range(9)]

    assert ("MORE", "CONTRADICTS") == tuple(judge(some, band(WAVES, RIVALS), IDLE).outcome for some in (close, exact))


def test_a_noisy_calibration_supports_no_verdict() -> None:
    """A machine that differs from itself by 1.4 cannot judge."""
    seen = judge(noisy(8.0, 9, seed=9), band(WAVES, RIVALS), Control(capacity=2.0, floor=1.4))

    assert "INCONCLUSIVE" == seen.outcome


def test_throttling_is_load_where_the_model_does_not_predict_it_and_a_regime_where_it_does() -> None:
    """A half-CPU quota stops every run of eight; that is the machine, not noise."""
    throttled = [pair(8.0, control=1.0, throttled=0.3, scale=0.4) for _ in range(9)]
    model = band((7.6, 8.4), {"a core a slot": (2.0, 2.0), "textbook": (4.0, 4.0)})
    half = Machine(cores=2, capacity=(1.0, 1.0, 1.0, 1.0), quota=0.5, quota_period=0.1)
    free = Machine(cores=2, capacity=(1.0, 1.0, 1.0, 1.0))

    assert "PASS" == judge(throttled, model, ratio.control(half, 1.05, threads=4, task=0.4)).outcome
    assert "INCONCLUSIVE" == judge(throttled, model, ratio.control(free, 1.05, threads=4, task=0.4)).outcome


def test_under_a_quota_a_task_must_last_three_periods() -> None:
    """Shorter ones may fall into one period's allowance and show a machine that is not there."""
    half = Machine(cores=2, capacity=(1.0, 1.0, 1.0, 1.0), quota=0.5, quota_period=0.1)
    seen = judge(
        pairs_of([8.0] * 9, control=1.0), band((8.0, 8.0), {"x": (2.0, 2.0)}), ratio.control(half, 1.0, 4, task=0.29)
    )

    assert "INCONCLUSIVE" == seen.outcome
    assert "0.3 s" in seen.because


def test_a_quota_above_what_the_run_needs_is_no_regime() -> None:
    """Three cores' worth never stop two threads, so throttling beside them is somebody else's."""
    wide = Machine(cores=2, capacity=(1.0, 2.0), quota=3.0, quota_period=0.1)

    assert not ratio.control(wide, 1.0, threads=4).throttling_expected


def test_capacity_beyond_the_calibrated_curve_stays_what_it_was() -> None:
    """More threads than were calibrated get no more done."""
    machine = Machine(cores=2, capacity=(1.0, 1.9, 1.95, 2.0))

    assert (1.9, 2.0) == (ratio.control(machine, 1.0, 2).capacity, ratio.control(machine, 1.0, 99).capacity)


def test_an_uncalibrated_machine_is_refused() -> None:
    """Without a curve there is nothing to hold a control against."""
    with pytest.raises(RatioError, match="calibrated"):
        ratio.control(Machine(cores=2), 1.0, 2)


@given(st.lists(st.tuples(st.floats(0.05, 20), st.floats(0.1, 4)), min_size=25, max_size=25))
def test_the_same_pairs_give_the_same_verdict_and_stages_only_add_pairs(values: list[tuple[float, float]]) -> None:
    """Judging is a function; a decided verdict stays when pairs follow it."""
    made = [pair(value, control) for value, control in values]
    model = band(WAVES, RIVALS)

    walk = [judge(made[:count], model, IDLE) for count in STAGES]

    assert walk == [judge(made[:count], model, IDLE) for count in STAGES]
    decided = [seen for seen in walk if seen.outcome != "MORE"]
    assert decided
    assert all(seen == decided[0] for seen in decided)


@given(st.lists(st.floats(0.05, 20), min_size=9, max_size=9), st.floats(0.01, 100))
def test_a_verdict_does_not_depend_on_the_unit_of_time(values: list[float], scale: float) -> None:
    """A machine ten times as slow gets the same estimate."""
    one = estimate(pairs_of(values))
    other = estimate([pair(value, scale=scale) for value in values])

    assert pytest.approx((one.value, one.low)) == (other.value, other.low)


# --- how often it errs, on synthetic pairs ------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [0.02, 0.08, 0.25])
def test_right_pairs_never_contradict(spread: float) -> None:
    """600 seeded histories around the expected interval: none contradicts, also where single pairs are far off."""
    model = band(WAVES, RIVALS)

    outcomes = [judge(noisy(4.1, 25, seed, spread), model, IDLE).outcome for seed in range(600)]

    assert 0 == outcomes.count("CONTRADICTS")
    assert outcomes.count("PASS") >= 0.95 * len(outcomes)


@pytest.mark.parametrize("centre", [1.0, 2.0, 8.0])
def test_pairs_of_a_wrong_model_never_pass(centre: float) -> None:
    """600 seeded histories around each wrong model: none passes."""
    outcomes = [judge(noisy(centre, 25, seed, 0.08), band(WAVES, RIVALS), IDLE).outcome for seed in range(600)]

    assert 0 == outcomes.count("PASS")
    assert outcomes.count("CONTRADICTS") >= 0.95 * len(outcomes)


def test_load_that_comes_and_goes_never_contradicts() -> None:
    """Bursts of load (neighbouring pairs share them) bias ratio and control alike; right pairs still never contradict."""
    outcomes = []
    for seed in range(600):
        chance, busy, made = random.Random(seed), False, []
        for _ in range(25):
            busy = busy != (chance.random() < 0.3)
            centre, level = (2.4, 1.4) if busy else (4.1, 2.0)
            made.append(pair(centre * math.exp(chance.gauss(0, 0.05)), level * math.exp(chance.gauss(0, 0.02))))
        outcomes.append(judge(made, band(WAVES, RIVALS), IDLE).outcome)

    assert 0 == outcomes.count("CONTRADICTS")
