"""The proof's page: every part dated, and what is not reached stands first."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader import trial_table
from grader.trial_log import Head, Judged
from grader.verdict import Outcome
from tests import proof
from tests.proof import PARTS, Figure, Part, page
from tests.test_trial_table import block, live, ratio_row

HEAD = Head(1, "2026-11-30", "a processor", 2, "24.19.0 (libuv 1.52.1)")
BENCH = Part("The simulation beside others", "2026-11-29", "python -m tests.bench_simulate", (
    Figure("times as fast as SimPy", "1.5", "1.20", False), Figure("memory", "200 MiB", "90 MiB", True),
))  # fmt: skip


def test_a_figure_that_is_not_reached_stands_first_and_in_its_table() -> None:
    """With what was asked for."""
    said = page(HEAD, {"bench": BENCH})

    assert "- times as fast as SimPy: 1.20; asked for: 1.5." in said.partition("## The simulation")[0]
    assert "| times as fast as SimPy | 1.5 | 1.20 | NO |" in said
    assert "- memory" not in said


def test_each_part_has_its_date_and_command() -> None:
    """And the machine is named once."""
    said = page(HEAD, {"bench": BENCH})

    assert "2026-11-29, `python -m tests.bench_simulate`" in said
    assert "2 cores, a processor" in said


def test_parts_that_were_not_run_are_named() -> None:
    """Nobody takes a page for the whole proof that is not."""
    said = page(HEAD, {"bench": BENCH})

    assert [name for name in PARTS if name != "bench"] == [name for name in PARTS if f"- {name} was not run." in said]


@pytest.mark.parametrize("code", [-15, 2, 3])
def test_a_run_that_was_ended_by_force_proves_nothing(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever an earlier run left behind in the same place."""
    (tmp_path / "proof.xml").write_text("<testsuite><testcase name='a'/><testcase name='b'/></testsuite>")
    monkeypatch.setattr(proof, "KEPT", tmp_path)

    def ended(argv: list[str], **more: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(argv, code)

    monkeypatch.setattr(subprocess, "run", ended)
    part = proof.model(argparse.Namespace(programs=5000))

    assert (False, True) == (part.figures[0].reached, part.erred)
    assert "did not come to an end" in part.figures[0].found


def test_a_row_is_said_with_what_it_is_asked_for_and_without_what_was_never_tried() -> None:
    """A bet is not passed; windows have two bounds."""
    bet = (Judged("bet start", True, Outcome.PASS), Judged("bet start", False, Outcome.CONTRADICTS))
    (row,) = trial_table.rows((HEAD, *(live(f"u|{n}", *bet) for n in range(3))))
    windows = ratio_row(block("solution", 4.1))

    assert ("no false FAIL, no wrong name; 250 records", "false FAIL 0 of 3 (at most 0.63), wrong name 0 of 3 (at most 0.63)") == (
        proof.asked(row), proof.found(row)
    )  # fmt: skip
    assert "false FAIL 0 of 1 (at most 0.95) and in 0 of 1 series (at most 0.95)" == proof.found(windows)
