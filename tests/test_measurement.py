"""The record: what is accepted, and what is refused with the path of the field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs import measurement
from labs.errors import FourThreadsError, RecordError


def plain(**changes: Any) -> dict[str, Any]:
    """Return a sound record as plain data, with some of its fields changed."""
    script = measurement.script_of("fs.open(gate(1), 'r', () => done(1))")
    return {
        "schema": 1,
        "lab": "gates",
        "measure": "start",
        "parameters": {"pool": 2, "tasks": 3},
        "seed": 7,
        "draw": 0,
        "node": {"version": "v24.19.0", "uv": "1.52.1"},
        "machine": {"cores": 2},
        "room": "here",
        "script": {"text": script.text, "sha256": script.sha256},
        "runs": [run()],
        "clock": {"wall": 1.0, "monotonic": 2.0, "boot": "0123"},
    } | changes


def run(**changes: Any) -> dict[str, Any]:
    """Return a sound run of three held opens on two slots, with some of its fields changed."""
    return {
        "name": "start",
        "counts": {"pool_threads": 2, "held_slots": 2},
        "sources": {"pool_threads": "observed", "held_slots": "observed"},
        "tasks": [
            {"name": "1", "kind": "file", "submitted": 0.1, "started": 0.2, "finished": 0.5, "lane": 0},
            {"name": "2", "kind": "file", "submitted": 0.1, "started": 0.2, "lane": 1},
            {"name": "3", "kind": "file", "submitted": 0.1, "started": 0.5, "lane": 0},
        ],
        "steps": [{"action": "start", "slots": ["1", "2"], "waiting": ["3"]}],
    } | changes


def decoded(data: dict[str, Any]) -> measurement.Record:
    """Decode plain data as it would come from a file."""
    return measurement.decode(json.dumps(data).encode())


def test_a_sound_record_survives_a_round_trip() -> None:
    """What was encoded decodes to an equal record."""
    record = decoded(plain())

    assert record == measurement.decode(measurement.encode(record))


DAMAGE: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": (plain(colour="red"), "$"),
    "unknown key deep inside": (
        plain(runs=[run(tasks=[{"name": "1", "kind": "file", "pace": 1}])]),
        "$.runs[0].tasks[0]",
    ),
    "wrong type": (plain(seed="seven"), "$.seed"),
    "negative time": (plain(clock={"wall": -1.0, "monotonic": 2.0, "boot": "0"}), "$.clock.wall"),
    "no cores": (plain(machine={"cores": 0}), "$.machine.cores"),
    "future schema": (plain(schema=2), "$.schema"),
    "a room that does not exist": (plain(room="moon"), "$.room"),
    "a script that is not the one that was hashed": (plain(script={"text": "x", "sha256": "0"}), "$.script.sha256"),
    "a count without a source": (plain(runs=[run(sources={"pool_threads": "observed"})]), "$.runs[0].sources"),
    "more held than slots": (
        plain(runs=[run(counts={"pool_threads": 2, "held_slots": 3}, steps=[])]),
        "$.runs[0].counts.held_slots",
    ),
    "more slots than threads": (
        plain(runs=[run(steps=[{"action": "start", "slots": ["1", "2", "3"]}])]),
        "$.runs[0].steps[0].slots",
    ),
    "a task in two places": (
        plain(runs=[run(steps=[{"action": "start", "slots": ["1", "2"], "waiting": ["2"]}])]),
        "$.runs[0].steps[0]",
    ),
    "a task in two slots": (plain(runs=[run(steps=[{"action": "start", "slots": ["1", "1"]}])]), "$.runs[0].steps[0]"),
    "an end before its start": (
        plain(runs=[run(tasks=[{"name": "1", "kind": "cpu", "started": 2.0, "finished": 1.0}])]),
        "$.runs[0].tasks[0].finished",
    ),
    "two tasks in one lane at once": (
        plain(
            runs=[
                run(
                    tasks=[
                        {"name": "1", "kind": "cpu", "started": 0.0, "finished": 2.0, "lane": 0},
                        {"name": "2", "kind": "cpu", "started": 1.0, "finished": 3.0, "lane": 0},
                    ]
                )
            ]
        ),
        "$.runs[0].tasks[1].started",
    ),
    "a callback before the one it follows": (
        plain(
            runs=[
                run(
                    callbacks=[
                        {"name": name, "kind": "tick", "phase": "poll", "asked_in": "file", "asked_id": 2, "at": at}
                        for name, at in (("a", 0.2), ("b", 0.1))
                    ]
                )
            ]
        ),
        "$.runs[0].callbacks[1].at",
    ),
    "a lane beyond the pool": (
        plain(runs=[run(tasks=[{"name": "1", "kind": "cpu", "started": 0.0, "lane": 2}])]),
        "$.runs[0].tasks",
    ),
}


@pytest.mark.parametrize(("data", "path"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_record_is_refused_with_the_path_of_the_field(data: dict[str, Any], path: str) -> None:
    """The error names the field, so that a person can look at it."""
    with pytest.raises(RecordError) as refused:
        decoded(data)

    assert path == refused.value.path


RAW: dict[str, bytes] = {
    "empty": b"",
    "cut": json.dumps(plain()).encode()[:-40],
    "not UTF-8": b'{"schema": 1, "lab": "\xff"}',
    "deeply nested": b'{"schema":1,"runs":' + b"[" * 100_000,
    "deeply nested claims": json.dumps(plain()).encode().replace(b'"name": "start",', b'"claims":' + b'{"a":' * 90_000),
    "not a number": json.dumps(plain()).encode().replace(b'"wall": 1.0', b'"wall": NaN'),
    "infinite": json.dumps(plain()).encode().replace(b'"wall": 1.0', b'"wall": Infinity'),
    "beyond a float": json.dumps(plain()).encode().replace(b'"wall": 1.0', b'"wall": 1e999'),
    "a list": b"[]",
    "too long": b" " * (measurement.LARGEST_RECORD + 1),
}


@pytest.mark.parametrize("data", RAW.values(), ids=RAW.keys())
def test_bytes_that_are_no_record_are_refused(data: bytes) -> None:
    """Whatever the bytes are, the answer is our own error and nothing else."""
    with pytest.raises(RecordError) as refused:
        measurement.decode(data)

    assert refused.value.path.startswith("$")


@given(st.binary(max_size=200))
def test_random_bytes_never_get_past_our_own_error(data: bytes) -> None:
    """A decoder that crashes is a decoder that can be attacked."""
    with pytest.raises(FourThreadsError):
        measurement.decode(data)


@given(st.data())
def test_a_record_with_one_byte_changed_is_refused_or_still_consistent(data: st.DataObject) -> None:
    """A flipped byte is either refused, or gives another record that passes every check."""
    good = json.dumps(plain()).encode()
    place = data.draw(st.integers(0, len(good) - 1))
    changed = good[:place] + bytes([data.draw(st.integers(0, 255))]) + good[place + 1 :]

    try:
        record = measurement.decode(changed)
    except RecordError:
        return

    measurement.check(record)
