"""What this machine can show."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs import affinity, cgroup, machine, ratio
from labs.calibrate import Timing, Work, Workers, timing
from labs.cgroup import Quota
from labs.machine import Calibration, Moment
from labs.measurement import Machine, Noise


def test_points_are_dense_where_cores_are_few_and_sparse_where_they_are_many() -> None:
    """Every k up to 8, then doubling, and always the last."""
    assert (1, 2, 3, 4) == machine.points(4)
    assert (*range(1, 9), 16, 24) == machine.points(24)
    assert (*range(1, 9), 16, 32, 64) == machine.points(64)


def test_curve_takes_medians_and_starts_at_exactly_one() -> None:
    """One thread alone is the unit, whatever its own window said."""
    assert (1.0, 1.9, 1.95) == machine.curve(
        {1: [0.97, 0.99, 0.98], 2: [1.9, 1.2, 1.95], 3: [1.95, 1.95, 1.0]}, cores=2
    )


def test_curve_is_a_straight_line_between_points_and_never_above_k() -> None:
    """Ten threads were not measured; a value above k is an error of the unit."""
    found = machine.curve({1: [1.0], 2: [2.2], 8: [8.0], 12: [10.0]}, cores=16)

    assert 12 == len(found)
    assert (2.0, 9.0) == (found[1], found[9])


def test_curve_is_never_above_the_cores() -> None:
    """Two cores do not do the work of 2.4."""
    assert (1.0, 2.0, 2.0) == machine.curve({1: [1.0], 2: [2.0], 3: [2.4]}, cores=2)


def test_curve_of_a_machine_on_which_nothing_got_done_is_a_curve() -> None:
    """Windows without a single hash are load, not a fault of ours; the floor condemns them."""
    assert (1.0, 0.01) == machine.curve({1: [0.0], 2: [0.0, 0.0]}, cores=2)
    assert 1000.0 == machine.summary(2, None, Timing(), {1: windows(0.0, 0.0), 2: windows(0.0, 0.0)}, 9.0).noise.floor


def test_floor_is_the_ninth_decile_of_repeat_over_repeat() -> None:
    """Nine of ten differences are smaller; one outlier in ten is cut off."""
    quiet = {1: [1.0, 1.01] * 5, 2: [2.0, 2.02] * 5}
    outlier = {1: [1.0] * 10 + [3.0]}

    assert pytest.approx(1.01) == machine.floor(quiet)
    assert pytest.approx(1.0) == machine.floor(outlier)
    assert pytest.approx(1.0) == machine.floor({1: [1.0]})


def test_timing_without_a_quota_that_binds_is_short() -> None:
    """A quota at or above the cores never stops us."""
    assert Timing() == timing(None, 2) == timing(Quota(2.0, 0.1), 2)


def test_timing_under_a_quota_is_whole_periods_after_one_to_settle() -> None:
    """Three periods hold three allowances wherever the window begins; half a core is the most a lone thread gets."""
    half, wide = timing(Quota(0.5, 0.1), 2), timing(Quota(1.5, 0.01), 2)

    assert pytest.approx((0.1, 0.3, 0.5)) == (half.lead, half.window, half.share)
    assert pytest.approx((0.01, 0.06, 1.0)) == (wide.lead, wide.window, wide.share)


def test_work_tells_speed_in_wall_time_and_its_unit_in_processor_time() -> None:
    """100 hashes in the window, 150 in all for 0.075 s of processor time."""
    work = Work(done=(60.0, 40.0), total=(90, 60), cpu=(0.045, 0.030), wait=(None, 0.0), window=0.05)

    assert pytest.approx((2000.0, 2000.0)) == (work.speed, work.unit)


def test_steal_and_throttling_between_two_moments_are_told() -> None:
    """Two percent of stolen time is mentioned, and any throttling the model does not predict."""
    before, after = Moment(1.0, 100.0, 5.0), Moment(2.0, 120.0, 5.5)

    assert 2 == len(machine.disturbances(before, after))
    assert 1 == len(machine.disturbances(before, after, throttling_expected=True))
    assert () == machine.disturbances(before, before)


def test_moment_and_load_are_read_from_proc(tmp_path: Path) -> None:
    """The eighth counter is steal; ours is taken off what runs."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu  100 0 100 700 50 0 0 50 0 0\ncpu0 1\nprocs_running 3\n")

    seen = machine.moment(tmp_path)

    assert seen.steal * 20 == pytest.approx(seen.busy)
    assert 2.0 == machine.load(tmp_path)
    assert machine.load(tmp_path / "nowhere") is None


def windows(*speeds: float, unit: float = 1000.0) -> list[Work]:
    """Return one-worker-sized windows of a second with so many units of work each."""
    return [Work(done=(speed * unit,), total=(int(unit),), cpu=(1.0,), wait=(0.0,), window=1.0) for speed in speeds]


