"""One script on four machines, recorded, drawn and told: makes ``course/docs/machines.md`` and its pictures.

python -m tests.machine_story record      measure anew (a quiet machine with two cores, as root for the quota), then write
python -m tests.machine_story             write the page from what was recorded
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from msgspec import Struct

from grader import shapes, trial
from grader.shapes import MachineShape
from grader.trial_log import Head
from labs import model, plots, ratio, rooms
from labs.calibrate import timing
from labs.capacity import capacity_of
from labs.cgroup import Quota
from labs.errors import NoisyError
from labs.measurement import Machine, Noise, Pair, Record
from labs.request import Request
from labs.waves import conduct, expect
from tests import calm

DOCS = Path(__file__).resolve().parent.parent / "course" / "docs"
RECORDS = DOCS / "machines.json"
POOL = 4
#: Hashes asked for at once; the page speaks of the one in EIGHT.
TASKS, EIGHT = (1, 2, 3, 4, 5, 6, 8, 10, 12), 8
SHAPES = (MachineShape(2), MachineShape(1), MachineShape(2, quota=0.5), MachineShape(2, busy=True))
PAIRS = min(ratio.STAGES)


class Machines(Struct, frozen=True):
    """One machine's part: how it was calibrated, what was counted, and nine pairs for each number of hashes."""

    shape: MachineShape
    machine: Machine
    noise: Noise
    counts: dict[str, int]
    pairs: dict[int, tuple[Pair, ...]]


class Story(Struct, frozen=True):
    """All of it, with date and machine."""

    head: Head
    told: tuple[Machines, ...]


def record() -> Story:
    """Measure on each shape: calibrate while nothing else computes, count once, then pairs.

    Raises:
        NoisyError: This machine is too busy to be calibrated.
    """
    return Story(trial.head(), tuple(_recorded(shape) for shape in SHAPES))


def _recorded(shape: MachineShape) -> Machines:
    with shapes.on(shape) as load:
        made = calm.calibrated(load)
        if (made.noise.floor or 1.0) > ratio.MOST_TOLERANCE:
            raise NoisyError(
                f"{shape}: {' '.join(made.warnings)} The story needs a machine that has nothing else to do."
            )

        def measured(measure: str, **parameters: Any) -> Record:
            return rooms.measure(
                Request(lab="waves", measure=measure, parameters=parameters, machine=made.machine, noise=made.noise)
            )

        counts = measured("hashes", pool=POOL, tasks=EIGHT).runs[0].counts
        pairs = {
            tasks: measured(
                "series", tasks=tasks, pool=POOL, over=1, than=POOL, threads=min(tasks, POOL), count=PAIRS,
                pair=expect.ALL_OVER_ONE,
            ).pairs
            for tasks in TASKS
        }  # fmt: skip
        sys.stdout.write(f"{time.strftime('%H:%M:%S')} {shape}\n")
        return Machines(shape, made.machine, made.noise, counts, pairs)


def service(told: Machines) -> float:
    """Return the processor seconds that one hash was made to take."""
    seen = told.machine
    quota = Quota(seen.quota, seen.quota_period) if seen.quota and seen.quota_period else None
    return conduct.service_time(timing(quota, seen.cores), smoke=False)


def predicted(told: Machines, tasks: int) -> tuple[float, float]:
    """Return the model's interval for so many hashes over one."""
    span = expect.all_over_one(tasks, POOL, capacity_of(told.machine))
    return span.low, span.high


def ratios(told: Machines, tasks: int) -> list[float]:
    """Return what was measured, a value a pair."""
    return [pair.numerator / pair.denominator for pair in told.pairs[tasks]]


def verdict(told: Machines) -> ratio.RatioOutcome:
    """Return what the rule says of the pairs with eight hashes."""
    pairs = told.pairs[EIGHT]
    rivals = {name: (span.low, span.high) for name, span in expect.all_over_one_stories(EIGHT, POOL).items()}
    alone = median(pair.denominator for pair in pairs)
    beside = ratio.control(told.machine, told.noise.floor, POOL, alone)
    return ratio.final(ratio.judge(pairs, ratio.band(predicted(told, EIGHT), rivals), beside))


def draw(story: Story) -> Any:
    """Return the picture: a panel a machine."""
    panels = [
        (str(told.shape), [(tasks, predicted(told, tasks), ratios(told, tasks)) for tasks in TASKS])
        for told in story.told
    ]
    textbook = [float(model.waves(tasks, POOL)) for tasks in TASKS]
    return plots.against(
        panels, {"textbook: a core a slot": textbook}, ("hashes asked for at once, pool of 4", "times one hash")
    )


