"""What a script reports: read strictly, from a file that only the harness should have written to.

Everything here is *claimed*. The script shares its process with the harness and can find the file; the token and the
checks tell a careless forgery from a report, not a determined one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from labs.errors import ScriptError

Kind = Literal["begin", "asked", "done", "report", "error", "exit", "call", "through"]


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing the script, or the harness beside it, said.

    Attributes:
        token: The run's secret.
        kind: ``begin``, ``asked`` (the first part of the script has run), ``done``, ``report``, ``exit``; in a
            rehearsal also ``call``, and ``through`` (all that runs before the loop turns has run).
        value: What it said, as JSON.
        at: When (seconds on the monotonic clock).
    """

    token: str
    kind: Kind
    at: float
    value: Any = None


class ClaimsFile:
    """The file that the harness appends to, made and held open by us before the script exists.

    Raises on reading:
        ScriptError: It is no longer our file, is too large, or holds what the harness did not write.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.token = os.urandom(16).hex()
        self._limit = limit
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._made = os.fstat(self._file)
        self._read = 0
        self._rest = b""
        self._claims: list[Claim] = []

    def read(self) -> list[Claim]:
        """Return all claims up to now."""
        self._check_file()
        size = os.fstat(self._file).st_size
        if size > self._limit:
            raise ScriptError(f"Your script reported more than {self._limit:,} bytes. Report less, or only once.")
        if size < self._read:
            raise ScriptError(
                "Your script cut the file its results are written to. Report with done(...) or report(...)."
            )
        while part := os.pread(self._file, 65536, self._read):
            self._read += len(part)
            self._rest += part
        *lines, self._rest = self._rest.split(b"\n")
        self._claims += map(self._claim, lines)
        return self._claims

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def _check_file(self) -> None:
        try:
            now = os.stat(self.path, follow_symlinks=False)
        except OSError:
            now = None
        if now is None or (now.st_dev, now.st_ino) != (self._made.st_dev, self._made.st_ino):
            raise ScriptError(
                "Your script replaced the file its results are written to (it is gone, a link, or another file). "
                "Report with done(...) or report(...); the next run is not affected."
            )

    def _claim(self, line: bytes) -> Claim:
        try:
            claim = msgspec.json.decode(line, type=Claim)
        except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            claim = None
        if claim is None or claim.token != self.token:
            raise ScriptError(
                "Your script wrote into the result file itself, so its report cannot be told from a made-up one. "
                "Report with done(...) or report(...); the next run is not affected."
            )
        return claim
