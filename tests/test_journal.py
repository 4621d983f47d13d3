"""The journal: append-only, chained, strict on the way in."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from labs import acts, journal
from labs.errors import RecordError, SetupError
from labs.journal import Entry, Journal


@pytest.fixture
def three(tmp_path: Path) -> Journal:
    """A journal of three entries."""
    it = Journal(tmp_path, "gates")
    for level in (1, 2, 3):
        it.append("hint", {"thing": "state", "level": level})
    return it


def lines(it: Journal) -> list[bytes]:
    """Return the lines on disk."""
    return it.path.read_bytes().splitlines(keepends=True)


def test_entries_come_back_as_they_were_written(three: Journal) -> None:
    """In order, numbered from 0."""
    assert [0, 1, 2] == [entry.number for entry in three]
    assert [1, 2, 3] == [entry.body["level"] for entry in three]


@pytest.mark.parametrize("change", ["edit", "drop", "swap", "double"])
def test_what_was_changed_afterwards_is_refused(three: Journal, change: str) -> None:
    """An entry edited, missing, moved or doubled breaks the chain, and the text names the place."""
    first, second, third = lines(three)
    whole = {
        "edit": [first, second.replace(b'"level":2', b'"level":9'), third],
        "drop": [first, third],
        "swap": [second, first, third],
        "double": [first, second, second, third],
    }[change]
    with pytest.raises(RecordError, match="line|entry"):
        journal.decode(b"".join(whole))


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"{", b"[" * 100_000, b'{"schema": 2}', b"null", b'{"a": NaN}'])
def test_what_is_no_entry_is_refused(damage: bytes) -> None:
    """Not UTF-8, cut, deeply nested, of the future, nothing."""
    with pytest.raises(RecordError):
        journal.decode_entry(damage)


def test_entries_found_twice_are_one(three: Journal) -> None:
    """The journal and the outputs of cells hold the same entries."""
    entries = three.entries()
    assert entries == journal.merge([*entries[1:], *entries, entries[0]])


def test_two_notebooks_on_one_journal_take_turns(tmp_path: Path) -> None:
    """Each append reads what the other wrote."""
    one, other = Journal(tmp_path, "gates"), Journal(tmp_path, "gates")
    for _ in range(3):
        one.append("skip", {})
        other.append("skip", {})
    assert list(range(6)) == [entry.number for entry in one]


def test_a_body_is_read_strictly(three: Journal) -> None:
    """A key that is none of its kind is refused with its path."""
    entry: Entry = msgspec.structs.replace(three.entries()[0], body={"thing": "state", "level": 1, "extra": 2})
    with pytest.raises(RecordError, match=r"\$\.body"):
        acts.body(entry)


def test_a_line_that_was_never_finished_costs_that_line_only(three: Journal) -> None:
    """What a crash or a full disk leaves behind is passed over, and the next entry takes its place."""
    whole = three.path.read_bytes()
    three.path.write_bytes(whole[:-20])
    assert [0, 1] == [entry.number for entry in three]
    three.append("hint", {"thing": "state", "level": 7})
    assert [1, 2, 7] == [entry.body["level"] for entry in three]


def test_a_last_line_without_its_end_of_line_is_whole(three: Journal) -> None:
    """Some editors leave it out on saving."""
    three.path.write_bytes(three.path.read_bytes().rstrip())
    three.append("hint", {"thing": "state", "level": 7})
    assert [1, 2, 3, 7] == [entry.body["level"] for entry in three]


def test_a_damaged_journal_says_which_file_and_what_to_do(three: Journal) -> None:
    """A line in the middle that cannot be read is no crash of ours; nothing is written behind it."""
    first, second, third = lines(three)
    three.path.write_bytes(first + second[:-20] + b"\n" + third)
    before = three.path.read_bytes()
    with pytest.raises(RecordError, match=r"journal.jsonl, line 2.*move it away but keep it"):
        three.append("hint", {"thing": "state", "level": 7})
    assert before == three.path.read_bytes()


def test_a_journal_that_cannot_be_read_or_written_is_said_in_words(tmp_path: Path) -> None:
    """A folder in its place, or a file where its folder should be."""
    (tmp_path / "one" / journal.FILE_NAME).mkdir(parents=True)
    (tmp_path / "two").write_text("")
    with pytest.raises(SetupError, match="is a folder, where a plain file was expected"):
        Journal(tmp_path / "one", "gates").entries()
    with pytest.raises(SetupError, match="cannot be written"):
        Journal(tmp_path / "two", "gates").append("skip", {})
