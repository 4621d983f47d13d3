"""What ``places`` shows of a path: what is odd about a call, in which order its places come, what speaks against another answer."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from labs.places import paths, reading, voices
from labs.places.facts import CALLS, SIX, SIX_MORE
from labs.spec import Scene, Shape
from tests.test_places_lab import measured


def test_every_surprise_is_named_whichever_call_was_drawn() -> None:
    """A stream, sign with and without a callback, watchFile, localhost against an address, spawn: each row says what is odd."""
    surprises = ("stream", "address", "name", "sign", "promise", "callback", "small", "large", "watch", "poll", "spawn")
    for kind in surprises:
        for slug in (SIX | SIX_MORE)[kind]:
            assert CALLS[slug].note, slug


def test_the_order_of_two_places_is_shown_by_what_was_seen() -> None:
    """Whose server had heard of it with every slot held comes first with the kernel; the evidence says what was seen."""
    scene = Scene({"calls": ("http-name", "spawn"), "pool": 3}, Shape(2))
    record = measured("six", scene)
    full = next(run for run in record.runs if run.name == paths.FULL)
    heard = replace(full, claims={**full.claims, "reached": ["http-name"]})
    other = replace(record, runs=tuple(heard if run is full else run for run in record.runs))
    told = reading.evidence(dataclasses.replace(scene, record=record))

    assert ("PK", "LK") == paths.all_seen(record)
    assert ("KP", "LK") == paths.all_seen(other)
    assert 1 == sum("had heard nothing of it: P comes first" in line for line in told)
    assert 1 == sum("its child was running already" in line for line in told)


@pytest.mark.parametrize(
    ("call", "said", "expected"),
    [
        ("read-file", "PK", "a came back while every other end was silent"),
        ("read-file", "PL", "a was not done before the loop turned"),
        ("read-file", "LPK", "a came back while every other end was silent"),
        ("http-address", "LK", "a was not done before the loop turned"),
        ("http-address", "PK", "a came back with every slot held"),
        ("watch-file", "PK", "a came back while every other end was silent"),
        ("http-name", "KP", "with every slot held the other end had heard nothing of a: the slot comes first"),
        ("http-name", "K", "a stayed away while every slot was held"),
        ("http-name", "P", "a stayed away while the other end was silent"),
        ("spawn", "K", "when a returned, the child was running already"),
        ("spawn", "KL", "when a returned, the child was running already"),
        ("spawn", "L", "a stayed away while the other end was silent"),
        ("spawn", "LPK", "a came back with every slot held"),
        ("hash", "LK", "a was done before the loop turned once"),
    ],
)
def test_what_speaks_against_a_path_is_true_of_the_call(call: str, said: str, expected: str) -> None:
    """A place too many, one too few, another order: each has its own observation."""
    scene = Scene({"calls": (call,), "pool": 3}, Shape(2), answers={"paths": (said,)})
    record = measured("six", scene)

    assert f"But {expected}." == voices.against(dataclasses.replace(scene, record=record))
