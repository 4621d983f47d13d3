"""How we know: the raw lines a number was counted from, the law in five lines, and the sentence that stays."""

from __future__ import annotations

from collections.abc import Mapping

from labs.gates import drawing as see
from labs.gates.draw import held
from labs.measurement import Record, Thread
from labs.spec import Lines, Scene
from labs.words import counted, listed

#: What the columns of the worked record are called, and where they begin.
_COLUMNS = "{:<14}{:<10}{:<23}{:<11}{}"
SOURCE = "https://github.com/libuv/libuv/blob/v1.52.1/src/threadpool.c#L81"


def evidence(scene: Scene) -> Lines:
    """Return one line a thread: who it is, what it is in, for which gate, and what that has cost."""
    threads = see.run_of(scene).threads
    workers = [thread for thread in threads if thread.role == "worker"]
    main = [thread for thread in threads if thread.role == "main"]
    workers.sort(
        key=lambda thread: (thread.task is None, int(thread.task) if thread.task and thread.task.isdigit() else 0)
    )
    lines = [_COLUMNS.format("thread", "is in", "since it asked for", "CPU used", "")]
    lines += [_line(thread, "<- held" if thread.state == "held" else "<- parked: no task") for thread in workers]
    lines += [_line(thread, "<- your JavaScript: free") for thread in main]
    if any(thread.name == "new thread" for thread in workers):
        lines.append(
            "This Node does not name its workers: a new thread is one that was not there before your script began."
        )
    lines.append(
        "One line a thread, read from outside by the system. For a gate without a line nobody has made the call yet."
    )
    return tuple(line.rstrip() for line in lines)


def _line(thread: Thread, said: str) -> str:
    call = thread.call.removesuffix("_pwait2").removesuffix("_pwait").removesuffix("_wait") or thread.state
    asked = f"gate {thread.task}" if thread.task else "-"
    if thread.role == "main":  # now and then it is met in the middle of a tick of the harness's timer
        asked = "a timer's tick" if thread.state == "running" else "nothing to do"
    return _COLUMNS.format(thread.name, call, asked, f"{thread.cpu:.3f} s", said)


def five_lines(scene: Scene) -> Lines:
    """Return the law, and under it where libuv keeps it."""
    return (
        "The pool has a fixed number of slots, one thread each.",
        "Requests stand in one line, in the order in which you asked.",
        "A slot that comes free takes the first of the line; it does not wait for the other slots.",
        "Opening a gate decides which slot comes free, not which task is next.",
        "So, whenever things are quiet, the slots hold the earliest requests whose gates are still shut.\n"
        "One kind of request stands in that line by other rules; you will meet it in the lab names.\n"
        "In libuv: src/threadpool.c, function worker, v1.52.1. Each worker, in a loop of its own, takes the head of the "
        f"one queue, does that work, and comes back for the next.\n{SOURCE}",
    )


def closing(records: Mapping[str, Record]) -> Lines:
    """Return the one sentence to take away, from the learner's own record."""
    record = records.get("canary")
    openings = see.openings_until_canary(record) if record else None
    if record is None or openings is None:
        return ()
    pool, tasks = record.parameters["pool"], record.parameters["tasks"]
    return (
        f"In one line: with {pool} slots and {tasks} gates your stat waited for {counted(openings, 'opening')}, "
        "while your loop ticked on.",
        "At work (Linux): fourthreads audit PID    shows pool size and held slots of a Node of yours. It only reads.",
    )


def recall_ask(scene: Scene) -> str:
    """Return the question that comes back in later labs."""
    p = scene.parameters
    return (
        f"Without looking: {p['pool']} slots, {p['tasks']} gates, gates {listed(p['opened'])} opened. Which are held?"
    )


def recall_solve(scene: Scene) -> tuple[int, ...]:
    """Return its answer."""
    p = scene.parameters
    return held(p["pool"], p["tasks"], tuple(p["opened"]))
