"""Help for tests that measure: requests, stages in this process, and what must not be left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from labs import family, helper, proc
from labs.measurement import Record
from labs.request import Request
from labs.supervise import Stage

ASK = "for (let i = 1; i <= n; i++) {\n  fs.open(gate(i), 'r', () => done(i));\n}\n"
CANARY = ASK + "fs.stat('.', () => done('stat'));\n"


def gates(measure: str = "start", script: str | None = None, **parameters: Any) -> Request:
    """Return a request for the lab gates: 3 slots, 9 gates unless told otherwise."""
    return Request(lab="gates", measure=measure, parameters={"pool": 3, "tasks": 9, **parameters}, script=script)


@contextmanager
def stage(request: Request | None = None) -> Iterator[Stage]:
    """Make this test process a helper for a while; orphans of the tests that follow are not its children."""
    try:
        with helper.stage_for(request or gates(), None) as made:
            yield made
    finally:
        family._libc.prctl(family._PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def held(record: Record) -> int:
    """Return the counted slots of the first run."""
    return record.runs[0].counts["held_slots"]


def left(folder: Path) -> list[str]:
    """Return what is left of measurements whose scratch lies in ``folder``: folders, and processes that use them."""
    found = [entry.name for entry in folder.glob("fourthreads-*")]
    for pid in proc.pids():
        with suppress(OSError):
            if proc.stat(pid).state in "ZX":
                continue
            places = [os.readlink(f"/proc/{pid}/cwd"), str(proc.environment(pid).get(b"TMPDIR", b""))]
            if any(str(folder) in place and "fourthreads-" in place for place in places):
                found.append(f"process {pid}")
    return found
