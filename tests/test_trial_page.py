"""What is printed of a trial: every figure with what it rests on, and where it falls short of what is asked for."""

from __future__ import annotations

import msgspec
import pytest

from grader import trial_gaps, trial_page, trial_short, trial_table
from grader.shapes import MachineShape
from grader.trial_log import Call, Judged, Live
from grader.trial_table import Row
from grader.verdict import Outcome
from labs import catalog
from tests.test_trial_table import HEAD, IDLE, block, live, ratio_row

#: Every check and bet of the lab.
GATES = "gates-own-script", "gates-state", "bet start", "bet one gate", "bet canary"
BUSY = MachineShape(2, busy=True)
PASSED, REFUTED = Judged("gates-state", True, Outcome.PASS), Judged("gates-state", False, Outcome.CONTRADICTS)


def rows(*lines: Live) -> tuple[Row, ...]:
    """Return the figures of live runs."""
    return trial_table.rows((HEAD, *lines))


def runs(right: int, wrong: int, lab: str = "gates") -> tuple[Live, ...]:
    """Return so many live runs of a right way and of a wrong one, on a machine where nothing else ran."""
    many = [("solution", PASSED)] * right + [("no stat", REFUTED)] * wrong
    return tuple(live(f"l|s|m|{way}|{n}", one, lab=lab, beside=0.0) for n, (way, one) in enumerate(many))


def test_a_page_says_date_machine_command_and_where_it_falls_short() -> None:
    """Every figure that is asked for and not reached is named."""
    run = Live("u", "gates", IDLE, (Judged("gates-state", True, Outcome.CONTRADICTS, because="solution: measured 1"),))
    call = Call("2026-12-01", "fourthreads trial gates waves --runs 1", "abc+")
    page = trial_page.page((HEAD, call, run), trial_table.rows((HEAD, run, block("solution", 4.1))))

    for said in (
        "2026-11-30",
        "2 cores, a processor",
        "24.19.0",
        "- command: `fourthreads trial gates waves --runs 1`, 2026-12-01, revision abc+\n",
        "solution: measured 1",
        "Pairs are recorded in series of 25,",
    ):
        assert said in page
    assert "not noted" not in page
    short = page.partition("## Where it falls short")[2]
    assert "gates-state on 2 cores, idle: 1 false FAIL in 1 tries." in short
    assert "2,995 series without an error" in short
    assert "gates on 2 cores, idle: 1 right and 0 wrong runs of gates-state; 250 of each are asked for." in short


def test_each_call_is_said_and_what_came_before_the_first_is_not_passed_off_as_its_own() -> None:
    """Files of before hold no calls."""
    calls = (Call("2026-12-01", "fourthreads trial gates"), Call("2026-12-02", "fourthreads trial gates --runs 5"))
    old, new = runs(2, 0)
    page = trial_page.page((HEAD, old, calls[0], new, calls[1]), rows(old, new))

    assert (
        "- command: not noted for the first 1 results\n- command: `fourthreads trial gates`, 2026-12-01\n"
        "- command: `fourthreads trial gates --runs 5`, 2026-12-02\n"
    ) in page


@pytest.mark.parametrize(("lab", "asked"), [("gates", 250), ("phases", 150)])
def test_right_and_wrong_ways_are_counted_each_for_itself(lab: str, asked: int) -> None:
    """So many of each are enough; one wrong run less is not."""
    assert () == trial_short.short_of(rows(*runs(asked, asked, lab)))
    assert (
        f"{lab} on 2 cores, idle: {asked} right and {asked - 1} wrong runs of gates-state; {asked} of each are asked for.",
    ) == trial_short.short_of(rows(*runs(asked, asked - 1, lab)))


def test_a_bet_is_short_of_records_however_many_answers_were_held_against_them() -> None:
    """125 records are not 250."""
    bet = (Judged("bet start", True, Outcome.PASS), Judged("bet start", False, Outcome.CONTRADICTS))
    found = rows(*(live(f"u|{n}", *bet, beside=0.0) for n in range(125)))

    assert ("gates on 2 cores, idle: 125 records of bet start; 250 are asked for.",) == trial_short.short_of(found)
    assert (
        "| bet start (gates) | 2 cores, idle | 125 records | 0 | ? | 0 (at most 0.024) | - | 0 (at most 0.024) |"
        in (trial_page.page((HEAD,), found))
    )


def test_of_several_ways_it_is_said_how_many_there_are_and_how_often_the_rarest_was_tried() -> None:
    """A bound over a mixture is no bound on each of its parts."""
    lines = [live(f"l|s|m|way {n % 2}|{n}", REFUTED) for n in range(5)]
    (row,) = rows(*lines, *(live(f"l|s|m|{way}|0", PASSED) for way in ("solution", "by promises")))

    assert "2 (2 ways, 1 each) + 5 (2 ways, 2 or more each)" in trial_page.text((row,))


