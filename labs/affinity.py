"""Which cores this process may run on, and how to run a child on fewer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labs.errors import SetupError

Cores = frozenset[int]


def mask() -> Cores:
    """Return the numbers of the cores in this thread's affinity mask."""
    return frozenset(os.sched_getaffinity(0))


def narrowed(count: int, allowed: Cores | None = None, topology: Path = Path("/sys/devices/system/cpu")) -> Cores:
    """Return ``count`` of the allowed cores, on different physical cores as far as there are any.

    Two threads of one physical core share its units; an experiment on "two cores" wants two real ones.

    Raises:
        SetupError: There are fewer than ``count``.
    """
    cores = sorted(mask() if allowed is None else allowed)
    if not 1 <= count <= len(cores):
        raise SetupError(f"This asks for {count} cores; this process may use {len(cores)}. Ask for 1 to {len(cores)}.")
    first: list[int] = []
    second: list[int] = []
    seen: set[str] = set()
    for core in cores:
        siblings = _siblings(topology, core)
        (second if siblings in seen else first).append(core)
        seen.add(siblings)
    return frozenset((first + second)[:count])


def _siblings(topology: Path, core: int) -> str:
    try:
        return (topology / f"cpu{core}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return str(core)


@contextmanager
def on(cores: Cores) -> Iterator[None]:
    """Bind the calling thread for the duration of the block; children started inside inherit it and keep it.

    A child inherits the mask of the thread that starts it, so no code has to run between fork and exec.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
