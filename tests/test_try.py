"""``fourthreads try``: the first bets in the terminal, against a real Node."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.node


def test_try_answers_two_bets_in_the_terminal() -> None:
    """The same engine and the same sentences, from typed lines."""
    argv = [sys.executable, "-m", "course", "try"]
    done = subprocess.run(argv, input="four\n3\nnone\n", capture_output=True, text=True, timeout=60)
    assert (0, "") == (done.returncode, done.stderr)
    assert "HELD  4 of 12" in done.stdout and "BEFORE  slots" in done.stdout
