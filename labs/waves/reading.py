"""A record of hashes read: who started, how many times one they took, who waited for a core; as values, for texts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from labs import ratio
from labs.capacity import Capacity, capacity_of, curve_of, ideal
from labs.job import Span
from labs.measurement import Pair, Record, Run
from labs.spec import Scene
from labs.waves import expect
from labs.waves.around import UNKNOWN, Around


@dataclass(frozen=True)
class Seen:
    """What a record shows of one ratio.

    Attributes:
        answer: For comparing with a bet: the accepted interval, what was measured, or anything where nothing could be judged.
        value: The measured ratio, None where there are no pairs.
        judged: Whether the measurement was good enough.
        why: Where it was not: one clause.
    """

    answer: Around
    value: float | None
    judged: bool
    why: str = ""


def parameter(record: Record, name: str) -> int | None:
    """Return a whole number among the record's parameters, None where it is not set."""
    value = record.parameters.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def tasks_of(record: Record) -> int:
    """Return how many hashes were to be asked for."""
    return parameter(record, "tasks") or 0


def slots_of(record: Record) -> int:
    """Return the size of the pool in force."""
    return expect.size(parameter(record, "pool"))


def curve(scene: Scene) -> Capacity:
    """Return the capacity of the machine the scene is about: the record's, or the one that the draw saw."""
    if scene.record is not None:
        return capacity_of(scene.record.machine)
    cores = scene.parameters.get("cores")
    if isinstance(cores, int) and cores != scene.shape.cores:
        return ideal(cores)
    if scene.shape.capacity:
        return curve_of(scene.shape.cores, scene.shape.capacity)
    return ideal(scene.shape.cores)


def all_over_one(record: Record) -> Seen:
    """Return how many times one hash's time all of them took."""
    tasks, pool = tasks_of(record), parameter(record, "pool")
    expected = expect.all_over_one(tasks, pool, capacity_of(record.machine))
    stories = expect.all_over_one_stories(tasks, pool)
    return _seen(record, expect.ALL_OVER_ONE, expected, dict(stories), min(tasks, expect.size(pool)))


def more_slots(record: Record) -> Seen:
    """Return how many times the smaller pool's time the larger one took."""
    tasks, small, large = tasks_of(record), slots_of(record), parameter(record, "more") or 8
    expected = expect.more_slots(tasks, large, small, capacity_of(record.machine))
    stories = expect.more_slots_stories(tasks, large, small)
    return _seen(record, expect.MORE_SLOTS, expected, dict(stories), min(tasks, large))


def _seen(record: Record, name: str, expected: Span, stories: dict[str, Span], threads: int) -> Seen:
    pairs = [pair for pair in record.pairs if pair.name == name]
    value = _value(pairs)
    if value is None or not record.machine.capacity:
        return Seen(UNKNOWN, None, False, "the machine was too busy, or not calibrated, so no times were compared")
    accepted = ratio.band(
        (expected.low, expected.high), {slug: (span.low, span.high) for slug, span in stories.items()}
    )
    alone = median(pair.denominator for pair in pairs)
    beside = ratio.control(record.machine, record.noise.floor, threads, alone)
    judged = ratio.final(ratio.judge(pairs, accepted, beside))
    if judged.estimate is None or judged.outcome == "INCONCLUSIVE":
        return Seen(UNKNOWN, value, False, judged.because)
    low, high = judged.estimate.low, judged.estimate.high
    if judged.outcome == "PASS":
        low, high = min(low, expected.low), max(high, expected.high)
    return Seen(Around(low, high), judged.estimate.value, True)


def _value(pairs: list[Pair]) -> float | None:
    good = [
        math.log(pair.numerator / pair.denominator) for pair in pairs if pair.numerator > 0 and pair.denominator > 0
    ]
    return math.exp(median(good)) if good else None


def alone(record: Record) -> float | None:
    """Return how long one hash takes alone (seconds, median), None where no pairs were made."""
    ones = [pair.denominator for pair in record.pairs if pair.name == expect.ALL_OVER_ONE]
    return median(ones) if ones else None


def starved(run: Run) -> float | None:
    """Return for how long the pool's workers were ready and had no core (seconds, all together); None where not told."""
    waits = [thread.run_queue for thread in run.threads if thread.role == "worker"]
    known = [wait for wait in waits if wait is not None]
    return sum(known) if known and len(known) == len(waits) else None


def computed(run: Run) -> float:
    """Return the processor seconds of the pool's workers together."""
    return sum(thread.cpu for thread in run.threads if thread.role == "worker")


@dataclass(frozen=True)
class Next:
    """How the first hash in line got its slot.

    Attributes:
        name: That hash.
        slot_of: The hash that had its slot before.
        busy: Those of the first ones that were still at work when it started.
    """

    name: str
    slot_of: str
    busy: tuple[str, ...]


def first_in_line(run: Run, slots: int) -> Next | None:
    """Return how the first hash that found no free slot got one; None where none had to wait."""
    if len(run.tasks) <= slots:
        return None
    later, first = run.tasks[slots], run.tasks[:slots]
    before = next((task.name for task in first if task.lane == later.lane), None)
    if later.started is None or before is None:
        return None
    busy = tuple(task.name for task in first if task.finished is None or task.finished > later.started)
    return Next(later.name, before, busy)
