"""Series of pairs: a draw and a calibration each, in blocks that a stopped trial goes on with."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from grader import trial, trial_log
from grader.shapes import MachineShape
from grader.trial_log import Block, Call, Head
from labs import catalog, rooms, trials
from labs.machine import Calibration
from labs.measurement import Clock, Machine, Node, Noise, Record, script_of
from labs.request import Request
from labs.spec import Shape
from labs.trials import Series, Trials

IDLE, BUSY = MachineShape(2), MachineShape(1, busy=True)
HEAD = Head(1, "2026-11-30", "a processor", 2, "24.19.0 (libuv 1.52.1)")


def test_pairs_are_planned_in_blocks_of_short_series() -> None:
    """A block is one line of the file; the last may be short. Two are a series; the cases take turns, a series each."""
    assert [(0, 25), (0, 25), (1, 10)] == [(unit.number, unit.count) for unit in ratio_units(60)]

    units = trial.plan(["waves"], [IDLE], 0, 100)
    cases = [unit.what.slug for unit in units if isinstance(unit.what, Series)]
    assert ["solution", "solution", "core-a-slot", "core-a-slot"] == cases[:4]
    assert cases[:8] == cases[8:]


def test_units_of_today_are_none_of_an_older_file() -> None:
    """In which a series had 100 pairs and its blocks were numbered through."""
    old = {f"waves|2 cores, idle|waves-script-ratio|solution|{number}" for number in range(16)}

    assert not old & {unit.name for unit in ratio_units(400)}


@pytest.mark.parametrize("cores", [1, 2, 4, 16])
def test_the_draws_of_a_check_are_all_there_are_in_the_same_order_for_ever(cores: int) -> None:
    """Series go through them in turn, so that none rests on one draw; the first stays what it was."""
    lab = catalog.load("waves")
    found = trial.draws(lab, "own", Shape(cores))

    assert {3, 5, 6} - {cores} == {drawn["pool"] for drawn in found.values()}
    assert (1, found) == (next(iter(found)), trial.draws(lab, "own", Shape(cores)))


def ratio_units(pairs: int) -> list[trial.Unit]:
    """Return the units of one series of ``waves``."""
    units = trial.plan(["waves"], [IDLE], 0, pairs)
    return [unit for unit in units if isinstance(unit.what, Series) and unit.what.slug == "solution"]


def test_a_series_takes_the_draw_that_is_next_and_notes_its_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three series, three pools; a new one has a calibration of its own, which its second block shares."""
    calibrated = iter(range(1, 100))
    one = dataclasses.replace(trials.of("waves") or Trials(), cases=(), node=lambda scene: {})
    right = dataclasses.replace(one, series=tuple(series for series in one.series if series.story is None))
    monkeypatch.setattr(trials, "of", lambda slug: right)
    monkeypatch.setattr(trial, "head", lambda: HEAD)
    monkeypatch.setattr(
        rooms, "ask", lambda *words: msgspec.json.encode(calibration(1.0 + next(calibrated) / 1000))
    )  # a calibration takes seconds
    monkeypatch.setattr(rooms, "measure", lambda request, room: record(request))
    trial.run(trial.plan(["waves"], [BUSY], 0, 150), tmp_path / "t", "here", command="fourthreads trial waves")
    _, call, *blocks = trial_log.read(tmp_path / "t")

    assert isinstance(call, Call)
    assert "fourthreads trial waves" == call.command
    found = [block for block in blocks if isinstance(block, Block)]
    assert [3, 3, 6, 6, 5, 5] == [block.scene["pool"] for block in found]
    assert [0, 0, 1, 1, 2, 2] == [block.series for block in found]
    assert 3 == len({block.noise for block in found}) == len({trial_log.series(block) for block in found})
    assert {(2, 50)} == {(block.load, block.length) for block in found}
    assert all(block.loads is not None and block.loads >= 2 for block in found)


def calibration(floor: float) -> Calibration:
    """Return what a quiet machine would say of itself."""
    return Calibration(Machine(cores=2, capacity=(1.0, 2.0, 2.0, 2.0)), Noise(floor=floor), rate=1.0)


def record(request: Request) -> Record:
    """Return a record without pairs: they are not looked at here."""
    assert request.machine is not None
    return Record(
        schema=1, lab=request.lab, measure=request.measure, parameters=request.parameters, seed=request.seed, draw=0,
        node=Node("", ""), machine=request.machine, room="here", script=script_of(""), runs=(), clock=Clock(0.0, 0.0, ""),
    )  # fmt: skip
