"""Held work: what is in the slots after each request and each release."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs import model
from labs.job import Job, ModelError
from labs.pool import Pool, after_openings, held


def gates(count: int) -> list[Job]:
    """Return so many held opens, called 1 and up."""
    return [held(str(gate)) for gate in range(1, count + 1)]


def test_the_first_requests_are_held_and_the_rest_wait_in_order() -> None:
    """Twelve opens on four slots: four held, eight waiting."""
    pool = Pool(4)
    pool.submit(*gates(12))
    assert ("1", "2", "3", "4") == pool.slots
    assert ["5", "6", "7", "8", "9", "10", "11", "12"] == list(pool.waiting)


def test_a_freed_worker_takes_the_first_of_the_line_in_its_own_lane() -> None:
    """Gate 2 of nine on three slots: 4 starts in lane 1, and the others do not move."""
    pool = Pool(3)
    pool.submit(*gates(9))
    assert ("4",) == pool.release("2")
    assert ("1", "4", "3") == pool.slots
    assert ("2",) == pool.finished


def test_a_gate_opened_early_lets_its_task_straight_through() -> None:
    """One opening, two done: 6 was opened while it waited, so 4's end starts 6 and 7."""
    pool = Pool(3)
    pool.submit(*gates(9))
    assert () == pool.release("6")
    assert (("4",), ("5",), ("6", "7")) == tuple(pool.release(gate) for gate in ("2", "3", "4"))
    assert {"1", "5", "7"} == set(pool.slots)
    assert ("2", "3", "4", "6") == pool.finished


@pytest.mark.parametrize(("size", "count", "expected"), [(3, 9, 7), (5, 13, 9), (6, 15, 10), (4, 3, 0), (1, 1, 1)])
def test_a_canary_comes_back_after_n_plus_one_minus_p_openings(size: int, count: int, expected: int) -> None:
    """The simulated canary and the closed form agree with the lab `gates`."""
    pool = Pool(size)
    pool.submit(*gates(count), Job("stat", "file"))
    openings = 0
    while "stat" not in pool.finished:
        pool.release(pool.held[0])
        openings += 1
    assert expected == openings == model.canary_returns(count, size)


@pytest.mark.parametrize(("size", "expected"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (8, 4), (16, 8)])
def test_names_in_flight_are_half_the_slots_rounded_up(size: int, expected: int) -> None:
    """Twenty-four lookups at once, counted at the resolver on Node 20, 24 and 26."""
    pool = Pool(size)
    pool.submit(*[held(f"name{i}", "name") for i in range(24)])
    assert expected == pool.names_in_flight == model.names_in_flight(24, size)


@pytest.mark.parametrize(("taken", "expected"), [(0, 2), (1, 2), (2, 2), (3, 1), (4, 0)])
def test_the_half_is_a_ceiling_and_no_reservation(taken: int, expected: int) -> None:
    """Names in flight at size 4 with so many slots held by opens."""
    pool = Pool(4)
    pool.submit(*gates(taken), *[held(f"name{i}", "name") for i in range(24)])
    assert expected == pool.names_in_flight == model.names_in_flight(24, 4, taken)


@pytest.mark.parametrize(("size", "expected"), [(1, 0), (2, 10), (3, 10), (4, 10), (8, 10)])
def test_quick_file_work_passes_waiting_names_from_size_two_on(size: int, expected: int) -> None:
    """Of ten stats asked for after the lookups, so many are done before the first lookup is."""
    pool = Pool(size)
    pool.submit(*[held(f"name{i}", "name") for i in range(24)], *[Job(f"stat{i}", "file") for i in range(10)])
    assert expected == len(pool.finished)


def test_at_the_threshold_the_marker_goes_behind_what_waits() -> None:
    """A file asked for after the names is taken before the next name, once the marker was passed over.

    Size 2, one name at a time: x waits behind the marker, is taken by the second worker, and the marker goes to the end.
    """
    pool = Pool(2)
    pool.submit(held("a", "name"), held("b", "name"), held("x"))
    assert {"a", "x"} == set(pool.slots)
    pool.submit(held("y"), held("z"))
    assert ["b", "y", "z"] == list(pool.waiting)
    assert ("y",) == pool.release("x")
    assert ["z", "b"] == list(pool.waiting)
    assert ("z",) == pool.release("a")
    assert 0 == pool.names_in_flight