def test_summary_of_a_quiet_machine() -> None:
    """Curve, floor and rate; nothing to warn of."""
    found = machine.summary(2, None, Timing(), {1: windows(1.0, 0.98, 1.0), 2: windows(1.9, 1.95, 1.9)}, 0.0)

    assert (1.0, 1.9) == found.machine.capacity
    assert pytest.approx(1.0263, abs=1e-3) == found.noise.floor
    assert 1_000_000 == found.rate
    assert () == found.warnings


def test_summary_under_load_supports_no_verdict() -> None:
    """Steady load leaves repeats alike; that a lone thread got 60 % of a core still ends up in the noise floor."""
    found = machine.summary(2, None, Timing(), {1: windows(0.6, 0.6, 0.6), 2: windows(1.2, 1.2, 1.2)}, 2.0)

    assert pytest.approx(1 / 0.6, abs=1e-3) == found.noise.floor
    assert 2 == len(found.warnings)
    assert "60% of a core" in found.warnings[0]


def test_summary_under_a_quota_is_in_units_of_a_lone_thread_under_it() -> None:
    """At half a CPU one thread and four get the same done."""
    half = Quota(0.5, 0.1)

    found = machine.summary(2, half, timing(half, 2), {1: windows(0.5, 0.5), 2: windows(0.5, 0.5)}, 0.0)

    assert (1.0, 1.0) == found.machine.capacity
    assert (0.5, 0.1) == (found.machine.quota, found.machine.quota_period)
    assert () == found.warnings


def made(warnings: tuple[str, ...] = ()) -> Calibration:
    """Return a calibration nobody measured."""
    return Calibration(Machine(cores=2, capacity=(1.0, 1.9)), Noise(floor=1.03), 2e6, warnings)


def test_a_calibration_is_measured_once_and_kept() -> None:
    """The second question costs nothing; ``fresh`` asks again."""
    asked: list[int] = []

    def measure() -> Calibration:
        asked.append(1)
        return made()

    assert machine.calibrated(None, "here", measure) == machine.calibrated(None, "here", measure)
    assert 1 == len(asked)
    machine.calibrated(None, "here", measure, fresh=True)
    assert 2 == len(asked)


def test_each_room_and_each_number_of_cores_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's curve says nothing about this machine, and one core's nothing about all."""
    asked: list[int] = []

    def measure() -> Calibration:
        asked.append(1)
        return made()

    for room, count in (("here", None), ("container", None), ("here", 1), ("here", None)):
        machine.calibrated(count, room, measure)

    assert 3 == len(asked)


def test_a_changed_machine_makes_it_void(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another mask, another quota: measured again."""
    whole = machine.fingerprint(None, "here")

    with affinity.on(affinity.narrowed(1)):
        narrow = machine.fingerprint(None, "here")
    monkeypatch.setattr(cgroup, "quota", lambda: Quota(0.25, 0.1))
    limited = machine.fingerprint(None, "here")

    assert 1 + min(machine.cores() - 1, 1) + 1 == len({whole, narrow, limited})


def test_rounds_scale_with_the_machine() -> None:
    """80 ms at two million rounds a second, and never none."""
    assert (160_000, 1) == (made().rounds(0.08), made().rounds(0.0))


@pytest.mark.node
def test_this_machine_can_be_calibrated() -> None:
    """The curve has two points a core, starts at one and never promises more than k; progress reaches its end."""
    steps: list[tuple[int, int]] = []

    found = machine.calibrate(1, lambda done, total: steps.append((done, total)))

    assert (1, 2) == (found.machine.cores, len(found.machine.capacity))
    assert 1.0 == found.machine.capacity[0]
    assert all(0 < value <= k for k, value in enumerate(found.machine.capacity, 1))
    assert found.rate > 0
    assert found.noise.floor is not None
    assert steps[-1][0] == steps[-1][1]
    assert ratio.control(found.machine, found.noise.floor, 2).capacity == found.machine.capacity[1]


@pytest.mark.node
def test_workers_use_threads_of_their_own_and_never_the_pool() -> None:
    """The witness shares nothing with what it is compared to: no pool thread is born in its process."""
    with Workers(Timing(lead=0.001, window=0.01)) as workers:
        work = workers.work(3)
        names = [path.read_text().strip() for path in Path(f"/proc/{workers.pid}/task").glob("*/comm")]

    assert 3 == len(work.done) == len(work.cpu)
    assert "libuv-worker" not in names


@pytest.mark.node
def test_a_window_that_closed_too_early_still_has_a_unit() -> None:
    """A worker that gets its core late does one hash, so that the unit is never a division by zero."""
    with Workers(Timing(lead=0.0, window=0.0)) as workers:
        work = workers.work(2)

    assert (1, 1) == work.total
    assert work.unit > 0


@pytest.mark.node
def test_workers_end_with_the_context() -> None:
    """Nothing is left."""
    with Workers(Timing(lead=0.001, window=0.01)) as workers:
        workers.work(1)
        pid = workers.pid

    assert not Path(f"/proc/{pid}").exists()
