"""How we know: the threads that were counted, the law in five lines, and the sentence that stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from labs import poolsize
from labs.birth import drawing as see
from labs.birth import expect
from labs.measurement import Record
from labs.spec import Lines, Scene

SOURCE = "https://github.com/libuv/libuv/blob/v1.52.1/src/threadpool.c#L194"
_ROW = "{:<20}{:<10}{:<14}{}"
_ABOUT = {
    "worker": "the pool",
    "main": "your JavaScript: stands still at our gate",
    "other": "Node's own, there from the start",
}


def evidence(scene: Scene) -> Lines:
    """Return the threads of the first record after one job, those of one name in a line."""
    run = see.record_of(scene).runs[0]
    groups = Counter((one.name, one.role, one.call or "running") for one in run.threads)
    lines = [_ROW.format("thread", "how many", "is in", "")]
    order = {"worker": 0, "main": 1, "other": 2}
    for (name, role, call), many in sorted(groups.items(), key=lambda pair: (order[pair[0][1]], pair[0])):
        lines.append(_ROW.format(name, many, call, _ABOUT[role]).rstrip())
    c = run.counts
    lines.append(
        f"So it was after one job. All threads: {c['before_all']} at the first line, {c['after_all']} after one job, {c['more_all']} after many."
    )
    return tuple(lines)


def five_lines(scene: Scene) -> Lines:
    """Return the law, and under it where libuv and Node keep it."""
    return (
        "No pool before the first job: fs, dns.lookup, pbkdf2, zlib, random bytes, answered later (no ...Sync).",
        "Then the variable is read, once: C's atoi; 0 becomes 1, more than 1,024 becomes 1,024, unset is 4.",
        "All threads are made at that moment, 8 MiB of addresses each; none is added or taken away after.",
        "process.env is the environment, not the pool: what it shows may have come too late.",
        "So set it outside: then it is there before anybody can ask.\n"
        "In libuv: src/threadpool.c, functions init_threads and uv__work_submit (uv_once), v1.52.1. The 8 MiB\n"
        "stand there since 1.45 (Node 20.3); before, it was what ulimit -s says.\n"
        "In Node 24.19: src/node_env_var.cc, RealEnvStore::Set: a line of yours is setenv, so C can see it.\n"
        f"{SOURCE}",
    )


def closing(records: Mapping[str, Record]) -> Lines:
    """Return the one sentence to take away, from the learner's own record."""
    record = records.get("line")
    late = see.run(record, "late") if record else None
    if late is None:
        return ()
    return (
        f"In one line: process.env showed {late.claims.get('shown')}, and there were {late.counts.get('pool_threads')}: "
        "the first job reads the variable, and nobody after it.",
        "At work (Linux): fourthreads audit PID counts a running Node's pool; ps -T -p PID shows its threads, the pool's as "
        "libuv-worker (since Node 22.17 and 24.0; before, they are called like the program).",
    )


def recall_ask(scene: Scene) -> str:
    """Return the question that comes back in later labs."""
    return (
        f"Without looking: UV_THREADPOOL_SIZE={scene.parameters['value']} stands in the environment. How many threads?"
    )


def recall_solve(scene: Scene) -> int:
    """Return its answer."""
    return poolsize.in_force(str(scene.parameters["value"]), expect.UV)
