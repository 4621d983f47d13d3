"""How we know: the raw lines a number was counted from, the law in five lines, and the sentence that stays."""

from __future__ import annotations

from collections.abc import Mapping

from labs.measurement import Record, Thread
from labs.model import names_in_flight
from labs.names import drawing as see
from labs.names.visits import due, sound
from labs.spec import Lines, Scene
from labs.words import listed

_COLUMNS = "{:<14}{:<10}{:<34}{:<11}{}"
SOURCE = "https://github.com/libuv/libuv/blob/v1.52.1/src/threadpool.c#L46"


def evidence(scene: Scene) -> Lines:
    """Return one line a thread: who it is, what it is in, what for; then what the name server holds."""
    run = see.run_of(scene)
    workers = sorted((one for one in run.threads if one.role == "worker"), key=lambda one: one.state != "held")
    main = [one for one in run.threads if one.role == "main"]
    lines = [_COLUMNS.format("thread", "is in", "which means", "CPU used", "")]
    lines += [
        _line(thread, "waits for an answer on its socket", "<- a name")
        if thread.state == "held"
        else _line(thread, "has nothing to do", "<- free")
        for thread in workers
    ]
    lines += [_line(thread, "your loop waits for news", "<- your JavaScript: free") for thread in main]
    flying = sorted(see.short(name) for step in run.steps[:1] for name in step.slots if name)
    lines.append(f"The name server holds the questions for {listed(flying)}, and no others.")
    lines.append(
        "A lookup is one call, getaddrinfo: here it asks for A and AAAA, and comes back when both are answered."
    )
    return tuple(line.rstrip() for line in lines)


def _line(thread: Thread, means: str, said: str) -> str:
    call = thread.call.removesuffix("_pwait2").removesuffix("_pwait").removesuffix("_wait") or thread.state
    # Where the kernel has no poll (arm64), the C library waits in ppoll: the same thing.
    return _COLUMNS.format(thread.name, "poll" if call == "ppoll" else call, means, f"{thread.cpu:.3f} s", said)


def five_lines(scene: Scene) -> Lines:
    """Return the law, and under it where libuv keeps it."""
    return (
        "A lookup (getaddrinfo) is a call that waits, so a thread of the pool has to make it and stay in it.",
        "libuv calls it slow work: at most half of the slots, rounded up, may hold some: (P + 1) / 2.",
        "That is a ceiling: at it, a free thread passes names by and takes other work, or parks.",
        "It is no reservation: other work may hold every slot, and then no name starts.",
        "All names share one place in the line: as one starts, it moves to the tail. Six lookups of one name are six.\n"
        "In libuv: src/threadpool.c, v1.52.1 (the rule is there since 1.23.1). Line 46 has the half. In function worker, lines 95 "
        "to 98 put the names' marker behind all other work while the half is in use, and lines 105 to 117 take one name and put "
        "the marker at the tail again.\n"
        f"{SOURCE}",
    )


def closing(records: Mapping[str, Record]) -> Lines:
    """Return the one sentence to take away, from the learner's own records."""
    lines = []
    own = records.get("own")
    if own is not None and (runs := see.runs_of(own, 2)):
        lines.append(
            f"In one line: with {own.parameters['pool']} slots {see.flying(runs[0])} names were in flight, and {see.flying(runs[1])} behind "
            f"{see.gates(int(str(own.parameters['held'])))}."
        )
    cached = records.get("cache")
    if cached is not None and sound(cached):
        lines.append(
            f"Your lookup asked {cached.runs[0].counts['lookups']} times for {due(cached.parameters) + 1} visits."
        )
    lines.append(
        "At work (Linux): fourthreads audit PID shows the held slots of a Node of yours; a lookup sits in poll or ppoll."
    )
    return tuple(lines)


def recall_ask(scene: Scene) -> str:
    """Return the question that comes back in later labs."""
    p = scene.parameters
    return f"Without looking: {p['pool']} slots, {see.gates(p['held'])} held, {p['names']} names asked for. How many are in flight?"


def recall_solve(scene: Scene) -> int:
    """Return its answer."""
    p = scene.parameters
    return names_in_flight(p["names"], p["pool"], p["held"])
