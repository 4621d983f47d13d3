"""labs.poolsize: what libuv makes of UV_THREADPOOL_SIZE. Values counted on real Node stand in the facts this course rests on."""

from __future__ import annotations

import pytest

from labs.poolsize import in_force, version


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (4, None), (1, "0"), (1, ""), (1, "abc"), (1, "0x10"), (1, "1e3"), (1024, "-1"), (1024, "1025"), (1024, 1024),
        (6, " 6"), (6, "6x"), (5, "+5"), (2, "2.9"), (8, "8abc"), (5, "4294967301"), (6, "000000000000006"), (3, 3), (1, 0),
    ],
)  # fmt: skip
def test_odd_values_become_the_size_that_was_counted(expected: int, value: int | str | None) -> None:
    """C's atoi, into an unsigned int: 0 becomes 1, more than 1024 becomes 1024."""
    assert expected == in_force(value, "1.52.1")


@pytest.mark.parametrize(("expected", "uv"), [(6, "1.51.0"), (4, "1.52.0"), (4, "1.52.1")])
def test_sixteen_characters_are_ignored_since_libuv_1_52(expected: int, uv: str) -> None:
    """From 1.52 on the value is read into a buffer of 16 bytes; one that does not fit counts as unset."""
    assert expected == in_force("0000000000000006", uv)


def test_versions_compare_as_numbers() -> None:
    """1.9 is older than 1.52, also with a suffix."""
    assert version("1.9.0-dev1") < version("1.52.1")
