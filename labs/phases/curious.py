"""What is shown without points: luck in shares, ways to load a file, two Node lines, an idle loop."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from labs.measurement import Record, Run, decode
from labs.phases import drawing as see
from labs.spec import Lines, Scene
from labs.words import counted

_IN = {
    "file": "a file's callback", "timer": "a timer's callback", "immediate": "an immediate", "close": "a close event",
    "cjs": "main, CommonJS", "mjs": "main, ES module",
}  # fmt: skip
KEPT = "Kept with your work; it earns nothing and needs no bet."


def shares(scene: Scene) -> Lines:
    """Say who was first how often, quickly and with 3 ms of work; an order is no answer where luck decides."""
    counts: dict[tuple[str, int], Counter[str]] = {}
    for run in see.record_of(scene).runs:
        key = (str(run.parameters.get("source")), int(str(run.parameters.get("busy", 0))))
        counts.setdefault(key, Counter()).update(run.counts)
    lines = [f"{'IMMEDIATE FIRST in':<24}{'at once':<16}after 3 ms of work"]
    for source, title in _IN.items():
        cells = [counts.get((source, busy), Counter()) for busy in (0, 3)]
        told = [f"{cell['immediate']} of {cell['immediate'] + cell['timeout']}" for cell in cells]
        lines.append(f"{title:<24}{told[0]:<16}{told[1]}")
    return (
        *lines,
        "No luck is left on the right, nor in the first two rows; else the left depends on whether a millisecond passes. Up to Node "
        "22.17 and 24.2 an ES module ran in the poll: the immediate was first on either side.",
        KEPT,
    )


def formats(scene: Scene) -> Lines:
    """Say in which order tick and promise run, by the way the file is loaded."""
    lines = [f"{run.name:<38}{' '.join(see.names(run))}" for run in see.record_of(scene).runs]
    return (
        *lines,
        "Not the suffix decides, but what runs the body: a microtask (import), or the bare stack (CommonJS main, require). "
        "Node can require() an ES module since 20.19 and 22.12.",
        KEPT,
    )


@cache
def recorded_line() -> Run | None:
    """Return the recorded run on the older Node line, None where the release has none."""
    path = Path(__file__).with_name("replay") / "lines.json"
    record = decode(path.read_bytes()) if path.is_file() else None
    return next((run for run in record.runs if run.name == "older"), None) if record else None


def lines(scene: Scene) -> Lines:
    """Say whether the timer fired on each line; where no older Node is at hand, a recorded run stands in."""
    record: Record = see.record_of(scene)
    older = see.run(record, "older")
    stands_in = older is None
    older = older or recorded_line()
    shown = [run for run in (older, see.run(record, "pinned")) if run is not None]
    told = [
        f"Node {run.claims.get('node')} (libuv {run.claims.get('uv')}): the timer fired {counted(run.counts.get('fired', 0), 'time')}"
        f"{', a recorded run' if run is older and stands_in else ''}"
        for run in shown
    ]
    return (
        *told,
        "A timer that keeps nobody alive is due while an immediate works, and nothing else is left. Up to libuv 1.44 the loop asks "
        "first whether anybody is alive, and ends; since 1.45 it looks at the timers once more before it asks.",
        KEPT,
    )


def idle(scene: Scene) -> Lines:
    """Say how often the loop turned while nothing happened, and how many threads a thousand sockets cost."""
    run = see.record_of(scene).runs[0]
    counts = run.counts
    more = counts["threads_with_sockets"] - counts["threads"]
    return (
        f"IDLE     the loop turned {counted(counts['turns'], 'time')} while it waited for a timer: it sleeps in its poll",
        f"SOCKETS  {counts['open_sockets']:,} open, {'no thread' if more == 0 else counted(more, 'thread')} more "
        f"({counts['threads']} before, {counts['threads_with_sockets']} after); "
        f"turns while idle: {counts['turns_with_sockets']}",
        "One thread waits for all of them in one call: the kernel knows who has something to say.",
        KEPT,
    )
