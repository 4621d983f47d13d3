"""The lab ``waves`` on real Node: counts that load cannot change, and pairs of runs."""

from __future__ import annotations

import pytest

from labs import affinity, ratio, rooms
from labs.calibrate import Timing, timing
from labs.capacity import capacity_of
from labs.cgroup import Quota
from labs.errors import ScriptError, SetupError
from labs.measurement import Machine, Noise, Record
from labs.request import Request
from labs.waves import conduct, expect
from tests.busy import busy

pytestmark = pytest.mark.node

PRELUDE = """
import { pbkdf2, pbkdf2Sync } from 'node:crypto';
import { promisify } from 'node:util';
const hash = (back) => pbkdf2('a', 'b', parameters.rounds, 64, 'sha512', back);
const later = () => promisify(pbkdf2)('a', 'b', parameters.rounds, 64, 'sha512');
"""
SCRIPTS = {
    "all at once, by promises": "await Promise.all(Array.from({ length: n }, async (_, i) => { await later(); done(i + 1); }));",
    "awaits in turn": "for (let i = 1; i <= n; i++) { await later(); done(i); }",
    "one by one": "const next = (i) => i <= n && hash(() => { done(i); next(i + 1); }); next(1);",
    "sync": "for (let i = 1; i <= n; i++) { pbkdf2Sync('a', 'b', parameters.rounds, 64, 'sha512'); done(i); }",
    "no report": "for (let i = 1; i <= n; i++) hash(() => {});",
    "reports too early": "for (let i = 1; i <= n; i++) { hash(() => {}); done(i); }",
    "two at a time": "for (let i = 1; i <= n; i += 2) { await Promise.all([later(), later()]); done(i); done(i + 1); }",
    "one too few": "for (let i = 1; i < n; i++) hash(() => done(i));",
    "nothing": "",
}
#: pool_threads, started, asked_first, asked, finished, done
EXPECTED = {
    "all at once, by promises": (3, 3, 7, 7, 7, 7),
    "awaits in turn": (3, 1, 1, 7, 7, 7),
    "one by one": (3, 1, 1, 7, 7, 7),
    "sync": (0, 0, 0, 0, 0, 7),
    "no report": (3, 3, 7, 7, 7, 0),
    "reports too early": (3, 3, 7, 7, 7, 7),
    "two at a time": (3, 2, 2, 8, 8, 7),
    "one too few": (3, 3, 6, 6, 6, 6),
    "nothing": (0, 0, 0, 0, 0, 0),
}


def measure(
    measure: str = "hashes", script: str | None = None, machine: Machine | None = None, **parameters: int | None
) -> Record:
    """Measure here, with a smoke run's single pair."""
    return rooms.measure(
        Request(lab="waves", measure=measure, parameters={**parameters}, script=script, machine=machine, smoke=True)
    )


def counts(record: Record, *names: str) -> tuple[int, ...]:
    """Return counts of the first run."""
    return tuple(record.runs[0].counts[name] for name in names)


@pytest.mark.parametrize(("pool", "threads"), [(1, 1), (2, 2), (None, 4), (6, 6), (8, 8)])
def test_as_many_hashes_start_as_there_are_slots(pool: int | None, threads: int) -> None:
    """Four of eight on any machine; the rest wait in the one line."""
    record = measure(pool=pool, tasks=8)

    assert (threads, min(threads, 8), 8, 8) == counts(record, "pool_threads", "started", "asked_first", "done")


def test_fewer_hashes_than_slots_all_start() -> None:
    """Nobody waits behind two."""
    assert (4, 2, 0) == counts(measure(pool=4, tasks=2), "pool_threads", "started", "early")


def test_every_hash_has_its_times_and_its_lane() -> None:
    """Asked for, then started, then finished, in a lane of the pool."""
    run = measure(pool=3, tasks=7).runs[0]

    assert [str(i) for i in range(1, 8)] == [task.name for task in run.tasks]
    assert {0, 1, 2} == {task.lane for task in run.tasks}
    assert all((task.submitted or 0) <= (task.started or 0) < (task.finished or 0) for task in run.tasks)


