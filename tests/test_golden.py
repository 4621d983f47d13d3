"""The same record gives the same verdict for ever; and what a machine does to a run, in whole records."""

from __future__ import annotations

import msgspec
import pytest

from grader.judge import judge_record
from grader.verdict import Outcome
from labs import catalog
from labs.measurement import Machine, Noise, Pair, Record, decode
from tests import golden

KEPT = golden.kept()
WAVES = catalog.load("waves")


@pytest.mark.parametrize("one", KEPT, ids=lambda one: one.name)
def test_a_kept_record_gets_the_verdict_it_got(one: golden.Golden) -> None:
    """Outcome, names, values: what changes here changes marks that were given, and needs a reason."""
    assert one.said == golden.said(decode(bytes(one.record)))


def test_judging_again_says_the_same() -> None:
    """No clock, no random number, no state: twice in one process, in either order."""
    records = [decode(bytes(one.record)) for one in KEPT]

    first = [judge_record(catalog.load(record.lab), record) for record in records]
    second = [judge_record(catalog.load(record.lab), record) for record in reversed(records)]

    assert first == second[::-1]


def test_kept_records_show_every_outcome_of_a_count_and_all_machines() -> None:
    """Passed, contradicted with and without a name; one core, two, a quota, load."""
    outcomes = {(said.outcome, bool(said.wrong_models)) for one in KEPT for said in one.said}

    assert {("PASS", False), ("CONTRADICTS", True), ("CONTRADICTS", False)} <= outcomes
    assert {"1 core, idle", "2 cores, busy", "2 cores, idle, quota of 0.5 CPU"} <= {
        one.name.partition(" on ")[2] for one in KEPT
    }


# A whole record of `waves` under what machines do. Counts are a real run's; the pairs are made.


def own(
    machine: Machine, ratio: float, control: float, throttled: float = 0.0, task: float = 0.1, floor: float = 1.03
) -> Record:
    """Return a record of the measure ``own`` with 25 pairs of this ratio, eight hashes on three slots."""
    found = next(one for one in KEPT if one.name.startswith("waves own: solution on 2 cores, idle"))
    record = decode(bytes(found.record))
    pairs = tuple(
        Pair(
            name="all over one", first="numerator", numerator=ratio * task * (1 + 0.002 * (index % 5)), denominator=task,
            control=control, throttled=throttled,
        )
        for index in range(25)
    )  # fmt: skip
    parameters = {**record.parameters, "pool": 3, "tasks": 8, "cores": None}
    return msgspec.structs.replace(
        record, machine=machine, noise=Noise(floor=floor), pairs=pairs, parameters=parameters
    )


def outcome(record: Record) -> str:
    """Return what the ratio's check says."""
    return next(str(found.outcome) for found in judge_record(WAVES, record) if found.check == "waves-script-ratio")


TWO = Machine(cores=2, capacity=(1.0, 1.98, 1.98, 1.98))
ONE = Machine(cores=1, capacity=(1.0, 1.0))
HALF = Machine(cores=2, capacity=(1.0, 1.0, 1.0, 1.0), quota=0.5, quota_period=0.1)
MORE = Machine(cores=2, capacity=(1.0, 1.5, 1.5, 1.5), quota=1.5, quota_period=0.1)


def test_each_machine_expects_its_own_ratio() -> None:
    """4.1 on two cores, 8 on one and at half a CPU, 5.4 at one and a half: the same script, PASS each time."""
    assert "PASS" == outcome(own(TWO, 4.15, 1.97))
    assert "PASS" == outcome(own(ONE, 8.0, 1.0))
    assert "PASS" == outcome(own(HALF, 8.1, 1.0, throttled=2.0, task=0.35))
    assert "PASS" == outcome(own(MORE, 5.6, 1.5, throttled=0.5, task=0.4))


def test_a_ratio_of_another_machine_is_none_of_this_one() -> None:
    """What is right on one core contradicts on two, and the other way round."""
    assert "CONTRADICTS" == outcome(own(TWO, 8.0, 1.97))
    assert "CONTRADICTS" == outcome(own(ONE, 3.0, 1.0))


def test_being_stopped_is_a_regime_only_where_the_quota_is_known() -> None:
    """The same throttled pairs on a machine without a quota are a disturbed measurement."""
    free = msgspec.structs.replace(HALF, quota=None, quota_period=None)

    assert "INCONCLUSIVE" == outcome(own(free, 8.1, 1.0, throttled=2.0, task=0.35))


def test_under_a_quota_short_hashes_are_not_judged() -> None:
    """A hash of two periods shows where in a period it began."""
    assert "INCONCLUSIVE" == outcome(own(HALF, 8.1, 1.0, throttled=2.0, task=0.2))


@pytest.mark.parametrize("control", [1.0, 1.4, 1.7, 2.6])
@pytest.mark.parametrize("ratio", [2.0, 3.0, 3.35, 4.15, 5.0, 8.0])
def test_load_and_steal_are_a_bias_that_the_control_shows(ratio: float, control: float) -> None:
    """Whatever the ratio became beside load, a control off the calibration leaves it undecided: no false FAIL, no false PASS."""
    assert "INCONCLUSIVE" == outcome(own(TWO, ratio, control))


def test_a_calibration_under_load_supports_no_verdict() -> None:
    """Its noise floor says so, however well the pairs agree."""
    assert "INCONCLUSIVE" == outcome(own(TWO, 4.15, 1.97, floor=1.6))


def test_what_cannot_be_judged_costs_nothing_and_counts_decide() -> None:
    """The count check of the same record passes under every one of these."""
    for record in (own(TWO, 3.35, 1.4), own(HALF, 8.1, 1.0, 2.0, 0.2), own(TWO, 4.15, 1.97, floor=1.6)):
        found = {verdict.check: verdict.outcome for verdict in judge_record(WAVES, record)}
        assert Outcome.INCONCLUSIVE is found["waves-script-ratio"]
        assert found["waves-script-counts"] is not Outcome.INCONCLUSIVE


def test_wrong_models_that_predict_the_same_are_all_named() -> None:
    """On one core "in turn" is what the model says too, so only the others are told apart, by name."""
    found = next(v for v in judge_record(WAVES, own(ONE, 3.0, 1.0)) if v.check == "waves-script-ratio")

    assert ("core-a-slot",) == found.wrong_models
