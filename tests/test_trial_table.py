"""A trial's figures: what counts as an error, of which tries, and what the bounds rest on."""

from __future__ import annotations

import math
import random

import msgspec
import pytest

from grader import trial_table
from grader.shapes import MachineShape
from grader.trial_log import Block, Head, Judged, Live
from grader.trial_table import Beside, Ways
from grader.verdict import Outcome
from labs.measurement import Machine, Noise, Pair

IDLE = MachineShape(2)
HEAD = Head(1, "2026-11-30", "a processor", 2, "24.19.0 (libuv 1.52.1)")


def block(
    case: str, ratio: float, number: int = 0, count: int = 25, control: float = 2.0, series: int = 0, pool: int = 3
) -> Block:
    """Return recorded pairs around a ratio: eight hashes on three slots of two cores take 4.0 to 4.5 times one."""
    chance = random.Random(f"{case} {number} {series}")
    pairs = tuple(
        Pair(
            name="",
            first="numerator",
            numerator=0.08 * ratio * math.exp(chance.gauss(0, 0.02)),
            denominator=0.08,
            control=control,
        )
        for _ in range(count)
    )
    tasks = {3: 8, 5: 12, 6: 15}[pool]
    return Block(
        f"{case} {series} {number}", "waves", IDLE, case, "waves-script-ratio", series, {"pool": pool, "tasks": tasks, "cores": None},
        Machine(cores=2, capacity=(1.0, 2.0, 2.0, 2.0)), Noise(floor=1.03), pairs,
    )  # fmt: skip


def ratio_row(*blocks: Block) -> trial_table.Row:
    """Return the figures of some pairs."""
    (row,) = trial_table.rows((HEAD, *blocks))
    return row


def series_of(row: trial_table.Row, right: bool = True) -> trial_table.Series:
    """Return what a row's windows rest on."""
    found = row.right_series if right else row.wrong_series
    assert found is not None
    return found


# live runs


def live(
    unit: str, *judged: Judged, lab: str = "gates", shape: MachineShape = IDLE, beside: float | None = None
) -> Live:
    """Return one live run."""
    return Live(unit, lab, shape, judged, beside)


def refuted(named: tuple[str, ...], wanted: tuple[str, ...], extra: tuple[str, ...] | None = None) -> Judged:
    """Return a wrong way that contradicts."""
    return Judged("c", False, Outcome.CONTRADICTS, named, wanted, "names", extra)


@pytest.mark.parametrize(
    ("errors", "judged"),
    [
        (0, refuted((), ())),
        (0, refuted(("a",), ("a", "b"))),
        (0, refuted(("a", "b"), ("a", "b"))),
        (1, refuted((), ("a",))),
        (1, refuted(("c",), ())),
        (1, refuted(("c",), ("a",))),
        (1, refuted(("a", "c"), ("a",))),
        (1, refuted((), (), ("b beside a",))),
    ],
)
def test_a_name_too_many_is_a_wrong_name_as_well_as_one_that_is_missing(errors: int, judged: Judged) -> None:
    """One of the wanted ones must be there, and no other."""
    (row,) = trial_table.rows((HEAD, live("u", judged)))

    assert (errors, 1) == (row.wrong_name.errors, row.wrong_name.tries)
    assert (["names"] if errors else []) == [*row.odd]


def test_a_wrong_way_that_could_not_be_judged_is_neither_passed_nor_refuted() -> None:
    """It has a figure of its own."""
    lines = [
        live(f"u|{n}", Judged("c", False, outcome)) for n, outcome in enumerate((Outcome.INCONCLUSIVE, Outcome.PASS))
    ]
    (row,) = trial_table.rows((HEAD, *lines))

    assert (1, 1, 0) == (row.undecided.errors, row.false_pass.errors, row.wrong_name.tries)
    assert 0 == row.inconclusive.tries


def test_the_tries_of_a_bet_are_its_records() -> None:
    """Node's answers and the stories' are held against one and the same; a bet is not passed."""
    bet = (Judged("bet start", True, Outcome.PASS), Judged("bet start", False, Outcome.CONTRADICTS))
    (row,) = trial_table.rows((HEAD, live("u|1", *bet), live("u|2", *bet)))

    assert (2, 2, 0) == (row.false_fail.tries, row.wrong_name.tries, row.false_pass.tries)


def test_it_is_counted_how_many_ways_share_the_tries() -> None:
    """And how often the one that was tried least was."""
    right, wrong = (Judged("c", is_right, Outcome.INCONCLUSIVE) for is_right in (True, False))
    lines = [
        live(f"gates|2 cores, idle|canary|{way}|{n}", wrong) for n, way in enumerate(("no stat", "a timer", "no stat"))
    ]
    (row,) = trial_table.rows((HEAD, live("gates|2 cores, idle|canary|solution|0", right), *lines))

    assert (Ways(1, 1), Ways(2, 1)) == (row.right_ways, row.wrong_ways)


