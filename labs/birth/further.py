"""What is shown without points: every way to set the size, every odd value, the bill by size, and a limit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from labs.birth import drawing as see
from labs.birth.situations import OLDER, WAYS
from labs.measurement import Run, decode
from labs.spec import Lines, Scene

KEPT = "Kept with your work; it earns nothing and needs no bet."


_OLDER = tuple(what.slug for what in OLDER)
_TITLES = {what.slug: what.title for what in (*WAYS, *OLDER)}


@cache
def recorded_older() -> tuple[Run, ...]:
    """Return the recorded runs on an older Node, none where the release has none."""
    path = Path(__file__).with_name("replay") / "ways.json"
    return tuple(run for run in decode(path.read_bytes()).runs if run.name in _OLDER) if path.is_file() else ()


def _way(run: Run) -> str:
    title = _TITLES.get(run.name, run.name) + (f", Node {run.claims.get('node')}" if run.name in _OLDER else "")
    return f"{title:<58}{run.counts.get('pool_threads', 0):>2} threads   shown {run.claims.get('shown') or '-'}"


def ways(scene: Scene) -> Lines:
    """Say for each way what was counted and what process.env showed; where no older Node is at hand, recorded runs stand in."""
    runs = see.record_of(scene).runs
    older = [_way(run) for run in runs if run.name in _OLDER]
    return (
        *(_way(run) for run in runs if run.name not in _OLDER),
        *(older or [f"{_way(run)}, a recorded run" for run in recorded_older()]),
        "Not the way decides, but whether it came before the first job, and whether C can see it. A file never overwrites what is "
        "set already. An ES module's line counts since Node 22.18 and 24.3; before, its loader had made the pool: 4.",
        KEPT,
    )


def odd(scene: Scene) -> Lines:
    """Say for each value what was counted."""
    lines = [
        f"UV_THREADPOOL_SIZE={str(run.parameters.get('value')):<20}{run.counts.get('pool_threads', 0):>5} threads"
        for run in see.record_of(scene).runs
    ]
    return (
        *lines,
        "From libuv 1.52 on, a value of 16 characters or more is not read at all: the last one had 6 threads before.",
        KEPT,
    )


def sizes(scene: Scene) -> Lines:
    """Return the bill for several sizes, as differences."""
    lines = [f"{'threads':>8}{'address space':>18}{'in memory':>14}{'descriptors':>14}"]
    for run in see.record_of(scene).runs:
        c = run.counts
        space, memory = f"{c['more_space'] / 1024:,.1f} MiB", f"{c['more_resident'] / 1024:,.1f} MiB"
        lines.append(f"{c['pool_threads']:>8,}{space:>18}{memory:>14}{c['more_files']:>14}")
    return (
        *lines,
        "8 MiB (since libuv 1.45; before, what ulimit -s says) and a guard page, mostly 4 KiB, of addresses for each thread; memory "
        "only where something was written. The kernel's own stack for each thread, 16 KiB on x86-64, is in neither.",
        "Our runs have MALLOC_ARENA_MAX=1. Else glibc may set aside 64 MiB more of addresses for a thread that calls malloc.",
        KEPT,
    )


def limit(scene: Scene) -> Lines:
    """Say what became of two pools under a limit on address space."""
    lines = []
    for run in see.record_of(scene).runs:
        c = run.counts
        what = f"lives, {c['pool_threads']} threads" if c["lives"] else "ended by abort() at its first job"
        lines.append(f"{run.name:>5} threads, {c['room']} MiB of address space left: {what}")
    return (
        *lines,
        "The pool has no smaller second choice: where a thread cannot be made, libuv ends the process (threadpool.c, init_threads).",
        "Such a limit is ulimit -v, or LimitAS= in a service's unit. A limit on memory does not count addresses.",
        KEPT,
    )
