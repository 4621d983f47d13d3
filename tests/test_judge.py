"""Checks on records and items on evidence; pure, and never a crash on a record of another shape."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import msgspec

from grader.checks import judge_check
from grader.judge import judge, judge_record
from grader.marks import marks
from grader.verdict import Outcome, exit_code
from grader.work import Evidence
from labs import acts, catalog
from labs.measurement import Machine, Noise, Pair, Parameters, Record
from labs.request import Request
from labs.spec import CountCheck, RatioCheck, Scene, Shape
from tests import classroom, gates_people, personas

GATES = catalog.load("gates")
NEVER = "the measurement has to be repeated"


def state(opens: list[int], **changes: Any) -> Record:
    """Return a record of the puzzle: 3 slots, 9 gates, wanted 1, 5 and 7."""
    asked: Parameters = {"pool": 3, "tasks": 9, "target": [1, 5, 7], "open": [*opens]}
    request = Request(lab="gates", measure="state", parameters=asked)
    return classroom.gates_record(request, 2, **changes)


def free(**changes: Any) -> Record:
    """Return a record of five slots and nine gates, of no use for points."""
    request = Request(lab="gates", measure="free", parameters={"pool": 5, "tasks": 9})
    return classroom.gates_record(request, 2, **changes)


def test_what_earns_nothing_is_held_against_the_law() -> None:
    """A free run is judged by the model alone; the story that a changed count fits is named."""
    (verdict,) = judge_record(GATES, free())
    assert (Outcome.PASS, 5, 5, 0.0) == (verdict.outcome, verdict.measured, verdict.expected, verdict.max_points)

    run = free().runs[0]
    (verdict,) = judge_record(GATES, free(runs=(msgspec.structs.replace(run, counts={**run.counts, "held_slots": 2}),)))
    assert (Outcome.CONTRADICTS, 2, ("a-slot-a-core",)) == (verdict.outcome, verdict.measured, verdict.wrong_models)
    assert 1 == exit_code((verdict,))


def test_what_a_script_only_claims_is_not_held_against_the_law() -> None:
    """Structure rests on observed counts."""
    run = free().runs[0]
    (verdict,) = judge_record(
        GATES, free(runs=(msgspec.structs.replace(run, sources={**run.sources, "held_slots": "claimed"}),))
    )
    assert Outcome.INCONCLUSIVE == verdict.outcome


def test_a_record_that_reaches_its_target_passes() -> None:
    """With the points of its item."""
    (verdict,) = judge_record(GATES, state([2, 3, 4, 6]))
    assert (Outcome.PASS, 2.5, 2.5) == (verdict.outcome, verdict.points, verdict.max_points)
    assert 0 == exit_code((verdict,))


def test_a_record_that_does_not_reach_it_contradicts() -> None:
    """With what was there, what was wanted, and what to do."""
    (verdict,) = judge_record(GATES, state([2, 3, 4]))
    assert (Outcome.CONTRADICTS, 0.0) == (verdict.outcome, verdict.points)
    assert ((1, 5, 6), (1, 5, 7)) == (verdict.measured, verdict.expected)
    assert 1 == exit_code((verdict,))


def test_a_recorded_run_earns_nothing() -> None:
    """Room ``replay`` is judged and worth 0 on its own."""
    (verdict,) = judge_record(GATES, state([2, 3, 4, 6], room="replay"))
    assert (Outcome.PASS, 0.0) == (verdict.outcome, verdict.points)


def test_a_record_of_another_shape_is_an_error_and_no_crash() -> None:
    """Without runs nothing can be counted."""
    (verdict,) = judge_record(GATES, state([2], runs=()))
    assert Outcome.ERROR is verdict.outcome


def test_judging_twice_is_judging_once(tmp_path: Path) -> None:
    """The same evidence gives the same verdicts, one for each item, with the master's maximum."""
    it = classroom.session(tmp_path)
    gates_people.asleep(it)
    evidence = personas.evidence(it)
    assert judge(GATES, evidence) == judge(GATES, evidence)
    assert [item.grade_id for item in GATES.items] == [verdict.check for verdict in judge(GATES, evidence)]
    assert [item.points for item in GATES.items] == [verdict.max_points for verdict in judge(GATES, evidence)]


def _ratio(low: float, high: float) -> RatioCheck:
    return RatioCheck(
        slug="ratio", measure="state", pair="all", expected=lambda scene, machine: (2.0, 2.1),
        wrong=lambda scene, machine: {"one by one": (low, high)}, because=lambda scene: "Eight at once against one.",
        next_step=NEVER, moves_to="count", threads=lambda scene: 4,
    )  # fmt: skip


def _pairs(ratio: float, control: float = 2.0, count: int = 9) -> tuple[Pair, ...]:
    return tuple(
        Pair(name="all", first="numerator", numerator=ratio * (1 + 0.001 * index), denominator=1.0, control=control)
        for index in range(count)
    )


def _judged(pairs: tuple[Pair, ...], check: RatioCheck, capacity: tuple[float, ...] = (1.0, 2.0, 2.0, 2.0)) -> Any:
    record = state([], pairs=pairs, machine=Machine(cores=2, capacity=capacity), noise=Noise(floor=1.02))
    return judge_check(check, Scene(acts.freeze(record.parameters), Shape(2, capacity), record))


def test_a_ratio_passes_contradicts_or_cannot_be_judged() -> None:
    """By the rule of the design, from the record alone."""
    assert Outcome.PASS is _judged(_pairs(2.05), _ratio(8.0, 8.0)).outcome
    lost = _judged(_pairs(8.0), _ratio(8.0, 8.0))
    assert (Outcome.CONTRADICTS, ("one by one",)) == (lost.outcome, lost.wrong_models)
    assert Outcome.NOT_SEPARABLE is _judged(_pairs(2.05), _ratio(2.0, 2.2)).outcome
    assert Outcome.INCONCLUSIVE is _judged(_pairs(2.05, control=1.0), _ratio(8.0, 8.0)).outcome
    assert Outcome.INCONCLUSIVE is _judged((), _ratio(8.0, 8.0)).outcome
    assert Outcome.INCONCLUSIVE is _judged(_pairs(2.05), _ratio(8.0, 8.0), capacity=()).outcome


def test_a_ratio_that_cannot_be_judged_costs_nothing(tmp_path: Path) -> None:
    """Its weight moves to the count of the same artefact."""
    it = classroom.session(tmp_path)
    gates_people.knows(it)
    item = next(item for item in GATES.items if item.grade_id == "gates-state")
    count = item.checks[0][0]
    assert isinstance(count, CountCheck)
    both = dataclasses.replace(
        item, checks=((count, 0.4), (dataclasses.replace(_ratio(8, 8), moves_to=count.slug), 0.6))
    )
    lab = dataclasses.replace(GATES, items=(both,))
    (mark,) = marks(lab, Evidence("gates", it.journal().entries()))
    assert 2.5 == mark.verdict.points


def test_verdicts_are_json_with_the_keys_of_the_design() -> None:
    """Other programs rely on them."""
    from grader.verdict import to_json

    keys = "check outcome wrong_models measured expected accepted because next_step points max_points".split()
    assert keys == list(msgspec.json.decode(to_json(judge_record(GATES, state([2]))))[0])
