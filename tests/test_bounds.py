"""The intervals where the scheduler decides, against schedulers that decide at random and out of spite."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.capacity import Capacity, capacity_of, curve_of, ideal, widened
from labs.engine import run
from labs.job import Job, ModelError, Schedule, Span, check_jobs
from labs.libuv import Threadpool
from labs.measurement import Machine
from labs.sharing import Split, Unequal, by_core, newest_first, oldest_first
from labs.simulate import occupancy, simulate

SLIP = 1e-6


def at_random(capacity: Capacity, seed: int) -> Split:
    """Return a policy that keeps the two assumptions of `labs.sharing` and decides the rest by chance."""
    chance = random.Random(seed)

    def split(lanes: Sequence[int]) -> Sequence[float]:
        k = len(lanes)
        if not k:
            return []
        total, top = capacity.at(k), capacity.at(k) / min(k, capacity.cores)
        if k <= capacity.cores:
            return [total / k] * k
        rates = [min(top / (ceil(k / capacity.cores) + 1), total / k)] * k
        rest = total - sum(rates)
        for place in chance.sample(range(k), k):
            extra = min(rest, top - rates[place]) * chance.choice([0.0, 0.5, 1.0])
            rates[place] += extra
            rest -= extra
        for place in range(k):  # what chance left over goes to whoever has room
            extra = min(rest, top - rates[place])
            rates[place] += extra
            rest -= extra
        assert rest == pytest.approx(0, abs=1e-9)
        return rates

    return split


def violations(schedule: Schedule, jobs: Sequence[Job], pool: int, split: Split) -> list[str]:
    """Return the moments of a run under a policy that lie outside their intervals."""
    outcome = run(jobs, check_jobs(jobs), Threadpool(pool), Unequal(split), {})
    found = []
    for task, trips in zip(schedule.tasks, outcome.rows, strict=True):
        _, started, finished, _ = trips[0]
        for what, span, at in (("start", task.started, started), ("end", task.finished, finished)):
            assert span is not None
            assert at is not None
            if not span.low - SLIP <= at <= span.high + SLIP:
                found.append(f"{what} of {task.name}: {at} outside {span}")
    end = max(trips[0][2] or 0.0 for trips in outcome.rows)
    if not schedule.makespan.low - SLIP <= end <= schedule.makespan.high + SLIP:
        found.append(f"makespan: {end} outside {schedule.makespan}")
    if outcome.peak > schedule.peak:
        found.append(f"peak: {outcome.peak} > {schedule.peak}")
    return found


@st.composite
def curves(draw: st.DrawFn) -> Capacity:
    """Draw a machine of 1 to 4 cores that are a little slower together, and hardly faster when oversubscribed."""
    cores = draw(st.integers(1, 4))
    values = [1.0]
    for _ in range(cores - 1):
        values.append(values[-1] + draw(st.floats(0.85, 1.0)))
    values.extend(values[-1] * draw(st.floats(0.95, 1.0)) for _ in range(draw(st.integers(0, cores))))
    return curve_of(cores, tuple(values))


programs = st.lists(
    st.tuples(st.sampled_from([0.5, 1.0, 1.0, 2.0, 3.7]), st.sampled_from([0.0, 0.0, 0.0, 0.6, 2.5])),
    min_size=1,
    max_size=12,
).map(lambda drawn: [Job(str(i), "cpu", service, at=at) for i, (service, at) in enumerate(drawn)])


@settings(max_examples=150, deadline=None)
@given(programs, st.integers(1, 8), curves(), st.integers(0, 2**32))
def test_no_scheduler_leaves_the_interval(jobs: list[Job], pool: int, capacity: Capacity, seed: int) -> None:
    """Any work-conserving split that is not grossly unfair keeps every start, end and the makespan inside."""
    schedule = simulate(jobs, pool, capacity)
    assert schedule.certainty in ("exact", "proved")
    assert [] == violations(schedule, jobs, pool, at_random(capacity, seed))
    assert [] == violations(schedule, jobs, pool, by_core(capacity))


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 12), st.integers(1, 8), st.integers(1, 4))
def test_even_spite_stays_within_the_makespan(tasks: int, pool: int, cores: int) -> None:
    """Starving the oldest or the newest keeps the makespan inside: its bounds need no fairness at all."""
    jobs = [Job(str(i)) for i in range(tasks)]
    schedule = simulate(jobs, pool, ideal(cores))
    for policy in (oldest_first, newest_first):
        outcome = run(jobs, check_jobs(jobs), Threadpool(pool), Unequal(policy(ideal(cores))), {})
        end = max(trips[0][2] or 0.0 for trips in outcome.rows)
        assert schedule.makespan.low - SLIP <= end <= schedule.makespan.high + SLIP


def test_the_interval_is_reached() -> None:
    """Five hashes on four slots and two cores: one scheduler needs 2.5, another 3.0, and the model says just that."""
    jobs = [Job(str(i)) for i in range(5)]
    ends = set()
    for seed in range(300):
        outcome = run(jobs, check_jobs(jobs), Threadpool(4), Unequal(at_random(ideal(2), seed)), {})
        ends.add(max(trips[0][2] or 0.0 for trips in outcome.rows))
    outcome = run(jobs, check_jobs(jobs), Threadpool(4), Unequal(by_core(ideal(2))), {})
    ends.add(max(trips[0][2] or 0.0 for trips in outcome.rows))
    assert Span(2.5, 3.0) == simulate(jobs, 4, ideal(2)).makespan
    assert 2.55 > min(ends)
    assert 3.0 == pytest.approx(max(ends))


def test_a_point_where_nothing_is_left_to_the_scheduler() -> None:
    """A core a slot: exact, also on cores that are slower together."""
    schedule = simulate([Job(str(i)) for i in range(4)], 2, Capacity(2, (1.0, 1.6)))
    assert "exact" == schedule.certainty
    assert Span(2.5, 2.5) == schedule.makespan


def test_mixed_programs_on_short_cores_are_said_to_be_sampled() -> None:
    """Trips, callbacks, names or files among hashes on short cores: intervals without a proof, and they say so."""
    jobs = [*(Job(f"hash{i}") for i in range(4)), Job("read", "file", 0.1, trips=4), Job("then", "cpu", after="hash0")]
    schedule = simulate(jobs, 4, ideal(2))
    assert "sampled" == schedule.certainty
    assert all(task.finished is not None and task.finished.low <= task.finished.high for task in schedule.tasks)
    assert 9 == len(schedule.trips)


def test_occupancy_is_an_interval_where_the_schedule_is() -> None:
    """Four slots are taken at first, some number between in the middle, none at the end."""
    steps = occupancy(simulate([Job(str(i)) for i in range(5)], 4, ideal(2)))
    assert (0.0, 4, 4) == (steps[0].at, steps[0].low, steps[0].high)
    assert any(step.low < step.high for step in steps)
    assert (3.0, 0, 0) == (steps[-1].at, steps[-1].low, steps[-1].high)


@pytest.mark.parametrize(
    "make",
    [
        lambda: curve_of(0, (1.0,)),
        lambda: curve_of(2, ()),
        lambda: curve_of(2, (2.0, 3.0)),
        lambda: curve_of(2, (1.0, 0.0)),
    ],
)
def test_curves_that_cannot_be_are_refused(make: Callable[[], Capacity]) -> None:
    """No core, no value, not in units of one thread, no work done."""
    with pytest.raises(ModelError, match="capacity curve"):
        make()


def test_the_calibrated_curve_is_used_and_noise_above_the_cores_is_cut() -> None:
    """A machine without calibration is taken as ideal."""
    assert Capacity(2, (1.0, 2.0, 1.9)) == capacity_of(Machine(cores=2, capacity=(1.0, 2.03, 1.9)))
    assert ideal(3) == capacity_of(Machine(cores=3))
    assert (0.0, 1.0, 2.0, 1.9, 1.9) == tuple(Capacity(2, (1.0, 2.0, 1.9)).at(k) for k in range(5))
    assert (1.94, 3.3) == pytest.approx(tuple(widened(Span(2.0, 3.0))))
