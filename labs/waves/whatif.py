"""A machine you do not have: the schedule by the model, beside the measured one. Computed, and labelled so; nothing is graded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs import plots, simulate
from labs.capacity import ideal
from labs.measurement import Record, Run
from labs.playing import Slider, WhatIf
from labs.spec import Lines
from labs.waves import picture, reading, schedule
from labs.waves.schedule import Bar
from labs.words import counted

UNIT = "times of one hash alone"


def _measured(records: Mapping[str, Record], values: Mapping[str, int]) -> tuple[Record, Run] | None:
    """Return the measured run that is nearest to the chosen numbers: as many of them equal as can be."""
    found = [
        (record, run) for name in picture.ORDER if name in records for record in [records[name]] for run in record.runs
    ]

    def alike(pair: tuple[Record, Run]) -> int:
        record, run = pair
        own = {"pool": picture.slots(run), "tasks": reading.tasks_of(record), "cores": record.machine.cores}
        return sum(own[name] == value for name, value in values.items())

    return max(found, key=alike, default=None)


def _title(values: Mapping[str, int]) -> str:
    span = simulate.what_if(values["tasks"], values["pool"], values["cores"], "cpu").makespan
    takes = f"{span.low:.3g}" if span.high - span.low < 0.05 else f"{span.low:.3g} to {span.high:.3g}"
    return (
        f"{counted(values['pool'], 'slot')}, {counted(values['tasks'], 'hash', 'hashes')}, {counted(values['cores'], 'core')}: "
        f"computed from the model, all over one {takes}"
    )


def _computed(values: Mapping[str, int]) -> tuple[Bar, ...]:
    return schedule.fair_share(values["tasks"], values["pool"], ideal(values["cores"]))


def text(records: Mapping[str, Record], values: Mapping[str, int]) -> Lines:
    """Return both schedules as lines, on one scale."""
    computed = _computed(values)
    near = _measured(records, values)
    unit = picture.unit_of(near[0]) if near else None
    bars = schedule.measured(near[1], unit) if near and unit else ()
    scale = max(schedule.length(computed), schedule.length(bars)) or 1.0
    lines = [f"{_title(values)}:", *schedule.text(computed, values["pool"], scale)]
    if near and bars:
        lines += [f"{picture.title(*near)}:", *schedule.text(bars, picture.slots(near[1]), scale)]
    else:
        lines.append("Once your own run is measured and timed, it stands here beside it.")
    lines.append(
        "Computed with the cores shared evenly; an operating system shares in turns, so single ends may differ."
    )
    return tuple(lines)


def draw(records: Mapping[str, Record], values: Mapping[str, int]) -> Any:
    """Return a figure with both schedules, on one scale."""
    panels = [(_title(values), values["pool"], picture.stretches(_computed(values)))]
    near = _measured(records, values)
    if near and (unit := picture.unit_of(near[0])):
        panels.append(
            (picture.title(*near), picture.slots(near[1]), picture.stretches(schedule.measured(near[1], unit)))
        )
    return plots.schedules(panels, UNIT)


def _tasks(records: Mapping[str, Record], cores: int) -> int:
    record = records.get("all at once")
    return min(reading.tasks_of(record), 32) if record else 8


WHAT_IF = WhatIf(
    sliders=(
        Slider("pool", 1, 16, lambda records, cores: 4),
        Slider("tasks", 1, 32, _tasks),
        # The ending that the learner's own machine does not show: many cores for who has few, two for who has many.
        Slider("cores", 1, 16, lambda records, cores: 8 if cores < 4 else 2),
    ),
    text=text,
    picture=draw,
)
