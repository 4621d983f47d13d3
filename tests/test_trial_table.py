"""A trial's figures: windows of recorded pairs, what counts as an error, and what the page says of it."""

from __future__ import annotations

import math
import random

import msgspec
import pytest

from grader import trial_page, trial_table
from grader.shapes import MachineShape
from grader.trial_log import Block, Call, Head, Judged, Live
from grader.verdict import Outcome
from labs.measurement import Machine, Noise, Pair

IDLE = MachineShape(2)
HEAD = Head(1, "2026-11-30", "a processor", 2, "24.19.0 (libuv 1.52.1)")


def block(case: str, ratio: float, number: int = 0, count: int = 25, control: float = 2.0, series: int = 0) -> Block:
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
    return Block(
        f"{case} {series} {number}", "waves", IDLE, case, "waves-script-ratio", series, {"pool": 3, "tasks": 8, "cores": None},
        Machine(cores=2, capacity=(1.0, 2.0, 2.0, 2.0)), Noise(floor=1.03), pairs,
    )  # fmt: skip


def ratio_row(*blocks: Block) -> trial_table.Row:
    """Return the figures of some pairs."""
    (row,) = trial_table.rows((HEAD, *blocks))
    return row


def test_disjoint_windows_begin_where_the_verdict_before_ended() -> None:
    """100 pairs that each decide at nine hold (100 - 25) // 9 + 1 of them; re-drawn ones begin at every pair."""
    row = ratio_row(*(block("solution", 4.1, number) for number in range(4)))

    assert ((0, 9), (0, 76)) == ((row.false_fail.errors, row.false_fail.tries), row.redrawn and row.redrawn[0])
    assert 1 == row.calibrations


def test_windows_never_reach_over_two_series() -> None:
    """Another calibration, another draw: 30 and 30 pairs are two windows, not four."""
    row = ratio_row(*(block("solution", 4.1, 0, 25, series=number) for number in range(2)))

    assert (2, (0, 2)) == (row.false_fail.tries, row.redrawn and row.redrawn[0])


def test_pairs_of_a_wrong_model_contradict_under_its_name() -> None:
    """Three rounds, all at once, eight in turn."""
    wrong = [block("core-a-slot", 3.0), block("no-limit", 1.0), block("one-by-one", 8.0)]
    row = ratio_row(*wrong)

    assert (0, 3, 0) == (row.false_pass.errors, row.false_pass.tries, row.wrong_name.errors)


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
    """The control says so, however the ratio moved."""
    row = ratio_row(block("solution", 3.3, control=1.4))

    assert (0, 1) == (row.false_fail.errors, row.inconclusive.errors)


def test_the_walk_that_errs_most_is_the_one_that_counts() -> None:
    """A run of bad pairs somewhere is not lost because of where the first window began."""
    bad = block("solution", 8.0, count=9)
    row = ratio_row(block("solution", 4.1, count=13), bad, block("solution", 4.1, 1, count=25))

    assert row.false_fail.errors == 1


# what is printed


def test_a_page_says_date_machine_command_and_where_it_falls_short() -> None:
    """Every figure that is asked for and not reached is named."""
    live = Live("u", "gates", IDLE, (Judged("gates-state", True, Outcome.CONTRADICTS, because="solution: measured 1"),))
    rows = trial_table.rows((HEAD, live, block("solution", 4.1)))
    page = trial_page.page((HEAD, Call("2026-12-01", "fourthreads trial gates waves --runs 1", "abc+"), live), rows)

    for said in (
        "2026-11-30",
        "2 cores, a processor",
        "24.19.0",
        "`fourthreads trial gates waves --runs 1`, 2026-12-01, revision abc+",
        "solution: measured 1",
    ):
        assert said in page
    short = page.partition("## Where it falls short")[2]
    assert "gates-state on 2 cores, idle: 1 false FAIL in 1 tries." in short
    assert "2,995 disjoint windows" in short
    assert "1 row rests on fewer than 250 live runs: 1 at least." in short


@pytest.mark.parametrize(("lab", "asked"), [("gates", 250), ("phases", 150)])
def test_right_and_wrong_ways_together_are_the_runs_that_a_row_rests_on(lab: str, asked: int) -> None:
    """Half of each is enough; one less is not."""
    right = (Judged("c", True, Outcome.PASS),) * (asked // 2)
    wrong = (Judged("c", False, Outcome.CONTRADICTS),) * (asked // 2)

    enough, few = (trial_table.rows((HEAD, Live("u", lab, IDLE, (*right, *wrong[missing:])))) for missing in (0, 1))

    assert () == trial_page.short_of(enough)
    assert (f"1 row rests on fewer than {asked} live runs: {asked - 1} at least.",) == trial_page.short_of(few)


def test_a_page_of_enough_runs_says_that_nothing_is_missing() -> None:
    """250 of each without an error."""
    lines = [
        Live(f"u{number}", "gates", IDLE, (Judged("gates-state", right, Outcome.PASS if right else Outcome.CONTRADICTS),))
        for number in range(250) for right in (True, False)
    ]  # fmt: skip
    rows = trial_table.rows((HEAD, *lines))

    assert () == trial_page.short_of(rows)
    assert "0 (at most 0.012)" in trial_page.text(rows)


def test_a_machine_that_was_not_idle_is_named() -> None:
    """Somebody else's load on a machine that should have none is said, not hidden."""
    judged = (Judged("gates-state", True, Outcome.PASS),)
    loud = trial_table.rows(
        (HEAD, *(Live(f"u{n}", "gates", IDLE, judged, beside) for n, beside in enumerate((2.0, 3.0, 4.0))))
    )
    quiet = trial_table.rows((HEAD, Live("u", "gates", IDLE, judged, 0.0)))

    assert 3.0 == loud[0].beside
    assert any("3 to 3 threads beside ours" in said for said in trial_page.short_of(loud))
    assert not any("beside" in said for said in trial_page.short_of(quiet))