def test_workers_computed_all_of_it_and_the_loop_none() -> None:
    """The processor seconds of the hashes are the workers'; what Node needs to start and end is less than half of them."""
    run = measure(pool=3, tasks=7).runs[0]

    assert 3 == len(run.threads)
    assert all(thread.role == "worker" and thread.cpu > 0 for thread in run.threads)
    assert 2 * run.counts["on_main"] < 7


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_slip_in_a_script_is_seen_by_count(name: str) -> None:
    """No clock is needed to tell them apart."""
    record = measure(script=PRELUDE + SCRIPTS[name], pool=3, tasks=7)

    assert EXPECTED[name] == counts(record, "pool_threads", "started", "asked_first", "asked", "finished", "done")


def test_hashes_on_the_loop_s_own_thread_are_seen_there() -> None:
    """``pbkdf2Sync`` leaves the pool unborn and the main thread busy."""
    (on_main,) = counts(measure(script=PRELUDE + SCRIPTS["sync"], pool=3, tasks=7), "on_main")

    assert on_main > 0


def test_reports_that_come_before_the_hash_ended_are_early() -> None:
    """All seven were reported before anything had ended."""
    assert (7,) == counts(measure(script=PRELUDE + SCRIPTS["reports too early"], pool=3, tasks=7), "early")
    assert (0,) == counts(measure(script=PRELUDE + SCRIPTS["all at once, by promises"], pool=3, tasks=7), "early")


def test_counts_hold_beside_two_busy_processes() -> None:
    """Load changes times, not counts."""
    with busy(2):
        record = measure(pool=4, tasks=8)

    assert (4, 4, 8, 8, 8) == counts(record, "pool_threads", "started", "asked_first", "finished", "done")


def test_where_no_times_are_asked_for_only_counts_are_made() -> None:
    """A trial of counts: the run that is counted, without the larger pool beside it, without pairs, and no word about times."""
    machine = Machine(cores=2, capacity=(1.0, 1.0))
    asked = Request(
        lab="waves", measure="all at once", parameters={"pool": 2, "tasks": 4, "more": 3}, machine=machine, noise=Noise(floor=9.0),
        times=False,
    )  # fmt: skip
    record = rooms.measure(asked, "here")

    assert [2] == [run.counts["started"] for run in record.runs]
    assert () == record.pairs
    assert () == record.warnings


def test_pairs_come_with_a_control() -> None:
    """One pair in a smoke run; three numbers that are times and a capacity."""
    record = measure("all over one", machine=Machine(cores=2, capacity=(1.0, 1.9)), pool=1, tasks=8)

    (pair,) = record.pairs
    assert (expect.ALL_OVER_ONE, "numerator") == (pair.name, pair.first)
    assert pair.numerator > pair.denominator > 0
    assert pair.control > 0


def test_more_slots_watches_both_pools() -> None:
    """Two watched runs, and pairs of one over the other."""
    record = measure("more slots", machine=Machine(cores=2, capacity=(1.0, 1.9)), pool=3, than=2, tasks=4)

    assert ["3 slots", "2 slots"] == [run.name for run in record.runs]
    assert [3, 2] == [run.counts["started"] for run in record.runs]
    assert [expect.MORE_SLOTS] == [pair.name for pair in record.pairs]


def test_on_one_core_by_affinity_the_counts_are_the_same() -> None:
    """Slots are libuv's, cores are the machine's; the record says those that the run had, else all."""
    record = measure(pool=4, tasks=8, cores=1)
    assert (4, 4, 8) == counts(record, "pool_threads", "started", "finished")
    assert 1 == record.machine.cores
    assert len(affinity.mask()) == measure(pool=2, tasks=2).machine.cores


def test_a_script_whose_counts_are_off_is_not_timed() -> None:
    """The counts name it; times could add nothing."""
    record = measure(
        "all over one", PRELUDE + SCRIPTS["awaits in turn"], Machine(cores=2, capacity=(1.0, 1.9)), pool=2, tasks=3
    )

    assert () == record.pairs