def test_what_ran_beside_is_known_as_far_as_the_lines_tell() -> None:
    """The median of the threads; load processes of ours and of all, and of how many tries they are not known."""
    judged = Judged("c", True, Outcome.PASS)
    old = live("u|1", judged, beside=9.0)
    new = (
        msgspec.structs.replace(live("u|2", judged, beside=beside), load=2, loads=loads)
        for beside, loads in ((2.0, 2), (4.0, 5))
    )
    (row,) = trial_table.rows((HEAD, old, *new))
    (none,) = trial_table.rows((HEAD, live("u|1", judged)))

    assert Beside(4.0, (2, 2), (2, 5), 1) == row.beside
    assert Beside(None, None, None, 1) == none.beside


# windows of recorded pairs


def test_disjoint_windows_begin_where_the_verdict_before_ended() -> None:
    """100 pairs that each decide at nine hold 8 or 9 of them, by where the first begins; re-drawn ones begin at every pair."""
    row = ratio_row(*(block("solution", 4.1, number) for number in range(4)))

    assert (0, 8) == (row.false_fail.errors, row.false_fail.tries)
    assert (0, 76) == series_of(row).redrawn


def test_windows_never_reach_over_two_series() -> None:
    """Another calibration, another draw: 30 and 30 pairs are two windows, not four."""
    row = ratio_row(*(block("solution", 4.1, 0, 25, series=number) for number in range(2)))

    assert (2, (0, 2)) == (row.false_fail.tries, series_of(row).redrawn)


def test_series_of_another_length_are_other_series() -> None:
    """Older ones had 100 pairs; numbers begin anew with the new ones."""
    old, new = block("solution", 4.1), msgspec.structs.replace(block("solution", 4.1), length=50)

    assert 2 == series_of(ratio_row(old, new)).erred.tries


def test_a_series_errs_if_any_of_its_windows_does() -> None:
    """Its windows share a calibration: a bad one is one error, however many windows it spoils."""
    bad = [block("solution", 8.0, number, series=0) for number in range(2)]
    row = ratio_row(*bad, block("solution", 4.1, series=1))

    assert (3, 4) == (row.false_fail.errors, row.false_fail.tries)
    assert (1, 2, (25, 50)) == (series_of(row).erred.errors, series_of(row).erred.tries, series_of(row).pairs)
    assert series_of(row).erred.at_most > 0.95


def test_right_and_wrong_ways_rest_on_series_of_their_own() -> None:
    """Three draws of the solution support nothing that is said of wrong ways."""
    ratios = {3: 4.1, 5: 6.1, 6: 7.6}
    right = [block("solution", ratio, series=pool, pool=pool) for pool, ratio in ratios.items()]
    row = ratio_row(*right, block("no-limit", 1.0))

    assert (3, 3) == (series_of(row).draws, series_of(row).erred.tries)
    assert (1, 1) == (series_of(row, right=False).draws, series_of(row, right=False).erred.tries)
    assert (0, 0) == (row.false_fail.errors, row.false_pass.errors)


def test_pairs_of_a_wrong_model_contradict_under_its_name() -> None:
    """Three rounds, all at once, eight in turn."""
    wrong = [block("core-a-slot", 3.0), block("no-limit", 1.0), block("one-by-one", 8.0)]
    row = ratio_row(*wrong)

    assert (0, 3, 0) == (row.false_pass.errors, row.false_pass.tries, row.wrong_name.errors)
    assert Ways(3, 1) == row.wrong_ways


def test_pairs_that_are_not_what_they_should_be_are_errors() -> None:
    """The solution at eight times is a false FAIL, a wrong model at the right ratio a false PASS, under another's a wrong name."""
    row = ratio_row(block("solution", 8.0), block("one-by-one", 4.1), block("no-limit", 8.0))

    assert (1, 1, 1) == (row.false_fail.errors, row.false_pass.errors, row.wrong_name.errors)
    assert row.odd


def test_where_a_wrong_model_says_the_same_its_pairs_are_not_judged() -> None:
    """On one core eight hashes take eight times one, in turn or not: no verdict there is a false one."""
    lone = Machine(cores=1, capacity=(1.0, 1.0))
    row = ratio_row(
        *(msgspec.structs.replace(block(case, 8.0, control=1.0), machine=lone) for case in ("solution", "one-by-one"))
    )

    assert (("one-by-one",), 0, 1) == (row.same, row.false_pass.tries, row.false_fail.tries)
    assert 0 == row.false_fail.errors


def test_windows_beside_load_are_inconclusive() -> None:
    """The control says so, however the ratio moved; also of wrong ways."""
    row = ratio_row(block("solution", 3.3, control=1.4), block("no-limit", 1.0, control=1.4))

    assert (0, 1, 1) == (row.false_fail.errors, row.inconclusive.errors, row.undecided.errors)


def test_the_walk_that_errs_most_is_the_one_that_counts() -> None:
    """A run of bad pairs somewhere is not lost because of where the first window began."""
    bad = block("solution", 8.0, count=9)
    row = ratio_row(block("solution", 4.1, count=13), bad, block("solution", 4.1, 1, count=25))

    assert row.false_fail.errors == 1


@pytest.mark.parametrize(("windows", "pairs"), [(0, 24), (1, 25), (1, 33), (1, 34), (2, 42), (2, 50)])
def test_of_walks_that_err_equally_often_the_shortest_counts(windows: int, pairs: int) -> None:
    """It supports the least; a walk without a whole window is none."""
    row = ratio_row(block("solution", 4.1, count=pairs))

    assert (windows, min(windows, 1)) == (row.false_fail.tries, series_of(row).erred.tries)
