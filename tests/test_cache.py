"""Small results that outlive a process."""

from __future__ import annotations

from labs import cache


def test_a_value_is_kept_for_its_fingerprint_until_it_expires() -> None:
    """Another fingerprint or a later moment finds nothing."""
    cache.keep("thing", [1.0, 2.0], "mark", seconds=100, now=1000.0)

    assert [1.0, 2.0] == cache.kept("thing", list[float], "mark", 100, now=1099.0)
    assert cache.kept("thing", list[float], "other", 100, now=1099.0) is None
    assert cache.kept("thing", list[float], "mark", 100, now=1100.0) is None


def test_a_clock_that_was_set_back_does_not_prolong_it() -> None:
    """What would hold for longer than it can have been kept for is not believed."""
    cache.keep("thing", [1.0], "mark", seconds=100, now=5000.0)

    assert cache.kept("thing", list[float], "mark", 100, now=1000.0) is None


def test_a_damaged_or_foreign_file_is_as_good_as_none() -> None:
    """Nobody meets a traceback because of a cache."""
    for text in (b"", b"{", b'{"fingerprint": "mark", "until": 2000, "value": ["x"]}', b"\xff"):
        (cache.folder() / "thing.json").write_bytes(text)
        assert cache.kept("thing", list[float], "mark", 1e9, now=1000.0) is None


def test_forgetting_is_allowed_when_there_is_nothing() -> None:
    """Twice forgotten is forgotten."""
    cache.keep("thing", 1, "mark", seconds=100, now=1000.0)
    cache.forget("thing")
    cache.forget("thing")

    assert cache.kept("thing", int, "mark", 100, now=1000.0) is None


def test_a_fingerprint_depends_on_every_part_and_on_nothing_else() -> None:
    """Equal values, equal digest."""
    assert cache.fingerprint([0, 1], "a", None) == cache.fingerprint([0, 1], "a", None)
    assert cache.fingerprint([0, 1], "a", None) != cache.fingerprint([0, 2], "a", None)
