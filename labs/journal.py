"""What the learner did, in order: an append-only list of entries, chained by digest.

The chain finds accidents and naive edits; it is no proof, since the learner owns the machine. Each notebook output carries
its entry too (media type :data:`MEDIA_TYPE`), so a lone notebook is complete evidence.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from filelock import FileLock
from msgspec import Struct

from labs import plain
from labs.errors import RecordError, SetupError
from labs.measurement import Clock, Count

# Schema history, newest first.
#   1  2026-11-30  first version
SCHEMA = 1
MEDIA_TYPE = "application/vnd.fourthreads.entry+json"
FILE_NAME = "journal.jsonl"
#: A journal larger than this is refused before it is parsed (bytes).
LARGEST_JOURNAL = 64 * 1024 * 1024
START = "0" * 64

EntryKind = Literal[
    "open", "draw", "bet", "record", "script", "answer", "hint", "evidence", "skip", "solution", "fault"
]


class Entry(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One thing the learner did.

    Attributes:
        schema: :data:`SCHEMA`.
        number: Its place, from 0.
        kind: ``open`` (body: course, learner, version), ``draw`` (thing, draw, seed, cores, parameters), ``bet`` (bet, draw,
            answers, sure), ``record`` (thing, record), ``script`` (text, kept, complete), ``answer`` (question, draw,
            answers, right), ``hint`` (thing, level), ``evidence`` (thing), ``skip``, ``solution``, ``fault`` (code, message).
        lab: The lab's slug.
        clock: When it was written.
        body: As above, by kind.
        previous: Digest of the entry before, 64 zeros for the first.
        digest: SHA-256 over all other fields.
    """

    schema: Literal[1]
    number: Count
    kind: EntryKind
    lab: str
    clock: Clock
    body: dict[str, Any]
    previous: str
    digest: str


@cache
def _boot() -> str:
    """Return a digest that is equal within one boot; it cannot be turned back into the machine's own boot id."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_bytes()
    except OSError:
        boot = b"unknown"
    return hashlib.sha256(b"four threads boot " + boot).hexdigest()[:16]


def now() -> Clock:
    """Return the clocks at this moment."""
    return Clock(wall=time.time(), monotonic=time.monotonic(), boot=_boot())


def _digest(entry: Entry) -> str:
    whole = msgspec.to_builtins(entry)
    del whole["digest"]
    return hashlib.sha256(msgspec.json.encode(whole, order="deterministic")).hexdigest()


def make(number: int, kind: EntryKind, lab: str, body: dict[str, Any], previous: str, clock: Clock) -> Entry:
    """Return an entry with its digest."""
    # A trip through JSON, so that the digest does not depend on whether a tuple has become a list yet.
    body = msgspec.json.decode(msgspec.json.encode(body))
    bare = Entry(schema=1, number=number, kind=kind, lab=lab, clock=clock, body=body, previous=previous, digest="")
    return msgspec.structs.replace(bare, digest=_digest(bare))


def decode_entry(data: bytes) -> Entry:
    """Read one entry.

    Raises:
        RecordError: The bytes are not an entry, or its digest is not that of its content.
    """
    try:
        entry = msgspec.json.decode(data, type=Entry)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise RecordError.of(problem) from problem
    if entry.digest != _digest(entry):
        raise RecordError("$.digest", "is not the digest of this entry: it was changed after it was written")
    return entry


def decode(data: bytes) -> tuple[Entry, ...]:
    """Read a journal, one entry a line.

    Raises:
        RecordError: With the line, where an entry cannot be read or the chain is broken.
    """
    if len(data) > LARGEST_JOURNAL:
        raise RecordError("$", f"is {len(data)} bytes long; at most {LARGEST_JOURNAL} are read")
    entries = []
    for line_number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entries.append(decode_entry(line))
        except RecordError as problem:
            raise RecordError(f"line {line_number}: {problem.path}", problem.problem) from problem
    check_chain(entries)
    return tuple(entries)


def check_chain(entries: Iterable[Entry]) -> None:
    """Refuse a list with an entry missing, doubled or moved.

    Raises:
        RecordError: With the number of the first entry that does not follow from the one before.
    """
    previous, expected = START, 0
    for entry in entries:
        if entry.number != expected or entry.previous != previous:
            raise RecordError(
                f"entry {entry.number}", f"does not follow entry {expected - 1}: something is missing or moved"
            )
        previous, expected = entry.digest, expected + 1


def merge(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries found in several places (journal file, cell outputs) once each, in order of their numbers.

    Re-running a cell or losing an output leaves gaps; they are no fault. Two different entries with one number are both kept,
    for whoever judges to flag.
    """
    unique = {entry.digest: entry for entry in entries}
    return tuple(sorted(unique.values(), key=lambda entry: (entry.number, entry.digest)))


AFRESH = "Without it, a new journal is begun with the same numbers, and the outputs in your notebook still count."
#: What to do about a journal that is damaged; whatever of it can still be read counts when it is graded.
RESCUE = (
    "Put a copy of it back if you have one. If not, move it away but keep it, and run this cell again: a new one is begun with the "
    "same numbers, and the outputs in your notebook still count."
)


def _torn(data: bytes) -> int:
    """Return the length of a journal without a last line whose end was never written: what a crash in the middle leaves."""
    whole = data.rfind(b"\n") + 1
    if whole == len(data):
        return whole
    try:
        decode_entry(data[whole:])
    except RecordError:
        return whole
    return len(data)


class Journal:
    """The journal of one lab in its folder: read once, appended to under a lock.

    Raises:
        RecordError: From any method, where the file on disk is damaged; the text says what to do.
        SetupError: From any method, where the folder does not let it be read or written.
    """

    def __init__(self, folder: Path, lab: str) -> None:
        self.path = folder / FILE_NAME
        self.lab = lab
        self._lock = FileLock(str(folder / f".{FILE_NAME}.lock"))

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, oldest first; empty where nothing was done yet."""
        data = self._data()
        try:
            return decode(data[: _torn(data)])
        except RecordError as problem:
            raise RecordError(f"{self.path.name}, {problem.path}", f"{problem.problem}. {RESCUE}") from problem

    def _data(self) -> bytes:
        try:
            return plain.read_if_there(self.path) or b""
        except plain.NotPlain as problem:
            raise SetupError(f"{problem} {AFRESH}") from problem
        except OSError as problem:
            raise SetupError(f"{self.path} cannot be read: {problem.strerror}. {RESCUE}") from problem

    def append(self, kind: EntryKind, body: dict[str, Any]) -> Entry:
        """Write one entry and return it. Two notebooks on one journal take turns; a crash loses at most this entry."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._lock:
                entries = self.entries()
                previous = entries[-1].digest if entries else START
                entry = make(len(entries), kind, self.lab, body, previous, now())
                self._write(msgspec.json.encode(entry) + b"\n")
        except OSError as problem:
            raise SetupError(
                f"Your work cannot be written to {self.path.parent}: {problem.strerror}. What was there stays as it was. Make room, or "
                "make the folder yours to write in, and run this cell again."
            ) from problem
        return entry

    def _write(self, line: bytes) -> None:
        """Add a line, whole or not at all, behind the last whole one."""
        data = self._data()
        size = _torn(data)
        ended = b"" if data[:size].endswith(b"\n") or not size else b"\n"
        with self.path.open("ab") as file:
            file.truncate(size)
            try:
                file.write(ended + line)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                os.ftruncate(file.fileno(), size)
                raise
