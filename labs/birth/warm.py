"""What ``birth`` remembers of ``waves`` before its first bet: a size starts tasks, and cores do the work."""

from __future__ import annotations

from dataclasses import dataclass

from labs.spec import Blank, Lines, Scene
from labs.warmup import WarmUp
from labs.waves import reading
from labs.waves.around import Around, Times, times
from labs.words import counted


@dataclass(frozen=True)
class Asked:
    """The numbers of the question: hashes, slots and cores of a machine that is to be imagined."""

    slots: int
    cores: int
    hashes: int

    @property
    def times(self) -> Around:
        """Return how many times one all of them take: the smaller number does the work."""
        return Around(self.hashes / min(self.slots, self.cores))


#: So many fewer cores than slots that a core a slot is clearly another answer, and so many hashes that the last ones hardly count.
_POSSIBLE = tuple(Asked(*numbers) for numbers in ((8, 4, 40), (8, 2, 24), (12, 4, 36), (10, 2, 30), (16, 4, 48)))


def asked(scene: Scene) -> Asked:
    """Return other numbers than the record's, none of which is the answer."""
    record = scene.record
    assert record is not None, "a warm-up speaks of a record"
    pool, hashes, cores = reading.slots_of(record), reading.tasks_of(record), record.machine.cores
    return next(
        one
        for one in _POSSIBLE
        if one.slots != pool
        and one.cores != cores
        and one.hashes != hashes
        and not any(one.times == stated for stated in (pool, hashes, cores, one.slots, one.cores, one.hashes))
    )


def _ask(scene: Scene) -> str:
    assert scene.record is not None
    record, now = scene.record, asked(scene)
    return (
        f"There were {counted(reading.slots_of(record), 'slot')}, {reading.tasks_of(record)} hashes and "
        f"{counted(record.machine.cores, 'core')}. Now imagine {now.slots} slots, {now.hashes} hashes and {now.cores} cores "
        "with nothing else to do. How many times one hash do all of them take, about?"
    )


def _because(scene: Scene) -> Lines:
    assert scene.record is not None
    record, now = scene.record, asked(scene)
    lines = [
        f"{now.slots} are started at once and share {now.cores} cores: {now.hashes} / {now.cores} = {now.times:g} times one. More slots "
        "than cores only move the waiting."
    ]
    started = record.runs[0].counts.get("started") if record.runs else None
    seen = reading.all_over_one(record)
    if started == min(reading.slots_of(record), reading.tasks_of(record)):
        took = f", and all {reading.tasks_of(record)} took {times(seen.value)}" if seen.judged else ""
        lines.append(
            f"In that record {started} were started at once, on {counted(record.machine.cores, 'core')}{took}."
        )
    return tuple(lines)


WAVES = WarmUp(
    lab="waves",
    measure="own",
    ask=_ask,
    blank=Blank("times", Times(), times, "how many times one?"),
    solve=lambda scene: asked(scene).times,
    because=_because,
)

WARM_UPS = (WAVES,)