def test_a_machine_that_was_not_idle_is_named_in_its_row() -> None:
    """Somebody else's load on a machine that should have none is said, not hidden; what is not known is no zero."""
    loud = rows(*(live(f"u{n}", PASSED, beside=beside) for n, beside in enumerate((2.0, 3.0, 4.0))))
    quiet, unknown, busy = (
        rows(live("u", PASSED, beside=0.0)),
        rows(live("u", PASSED)),
        rows(live("u", PASSED, shape=BUSY, beside=3.0)),
    )

    assert "2 cores, idle; NOT QUIET | 3 + 0 | 3 | ? |" in trial_page.page((HEAD,), loud)
    assert any("3 to 3 threads beside ours" in said for said in trial_short.short_of(loud))
    assert "2 cores, idle | 1 + 0 | ? | ? |" in trial_page.page((HEAD,), unknown)
    for found in (quiet, unknown, busy):
        assert "NOT QUIET" not in trial_page.text(found)
        assert not any("beside" in said for said in trial_short.short_of(found))


def test_load_is_that_of_the_lines() -> None:
    """Ours, of all that were seen; a page does not say how many where its lines do not."""

    def beside(load: int | None, loads: int | None) -> Live:
        return Live("u", "gates", BUSY, (PASSED,), 3.0, load, loads)

    assert "  2 of 2  " in trial_page.text(rows(beside(2, 2)))
    assert "  1 to 2 of 2 to 5 (? in 1 lines)  " in trial_page.text(
        rows(beside(2, 2), beside(1, 5), beside(None, None))
    )
    assert "two processes" not in trial_page.page((HEAD,), rows(beside(None, None)))


def test_a_false_fail_is_claimed_by_the_weaker_of_two_bounds() -> None:
    """Fifty windows of two series rest on two calibrations."""
    row = ratio_row(*(block("solution", 4.1, number, series=number // 9) for number in range(18)))
    assert row.right_series is not None

    assert row.false_fail.at_most < 0.1 < row.right_series.erred.at_most == trial_short.weaker(row)
    assert any(f"bounded at {trial_short.weaker(row):.2g}" in said for said in trial_short.short_of((row,)))


def test_wrong_ways_that_were_not_decided_are_no_proof() -> None:
    """A check that never decides passes nothing wrong either: that is said, not counted as reached."""
    unsure = Judged("gates-state", False, Outcome.INCONCLUSIVE)
    many = [("solution", PASSED)] * 250 + [("no stat", REFUTED)] * 230 + [("no stat", unsure)] * 20
    lines = [live(f"l|s|m|{way}|{n}", one, lab="gates", beside=0.0) for n, (way, one) in enumerate(many)]

    assert (
        "gates-state on 2 cores, idle: 8.0% of wrong ways INCONCLUSIVE; at most 5% is asked for.",
    ) == trial_short.short_of(rows(*lines))


def test_an_undecided_share_has_a_bound_that_is_said_where_it_is_too_high() -> None:
    """None of 20 is little enough, and does not show that it stays below 5 of 100; none of 59 does."""
    few, many = rows(*runs(20, 1)), rows(*runs(59, 1))

    assert () == trial_short.unsure_of(many)
    assert (
        "INCONCLUSIVE is seldom enough, but its bound is above 5%: gates-state on 2 cores, idle (at most 0.14).",
    ) == (trial_short.unsure_of(few))
    assert "0 (at most 0.14)" in trial_page.text(few)


def test_a_page_of_enough_runs_says_that_nothing_is_missing() -> None:
    """250 of each without an error, of each check and bet."""
    right, wrong = ([msgspec.structs.replace(one, check=check) for check in GATES] for one in (PASSED, REFUTED))
    page = trial_page.page((HEAD,), rows(*(live(f"u|{n}", *right, *wrong, beside=0.0) for n in range(250))))

    assert "Nowhere: every figure that is asked for is reached." in page
    assert "0 (at most 0.012)" in page


def test_what_has_no_row_is_missed() -> None:
    """A bet that was never tried on a machine is short, too, though no figure says so."""
    said = "gates on 2 cores, idle: nothing was tried of gates-own-script, bet start, bet one gate, bet canary."

    assert (said,) == trial_gaps.missing(rows(*runs(1, 1)))
    assert said in trial_page.page((HEAD,), rows(*runs(250, 250))).partition("## Where it falls short")[2]


def test_what_is_said_of_a_lab_stands_only_where_the_lab_is() -> None:
    """No page of other labs explains the hashes of waves."""
    assert "hash" not in trial_page.page((HEAD,), rows(*runs(1, 1))).partition("## Counts")[2]
    assert "50 ms of processor time" in " ".join(trial_gaps.gaps(["waves"], [2]))


def test_a_page_lists_what_was_never_tried() -> None:
    """Parts in times, stories that differ in nothing else, ratios that are tried by series."""
    said = "\n".join(trial_gaps.gaps(catalog.slugs(), [1, 2]))

    assert "`waves`: tried by series of recorded pairs, not live: `waves-script-ratio`." in said
    assert "`times`, `more` of `bet all at once`" in said
    assert "nothing tries whether they are named: `always-faster`, `slower`, `as-before`." in said
    assert "`no-limit`" not in said
