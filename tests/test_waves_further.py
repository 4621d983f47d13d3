"""What stands under "further" in ``waves``: the knee, the trips of a gzip, the loop beside hashes. Counts only."""

from __future__ import annotations

import pytest

from course.reply import WIDTH, wrapped
from labs import model, rooms
from labs.acts import freeze
from labs.capacity import ideal
from labs.errors import SetupError
from labs.measurement import Machine, Record, Run
from labs.request import Request
from labs.spec import Scene, Shape
from labs.waves import curious, further
from tests import classroom
from tests.hashroom import LAB


@pytest.mark.parametrize(
    ("work", "cores", "expected"),
    [
        ("computing", 1, 1),
        ("computing", 2, 2),
        ("computing", 8, 8),
        ("waiting", 1, 16),
        ("waiting", 8, 16),
        ("mixed", 2, 4),
    ],
)
def test_the_knee_lies_where_cores_or_tasks_end(work: str, cores: int, expected: int) -> None:
    """Computing gains up to the cores, waiting up to the tasks, half and half in between."""
    times = tuple(curious.expected(work, 16, size, ideal(cores)) for size in further.SIZES)
    assert expected == curious.knee(further.SIZES, times)


def measure(slug: str, **parameters: int | str | None) -> Record:
    """Measure here, small."""
    return rooms.measure(Request(lab="waves", measure=slug, parameters={**parameters}, smoke=True))


def shown(record: Record) -> tuple[str, ...]:
    """Return the answer to a record, after a look at its form."""
    look = LAB.measure(record.measure).look
    assert look is not None
    lines = look(Scene(freeze(dict(record.parameters)), Shape(record.machine.cores), record))
    assert 7 >= len(wrapped(lines)) and WIDTH >= max(map(len, wrapped(lines)))
    return lines


@pytest.mark.node
@pytest.mark.parametrize("kilobytes", [1, 16, 100, 1024])
def test_a_gzip_makes_as_many_jobs_as_the_model_says(kilobytes: int) -> None:
    """``written // 16 KiB + 2`` a call, counted in the pool's own trace; never more at a time than there are slots."""
    record = measure("gzip", pool=None, tasks=3, kilobytes=kilobytes)
    counts = record.runs[0].counts

    assert 3 * model.gzip_trips(counts["written"]) == counts["jobs"]
    assert counts["written"] >= kilobytes * 1024 and 1 <= counts["at_once"] <= 3
    assert "By the model" in shown(record)[0]
    assert "gzip" in record.script.text  # the record holds the script that ran


@pytest.mark.node
@pytest.mark.parametrize("work", further.WORK)
def test_every_task_of_the_knee_is_done_on_every_size(work: str) -> None:
    """Gates are opened as somebody stands at them, hashes compute, and all are reported."""
    record = measure("knee", tasks=6, work=work)

    assert [f"{size} slots" for size in further.SIZES] == [run.name for run in record.runs]
    assert {6} == {run.counts["done"] for run in record.runs}
    assert len(shown(record)) > 4


def knee_record(machine: Machine, ms: tuple[int, ...]) -> Record:
    """Return the record of a knee of sixteen hashes that took so long on each size."""
    runs = [
        Run(name=f"{size} slots", counts={"ms": took, "done": 16}) for size, took in zip(further.SIZES, ms, strict=True)
    ]
    asked = Request(lab="waves", measure="knee", parameters={"tasks": 16, "cores": None, "work": "computing"})
    return classroom.recorded(asked, runs, machine.cores, machine=machine)


def test_under_a_quota_the_knee_is_told_in_times_of_one_as_long_as_it_lasts_there() -> None:
    """Half a CPU: a hash of 0.175 processor seconds lasts 0.35 s and more threads get nothing more done, so 16 on every size."""
    half = Machine(cores=2, quota=0.5, quota_period=0.1)
    lines = shown(knee_record(half, (5600, 5590, 5610, 5600, 5620)))
    assert ["measured", "16", "16", "16", "16", "16.1"] == lines[2].split()
    assert ["model", "16", "16", "16", "16", "16"] == lines[3].split()
    assert "by the model: 1 slot; measured: 1." in lines[4]


@pytest.mark.node
def test_waiting_takes_a_round_for_each_group_of_slots() -> None:
    """One slot holds six gates one after the other, each for its time; no round is shorter."""
    record = measure("knee", tasks=6, work="waiting")
    assert record.runs[0].counts["ms"] >= 6 * 50


@pytest.mark.node
def test_the_loop_ticks_beside_hashes() -> None:
    """Both sizes are watched to their end."""
    record = measure("loop", tasks=8)

    assert {8} == {run.counts["done"] for run in record.runs}
    assert all(run.counts["ticks"] > 0 and run.counts["gap_ms"] > 0 for run in record.runs)
    assert len(shown(record)) == 5


@pytest.mark.node
def test_work_that_is_not_known_is_refused() -> None:
    """The message says what there is."""
    with pytest.raises(SetupError, match="computing, waiting, mixed"):
        measure("knee", tasks=2, work="sleeping")
