"""What ``waves`` says of Node, held against the pinned Node: each sentence has a test that fails when Node changes it."""

from __future__ import annotations

from typing import Any

import pytest

from labs import affinity, model, rooms
from labs.given import whole
from labs.measurement import Run
from labs.request import Request
from labs.sentence import Sentence
from labs.waves import reading
from labs.waves.claims import CLAIMS
from tests.test_waves_scripts import PRELUDE, SLIPS, SOUND

pytestmark = pytest.mark.node


def run(code: str = SOUND["callbacks"], measure: str = "hashes", **parameters: Any) -> Run:
    """Return a watched run."""
    asked = Request(
        lab="waves",
        measure=measure,
        parameters={"pool": 3, "tasks": 7, **parameters},
        script=PRELUDE + code,
        smoke=True,
    )
    return rooms.measure(asked).runs[0]


def four() -> None:
    """Four of seven; four threads."""
    counts = run(pool=None).counts
    assert (4, 4) == (counts["started"], counts["pool_threads"])


def size() -> None:
    """On one core as on all of them."""
    for slots in (1, 2, 5, 6):
        for cores in {1, len(affinity.mask())}:
            assert slots == run(pool=slots, cores=cores).counts["started"]


def line() -> None:
    """By the script's own names, which the trace does not know: one slot does them in the order of asking; a long first one keeps
    one of two slots, and the others pass through the slot that comes free."""
    assert [1, 2, 3, 4, 5, 6, 7] == run(pool=1).claims["done"]
    long_first = "for (let i = 1; i <= n; i++) pbkdf2('a', 'b', parameters.rounds * (i === 1 ? 12 : 1), 64, 'sha512', () => done(i));"
    seen = run(long_first, pool=2, tasks=5)
    assert [2, 3, 4, 5, 1] == seen.claims["done"]
    lanes = [task.lane for task in seen.tasks]
    assert lanes[0] != lanes[1] and {lanes[1]} == {
        *lanes[1:]
    }  # named by assuming the one line, and found in the right slot


def pool() -> None:
    """The workers have the processor seconds; what Node needs to start and end is less than half of them."""
    seen = run()
    assert 2 * seen.counts["on_main"] < 7
    assert all(thread.cpu > 0 for thread in seen.threads) and 3 == len(seen.threads)


def one_job() -> None:
    """Seven hashes, seven jobs."""
    assert 7 == run().counts["asked"]


def sync() -> None:
    """No thread of the pool, and seven hashes' worth of computing on the main thread."""
    counts = run(SLIPS["on-the-loop"]).counts
    assert (0, 0) == (counts["pool_threads"], counts["asked"])
    assert counts["on_main"] > 0


def awaits() -> None:
    """One asked for, one started, three slots there."""
    counts = run(SLIPS["awaits-in-turn"]).counts
    assert (1, 1, 3) == (counts["asked_first"], counts["started"], counts["pool_threads"])


def promisify() -> None:
    """Seven at once, three started."""
    counts = run(SOUND["promises"]).counts
    assert (7, 3) == (counts["asked_first"], counts["started"])


def work() -> None:
    """The same seven hashes need the same processor seconds on three slots and on seven, within what a noisy core adds."""
    seen = [run(pool=slots) for slots in (3, 7)]
    few, many = (reading.computed(one) / whole(one.parameters, "rounds", 1, 10**9) for one in seen)
    assert 0.5 < many / few < 2.0


def waiting_moves() -> None:
    """On one core: with seven slots nobody stands in line, and the workers wait longer for the core."""
    few, many = (run(pool=slots, cores=1) for slots in (2, 7))
    in_line = [seen.counts["asked_first"] - seen.counts["started"] for seen in (few, many)]
    for_a_core = [reading.starved(seen) for seen in (few, many)]
    assert [5, 0] == in_line
    assert None not in for_a_core and (for_a_core[0] or 0.0) < (for_a_core[1] or 0.0)


def gzip() -> None:
    """66 jobs for one MiB of noise, 2 for one byte's kilobyte."""
    for kilobytes, jobs in ((1, 2), (1024, 66)):
        seen = rooms.measure(
            Request(
                lab="waves", measure="gzip", parameters={"pool": None, "tasks": 1, "kilobytes": kilobytes}, smoke=True
            )
        )
        counts = seen.runs[0].counts
        assert jobs == counts["jobs"] == model.gzip_trips(counts["written"])


def no_cores() -> None:
    """On one core as on all: four threads."""
    for cores in {1, len(affinity.mask())}:
        assert 4 == run(pool=None, cores=cores).counts["pool_threads"]


HELD = {
    "four": four, "size": size, "line": line, "pool": pool, "one-job": one_job, "sync": sync, "await": awaits,
    "promisify": promisify, "work": work, "waiting-moves": waiting_moves, "gzip": gzip, "no-cores": no_cores,
}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.slug)
def test_a_claim_holds_on_the_pinned_node(claim: Sentence) -> None:
    """Each sentence of the lab has its test, and Node still does what it says."""
    HELD[claim.slug]()
