"""Closed forms: what libuv's pool must do, in one line each, with its source.

The second witness beside `labs.simulate`; the tests hold the two against each other and both against real Node. Times are in
service times: the time of one task alone on an idle machine.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from labs.capacity import Capacity
from labs.job import Kind, ModelError, Span, check_pool

MIB = 1024 * 1024
#: Bytes that one read of `readFile` and one stack take (Node `lib/internal/fs/utils.js`; libuv `threadpool.c:241`, 1.45 on).
READ_CHUNK = 512 * 1024
STACK, GUARD = 8 * MIB, 4096
#: From this Node line on, `readFile` up to one chunk is one job (seen on 26.12.1; absent from 26.7.0 and all of 24).
ONE_JOB_READ = (26, 8)


def slots(pool: int, kind: Kind = "file") -> int:
    """Return how many tasks of a kind may run at once: all slots, for names half of them rounded up.

    Source: ``slow_work_thread_threshold`` is ``(nthreads + 1) / 2``, libuv 1.23.1 on, `threadpool.c:46` in 1.52.1.
    """
    check_pool(pool)
    return (pool + 1) // 2 if kind == "name" else pool


def running(tasks: int, pool: int, kind: Kind = "file") -> int:
    """Return how many of so many tasks, asked for at once, run: min(tasks, slots)."""
    return min(tasks, slots(pool, kind))


def names_in_flight(names: int, pool: int, held_by_others: int = 0) -> int:
    """Return how many names are in flight while other work holds slots: the half is a ceiling, not a reservation.

    Source: a worker must be free to take the marker, and passes it on at the threshold (`threadpool.c:88-98`).
    """
    return max(0, min(names, slots(pool, "name"), pool - held_by_others))


def waves(tasks: int, pool: int, kind: Kind = "file") -> int:
    """Return in how many rounds equal tasks are done: ceil(tasks / slots). A pattern of equal tasks, not a mechanism."""
    return -(-tasks // slots(pool, kind))


def makespan(tasks: int, pool: int, kind: Kind = "file", capacity: Capacity | None = None) -> Span:
    """Return when the last of equal tasks, all asked for at once, ends.

    Tasks that wait (and tasks that compute with a core a slot): waves, each as long as a task. Tasks that compute on fewer
    cores: at least all work at the greatest rate, and at least the waves; at most Graham's bound (1966, for any scheduler that
    lets no core idle while two tasks share one): all work at the full rate, and what the last one may have left alone. On
    ideal cores: from N/C to N/C + 1 - 1/C.
    """
    if tasks < 1:
        raise ModelError(f"At least one task, please; {tasks} was given.")
    rounds = waves(tasks, pool, kind)
    if kind != "cpu" or capacity is None:
        return Span(rounds, rounds)
    full, rest = divmod(tasks, pool)
    rates = [capacity.at(k) for k in range(1, pool + 1)]
    if running(tasks, pool, kind) <= capacity.cores:
        exact = (full * pool / rates[-1] if full else 0.0) + (rest / rates[rest - 1] if rest else 0.0)
        return Span(exact, exact)
    quickest = (full / _of_a_core(capacity, pool, pool)) + (1 / _of_a_core(capacity, rest, pool) if rest else 0.0)
    short = min(rates[capacity.cores :])
    alone = max(0.0, *(k * (1 / rates[k - 1] - 1 / short) for k in range(1, capacity.cores + 1)))
    return Span(max(tasks / max(rates), quickest), tasks / short + alone)


def _of_a_core(capacity: Capacity, threads: int, pool: int) -> float:
    """Return what a core gives at most while so many threads or more (up to the pool) compute."""
    return max(capacity.at(k) / min(k, capacity.cores) for k in range(threads, pool + 1))


def queue_wait(ahead: int, pool: int, capacity: Capacity | None = None) -> Span:
    """Return how long a task waits before it starts, behind so many equal ones asked for at one moment just before it.

    The line is one and first come, first served (`threadpool.c:143-161`), so it starts when ``ahead + 1 - pool`` of them
    are done: after ``ahead // pool`` service times where tasks wait or have a core a slot. With fewer cores it lies between
    the least work that must be done by then and all of it; and no task is slower than with one more on its core than even.
    """
    check_pool(pool)
    rounds = ahead // pool
    if capacity is None or not rounds:
        return Span(rounds, rounds)
    if pool <= capacity.cores:
        wait = rounds * pool / capacity.at(pool)
        return Span(wait, wait)
    rates = [capacity.at(k) for k in range(1, pool + 1)]
    core = _of_a_core(capacity, pool, pool)
    slowest = rounds * (-(-pool // capacity.cores) + 1) / core
    return Span(max((ahead + 1 - pool) / max(rates), rounds / core), min(ahead / min(rates[capacity.cores :]), slowest))


def held_after(requests: Sequence[str], opened: Container[str], pool: int) -> tuple[str, ...]:
    """Return who holds the slots at rest: the earliest requests whose gates are still shut.

    Whatever was opened, in any order: all before the last holder have started, so each is held or was let through.
    """
    check_pool(pool)
    return tuple(name for name in requests if name not in opened)[:pool]


def started_after(requests: Sequence[str], opened: Container[str], pool: int) -> tuple[str, ...]:
    """Return who has started at rest: everybody up to the last holder; beyond it, nobody."""
    shut = 0
    for place, name in enumerate(requests):
        shut += name not in opened
        if shut == pool:
            # The slots are full from here on.
            return tuple(requests[: place + 1])
    return tuple(requests)


def canary_returns(gates: int, pool: int) -> int:
    """Return after how many openings, each of a held gate, a quick task behind so many gates is back: N + 1 - P, at least 0."""
    check_pool(pool)
    return max(0, gates + 1 - pool)


def read_file_trips(size: int, node: tuple[int, int] = (24, 19)) -> int:
    """Return how many jobs `fs.readFile` makes of a regular file of so many bytes.

    Open, fstat, close and one read a chunk, at least one; counted on Node 20.20.2, 22.23.5 and 24.19.0 for 0 B to 3 MB. From
    :data:`ONE_JOB_READ` on: one job up to a chunk; beyond, one for open and fstat, the reads, and the close.
    """
    reads = max(1, -(-size // READ_CHUNK))
    if node >= ONE_JOB_READ:
        return 1 if size <= READ_CHUNK else 2 + reads
    return 3 + reads


def gzip_trips(output: int, chunk: int = 16 * 1024) -> int:
    """Return how many jobs a one-shot gzip, gunzip, deflate, brotli or zstd makes that writes so many bytes.

    ``output // chunk + 2``; counted on Node 20.20.2, 22.23.5 and 24.19.0 for 10 B to 1 MiB (`lib/zlib.js` processCallback).
    """
    return output // chunk + 2


def stack_bytes(threads: int) -> int:
    """Return the address space of so many pool threads: 8 MiB and a guard page each, libuv 1.45 on (`threadpool.c:241`)."""
    return threads * (STACK + GUARD)
