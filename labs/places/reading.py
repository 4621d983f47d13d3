"""How we know: what each path was read from, the law in five lines, the sentence that stays, and the tables of the free looks."""

from __future__ import annotations

from collections.abc import Mapping

from labs.measurement import Record
from labs.places import drawing as see
from labs.places import own, paths
from labs.places.facts import CALLS, MEASURED
from labs.places.voices import LETTERS, fared
from labs.spec import Lines, Scene
from labs.words import listed

_COLUMNS = "{:<3}{:<38}{:<15}{:<18}{:<21}{}"


def evidence(scene: Scene) -> Lines:
    """Return for each call what it did alone, with every slot held, with every other end silent; and where that is written."""
    record = scene.record
    assert record is not None
    lines = [_COLUMNS.format("", "call", "pool threads", "every slot held", "other end silent", "so")]
    for letter, call in zip(LETTERS, paths.calls(record), strict=False):
        made = f"0 -> {paths.threads(record, call)}"
        found = paths.seen(record, call) or "-"
        lines += [
            _COLUMNS.format(letter, see.code(call), made, *_came(record, call), found),
            *(f"   {said}" for said in (*_order(record, found), _written(call))),
        ]
    lines.append("Threads are counted from outside. Afterwards everything was let go, and every call came back.")
    return tuple(lines)


def _order(record: Record, path: str) -> Lines:
    """Return what shows the order of two places."""
    if path == "LK":
        return ("when it returned, its child was running already: the loop did that, L",)
    if path == "PK" and paths.tells_who_was_reached(record):
        return ("with every slot held the other end had heard nothing of it: P comes first",)
    return ()


def _written(call: str) -> str:
    known = CALLS[call]
    return f"{known.source}{'; ' if known.note else ''}{known.note}"


def _came(record: Record, call: str) -> tuple[str, str]:
    if paths.seen(record, call) == "L":
        return ("done at once", "done at once")
    full, silent = (
        "came back" if call in paths.back(record, name) else "stayed away" for name in (paths.FULL, paths.SILENT)
    )
    return full, silent


def victims(scene: Scene) -> Lines:
    """Return a line for each kind and form of the work."""
    assert scene.record is not None
    return (
        *(see.work_line(run) for run in scene.record.runs),
        "ticks: of a timer of 1 ms, while the work went on. stat after: how many jobs were done when the file's state was back. "
        "loop did: the main thread's share of the processor time, counted from outside.",
        "gzip comes back to the line for each 16 KiB of output and readFile for each 512 KiB, so a stat slips in between; a hash "
        "keeps its slot to the end.",
    )


def table(scene: Scene) -> Lines:
    """Return the table of every other call: what was measured, what is known of it, and where that is written down."""
    record = scene.record
    assert record is not None
    lines = [f"{'call':<38}{'threads':<9}{'path':<6}where it is written, and what to know"]
    for call in paths.calls(record):
        found, known = paths.seen(record, call), CALLS[call]
        odd = "" if found == known.path else f"(known: {known.path or '-'}) "
        lines.append(
            f"{known.code:<38}{'0 -> ' + str(paths.threads(record, call)):<9}{found or '-':<6}{odd}{_written(call)}"
        )
    lines.append(
        "L the loop itself, P a slot of the pool, K woken by the kernel; - none of the three. Measured alike on Node "
        f"{listed(MEASURED)}."
    )
    return tuple(lines)


def parse(scene: Scene) -> Lines:
    """Return a line for each size of text: what a limit on the body buys."""
    assert scene.record is not None
    lines = []
    for run in scene.record.runs:
        c = run.counts
        lines.append(
            f"{run.name:<18}loop stood still {c['stall_us'] / 1000:>5.0f} ms, {see.stood_still(run):>3} % of the work   "
            f"{c['ticks']} ticks   loop did {see.loop_share(run) or 0:>4.0%}"
        )
    return (
        *lines,
        "There is no other form of it. The stall grows with the text, so a limit on the body is a limit on what one request can cost "
        "all the others. These milliseconds are your machine's, now; that no tick came through is so on any.",
    )


