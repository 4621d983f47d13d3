"""How fast is the simulation beside SimPy and Ciw on the same plain queue?

Equal jobs, all there at once, 64 workers, first come, first served. They run in turn: with 10,000 jobs five times (Ciw twice),
with 100,000 twice (without Ciw). The least processor time of each is compared, so that load speaks for none of them::

    python -m tests.bench_simulate
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable

import ciw  # type: ignore[import-untyped]  # ships no types
import simpy
from msgspec import Struct

from labs.job import Job
from labs.simulate import simulate

WORKERS = 64
#: Asked of us: so many times as fast as the other, and bytes in all.
FASTER_THAN_SIMPY, FASTER_THAN_CIW, MEMORY = 1.5, 15.0, 200 * 1024 * 1024


class Timed(Struct, frozen=True):
    """Processor seconds of each, best of its runs; None where it did not run."""

    jobs: int
    ours: float
    simpy: float
    ciw: float | None


def ours(count: int) -> float:
    """Return the makespan by the simulation, with every job's submit, start, finish and lane."""
    return simulate([Job(str(i), "file") for i in range(count)], WORKERS).makespan.high


def by_simpy(count: int) -> float:
    """Return the makespan by SimPy, with every job's start and finish."""
    environment = simpy.Environment()
    workers = simpy.Resource(environment, WORKERS)
    times: list[tuple[float, float]] = []

    def job() -> object:
        with workers.request() as request:
            yield request
            start = environment.now
            yield environment.timeout(1.0)
            times.append((start, environment.now))

    for _ in range(count):
        environment.process(job())  # type: ignore[arg-type]  # a generator of events
    environment.run()
    return times[-1][1]


def by_ciw(count: int) -> float:
    """Return the makespan by Ciw, which records every customer.

    It cannot begin with a full line, so the jobs come at nearly one moment.
    """
    gap = 1e-9
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([gap] * count + [float("inf")])],
        service_distributions=[ciw.dists.Deterministic(1.0)],
        number_of_servers=[WORKERS],
    )
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(count, method="Finish")
    return float(max(record.exit_date for record in simulation.get_all_records()))


def timed(work: Callable[[int], float], count: int) -> float:
    """Return the processor seconds of one run, after checking its answer."""
    began = time.process_time()
    end = work(count)
    seconds = time.process_time() - began
    assert abs(end - -(-count // WORKERS)) < 0.01, f"{work.__name__} ends at {end}"
    return seconds


def compare(count: int, with_ciw: bool) -> Timed:
    """Run them in turn."""
    times: dict[str, list[float]] = {"ours": [], "simpy": [], "ciw": []}
    for again in range(5 if count <= 10_000 else 2):
        times["ours"].append(timed(ours, count))
        times["simpy"].append(timed(by_simpy, count))
        if with_ciw and again < 2:
            times["ciw"].append(timed(by_ciw, count))
    return Timed(count, min(times["ours"]), min(times["simpy"]), min(times["ciw"], default=None))


def memory(count: int) -> int:
    """Return the most bytes that the simulation had at a time, its answer included."""
    tracemalloc.start()
    try:
        ours(count)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def table() -> str:
    """Return the table of one run."""
    lines = [f"{'jobs':>8} {'ours':>8} {'SimPy':>8} {'Ciw':>8}   ratio to SimPy, to Ciw"]
    for count, with_ciw in ((10_000, True), (100_000, False)):
        found = compare(count, with_ciw)
        ciw_seconds = f"{found.ciw:8.3f}" if found.ciw else f"{'-':>8}"
        ratios = f"{found.simpy / found.ours:.2f}" + (f", {found.ciw / found.ours:.1f}" if found.ciw else "")
        lines.append(f"{count:8} {found.ours:8.3f} {found.simpy:8.3f} {ciw_seconds}   {ratios}")
    lines.append(f"memory with 100,000 jobs: {memory(100_000) / 2**20:.0f} MiB")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
