"""Judge a ratio of two times: estimate, interval, band, outcome. Pure: the same pairs give the same outcome for ever.

The times come as interleaved pairs (:class:`labs.measurement.Pair`), each with a control: the capacity that independent
workers found beside it. Pairs are looked at in stages that were fixed beforehand, so nobody can measure until it fits
within one record; a learner may measure again, and the best record counts.

Coverage. Let the log ratios of the pairs be independent with a common median m. The interval x(r) .. x(n+1-r) of n sorted
values misses m with probability 2 * P(Bin(n, 1/2) < r): 0.39 % at 9 pairs (r = 1), 0.74 % at 15 (r = 3), 1.46 % at 25 (r = 7).
The three looks share pairs; at least one of them misses with probability 2.13 %, to either side, and a false CONTRADICTS takes a
miss: that is its bound for one record. :func:`miss_probability` computes it exactly. Pairs of the two orders need not have one
median: in recorded series those whose run above the line came first were about 1 % lower on two cores, 8 % at half a CPU. With m
the median of both orders together a miss is then rarer, as the orders alternate. Neighbouring pairs are correlated on real
machines, so `fourthreads trial` measures the rate as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from labs.errors import FourThreadsError
from labs.measurement import Machine, Pair

#: Pairs at each look -> r, where the interval is x(r) .. x(n+1-r), counted from 1.
STAGES: dict[int, int] = {9: 1, 15: 3, 25: 7}
#: Models whose intervals lie within this factor of the expected one cannot be told from it.
SEPARABLE = 1.2
#: How far the band reaches where no separable model stands on that side: as if one stood at 2.25 times.
REACH = 1.5
#: A control differs from the calibration by at least this factor before anybody speaks of load ...
LEAST_TOLERANCE = 1.10
#: ... and a calibration with a noise floor beyond this factor supports no verdict.
MOST_TOLERANCE = 1.25
#: A record's warning that its controls do not fit its calibration, which is then not used again (labs.fitting).
MISFIT = "Beside these pairs this machine got more or less done than when it was calibrated; the next measurement calibrates it anew."
#: Periods of the CPU quota that one task must last, so that where it starts within a period hardly matters.
PERIODS = 3

Interval = tuple[float, float]
Outcome = Literal["PASS", "CONTRADICTS", "INCONCLUSIVE", "NOT_SEPARABLE", "MORE"]


class RatioError(FourThreadsError):
    """The numbers given to the estimator are not what it can work with; ours to repair."""

    code = "ratio"


@dataclass(frozen=True)
class Band:
    """What is accepted, and why.

    Attributes:
        low: Lower end of what is accepted.
        high: Upper end of what is accepted.
        expected: What the model expects (low, high).
        separable: The wrong models that this machine can tell from the expected one: (name, (low, high)).
        inseparable: Names of those it cannot.
    """

    low: float
    high: float
    expected: Interval
    separable: tuple[tuple[str, Interval], ...] = ()
    inseparable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estimate:
    """A ratio and how well it is known.

    Attributes:
        value: exp(median of the log ratios).
        low: Lower end of the interval by order statistics.
        high: Upper end.
        pairs: How many pairs it rests on.
    """

    value: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True)
class Control:
    """What the controls beside the pairs are held against.

    Attributes:
        capacity: The calibrated capacity for as many threads as each control used.
        floor: The calibration's noise floor (A/A, as a ratio of 1 or more).
        throttling_expected: The model predicts that the CPU quota stops this run, so that being stopped disturbs nothing.
        quota_period: Period of a quota that binds (seconds), null where none does.
        task: How long one task lasted alone (seconds), where a quota binds.
    """

    capacity: float
    floor: float = 1.0
    throttling_expected: bool = False
    quota_period: float | None = None
    task: float | None = None

    @property
    def tolerance(self) -> float:
        """The factor within which a control agrees with the calibration."""
        return min(max(self.floor, LEAST_TOLERANCE), MOST_TOLERANCE)


@dataclass(frozen=True)
class RatioOutcome:
    """What the pairs show.

    Attributes:
        outcome: ``MORE`` means: not decided yet, the next stage can; the others are a verdict's outcomes.
        estimate: None where there are too few pairs.
        band: What was accepted.
        fits: The wrong models that fit, all of them, in the order given.
        because: One sentence.
    """

    outcome: Outcome
    estimate: Estimate | None
    band: Band
    fits: tuple[str, ...]
    because: str


def band(expected: Interval, rivals: Mapping[str, Interval]) -> Band:
    """Return what is accepted: from each end half way (in logs) to the nearest separable wrong model on that side.

    Raises:
        RatioError: An interval is empty or not positive.
    """
    for name, (low, high) in {"expected": expected, **rivals}.items():
        if not 0 < low <= high < math.inf:
            raise RatioError(f"The interval of {name!r} is {low} to {high}; two positive numbers in order are needed.")
    low, high = expected
    separable = tuple((name, (a, b)) for name, (a, b) in rivals.items() if b * SEPARABLE < low or a > high * SEPARABLE)
    below = [b for _, (_, b) in separable if b < low]
    above = [a for _, (a, _) in separable if a > high]
    return Band(
        low=math.sqrt(low * max(below)) if below else low / REACH,
        high=math.sqrt(high * min(above)) if above else high * REACH,
        expected=expected,
        separable=separable,
        inseparable=tuple(name for name in rivals if name not in dict(separable)),
    )


def estimate(pairs: Sequence[Pair]) -> Estimate:
    """Return the median ratio and its interval by order statistics, for a number of pairs that is a stage.

    Raises:
        RatioError: The number of pairs is no stage, or a time is zero.
    """
    if len(pairs) not in STAGES:
        raise RatioError(f"{len(pairs)} pairs are no stage; the stages are {', '.join(map(str, STAGES))}.")
    if any(pair.numerator <= 0 or pair.denominator <= 0 for pair in pairs):
        raise RatioError("A pair has a time of zero seconds: nothing was measured in it.")
    logs = sorted(math.log(pair.numerator / pair.denominator) for pair in pairs)
    rank = STAGES[len(pairs)]
    return Estimate(math.exp(median(logs)), math.exp(logs[rank - 1]), math.exp(logs[-rank]), len(pairs))


def control(machine: Machine, floor: float | None, threads: int, task: float | None = None) -> Control:
    """Return what the controls of a run with so many busy threads are held against.

    Args:
        machine: The calibrated machine.
        floor: The calibration's noise floor, None where it was not measured.
        threads: Busy threads of the run: min(pool, tasks).
        task: How long one task lasts alone (seconds); needed where a CPU quota binds.

    Raises:
        RatioError: The machine is not calibrated. Beyond the last calibrated k the capacity stays what it was.
    """
    if not machine.capacity:
        raise RatioError("A ratio is judged against a calibrated machine; this one has no capacity curve.")
    capacity = machine.capacity[min(threads, len(machine.capacity)) - 1]
    binds = machine.quota is not None and machine.quota < min(threads, machine.cores)
    return Control(
        capacity=capacity,
        floor=1.0 if floor is None else floor,
        throttling_expected=binds,
        quota_period=machine.quota_period if binds else None,
        task=task,
    )


def disturbed(pair: Pair, beside: Control) -> bool:
    """Say whether load, or throttling that the model does not predict, changed what this pair could show."""
    if pair.throttled > 0 and not beside.throttling_expected:
        return True
    return not beside.capacity / beside.tolerance <= pair.control <= beside.capacity * beside.tolerance


def misfit(pairs: Sequence[Pair], beside: Control) -> float:
    """Return how far the controls are off the calibration: the size of log(median control / calibrated capacity)."""
    return abs(math.log(max(median(pair.control for pair in pairs), 1e-9) / beside.capacity))


def fits(pairs: Sequence[Pair], beside: Control) -> bool:
    """Say whether the calibration still describes the machine on which these pairs were made."""
    return misfit(pairs, beside) <= math.log(beside.tolerance)


def judge(pairs: Sequence[Pair], accepted: Band, beside: Control) -> RatioOutcome:
    """Walk the stages over the pairs in the order they were made; the first look that decides is the verdict.

    Pairs beyond that look change nothing. ``MORE`` comes back while the next stage is not there yet: a conductor goes on
    measuring; in a finished record it means that the measurement was cut short, see :func:`final`.
    """
    if beside.floor > MOST_TOLERANCE:
        because = f"when it was calibrated, this machine differed from itself by {beside.floor:.2f} times"
        return RatioOutcome("INCONCLUSIVE", None, accepted, (), because)
    seen: RatioOutcome | None = None
    for stage in STAGES:
        if len(pairs) < stage:
            if 2 * sum(disturbed(pair, beside) for pair in pairs) > stage:
                # Whatever the missing pairs would show, the next look could not decide: nobody has to wait for them.
                return RatioOutcome("INCONCLUSIVE", None, accepted, (), _load(pairs, beside))
            break
        seen = _look(pairs[:stage], accepted, beside, last=stage == max(STAGES))
        if seen.outcome != "MORE":
            return seen
    return seen or RatioOutcome("MORE", None, accepted, (), f"{len(pairs)} pairs; the first look needs {min(STAGES)}")


def final(seen: RatioOutcome) -> RatioOutcome:
    """Return the outcome for a record that has no more pairs: ``MORE`` becomes ``INCONCLUSIVE``."""
    if seen.outcome != "MORE":
        return seen
    return RatioOutcome("INCONCLUSIVE", seen.estimate, seen.band, (), f"the measurement ended early: {seen.because}")


def next_stage(pairs: int) -> int | None:
    """Return how many pairs the next look needs, None after the last."""
    return next((stage for stage in STAGES if stage > pairs), None)


def _look(pairs: Sequence[Pair], accepted: Band, beside: Control, last: bool) -> RatioOutcome:
    found = estimate(pairs)

    def say(outcome: Outcome, because: str, fits: tuple[str, ...] = ()) -> RatioOutcome:
        return RatioOutcome(outcome, found, accepted, fits, because)

    if accepted.inseparable and not accepted.separable:
        names = ", ".join(accepted.inseparable)
        return say("NOT_SEPARABLE", f"on this machine the same ratio is expected for: {names}")
    if beside.quota_period is not None and (beside.task or 0.0) < PERIODS * beside.quota_period:
        return say(
            "INCONCLUSIVE",
            f"under this CPU quota a task has to last {PERIODS * beside.quota_period:.2g} s "
            f"before a ratio means anything; it lasted {beside.task or 0.0:.2g} s",
        )
    offset = misfit(pairs, beside)
    bad = sum(disturbed(pair, beside) for pair in pairs)
    if 3 * bad > len(pairs) or not fits(pairs, beside):
        return say("INCONCLUSIVE" if last or 2 * bad > len(pairs) else "MORE", _load(pairs, beside))
    # What the controls are off by is a bias: it may have moved the ratio by as much, either way.
    low, high = found.low * math.exp(-offset), found.high * math.exp(offset)
    seen = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f} in {len(pairs)} pairs)"
    allowed = f"{accepted.low:.2f} to {accepted.high:.2f}"
    if accepted.low <= low and high <= accepted.high:
        return say("PASS", f"{seen} lies inside {allowed}")
    if high < accepted.low or low > accepted.high:
        named = tuple(name for name, rival in accepted.separable if _touches((low, high), rival))
        return say("CONTRADICTS", f"{seen} lies outside {allowed}", named)
    return say("INCONCLUSIVE" if last else "MORE", f"{seen} lies across an end of {allowed}")


def _load(pairs: Sequence[Pair], beside: Control) -> str:
    level, bad = median(pair.control for pair in pairs), sum(disturbed(pair, beside) for pair in pairs)
    if level > beside.capacity * beside.tolerance:
        return (
            f"the calibration does not fit: {level:.2f} cores' worth of work got done beside these pairs, {beside.capacity:.2f} when this "
            "machine was calibrated, so it was busier then"
        )
    return (
        f"the machine was busy with something else in {bad} of {len(pairs)} pairs: {level:.2f} cores' worth of work got done beside "
        f"them, {beside.capacity:.2f} when it was calibrated"
    )


def _touches(seen: Interval, rival: Interval) -> bool:
    half = math.sqrt(SEPARABLE)
    return seen[0] <= rival[1] * half and rival[0] / half <= seen[1]


def miss_probability(stages: Mapping[int, int] = STAGES) -> float:
    """Return the exact chance that at least one look's interval misses the true median (both sides together).

    Counts the pairs above the median: a fair coin each. A look misses when fewer than r, or more than n - r, are above.
    """
    alive = {0: 1.0}
    missed, done = 0.0, 0
    for pairs, rank in sorted(stages.items()):
        for _ in range(pairs - done):
            step: dict[int, float] = {}
            for above, chance in alive.items():
                step[above] = step.get(above, 0.0) + chance / 2
                step[above + 1] = step.get(above + 1, 0.0) + chance / 2
            alive = step
        done = pairs
        out = [above for above in alive if above < rank or above > pairs - rank]
        missed += sum(alive.pop(above) for above in out)
    return missed
