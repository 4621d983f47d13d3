"""The speed that was promised, beside two well-kept simulators in one run."""

from __future__ import annotations

import pytest

from tests import bench_simulate as bench

pytestmark = pytest.mark.slow


def test_faster_than_simpy_and_ciw() -> None:
    """Ten thousand and a hundred thousand equal jobs, 64 workers."""
    small, large = bench.compare(10_000, with_ciw=True), bench.compare(100_000, with_ciw=False)
    assert small.ciw is not None
    assert bench.FASTER_THAN_SIMPY <= min(small.simpy / small.ours, large.simpy / large.ours)
    assert bench.FASTER_THAN_CIW <= small.ciw / small.ours


def test_memory_of_a_hundred_thousand_jobs() -> None:
    """Under 200 MiB with the whole answer."""
    assert bench.MEMORY > bench.memory(100_000)
