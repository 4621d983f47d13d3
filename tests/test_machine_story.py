"""The page of one script on four machines: its numbers come from the records, and its picture shows them."""

from __future__ import annotations

import pytest

from grader.shapes import MachineShape
from grader.trial_log import Head
from labs.measurement import Machine, Noise, Pair
from tests import machine_story as story

CURVES = {
    MachineShape(2): ((1.0, 1.97, 1.97, 1.97), None, 4.2, 1.97),
    MachineShape(1): ((1.0, 1.0), None, 8.0, 1.0),
    MachineShape(2, quota=0.5): ((1.0, 1.0, 1.0, 1.0), 0.5, 8.1, 1.0),
    MachineShape(2, busy=True): ((1.0, 1.97, 1.97, 1.97), None, 3.35, 1.4),
}


def told(shape: MachineShape) -> story.Machines:
    """Return a machine's part with pairs that nobody measured."""
    curve, quota, eight, control = CURVES[shape]
    machine = Machine(cores=shape.cores, capacity=curve, quota=quota, quota_period=0.1 if quota else None)
    pairs = {
        tasks: tuple(
            Pair(
                name="all over one", first="numerator", numerator=0.4 * eight * tasks / 8, denominator=0.4, control=control,
                throttled=0.5 if quota else 0.0,
            )
            for _ in range(story.PAIRS)
        )
        for tasks in story.TASKS
    }  # fmt: skip
    counts = {"pool_threads": 4, "started": 4, "asked": 8, "done": 8}
    return story.Machines(shape, machine, Noise(floor=1.03), counts, pairs)


STORY = story.Story(Head(1, "2026-11-30", "a processor", 2, "24.19.0 (libuv 1.52.1)"), tuple(map(told, CURVES)))


def test_every_machine_has_its_interval_and_its_verdict() -> None:
    """About four on two cores, about eight on one and at half a CPU, nothing beside load."""
    page = story.page(STORY)

    assert "| 2 cores, idle | 1.00, 1.97, 1.97, 1.97 | 3.94 to" in page
    assert "| 1 core, idle | 1.00, 1.00, 1.00, 1.00 | 7.76 to 8.80 | 8.00 | 9 of 9 | PASS |" in page
    assert ["PASS", "PASS", "PASS", "INCONCLUSIVE"] == [story.verdict(one).outcome for one in STORY.told]
    assert "was busy with something else in 9 of 9 pairs" in page


def test_a_hash_is_said_to_take_what_it_took_on_each_machine() -> None:
    """0.08 processor seconds, and at half a CPU 0.175, which are 0.35 s: three and a half periods."""
    page = story.page(STORY)

    assert (
        "to take 0.08 s of processor time; under the quota 0.175 s, so that\nalone it lasts 3.5 of the periods" in page
    )
    assert [0.08, 0.08, pytest.approx(0.175), 0.08] == [story.service(one) for one in STORY.told]


def test_counts_stand_beside_each_other() -> None:
    """Four start on every machine."""
    page = story.page(STORY)

    assert 4 == sum(line.endswith("| 4 | 4 | 8 | 8 |") for line in page.splitlines())
    assert "2026-11-30" in page


def test_the_picture_has_a_panel_a_machine_on_one_scale() -> None:
    """Prediction, rival and points in each; the axes are named."""
    figure = story.draw(STORY)
    panels = [axes for axes in figure.axes if axes.get_visible()]

    assert [str(shape) for shape in CURVES] == [axes.get_title(loc="left") for axes in panels]
    assert 1 == len({axes.get_ylim() for axes in panels})
    assert [9 * len(story.TASKS)] * 4 == [len(axes.collections[-1].get_offsets()) for axes in panels]
    assert pytest.approx(3.94, abs=0.01) == story.predicted(STORY.told[0], story.EIGHT)[0]
