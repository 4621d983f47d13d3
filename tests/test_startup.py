"""How long a person waits before anything happens. Seconds on a clock, so these belong to the long tier, on a quiet machine."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

import pytest


def seconds(code: str) -> float:
    """Return the median of nine starts of Python with a line of code, after one that warms the disk's cache."""
    taken = []
    for _ in range(10):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        taken.append(time.perf_counter() - began)
    return median(taken[1:])


@pytest.mark.slow
def test_help_is_there_at_once() -> None:
    """``fourthreads --help`` takes less than 0.4 s."""
    assert seconds("import sys; sys.argv = ['fourthreads', '--help']; from course.cli import main; main()") < 0.4


@pytest.mark.slow
def test_the_learners_api_is_imported_quickly() -> None:
    """``from course import lab`` takes less than 0.5 s."""
    assert seconds("from course import lab") < 0.5
