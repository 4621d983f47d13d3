"""The closed forms, against published numbers and against the simulation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs import model
from labs.capacity import Capacity, ideal, widened
from labs.job import Job, Kind, ModelError, Span
from labs.simulate import simulate

KINDS: tuple[Kind, ...] = ("cpu", "file", "name")
#: Two cores as they were calibrated where the figures below were measured.
TWO_CORES = Capacity(2, (1.0, 1.97))


@pytest.mark.parametrize(("pool", "expected"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (8, 4), (16, 8)])
def test_slots_for_names_are_half_rounded_up(pool: int, expected: int) -> None:
    """Counted at a resolver on Node 20.20.2, 24.19.0 and 26.12.1."""
    assert expected == model.slots(pool, "name")
    assert pool == model.slots(pool, "file") == model.slots(pool, "cpu")


@pytest.mark.parametrize(("taken", "expected"), [(0, 2), (1, 2), (2, 2), (3, 1), (4, 0)])
def test_names_in_flight_beside_held_slots(taken: int, expected: int) -> None:
    """Counted at size 4 with so many slots held by opens."""
    assert expected == model.names_in_flight(24, 4, taken)


@pytest.mark.parametrize(
    ("size", "trips"),
    [(0, 4), (1, 4), (1024, 4), (524_288, 4), (524_289, 5), (1_048_576, 5), (1_048_577, 6), (3_000_000, 9)],
)
def test_trips_of_read_file(size: int, trips: int) -> None:
    """Counted with a debugger on Node 20.20.2, 22.23.5 and 24.19.0."""
    assert trips == model.read_file_trips(size)


@pytest.mark.parametrize(("size", "trips"), [(0, 1), (524_288, 1), (524_289, 4), (3_000_000, 8)])
def test_trips_of_read_file_on_newer_lines(size: int, trips: int) -> None:
    """From 26.8 on one job up to 512 KiB; beyond, one for open and fstat, the reads, and the close."""
    assert trips == model.read_file_trips(size, (26, 12))
    assert 4 == model.read_file_trips(0, (26, 7))


@pytest.mark.parametrize(
    ("output", "chunk", "trips"),
    [(30, 16_384, 2), (1_030, 16_384, 2), (1_048_922, 16_384, 66), (1_048_576, 16_384, 66), (1_048_922, 2_097_152, 2)],
)
def test_trips_of_gzip(output: int, chunk: int, trips: int) -> None:
    """Counted: 10 bytes, 1 MiB of zeros, 1 MiB of noise, gunzip to 1 MiB, 1 MiB in one chunk."""
    assert trips == model.gzip_trips(output, chunk)


@pytest.mark.parametrize(("threads", "mib"), [(1, 8.00), (4, 32.02), (8, 64.03), (128, 1024.50)])
def test_address_space_of_stacks(threads: int, mib: float) -> None:
    """The difference in VmSize, counted on Node 24.19.0 (rounded to 0.01 MiB)."""
    assert mib == round(model.stack_bytes(threads) / model.MIB, 2)


@pytest.mark.parametrize(
    ("pool", "tasks", "low", "high"),
    [
        (1, 4, 4.0, 4.0),
        (2, 4, 2.05, 2.05),
        (2, 8, 4.05, 4.05),
        (3, 4, 2.0, 2.0),
        (3, 5, 3.0, 3.0),
        (4, 4, 2.03, 2.03),
        (4, 5, 2.6, 3.3),
        (4, 8, 4.3, 4.3),
        (8, 8, 4.1, 4.1),
    ],
)
def test_measured_makespans_lie_in_the_interval(pool: int, tasks: int, low: float, high: float) -> None:
    """pbkdf2 of 200,000 rounds on 2 cores, all over one alone; the interval widened by what sound runs miss it by."""
    expected = widened(model.makespan(tasks, pool, "cpu", TWO_CORES))
    assert expected.low <= low <= high <= expected.high


def test_the_interval_is_no_wider_than_it_must_be() -> None:
    """Where cores are short the interval spans less than one task; where they are not, it is a point."""
    assert Span(4.0, 4.5) == model.makespan(8, 4, "cpu", ideal(2))
    assert Span(2.5, 3.0) == model.makespan(5, 4, "cpu", ideal(2))
    assert Span(2.0, 2.0) == model.makespan(8, 4, "cpu", ideal(4))
    assert Span(12.0, 12.0) == model.makespan(24, 4, "name")


curves = st.integers(1, 6).flatmap(
    lambda cores: st.floats(0.9, 1.0).map(
        lambda each: Capacity(cores, (1.0, *(1 + each * (k - 1) for k in range(2, cores + 1))))
    )
)


@given(st.integers(1, 24), st.integers(1, 10), st.sampled_from(KINDS), curves)
def test_makespan_in_closed_form_and_simulated(tasks: int, pool: int, kind: Kind, capacity: Capacity) -> None:
    """Two witnesses for equal tasks agree to rounding, as points and as intervals."""
    closed = model.makespan(tasks, pool, kind, capacity if kind == "cpu" else None)
    played = simulate([Job(str(i), kind) for i in range(tasks)], pool, capacity)
    assert tuple(closed) == pytest.approx(tuple(played.makespan))
    assert model.running(tasks, pool, kind) == played.peak
    if kind != "cpu":
        assert model.waves(tasks, pool, kind) == pytest.approx(played.makespan.low)


@given(st.integers(0, 24), st.integers(1, 10), curves, st.booleans())
def test_queue_wait_in_closed_form_and_simulated(ahead: int, pool: int, capacity: Capacity, computes: bool) -> None:
    """A request behind so many equal ones starts when the closed form says."""
    kind: Kind = "cpu" if computes else "file"
    closed = model.queue_wait(ahead, pool, capacity if computes else None)
    played = simulate([Job(str(i), kind) for i in range(ahead + 1)], pool, capacity).tasks[-1].started
    assert played is not None
    assert tuple(closed) == pytest.approx(tuple(played))


@given(st.integers(1, 40), st.integers(1, 16), st.sampled_from(KINDS))
def test_waves_are_the_least_rounds_that_hold_all(tasks: int, pool: int, kind: Kind) -> None:
    """So many rounds suffice, one less does not."""
    rounds, slots = model.waves(tasks, pool, kind), model.slots(pool, kind)
    assert (rounds - 1) * slots < tasks <= rounds * slots


def test_nothing_takes_no_time_and_is_refused() -> None:
    """A makespan of no task has no meaning."""
    with pytest.raises(ModelError, match="one task"):
        model.makespan(0, 4)
