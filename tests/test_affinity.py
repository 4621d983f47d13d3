"""Cores by affinity."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labs import affinity
from labs.errors import SetupError


def topology(root: Path, siblings: dict[int, str]) -> Path:
    """Lay out a machine: core number -> its siblings list."""
    for core, text in siblings.items():
        folder = root / f"cpu{core}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(text + "\n")
    return root


def test_two_cores_are_two_real_ones_where_there_are_two(tmp_path: Path) -> None:
    """Cores 0 and 1 are threads of one core here, so 0 and 2 are taken."""
    where = topology(tmp_path, {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"})

    assert {0, 2} == affinity.narrowed(2, frozenset({0, 1, 2, 3}), where)
    assert {0, 1, 2} == affinity.narrowed(3, frozenset({0, 1, 2, 3}), where)


def test_only_allowed_cores_are_taken(tmp_path: Path) -> None:
    """The mask rules; a machine that does not tell its topology is taken as it is."""
    assert {5, 9} == affinity.narrowed(2, frozenset({5, 9, 11}), tmp_path)


@pytest.mark.parametrize("count", [0, 4])
def test_more_cores_than_there_are_is_refused(tmp_path: Path, count: int) -> None:
    """The message says how many there are."""
    with pytest.raises(SetupError, match="may use 3"):
        affinity.narrowed(count, frozenset({0, 1, 2}), tmp_path)


def test_a_child_inherits_the_cores_and_the_caller_gets_its_own_back() -> None:
    """The mask holds for what is started inside, and for nothing else."""
    before = affinity.mask()
    one = affinity.narrowed(1)

    with affinity.on(one):
        child = subprocess.run(
            [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"],
            capture_output=True,
            check=True,
            text=True,
        )

    assert str(sorted(one)) == child.stdout.strip()
    assert before == frozenset(os.sched_getaffinity(0))
