"""Real records with the verdicts they got, kept: a judge that changes its mind about one of them is found out.

python -m tests.golden        records them anew (needs two cores, and root for the CPU quota)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from grader import shapes, work
from grader.judge import judge_record
from grader.shapes import MachineShape
from labs import catalog, rooms, trials
from labs.machine import plain
from labs.measurement import Record
from labs.request import Request
from labs.spec import Scene, Shape
from labs.trials import Case
from tests import calm

PATH = Path(__file__).parent / "data" / "golden.jsonl"
#: Lab, measure, case and machine.
KEPT = (
    ("gates", "canary", "solution", MachineShape(2)),
    ("gates", "canary", "stat first", MachineShape(2)),
    ("gates", "canary", "never reported", MachineShape(1)),
    ("gates", "state", "solution", MachineShape(1)),
    ("gates", "state", "the first group", MachineShape(2)),
    ("gates", "state", "nothing opened", MachineShape(2, quota=0.5)),
    ("waves", "own", "solution", MachineShape(2)),
    ("waves", "own", "solution", MachineShape(1)),
    ("waves", "own", "solution", MachineShape(2, busy=True)),
    ("waves", "own", "solution", MachineShape(2, quota=0.5)),
    ("waves", "own", "awaits in turn", MachineShape(2)),
    ("waves", "own", "on the loop", MachineShape(1, busy=True)),
    ("waves", "own", "reports too early", MachineShape(2)),
)


class Said(Struct, frozen=True):
    """What a check said, without its words and points, which may change."""

    check: str
    outcome: str
    wrong_models: tuple[str, ...]
    measured: Any
    expected: Any
    accepted: Any


class Golden(Struct, frozen=True):
    """A record and what was said of it."""

    name: str
    record: msgspec.Raw
    said: tuple[Said, ...]


def said(record: Record) -> tuple[Said, ...]:
    """Return what the judge says now, in the values that JSON knows."""
    verdicts = judge_record(catalog.load(record.lab), record)
    return msgspec.json.decode(msgspec.json.encode(verdicts), type=tuple[Said, ...])


def kept() -> tuple[Golden, ...]:
    """Return what was recorded."""
    return tuple(msgspec.json.decode(line, type=Golden) for line in PATH.read_bytes().splitlines())


def record() -> None:
    """Measure each, judge it, keep both; a line each, so that a change can be read."""
    lines = []
    for slug, measure, name, shape in KEPT:
        found = trials.of(slug)
        assert found is not None
        case = next(case for case in found.cases if (case.measure, case.slug) == (measure, name))
        made = _measured(slug, case, shape)
        lines.append(
            msgspec.json.encode(
                Golden(f"{slug} {measure}: {name} on {shape}", msgspec.Raw(msgspec.json.encode(made)), said(made))
            )
        )
    PATH.write_bytes(b"\n".join(lines) + b"\n")


def _measured(slug: str, case: Case, shape: MachineShape) -> Record:
    lab = catalog.load(slug)
    measure = lab.measure(case.measure)
    with shapes.on(shape) as load:
        here, made = plain(), None
        if measure.calibrated:
            made = calm.calibrated(load)
            here = made.machine
        seen = Shape(here.cores, here.capacity)
        scene = Scene(work.draw(lab, case.measure, 1, seen), seen)
        scene = Scene(scene.parameters, seen, answers=case.typed(scene))
        asked: Any = msgspec.to_builtins(dict(measure.parameters(scene)))
        request = Request(lab=slug, measure=case.measure, parameters=asked, seed=1, script=case.script)
        if made is not None:
            request = msgspec.structs.replace(request, machine=made.machine, noise=made.noise)
        return rooms.measure(request)


if __name__ == "__main__":
    record()
