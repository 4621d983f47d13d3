"""The trial: what is run, how it goes on after a stop, and what it finds out about a check."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from course.commands import trial as verb
from grader import revision, trial, trial_log, trial_table
from grader.shapes import MachineShape
from grader.trial_log import Call, Head, Live
from labs import catalog, lock, rooms, trials
from labs.answers import Answer
from labs.errors import NoisyError, SetupError
from labs.gates.draw import held
from labs.measurement import Record
from labs.request import Request
from labs.spec import CountCheck, Lab, Scene, Shape
from labs.trials import Case, Trials
from tests import classroom, test_gates_lab

IDLE = MachineShape(2)
HEAD = Head(1, "2026-11-30", "a processor", 2, "24.19.0 (libuv 1.52.1)")


# the plan


def test_every_check_has_as_many_right_runs_as_wrong_ones_and_wrong_ways_take_turns() -> None:
    """250 of each are 250 for each check, whatever the number of wrong ways."""
    units = trial.plan(["gates"], [IDLE], 30, 0)
    cases = [unit.what for unit in units if isinstance(unit.what, Case)]

    for measure in ("canary", "state"):
        mine = [case for case in cases if case.measure == measure]
        wrong = [case.slug for case in mine if case.contradicts is not None]
        assert (30, 30) == (len(mine) - len(wrong), len(wrong))
        counts = {slug: wrong.count(slug) for slug in wrong}
        assert max(counts.values()) - min(counts.values()) <= 1
    assert len(units) == len({unit.name for unit in units})


@pytest.mark.parametrize("slug", [slug for slug in catalog.slugs() if trials.of(slug) is not None])
def test_each_check_has_as_many_runs_of_wrong_ways_as_are_asked_for(slug: str) -> None:
    """Also where a wrong way speaks against one check of the measure and not against another."""
    cases = [unit.what for unit in trial.plan([slug], [IDLE], 20, 0) if isinstance(unit.what, Case)]
    wrong = Counter(check for case in cases for check in case.contradicts or ())
    right = Counter(case.measure for case in cases if case.contradicts is None)

    counts = {check for item in catalog.load(slug).items for check, _ in item.checks if isinstance(check, CountCheck)}
    assert {check.slug for check in counts} == {check for check, runs in wrong.items() if runs >= 20}
    assert {20} == {right[check.measure] for check in counts}


@pytest.mark.parametrize("slug", [slug for slug in catalog.slugs() if trials.of(slug) is not None])
def test_a_labs_trial_names_what_the_lab_has(slug: str) -> None:
    """Measures, checks and stories exist, and every check is tried both ways."""
    lab, found = catalog.load(slug), trials.of(slug)
    assert found is not None
    checks = {check.slug: check for item in lab.items for check, _ in item.checks}
    right = {case.measure for case in found.cases if case.contradicts is None}
    wrong = {check for case in found.cases for check in case.contradicts or ()}

    assert {measure.slug for measure in lab.measures} >= {case.measure for case in found.cases}
    assert all(checks[name].measure == case.measure for case in found.cases for name in case.contradicts or ())
    counts = {name: check for name, check in checks.items() if isinstance(check, CountCheck)}
    assert {*counts} == wrong
    assert {check.measure for check in counts.values()} <= right
    series = [(one.check, one.story is None) for one in found.series]
    assert {(name, both) for name in checks.keys() - counts.keys() for both in (True, False)} == {*series}
    assert all(one.slug == (one.story or "solution") for one in found.series)


def test_of_a_lab_without_reference_there_is_no_trial() -> None:
    """Class releases leave the folder out."""
    assert trials.of("no-such-lab") is None


@pytest.mark.parametrize("cores", [1, 2, 4, 16])
def test_the_wrong_openings_of_gates_never_lead_to_the_target(cores: int) -> None:
    """By the model, on every draw: else a PASS there would be right."""
    found = trials.of("gates")
    assert found is not None
    cases = [case for case in found.cases if case.measure == "state"]
    for numbers in draws(cores):
        scene = Scene(numbers, Shape(cores))
        for case in cases:
            opened = case.typed(scene)["open"]
            assert isinstance(opened, tuple)
            there = held(numbers["pool"], numbers["tasks"], tuple(int(gate) for gate in opened))
            assert (case.contradicts is None) == (there == tuple(numbers["target"])), (case.slug, numbers)


def draws(cores: int) -> Iterator[Any]:
    """Yield the puzzle's numbers of many draws."""
    for seed in range(400):
        yield test_gates_lab.drawn(cores, seed)["state"]