def innocent(scene: Scene) -> Lines:
    """Return a line for each way to spend a moment in a handler: what the innocent second request had to wait for."""
    run = see.own_run(scene)
    lines = []
    for route, said in _INNOCENT.items():
        busy = run.counts[f"{route}_loop_us"] / 1000
        waits = "before it" if run.counts[f"{route}_health_first"] else "behind it"
        early = "answered" if run.counts[f"{route}_early"] else "waits"
        lines.append(f"{said:<48}slots held: {early:<10}/health {waits:<11}loop busy {busy:>4.0f} ms")
    return (
        *lines,
        "Behind it, for as long as the loop is busy: then every request is slow, not one. Work cut into slices lets others in, and is "
        "the loop's all the same; no pool size changes that. Read once at the start, a file costs no request anything.",
    )


_INNOCENT = {
    "nothing": "nothing",
    "parse": "JSON.parse of the whole text",
    "sort": "a sort of 400,000 numbers",
    "match": "a regular expression that tries everything",
    "slices": "a loop in fifty slices, with a turn after each",
    "readEachTime": "readFileSync in each request",
    "readAtStart": "readFileSync once, at the start",
    "readInPool": "await fsp.readFile in each request",
}


def trips(scene: Scene) -> Lines:
    """Return how often each call came back to the line."""
    found = see.own_run(scene).claims.get("trips", {})
    return (
        *(f"{name:<28}{trips:>4} trip{'' if trips == 1 else 's'}" for name, trips in found.items()),
        "On one slot, beside a stat that always asks again: its turns were counted. The file has 2 MiB. A call of many trips stands in "
        "the line again after each, so behind a full pool it waits many times; and it keeps nobody waiting for all of them at once.",
    )


def sockets(scene: Scene) -> Lines:
    """Return what the connections cost in threads."""
    c = see.own_run(scene).counts
    return (
        f"{c['connections']} connections, {c['sockets']} sockets open. Threads before {c['threads_before']}, after "
        f"{c['threads_after']}; of the pool {c['pool_threads']}.",
        "One thread sleeps in one call of the kernel (epoll) for all of them. Idle peers cost memory, and no thread.",
    )


def first_lines(scene: Scene) -> Lines:
    """Return what a free look says when it has been measured: where its table is."""
    assert scene.record is not None
    slug = scene.record.measure
    return (
        f'Measured. The table: places.evidence("{slug}")',
        "Kept with your work; it earns nothing and needs no bet.",
    )


def five_lines(scene: Scene) -> Lines:
    """Return the law, and under it where Node and libuv keep it."""
    return (
        "A call waits, or is worked on, in one of three places: on the loop, in a slot of the pool, with the kernel.",
        "Nothing leaves the loop by itself. A callback, a promise or a stream says when you hear, not who works.",
        "To the pool goes what was written to go there: dns.lookup, files and compression without Sync, crypto with a callback or in crypto.subtle.",
        "With the kernel waits what the kernel can announce: sockets, children, inotify. It needs no thread.",
        "A path can have two places: a request to a name waits in the pool for its address, then with the kernel.\n"
        "V8 has threads of its own, for its compilers and its garbage; no path of this lab leads there.\n"
        "In Node: src/threadpoolwork-inl.h, ThreadPoolWork::ScheduleWork, v24.19.0: crypto and zlib hand over here.\n"
        "For files: src/unix/fs.c, macro POST, libuv v1.52.1: with a callback it submits, without one it does the work.\nhttps://github.com/libuv/libuv/blob/v1.52.1/src/unix/fs.c#L139",
    )


def closing(records: Mapping[str, Record]) -> Lines:
    """Return the one sentence to take away, from the learner's own records."""
    record = records.get("own")
    if record is None or not own.all_moved(record):
        return ()
    counts = record.runs[0].counts
    held = counts["held_slots"]
    return (
        f"In one line: with {held} of {held} slots held {fared(counts)}, and /health did not wait.",
        'To look one up (Linux): places.measure("table"), then places.evidence("table"). It tries each call on your own Node.',
    )


def recall_ask(scene: Scene) -> str:
    """Return the question that comes back in later labs."""
    return f"Without looking: which path does {see.code(str(scene.parameters['call']))} take? L, P, K, or two of them in their order."


def recall_solve(scene: Scene) -> str:
    """Return its answer."""
    return CALLS[str(scene.parameters["call"])].path
