"""The pool's trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labs import trace
from labs.errors import NoisyError

LOOP, ONE, TWO = 100, 101, 102


def event(ph: str, tid: int, ts: int, tts: int = 0, name: str = "crypto") -> dict[str, Any]:
    """Return an event as Node writes it."""
    side = "async" if ph in "be" else "sync"
    return {
        "pid": 1,
        "tid": tid,
        "ts": ts,
        "tts": tts,
        "ph": ph,
        "cat": f"node,node.threadpoolwork.{side}",
        "name": name,
        "dur": 0,
    }


#: Three hashes on two workers: the first two start at once, the third when the second has ended.
THREE = [
    event("b", LOOP, 1_000_000), event("b", LOOP, 1_000_010), event("b", LOOP, 1_000_020),
    event("B", ONE, 1_000_015, 50), event("B", TWO, 1_000_030, 40),
    event("E", TWO, 1_100_000, 90_040), event("B", TWO, 1_100_005, 90_050),
    event("E", ONE, 1_120_000, 95_050), event("E", TWO, 1_200_000, 170_050),
]  # fmt: skip


def write(folder: Path, events: list[dict[str, Any]]) -> Path:
    """Write a trace file."""
    (folder / "pool.trace").write_text(json.dumps({"traceEvents": events}))
    return folder


def test_trips_are_paired_by_the_one_line(tmp_path: Path) -> None:
    """The k-th that begins is the k-th that was asked for; lanes are numbered as workers come in."""
    found = trace.read(write(tmp_path, THREE))

    assert [0, 1, 1] == [trip.lane for trip in found]
    assert [1.000015, 1.00003, 1.100005] == [trip.started for trip in found]
    assert [1.12, 1.1, 1.2] == [trip.finished for trip in found]
    assert pytest.approx([0.095, 0.09, 0.08]) == [trip.cpu for trip in found]


def test_events_may_stand_in_any_order(tmp_path: Path) -> None:
    """Threads write into one buffer as they come."""
    assert trace.read(write(tmp_path, THREE)) == trace.read(write(tmp_path, THREE[::-1]))


def test_other_kinds_of_work_are_left_out(tmp_path: Path) -> None:
    """A zlib job beside the hashes is another story."""
    other = [
        event("b", LOOP, 999_000, name="zlib"),
        event("B", ONE, 999_001, name="zlib"),
        event("E", ONE, 999_900, name="zlib"),
    ]

    assert 3 == len(trace.read(write(tmp_path, other + THREE)))


def test_what_had_started_before_the_first_end_is_counted(tmp_path: Path) -> None:
    """Two of three; all three were asked for."""
    found = trace.read(write(tmp_path, THREE))
    first = trace.first_end(found)

    assert (1.1, 2, 3) == (first, trace.started_before(found, first), trace.asked_before(found, first))


def test_a_job_that_did_not_end_has_no_end(tmp_path: Path) -> None:
    """What was asked for and never started, or never ended, says so."""
    found = trace.read(write(tmp_path, THREE[:5]))

    assert [(0, None), (1, None), (None, None)] == [(trip.lane, trip.finished) for trip in found]
    assert trace.first_end(found) is None
    assert 2 == trace.started_before(found, None)


def test_tasks_are_relative_to_the_run_and_named_in_order(tmp_path: Path) -> None:
    """Seconds since the run began."""
    tasks = trace.tasks(trace.read(write(tmp_path, THREE)), lambda at: at - 0.5)

    assert ["1", "2", "3"] == [task.name for task in tasks]
    assert pytest.approx((0.50002, 0.600005, 0.7)) == (tasks[2].submitted, tasks[2].started, tasks[2].finished)


def test_no_pool_no_trips(tmp_path: Path) -> None:
    """A trace without jobs is a trace."""
    assert () == trace.read(write(tmp_path, []))


@pytest.mark.parametrize("data", [None, b"", b'{"traceEvents":[{"pid":1', b'{"traceEvents": 3}', b"\xff\xfe"])
def test_a_trace_that_is_not_whole_is_noise_and_no_verdict(tmp_path: Path, data: bytes | None) -> None:
    """Node was killed before it had written: run it again."""
    if data is not None:
        (tmp_path / "pool.trace").write_bytes(data)

    with pytest.raises(NoisyError, match="run the cell again"):
        trace.read(tmp_path)