# a trial of a Node that does what the model says


@pytest.fixture
def modelled(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Let the model answer in Node's place; return what was asked for."""
    asked: list[Request] = []

    def measure(request: Request, room: object = None, on_progress: object = None) -> Record:
        asked.append(request)
        return classroom.gates_record(request, 2)

    monkeypatch.setattr(rooms, "measure", measure)
    monkeypatch.setattr(trial, "head", lambda: HEAD)
    return asked


def puzzle(found: Trials) -> Trials:
    """Return the part of a trial whose records the model can make: openings and bets, with the solution's script."""
    return dataclasses.replace(
        found, cases=tuple(case for case in found.cases if case.measure == "state" or case.slug == "solution")
    )


@pytest.fixture
def of_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try the puzzle and the bets only."""
    found = trials.of("gates")
    assert found is not None
    monkeypatch.setattr(trials, "of", lambda slug: puzzle(found))


@pytest.mark.usefixtures("of_puzzle")
def test_no_check_errs_where_node_is_the_model(modelled: list[Request], tmp_path: Path) -> None:
    """Neither way, and every story is named by its own row of bets."""
    trial.run(trial.plan(["gates"], [IDLE], 12, 0), tmp_path / "t")
    rows = trial_table.rows(trial_log.read(tmp_path / "t"))

    assert {"gates-own-script", "gates-state", "bet start", "bet one gate", "bet canary"} == {row.check for row in rows}
    assert {0} == {
        found.errors for row in rows for found in (row.false_fail, row.false_pass, row.wrong_name, row.inconclusive)
    }
    assert {12} == {row.false_fail.tries for row in rows}
    (state,) = (row for row in rows if row.check == "gates-state")
    assert (12, 12) == (state.false_pass.tries, state.wrong_name.tries)


@pytest.mark.usefixtures("of_puzzle")
def test_a_stopped_trial_goes_on_where_it_was(modelled: list[Request], tmp_path: Path) -> None:
    """Nothing is run twice, and more runs may be asked for later."""
    path, units = tmp_path / "t", trial.plan(["gates"], [IDLE], 3, 0)
    trial.run(units[:5], path)
    first = len(modelled)
    trial.run(units, path)
    whole = len(modelled)
    steps: list[tuple[int, int, str]] = []
    trial.run(trial.plan(["gates"], [IDLE], 4, 0), path, on_progress=lambda *step: steps.append(step))

    lines = trial_log.read(path)
    assert len({line.unit for line in lines if isinstance(line, Live)}) == len(lines) - 1
    assert first < whole < len(modelled)
    assert (len(units), "gates on 2 cores, idle") == (steps[0][0], steps[0][2])


@pytest.mark.usefixtures("of_puzzle")
def test_runs_count_though_a_lab_has_a_new_way_by_now(
    modelled: list[Request], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shifts the turns of the others: of those as many runs are made as they still lack, and no more."""
    found = trials.of("gates")
    assert found is not None
    fewer = dataclasses.replace(found, cases=tuple(case for case in found.cases if case.slug != "nothing opened"))
    with monkeypatch.context() as patch:
        patch.setattr(trials, "of", lambda slug: fewer)
        trial.run(trial.plan(["gates"], [IDLE], 10, 0), tmp_path / "t")
    trial.run(trial.plan(["gates"], [IDLE], 12, 0), tmp_path / "t")

    row = state_row(tmp_path / "t")
    assert (12, 12) == (row.false_fail.tries, row.false_pass.tries)
    assert trial_table.Ways(6, 2) == row.wrong_ways


@pytest.mark.usefixtures("modelled")
def test_figures_of_two_machines_do_not_go_into_one_table(tmp_path: Path) -> None:
    """The head of the file says where it was begun."""
    trial_log.append(tmp_path / "t", msgspec.structs.replace(HEAD, cores=64))

    with pytest.raises(SetupError, match="64 cores"):
        trial.run((), tmp_path / "t")


@pytest.mark.usefixtures("of_puzzle")
def test_a_check_that_errs_is_found_out(
    modelled: list[Request], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that expects one task more fails every solution; one that looks at nothing passes every wrong way."""
    lab = catalog.load("gates")
    first: Answer = (1, 2)
    monkeypatch.setattr(catalog, "load", lambda slug: with_state(lab, expected=lambda scene: first))
    trial.run(trial.plan(["gates"], [IDLE], 6, 0), tmp_path / "strict")
    monkeypatch.setattr(
        catalog, "load", lambda slug: with_state(lab, expected=lambda scene: first, measured=lambda record: first)
    )
    trial.run(trial.plan(["gates"], [IDLE], 6, 0), tmp_path / "blind")

    strict, blind = (state_row(tmp_path / name) for name in ("strict", "blind"))
    assert (6, 0) == (strict.false_fail.errors, strict.false_pass.errors)
    assert (0, 6) == (blind.false_fail.errors, blind.false_pass.errors)
    assert strict.odd


def with_state(lab: Lab, **changes: Any) -> Lab:
    """Return the lab with another check of the puzzle."""
    items = []
    for item in lab.items:
        (found, *_) = item.checks or ((None, 1.0),)
        if found[0] is not None and found[0].slug == "gates-state":
            item = dataclasses.replace(item, checks=((dataclasses.replace(found[0], **changes), 1.0),))
        items.append(item)
    return dataclasses.replace(lab, items=tuple(items))


def state_row(path: Path) -> trial_table.Row:
    """Return the puzzle's figures."""
    return next(row for row in trial_table.rows(trial_log.read(path)) if row.check == "gates-state")


@pytest.mark.usefixtures("of_puzzle")
def test_a_run_that_has_to_be_repeated_is_inconclusive(
    modelled: list[Request], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is for a learner."""

    def noisy(request: Request, room: object = None, on_progress: object = None) -> Record:
        raise NoisyError("somebody else opened a gate")

    monkeypatch.setattr(rooms, "measure", noisy)
    trial.run(trial.plan(["gates"], [IDLE], 2, 0), tmp_path / "t")

    assert (2, 2) == (state_row(tmp_path / "t").inconclusive.errors, state_row(tmp_path / "t").inconclusive.tries)


@pytest.mark.usefixtures("of_puzzle", "modelled")
def test_a_machine_that_is_occupied_stops_the_trial_and_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found stays, and the next trial goes on there."""

    def occupied(request: Request, room: object = None, on_progress: object = None) -> Record:
        raise lock.Occupied("another measurement is running")

    monkeypatch.setattr(rooms, "measure", occupied)
    with pytest.raises(lock.Occupied):
        trial.run(trial.plan(["gates"], [IDLE], 2, 0), tmp_path / "t")

    assert (HEAD,) == trial_log.read(tmp_path / "t")


def test_a_call_is_noted_once_with_the_revision_that_made_its_results(
    modelled: list[Request], of_puzzle: None, tmp_path: Path
) -> None:
    """A call that finds nothing to do made nothing, and leaves no line."""
    units = trial.plan(["gates"], [IDLE], 1, 0)
    for _ in range(2):
        trial.run(units, tmp_path / "t", command="fourthreads trial gates --runs 1")

    calls = [line for line in trial_log.read(tmp_path / "t") if isinstance(line, Call)]
    assert [("fourthreads trial gates --runs 1", revision.ours())] == [(call.command, call.revision) for call in calls]


# the verb


def test_the_command_is_shown_as_it_would_be_typed() -> None:
    """Without the files of one machine."""
    assert "fourthreads trial gates --cores 1,2 --load idle,busy --quota 0.5 --runs 250 --pairs 400" == verb.shown(
        ("gates",), "1,2", "idle,busy", (0.5,), 250, 400, None
    )
    assert "fourthreads trial gates --load idle --runs 10 --room container" == verb.shown(
        ("gates",), "", "idle", (), 10, None, "container"
    )


@pytest.mark.usefixtures("modelled", "of_puzzle")
def test_the_verb_prints_the_table_and_its_exit_code_says_whether_a_check_erred(tmp_path: Path) -> None:
    """0 where none did; the page is written; JSON has a row a check."""
    asked = [
        "gates",
        "--runs",
        "2",
        "--cores",
        "1",
        "--resume",
        str(tmp_path / "t"),
        "--page",
        str(tmp_path / "page.md"),
    ]
    text = CliRunner().invoke(verb.command, asked)
    json = CliRunner().invoke(verb.command, [*asked, "--json"])

    assert (0, 0) == (text.exit_code, json.exit_code), text.output
    assert "gates-state" in text.stdout
    assert "--resume" in text.stderr
    assert "# How often the checks err" in (tmp_path / "page.md").read_text()
    assert {"lab", "check", "shape", "false_fail", "false_pass"} <= msgspec.json.decode(json.stdout)[0].keys()


@pytest.mark.parametrize("words", [["gates", "--load", "heavy"], ["gates", "--cores", "two"], ["nowhere"]])
def test_what_cannot_be_tried_is_said_at_once(words: list[str], tmp_path: Path) -> None:
    """Exit code 2 or a problem in words, before anything is run."""
    seen = CliRunner().invoke(verb.command, [*words, "--resume", str(tmp_path / "t")])

    assert 0 != seen.exit_code
    assert not (tmp_path / "t").exists()


@pytest.mark.node
@pytest.mark.timeout(300)
def test_gates_is_tried_on_real_node(tmp_path: Path) -> None:
    """Every way once, on one core: no check errs."""
    found = trials.of("gates")
    assert found is not None
    ways = max(
        sum(case.measure == measure and case.contradicts is not None for case in found.cases)
        for measure in ("canary", "state")
    )
    trial.run(trial.plan(["gates"], [MachineShape(1)], ways, 0), tmp_path / "t")
    rows = trial_table.rows(islice(trial_log.read(tmp_path / "t"), None))

    assert {(0, 0, 0, 0)} == {
        (row.false_fail.errors, row.false_pass.errors, row.wrong_name.errors, row.errors) for row in rows
    }


def test_all_bets_of_waves_are_tried() -> None:
    """Their counts are; what a live record does not tell, the times, is held against nothing."""
    units = trial.plan(["waves"], [IDLE], 1, 0)

    assert {("all at once", "other cores"), ("own",)} == {unit.what for unit in units if isinstance(unit.what, tuple)}


@pytest.mark.node
@pytest.mark.timeout(300)
def test_bets_of_waves_are_tried_on_real_node(tmp_path: Path) -> None:
    """What was counted is what the model says, and each story that says another count is named by its row, alone."""
    rows = [unit for unit in trial.plan(["waves"], [MachineShape(1)], 1, 0) if isinstance(unit.what, tuple)]
    trial.run(rows, tmp_path / "t")

    judged = [one for line in trial_log.read(tmp_path / "t") if isinstance(line, Live) for one in line.judged]
    assert {"bet all at once", "bet other cores", "bet own"} == {one.check for one in judged if one.right}
    assert {(True, "PASS", (), None), (False, "CONTRADICTS", (), ())} == {
        (one.right, one.outcome, one.named, one.extra) for one in judged
    }