def test_calls_of_several_trips_stand_at_the_end_of_the_line_each_time() -> None:
    """A readFile of four trips behind three gates on one slot needs the gates, and a gate asked for meanwhile."""
    pool = Pool(1)
    pool.submit(held("1"), Job("read", "file", trips=4), held("2"))
    assert ("read", "2") == pool.release("1")
    assert ["read"] == list(pool.waiting)
    pool.release("2")
    assert ("1", "2", "read") == pool.finished


def test_a_callback_asks_for_the_next_job_at_the_end_of_the_line() -> None:
    """The follower of 1 comes after everything that waits."""
    pool = Pool(2)
    pool.submit(*gates(4), held("next", "file"), Job("after", "file", after="1"))
    pool.release("1")
    assert ["4", "next", "after"] == list(pool.waiting)
    pool.submit(Job("late", "file", after="1"))
    assert ["4", "next", "after", "late"] == list(pool.waiting)


@given(st.data(), st.integers(1, 9), st.integers(0, 14))
def test_the_slots_hold_the_earliest_requests_whose_gates_are_shut(data: st.DataObject, size: int, count: int) -> None:
    """Whatever is opened in whatever order, waiting gates too: the law of the lab, as closed form and step by step."""
    names = [job.name for job in gates(count)]
    openings = data.draw(st.permutations(names))[: data.draw(st.integers(0, count))]
    pool = Pool(size)
    pool.submit(*gates(count))
    opened: set[str] = set()
    for name in openings:
        pool.release(name)
        opened.add(name)
        assert set(model.held_after(names, opened, size)) == set(pool.held)
        assert model.started_after(names, opened, size) == pool.started
        assert opened & set(pool.started) == set(pool.finished)
        assert tuple(name for name in names if name not in pool.started) == pool.waiting


@given(st.lists(st.sampled_from(["file", "name", "cpu"]), max_size=14), st.integers(1, 8), st.randoms())
def test_no_slot_is_free_while_something_may_start(kinds: list[str], size: int, random: object) -> None:
    """At rest: full, or nothing waits but names at the threshold; never more names than the half."""
    pool = Pool(size)
    jobs = [held(f"{kind}{i}", kind) for i, kind in enumerate(kinds)]  # type: ignore[arg-type]  # drawn from Kind
    pool.submit(*jobs)
    while True:
        half = model.slots(size, "name")
        assert pool.names_in_flight == sum(name.startswith("name") for name in pool.held) <= half
        if None in pool.slots and pool.waiting:
            assert pool.names_in_flight == half
            assert all(name.startswith("name") for name in pool.waiting)
        if not pool.held:
            break
        pool.release(random.choice(pool.held))  # type: ignore[attr-defined]  # a random.Random
    assert len(jobs) == len(pool.finished)


def test_every_order_of_opening_is_a_trace_of_its_own() -> None:
    """`after_openings` gives what is held before the first opening and after each."""
    assert (("1", "2"), ("2", "3"), ("2", "4")) == after_openings(2, gates(4), ["1", "3"])
    assert 6 == len({after_openings(2, gates(3), order) for order in permutations("123")})


@pytest.mark.parametrize("name", ["9", "stat", "1"])
def test_what_cannot_be_released_is_refused(name: str) -> None:
    """Unknown, not held, or released before."""
    pool = Pool(2)
    pool.submit(*gates(3), Job("stat", "file"))
    pool.release("1")
    with pytest.raises(ModelError, match="released"):
        pool.release(name)


@pytest.mark.parametrize("size", [0, -1, 1025, True, 2.0])
def test_sizes_that_libuv_cannot_have_are_refused(size: int) -> None:
    """One to 1,024."""
    with pytest.raises(ModelError, match="1024"):
        Pool(size)


def test_a_name_is_used_once() -> None:
    """Two jobs of one name could not be told apart."""
    pool = Pool(2)
    pool.submit(held("1"))
    with pytest.raises(ModelError, match="'1'"):
        pool.submit(held("1"))
