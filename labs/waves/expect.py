"""What the model expects of hashes, as ratios with names, and what wrong models say. Pure.

A ratio's name stands in the record's pairs. ``all over one``: N hashes over one, same pool. ``more slots``: N hashes with the
larger pool over N with the smaller.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs import model
from labs.capacity import Capacity, widened
from labs.job import Span
from labs.poolsize import DEFAULT

ALL_OVER_ONE, MORE_SLOTS = "all over one", "more slots"


def size(pool: int | None) -> int:
    """Return the slots of a pool whose size is a number or not set."""
    return DEFAULT if pool is None else pool


def all_over_one(tasks: int, pool: int | None, capacity: Capacity) -> Span:
    """Return how many times one hash's time N of them take, asked for at once: the model's interval, widened."""
    return widened(model.makespan(tasks, size(pool), "cpu", capacity))


def all_over_one_stories(tasks: int, pool: int | None) -> Mapping[str, Span]:
    """Return what wrong models say of the same: story slug -> interval.

    ``core-a-slot``: every slot has a core, so ceil(N/P) rounds. ``no-limit``: all at once, as long as one.
    ``one-by-one``: N times one.
    """
    rounds = float(model.waves(tasks, size(pool)))
    return {
        "core-a-slot": Span(rounds, rounds),
        "no-limit": Span(1.0, 1.0),
        "one-by-one": Span(float(tasks), float(tasks)),
    }


def more_slots(tasks: int, pool: int, than: int, capacity: Capacity) -> Span:
    """Return the time of N hashes on the larger pool over that on the smaller one, as an interval, widened.

    The ends are the best of one over the worst of the other: wide where the scheduler decides, still apart from the stories.
    """
    large, small = (model.makespan(tasks, slots, "cpu", capacity) for slots in (pool, than))
    return widened(Span(large.low / small.high, large.high / small.low))


def more_slots_stories(tasks: int, pool: int, than: int) -> Mapping[str, Span]:
    """Return what wrong models say of the same.

    ``core-a-slot``: as many rounds fewer as there are slots more. ``slower``: twice the slots, each half as fast and in
    each other's way. ``always-faster``: the time falls as the slots grow, whatever the cores.
    """
    rounds = model.waves(tasks, pool) / model.waves(tasks, than)
    share = than / pool
    return {
        "core-a-slot": Span(rounds, rounds),
        "always-faster": Span(share, share),
        "slower": Span(1 / share, 1 / share),
    }
