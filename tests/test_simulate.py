"""libuv's pool in virtual time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs import model
from labs.capacity import ideal
from labs.job import Job, Kind, ModelError, Placed, Span
from labs.pool import Pool, held
from labs.simulate import occupancy, simulate, what_if


def at(*moments: float) -> list[Span]:
    """Return the moments as spans."""
    return [Span(moment, moment) for moment in moments]


def starts(tasks: Sequence[Placed]) -> list[Span | None]:
    """Return when each started."""
    return [task.started for task in tasks]


def test_equal_file_work_makes_waves() -> None:
    """Five on two slots: starts 0 0 1 1 2, lanes 0 1 0 1 0."""
    schedule = simulate([Job(str(i), "file") for i in range(5)], 2)
    assert at(0, 0, 1, 1, 2) == starts(schedule.tasks)
    assert [0, 1, 0, 1, 0] == [task.lane for task in schedule.tasks]
    assert (Span(3, 3), 2, "exact") == (schedule.makespan, schedule.peak, schedule.certainty)


def test_a_freed_worker_does_not_wait_for_the_others() -> None:
    """Unequal work: the third starts when the first of two ends."""
    schedule = simulate([Job("long", "file", 5.0), Job("short", "file", 1.0), Job("next", "file", 1.0)], 2)
    assert at(0, 0, 1) == starts(schedule.tasks)
    assert 1 == schedule.tasks[2].lane


def test_names_are_bound_by_the_threshold_and_let_files_pass() -> None:
    """Four names and two files at size 4: two names at once, the files beside them at once."""
    schedule = simulate([*(Job(f"n{i}", "name") for i in range(4)), Job("f0", "file"), Job("f1", "file")], 4)
    assert at(0, 0, 1, 1, 0, 0) == starts(schedule.tasks)
    assert (4, 2) == (schedule.peak, schedule.names_peak)


@pytest.mark.parametrize(("size", "expected"), [(1, 0), (2, 10), (3, 10), (4, 10), (5, 10), (6, 10), (8, 10), (16, 10)])
def test_stats_done_before_the_first_of_the_lookups_before_them(size: int, expected: int) -> None:
    """Ten stats after 24 lookups of 300 ms, counted on Node 20, 24 and 26: the guard protects nothing at size 1."""
    lookups = [Job(f"n{i}", "name", 0.3) for i in range(24)]
    schedule = simulate([*lookups, *(Job(f"s{i}", "file", 0.0001) for i in range(10))], size)
    ends = [task.finished.low for task in schedule.tasks if task.finished is not None]
    assert expected == sum(end < min(ends[:24]) for end in ends[24:])
    assert model.slots(size, "name") == schedule.names_peak
    names_end = max(ends[:24])
    assert 0.3 * model.waves(24, size, "name") == pytest.approx(names_end, abs=0.002)


def test_a_lookup_behind_hashes_waits_for_the_queue() -> None:
    """Row A4: 32 hashes of 208 ms on four slots, then a lookup of 300 ms and a read: both wait 8 service times."""
    jobs = [*(Job(f"h{i}", "cpu", 0.208) for i in range(32)), Job("name", "name", 0.3), Job("read", "file", 0.0)]
    schedule = simulate(jobs, 4, ideal(8))
    assert [1.664, 1.664] == [pytest.approx(task.started.low) for task in schedule.tasks[32:] if task.started]
    assert schedule.makespan.low == pytest.approx(1.964)


def test_a_file_read_behind_lookups_does_not_wait() -> None:
    """Row A3: 32 lookups pending, then a read and a hash: both are done before the first lookup is."""
    jobs = [*(Job(f"n{i}", "name", 0.3) for i in range(32)), Job("read", "file", 0.01), Job("hash", "cpu", 0.1)]
    schedule = simulate(jobs, 4, ideal(2))
    assert at(0, 0) == starts(schedule.tasks[32:])


def test_each_trip_goes_to_the_end_of_the_line() -> None:
    """Two readFiles of four trips on one slot take turns."""
    schedule = simulate([Job("a", "file", 1.0, trips=4), Job("b", "file", 1.0, trips=4)], 1)
    assert [("a", 0.0), ("b", 1.0), ("a", 2.0), ("b", 3.0)] == sorted(
        ((trip.name, trip.started.low) for trip in schedule.trips if trip.started and trip.trip <= 2),
        key=lambda x: x[1],
    )
    assert [Span(7, 7), Span(8, 8)] == [task.finished for task in schedule.tasks]
    assert 8 == len(schedule.trips)


def test_a_job_asked_for_by_a_callback_starts_after_what_waits() -> None:
    """The follower of the first comes behind the third; one with a delay comes later still."""
    jobs = [Job("1", "file"), Job("2", "file", after="1"), Job("3", "file"), Job("4", "file", after="1", at=5.0)]
    schedule = simulate(jobs, 1)
    assert at(0, 2, 1, 6) == starts(schedule.tasks)
    assert at(0, 1, 0, 6) == [task.submitted for task in schedule.tasks]


def test_held_jobs_end_when_they_are_released_from_outside() -> None:
    """Three gates on two slots: 1 opened at 4, 3 opened early at 1 and passing at 4, 2 never."""
    schedule = simulate([held("1"), held("2"), held("3")], 2, releases={"1": 4.0, "3": 1.0})
    assert at(0, 0, 4) == starts(schedule.tasks)
    assert [Span(4, 4), None, Span(4, 4)] == [task.finished for task in schedule.tasks]
    assert [(0.0, 2), (4.0, 1)] == [(step.at, step.low) for step in occupancy(schedule)]


def test_what_is_never_asked_for_has_no_times() -> None:
    """A follower of a job that is held for ever."""
    schedule = simulate([held("1"), Job("2", "file", after="1"), held("3")], 1)
    assert [(Span(0, 0), Span(0, 0), None), (None, None, None), (Span(0, 0), None, None)] == [
        (task.submitted, task.started, task.finished) for task in schedule.tasks
    ]
    assert [0, None, None] == [task.lane for task in schedule.tasks]


def test_held_jobs_decide_with_the_scheduler_which_trips_there_are() -> None:
    """Two callbacks on one core bring two gates, and a file of two trips, to two slots: whoever is late finds no slot, ever."""
    jobs = [
        Job("A"),
        Job("B"),
        Job("H", "file", None, after="A"),
        Job("I", "file", None, after="A"),
        Job("X", "file", 0.1, trips=2, after="B"),
    ]
    schedule = simulate(jobs, 2, ideal(1))
    assert "sampled" == schedule.certainty
    assert ["A", "B", "H", "I", "X"] == [task.name for task in schedule.tasks]
    assert [None, None] == [schedule.tasks[4].started, schedule.tasks[4].finished]
    assert {("X", 1), ("X", 2)} == {(trip.name, trip.trip) for trip in schedule.trips if trip.name == "X"}
    assert 2 == schedule.peak


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["cpu", "file", "name"]),
            st.sampled_from([None, 0.5, 1.0, 3.0]),
            st.integers(1, 2),
            st.integers(0, 9),
        ),
        min_size=1,
        max_size=9,
    ),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_every_program_has_a_schedule(drawn: list[tuple[Kind, float | None, int, int]], size: int, cores: int) -> None:
    """Also where jobs that nobody releases hold slots, and callbacks ask for more: a task each, and no trip that a job has not."""
    jobs: list[Job] = []
    for i, (kind, service, trips, after) in enumerate(drawn):
        kind = "file" if service is None and kind == "cpu" else kind
        jobs.append(Job(f"{i}", kind, service, trips, after=f"{after}" if after < i else None))
    schedule = simulate(jobs, size, ideal(cores))
    assert [job.name for job in jobs] == [task.name for task in schedule.tasks]
    of = {job.name: job.trips for job in jobs}
    assert all(1 <= trip.trip <= of[trip.name] for trip in schedule.trips)
    assert len(schedule.trips) == len({(trip.name, trip.trip) for trip in schedule.trips})
    assert schedule.peak <= size


@given(
    st.lists(st.tuples(st.sampled_from(["file", "name"]), st.booleans()), min_size=1, max_size=12),
    st.integers(1, 7),
    st.randoms(use_true_random=False),
)
def test_the_clock_and_the_controller_say_the_same_of_held_work(
    drawn: list[tuple[Kind, bool]], size: int, random: object
) -> None:
    """Two implementations of one rule: with a release a second, both see the same starts and ends."""
    jobs = [held(f"{kind}{i}", kind) for i, (kind, _) in enumerate(drawn)]
    order = [job.name for job, (_, opens) in zip(jobs, drawn, strict=True) if opens]
    random.shuffle(order)  # type: ignore[attr-defined]  # a random.Random
    pool = Pool(size)
    pool.submit(*jobs)
    schedule = simulate(jobs, size, releases={name: float(i) for i, name in enumerate(order, 1)})
    for moment in range(len(order) + 1):
        if moment:
            pool.release(order[moment - 1])
        begun = {task.name for task in schedule.tasks if task.started and task.started.low <= moment}
        ended = {task.name for task in schedule.tasks if task.finished and task.finished.low <= moment}
        assert set(pool.started) == begun
        assert set(pool.finished) == ended


@given(
    st.lists(
        st.builds(
            Job,
            name=st.just(""),
            kind=st.sampled_from(["cpu", "file", "name"]),
            service=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
            trips=st.integers(1, 3),
            at=st.sampled_from([0.0, 0.0, 1.0, 2.5]),
        ),
        min_size=1,
        max_size=10,
    ),
    st.integers(1, 5),
    st.integers(1, 3),
)
def test_invariants_of_every_schedule(drawn: list[Job], size: int, cores: int) -> None:
    """Submit before start before end; lanes never overlap; no more slots than there are; work is never lost."""
    jobs = [Job(f"{i}", job.kind, job.service, job.trips, job.at) for i, job in enumerate(drawn)]
    schedule = simulate(jobs, size, ideal(cores))
    assert sum(job.trips for job in jobs) == len(schedule.trips)
    assert schedule.names_peak <= model.slots(size, "name")
    for trip in (*schedule.trips, *schedule.tasks):
        assert trip.submitted is not None
        assert trip.started is not None
        assert trip.finished is not None
        assert trip.submitted.low <= trip.started.low <= trip.started.high <= trip.finished.high
        assert trip.finished.high <= schedule.makespan.high
    if schedule.certainty == "exact":
        for lane in range(size):
            own = sorted((t.started, t.finished) for t in schedule.trips if t.lane == lane and t.started and t.finished)
            assert all(end.low <= start.low + 1e-9 for (_, end), (start, _) in zip(own, own[1:], strict=False))
        steps = occupancy(schedule)
        assert all(0 <= step.low == step.high <= size for step in steps)
        assert (0, 0) == (steps[-1].low, steps[-1].high) or not steps


@pytest.mark.parametrize(
    ("tasks", "pool", "cores", "kind", "makespan", "peak", "waves"),
    [
        (8, 4, 8, "cpu", (2.0, 2.0), 4, 2),
        (8, 4, 2, "cpu", (4.0, 4.5), 4, 2),
        (8, 8, 8, "cpu", (1.0, 1.0), 8, 1),
        (5, 4, 2, "cpu", (2.5, 3.0), 4, 2),
        (24, 4, 2, "name", (12.0, 12.0), 2, 12),
        (24, 1, 2, "name", (24.0, 24.0), 1, 24),
        (12, 4, 1, "file", (3.0, 3.0), 4, 3),
        (3, 4, 1, "file", (1.0, 1.0), 3, 1),
    ],
)
def test_what_if(
    tasks: int, pool: int, cores: int, kind: Kind, makespan: tuple[float, float], peak: int, waves: int
) -> None:
    """The what-if of the command, in service times: textbook on enough cores, an interval on two."""
    found = what_if(tasks, pool, cores, kind)
    assert (makespan, peak, waves, tasks) == (tuple(found.makespan), found.peak, found.waves, len(found.tasks))


@pytest.mark.parametrize(
    ("jobs", "what"),
    [
        ([Job("1"), Job("1")], "Two jobs"),
        ([Job("1", service=-1.0)], "negative"),
        ([Job("1", at=float("nan"))], "finite"),
        ([Job("1", service=float("inf"))], "finite"),
        ([Job("1", trips=0)], "at least one"),
        ([Job("1", after="2")], "no job is called"),
        ([Job("1", after="2"), Job("2", after="1")], "own end"),
    ],
)
def test_programs_that_cannot_be_are_refused(jobs: list[Job], what: str) -> None:
    """With the job's name and what is the matter."""
    with pytest.raises(ModelError, match=what):
        simulate(jobs, 2)


def test_pools_and_releases_that_cannot_be_are_refused() -> None:
    """No slot, more than libuv allows, a release of what is not held or of no moment, no task."""
    for size in (0, 1025):
        with pytest.raises(ModelError, match="1024"):
            simulate([Job("1")], size)
    with pytest.raises(ModelError, match="no held job"):
        simulate([Job("1")], 2, releases={"1": 1.0})
    with pytest.raises(ModelError, match="not negative"):
        simulate([held("1")], 2, releases={"1": -1.0})
    with pytest.raises(ModelError, match="At least one task"):
        what_if(0, 4, 2, "cpu")


def test_the_edge_sizes_work() -> None:
    """One slot, 1,024 slots, no job."""
    assert Span(3, 3) == simulate([Job(str(i), "name") for i in range(3)], 1).makespan
    assert 512 == simulate([Job(str(i), "name") for i in range(2000)], 1024).names_peak
    assert (Span(0, 0), 0) == ((empty := simulate([], 4)).makespan, empty.peak)