def page(story: Story) -> str:
    """Return the page; every number in it comes from the records."""
    quiet = [told for told in story.told if not told.shape.busy]
    head, half = story.head, next(told for told in story.told if told.shape.quota)
    lines = [
        _TEXT_BEGIN.format(
            date=head.began, node=head.node, processor=head.processor, service=service(story.told[0]), stopped=service(half),
            periods=service(half) / (half.machine.quota or 1) / (half.machine.quota_period or 1),
        )
    ]  # fmt: skip
    lines.append("| machine | slots | started at once | asked for | reported |\n|---|---|---|---|---|")
    for told in story.told:
        c = told.counts
        lines.append(f"| {told.shape} | {c['pool_threads']} | {c['started']} | {c['asked']} | {c['done']} |")
    lines.append(_TEXT_TIMES)
    lines.append(
        "| machine | work done by 1, 2, 3, 4 threads | predicted | measured (median of 9) | inside | verdict |"
    )
    lines.append("|---|---|---|---|---|---|")
    for told in story.told:
        low, high = predicted(told, EIGHT)
        seen = ratios(told, EIGHT)
        curve = ", ".join(f"{capacity_of(told.machine).at(k):.2f}" for k in range(1, POOL + 1))
        inside = sum(low <= value <= high for value in seen)
        lines.append(
            f"| {told.shape} | {curve} | {low:.2f} to {high:.2f} | {median(seen):.2f} | {inside} of {len(seen)} | {verdict(told).outcome} |"
        )
    lines.append(_TEXT_AFTER)
    for told in story.told:
        seen_verdict = verdict(told)
        lines.append(f"- {told.shape}: {seen_verdict.because}.")
    points = [(told, tasks, value) for told in quiet for tasks in TASKS for value in ratios(told, tasks)]
    inside = sum(predicted(told, tasks)[0] <= value <= predicted(told, tasks)[1] for told, tasks, value in points)
    lines.append(_TEXT_END.format(inside=inside, points=len(points), share=f"{inside / len(points):.0%}"))
    return "\n".join(lines).rstrip() + "\n"


_TEXT_BEGIN = """# One script, four machines

Recorded on {date} with Node {node} on {processor}; made by `python -m tests.machine_story record`. The records are in
[machines.json](machines.json); every measured number below is computed from them.

The script asks for 8 hashes at once (pbkdf2) with a pool of 4. It ran on two cores, on one core, under a CPU quota of half a core, and
on two cores beside two processes that compute. A hash is made to take {service:.3g} s of processor time; under the quota {stopped:.3g} s, so that
alone it lasts {periods:.2g} of the periods in which the kernel hands out time.

## What does not depend on the machine

How many start is the pool's business. A slot is a thread, and a thread starts whether or not a core is free for it:
"""
_TEXT_TIMES = """
In these four runs the counts were the same; how often load makes them undecided stands in [trial.md](trial.md).

## What does

How long all take is the cores' business. The textbook says ceil(8/4) = 2 times one hash: a core for every slot. The model
knows the machine instead. It is calibrated by threads that hash without the pool: how much work do 1, 2, 3, 4 of them get done at
once, in units of one alone? From that curve comes an interval, not a point, wherever more threads run than there are cores: which
of them gets a core is then up to the operating system.

![Predicted interval and measured points on each machine](machines.png)
"""
_TEXT_AFTER = """
- **Two cores.** Four threads share two cores, so eight hashes take about four times one, not two.
- **One core.** Four threads take turns on it: about eight times one, which is also what "one by one" predicts. Here the ratio
  cannot tell these two apart; the counts above can.
- **Half a core by quota.** Two cores are there, and one thread alone gets half of one: the kernel stops the whole group for the
  rest of each period of 0.1 s. Four threads get no more than one did, so the ratio is that of one core. Being stopped is what the
  model expects here, a regime and not noise. A hash has to last three periods, or it shows where in a period it began.
- **Two cores, busy.** The machine was calibrated while it was idle. Load moves the median as a bias; more pairs do not help.
  What tells is the control, independent threads between the two runs of each pair: they get less done than when it was calibrated.

What the rule of judging says of the nine pairs with 8 hashes:
"""
_TEXT_END = """
On the machines without load {inside} of {points} points ({share}) lie in the predicted interval: it is for a median of sound
pairs, so single points may lie outside. What the rule does with that, and how often it errs, stands in [trial.md](trial.md).

## What follows

- Believe counts first: how many start is the pool's business, not the machine's.
- A time means something only beside another one from the same minute, and beside what the machine can do.
- `os.cpus()` is not the number of cores you have: affinity and quotas take some away. `fourthreads calibrate` measures it.
- Where a machine cannot tell two models apart, no verdict is given, and its weight moves to the counts.
"""


def write(story: Story) -> None:
    """Write page and picture."""
    (DOCS / "machines.md").write_text(page(story), encoding="utf-8")
    draw(story).savefig(DOCS / "machines.png")


def keep(story: Story) -> None:
    """Keep what was recorded."""
    RECORDS.write_bytes(msgspec.json.format(msgspec.json.encode(story), indent=1) + b"\n")


def recorded() -> Story:
    """Return what is kept."""
    return msgspec.json.decode(RECORDS.read_bytes(), type=Story)


if __name__ == "__main__":
    DOCS.mkdir(exist_ok=True)
    if sys.argv[1:] == ["record"]:
        keep(record())
    write(recorded())