def test_a_disturbed_calibration_is_said_and_nothing_is_timed() -> None:
    """Better no pairs than pairs that nobody may judge."""
    asked = Request(
        lab="waves", measure="all over one", parameters={"pool": 2, "tasks": 2},
        machine=Machine(cores=2, capacity=(1.0, 1.2)), noise=Noise(floor=1.6),
    )  # fmt: skip
    record = rooms.measure(asked)

    assert () == record.pairs
    assert any("calibration was disturbed" in warning for warning in record.warnings)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"pool": 4, "tasks": 0}, "tasks must be"),
        ({"pool": 4, "tasks": 8, "cores": 4096}, "cores must be"),
        ({"pool": 4, "tasks": 8, "than": 4}, "larger pool with a smaller"),
    ],
)
def test_requests_that_cannot_be_measured_are_refused(parameters: dict[str, int], said: str) -> None:
    """The message says what was asked for."""
    with pytest.raises(SetupError, match=said):
        rooms.measure(
            Request(
                lab="waves",
                measure="more slots",
                parameters={**parameters},
                machine=Machine(cores=2, capacity=(1.0, 1.9)),
            )
        )


def test_under_a_quota_a_hash_lasts_three_periods_and_more() -> None:
    """At half a CPU 0.175 processor seconds take 0.35 s, three and a half periods; without a quota 0.08 s will do."""
    half = timing(Quota(0.5, 0.1), 2)

    assert pytest.approx(0.175) == conduct.service_time(half, smoke=False)
    assert (0.08, 0.05) == (conduct.service_time(Timing(), smoke=False), conduct.service_time(Timing(), smoke=True))


def test_a_ratio_needs_a_calibrated_machine() -> None:
    """Without one there is nothing to compare with."""
    with pytest.raises(SetupError, match="calibrated"):
        measure("all over one", pool=2, tasks=2)


def test_a_script_that_throws_is_an_error_of_the_script() -> None:
    """Not a verdict."""
    with pytest.raises(ScriptError):
        measure(script="throw new Error('no');", pool=2, tasks=2)


@pytest.mark.parametrize(
    ("name", "calls", "done"),
    [("all at once, by promises", ["crypto.pbkdf2"] * 3, {"1", "2", "3"}), ("sync", ["crypto.pbkdf2Sync"] * 3, {"1", "2", "3"}),
     ("no report", ["crypto.pbkdf2"] * 3, set()), ("nothing", [], set())],
)  # fmt: skip
def test_a_dry_run_sees_the_calls_and_the_reports(name: str, calls: list[str], done: set[str]) -> None:
    """Within a second, with hashes of two milliseconds."""
    found = rooms.rehearse(
        Request(lab="waves", measure="hashes", parameters={"pool": 4, "tasks": 8}, script=PRELUDE + SCRIPTS[name])
    )

    assert found.problem is None
    assert calls == [call.api for call in found.calls]
    assert done == {*found.done_shut, *found.done_open}


@pytest.mark.slow
@pytest.mark.parametrize("load", [0, 2])
def test_the_right_script_never_contradicts(load: int) -> None:
    """Idle or beside two busy processes, calibrated before: PASS or INCONCLUSIVE, never CONTRADICTS."""
    from labs import machine

    found = machine.calibrate()
    with busy(load):
        record = rooms.measure(
            Request(
                lab="waves",
                measure="all over one",
                parameters={"pool": 4, "tasks": 8},
                machine=found.machine,
                noise=found.noise,
            )
        )
    capacity = capacity_of(found.machine)
    accepted = ratio.band(expect.all_over_one(8, 4, capacity), expect.all_over_one_stories(8, 4))
    seen = ratio.final(ratio.judge(record.pairs, accepted, ratio.control(found.machine, found.noise.floor, 4)))

    assert "CONTRADICTS" != seen.outcome, seen
