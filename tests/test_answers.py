"""What is typed into a blank: read kindly, and answered in one short sentence whatever it is."""

from __future__ import annotations

import math
from typing import Any

import pytest

from labs.answers import Choice, Count, Kind, One, Opening, Ratio, Refusal, Tasks, Words, read, shown
from labs.phases.kinds import Some
from labs.places.paths import Path
from labs.waves.around import Times

KINDS: tuple[Kind, ...] = (
    Count(0, 12, "requests"), One(1, 9, "tasks"), Tasks(9), Opening(9), Ratio(), Times(), Choice(("a", "b")), Words(("tick", "promise")),
    Some(("tick", "promise")), Path(),
)  # fmt: skip


class Rude:
    """A thing that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


HOSTILE: tuple[Any, ...] = (
    None, True, math.nan, math.inf, -math.inf, 10**400, 10**5000, -(10**5000), "9" * 5000, "a" * 100_000, "1" * 12 + " tick", "\x00", b"4",
    [[]], [[[4]]], list(range(100_000)), range(10**6), {"a": 1}, Rude(), [Rude()], [10**5000], object(), lambda: 1, "٤", "²", "",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
@pytest.mark.parametrize("typed", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_is_typed_is_taken_or_refused_in_a_short_sentence(kind: Kind, typed: Any) -> None:
    """Never anything but a refusal, and never the whole of what was typed in it."""
    try:
        taken = kind.read(typed, {})
    except Refusal as refusal:
        assert 200 > len(str(refusal)) > 10
    else:
        assert 100 > len(kind.say(taken))


def test_a_refusal_names_the_blank_and_what_stood_there() -> None:
    """With several blanks in a cell nobody has to guess which; what stands alone has no name to look for."""
    with pytest.raises(Refusal) as many:
        read("pool", Count(1, 64), 90, {})
    assert "You typed pool=90. Between 1 and 64, please." == str(many.value)
    with pytest.raises(Refusal) as alone:
        read("", Choice(("a", "b")), "z", {})
    assert "You typed 'z'. One of a, b, please." == str(alone.value)


def test_what_can_be_an_answer_is_read_as_its_kind_reads_it() -> None:
    """The name changes nothing."""
    assert 64 == read("pool", Count(1, 64), "64", {})


def test_what_is_quoted_is_short() -> None:
    """Its beginning, or its type where it has no text."""
    assert ("'13'", "a Rude", "a int") == (shown("13"), shown(Rude()), shown(10**5000))
    assert 44 == len(shown("a" * 100))


def test_a_count_without_a_bound_names_none() -> None:
    """Nobody means a million; what is wanted is a whole number."""
    for typed in ("many", -1, None):
        with pytest.raises(Refusal, match=r"^A whole number from 0 on, please\.$"):
            Count().read(typed, {})


def test_what_is_numbered_goes_by_its_own_name() -> None:
    """A line of somebody's module is no task."""
    with pytest.raises(Refusal, match=r"^There is no line 9 here: they are numbered from 1 to 8\.$"):
        Tasks(8, "line").read([1, 9], {})
