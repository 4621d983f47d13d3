"""labs.claims: what a script reports is read strictly."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs.claims import ClaimsFile
from labs.errors import ScriptError


@pytest.fixture
def claims(tmp_path: Path) -> Iterator[ClaimsFile]:
    """A file as a run has it."""
    made = ClaimsFile(tmp_path / "claims.jsonl", 1000)
    yield made
    made.close()


def line(claims: ClaimsFile, **given: object) -> bytes:
    """One line as the harness writes it."""
    return json.dumps({"token": claims.token, "kind": "done", "value": "stat", "at": 1.0, **given}).encode() + b"\n"


def test_lines_are_read_as_they_come(claims: ClaimsFile) -> None:
    """Half a line is left for the next time."""
    text = line(claims) + line(claims, value=2)
    with claims.path.open("ab", buffering=0) as file:
        file.write(text[:-5])
        assert ["stat"] == [claim.value for claim in claims.read()]
        file.write(text[-5:])
    assert ["stat", 2] == [claim.value for claim in claims.read()]


@pytest.mark.parametrize(
    "wrong", [{"token": "0" * 32}, {"kind": "verdict"}, {"at": "now"}, {"points": 10}, {"at": None}]
)
def test_a_line_the_harness_did_not_write_is_refused(claims: ClaimsFile, wrong: dict[str, object]) -> None:
    """Another token, an unknown kind, a wrong type, an unknown key."""
    claims.path.write_bytes(line(claims, **wrong))
    with pytest.raises(ScriptError, match="wrote into the result file itself"):
        claims.read()


@pytest.mark.parametrize("text", [b"not json\n", b"\xff\xfe\n", b"[" * 900 + b"\n", b"\n"])
def test_bytes_that_are_no_claim_are_refused(claims: ClaimsFile, text: bytes) -> None:
    """Damaged text, bytes that are not UTF-8, deep nesting, an empty line."""
    claims.path.write_bytes(text)
    with pytest.raises(ScriptError):
        claims.read()


def test_a_link_in_its_place_is_refused(claims: ClaimsFile, tmp_path: Path) -> None:
    """The file is watched by its identity, not by its name."""
    other = tmp_path / "other"
    other.write_bytes(line(claims))
    claims.path.unlink()
    claims.path.symlink_to(other)
    with pytest.raises(ScriptError, match="replaced the file"):
        claims.read()


def test_a_file_in_its_place_and_none_at_all_are_refused(claims: ClaimsFile) -> None:
    """Removed, or removed and made again."""
    claims.path.unlink()
    with pytest.raises(ScriptError, match="replaced the file"):
        claims.read()
    claims.path.write_bytes(b"")
    with pytest.raises(ScriptError, match="replaced the file"):
        claims.read()


def test_a_file_that_shrank_or_is_too_large_is_refused(claims: ClaimsFile) -> None:
    """What was read once cannot be taken back."""
    claims.path.write_bytes(line(claims))
    claims.read()
    os.truncate(claims.path, 3)
    with pytest.raises(ScriptError, match="cut"):
        claims.read()
    os.truncate(claims.path, 2000)
    with pytest.raises(ScriptError, match="more than 1,000 bytes"):
        claims.read()


def test_an_existing_file_is_never_taken(tmp_path: Path) -> None:
    """It is made by us, or not at all."""
    (tmp_path / "claims.jsonl").symlink_to("/dev/null")
    with pytest.raises(FileExistsError):
        ClaimsFile(tmp_path / "claims.jsonl", 10)
