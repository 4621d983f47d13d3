"""The room `container` for real: the same evidence as `here`, sealed, and nothing left over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import msgspec
import pytest

from labs import container_engine, container_sweep, machine, measurement, ratio, request, room_container, rooms
from labs.capacity import capacity_of
from labs.container_engine import Engine
from labs.container_image import Image
from labs.errors import FourThreadsError, NoisyError
from labs.measurement import Record
from labs.request import Request
from labs.room_container import ContainerRoom, Limits
from labs.waves import expect
from tests.container import PATIENCE, Trace
from tests.container import engine as engine
from tests.container import image as image
from tests.container import trace as trace

pytestmark = [pytest.mark.container, pytest.mark.node, pytest.mark.timeout(300)]


def gates(measure: str = "start", **parameters: measurement.Value) -> Request:
    """Return a request of the lab ``gates``."""
    return Request(lab="gates", measure=measure, parameters={"pool": None, "tasks": 7, **parameters})


def waves(**parameters: measurement.Value) -> Request:
    """Return a request of the lab ``waves`` at its smallest."""
    return Request(lab="waves", measure="hashes", parameters={"pool": 3, "tasks": 7, **parameters}, smoke=True)


def structure(record: Record) -> list[object]:
    """Return what load cannot change: observed counts, and who held, waited, was done after each step.

    ``on_main`` of the lab ``waves`` is left out: it is processor time, rounded to hashes. Names that are answered together
    are named in the order in which they had arrived, which is the operating system's.
    """
    found: list[object] = []
    for run in record.runs:
        observed = {name for name, source in run.sources.items() if source == "observed"} - {"on_main"}
        found.append({name: run.counts[name] for name in observed})
        found += [
            (sorted(step.action.split()), set(step.slots), step.waiting, set(step.finished)) for step in run.steps
        ]
    return found


@pytest.mark.parametrize(
    "asked",
    [
        gates(),
        gates(pool=3),
        gates(pool="0"),
        gates("one gate", first=5),
        gates("state", pool=2, tasks=5, open=[1, 2]),
        gates("canary", pool=3),
        waves(),
        waves(pool=None),
    ],
    ids=lambda asked: f"{asked.lab}, {asked.measure}, pool {asked.parameters['pool']}",
)
def test_the_structure_is_the_same_here_and_in_a_container(asked: Request, image: Image, trace: Trace) -> None:
    """Held slots, starts after each opening, hashes that started: the same facts in both rooms."""
    assert structure(rooms.measure(asked, "here")) == structure(rooms.measure(asked, "container"))


def test_the_record_names_room_and_image(image: Image, trace: Trace) -> None:
    """Whoever reads the record can tell what it was made in."""
    record = rooms.measure(gates(), "container")

    assert ("container", image.digest) == (record.room, record.image)


def test_a_pool_of_1024_fits(image: Image, trace: Trace) -> None:
    """The limit on processes leaves room for libuv's largest pool."""
    record = rooms.measure(gates(pool=1024, tasks=1030), "container")

    assert 1024 == record.runs[0].counts["held_slots"]


@pytest.mark.parametrize("asked", [gates(pool=3), waves()], ids=lambda asked: asked.lab)
def test_half_a_core_changes_no_structure(asked: Request, image: Image, trace: Trace) -> None:
    """With a quota the counts are the same, and the record says which quota."""
    half = ContainerRoom(Limits(cpus=0.5))

    record = rooms.measure(asked, half)

    assert structure(rooms.measure(asked, "here")) == structure(record)
    assert 0.5 == record.machine.quota


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_with_half_a_core_a_ratio_never_contradicts(image: Image, trace: Trace) -> None:
    """Calibrated and measured under the quota: PASS, NOT_SEPARABLE or INCONCLUSIVE for the right script."""
    half = ContainerRoom(Limits(cpus=0.5))
    found = msgspec.json.decode(rooms.ask(half, "calibrate", b"{}"), type=machine.Calibration)
    asked = Request(
        lab="waves",
        measure="all over one",
        parameters={"pool": 4, "tasks": 8},
        machine=found.machine,
        noise=found.noise,
    )

    record = rooms.measure(asked, half)

    assert 0.5 == found.machine.quota
    assert 4 == record.runs[0].counts["started"]
    if record.pairs:
        accepted = ratio.band(expect.all_over_one(8, 4, capacity_of(found.machine)), expect.all_over_one_stories(8, 4))
        task = min(pair.denominator for pair in record.pairs)
        seen = ratio.final(
            ratio.judge(record.pairs, accepted, ratio.control(found.machine, found.noise.floor, 4, task))
        )
        assert "CONTRADICTS" != seen.outcome, seen
    else:
        assert any("disturbed" in warning for warning in record.warnings)


def test_names_are_held_in_a_container_as_in_a_namespace(image: Image, trace: Trace) -> None:
    """Half the pool's slots, rounded up, ask for names at once; the name server inside the sealed room sees it."""
    asked = Request(lab="names", measure="in flight", parameters={"pool": 5, "names": 7, "api": "lookup"})

    record = rooms.measure(asked, "container")

    assert 3 == record.runs[0].counts["names_in_flight"]
    assert structure(rooms.measure(asked, "namespace")) == structure(record)


def test_a_room_that_is_asked_for_nonsense_answers_with_a_sentence(image: Image, trace: Trace) -> None:
    """A problem inside arrives as the same error as in the room `here`."""
    with pytest.raises(FourThreadsError, match="no lab called 'nonsense'"):
        rooms.measure(Request(lab="nonsense", measure="start"), "container")


def test_a_container_can_be_tried(image: Image, trace: Trace) -> None:
    """The doctor's try starts one for real and says how long it took."""
    assert 0 < room_container.try_once()


OPENER = """
import sys
from labs import room_container
room_container.new_name = lambda: sys.argv[1]
process = room_container.ROOM.start("measure")
print(process.pid, flush=True)
process.wait()
"""


@contextmanager
def opened(trace: Trace) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Give a process that opened a room and waits in it, and its tether's process id, once the container runs."""
    with subprocess.Popen(
        [sys.executable, "-c", OPENER, f"{trace.word}-x"], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        tether = int(parent.stdout.readline())
        while not container_engine.ask(trace.engine, "ps", "--quiet", "--filter", f"name={trace.word}").strip():
            assert parent.poll() is None
        yield parent, tether
        parent.kill()


def test_a_killed_parent_leaves_no_container(image: Image, trace: Trace) -> None:
    """SIGKILL of the one who asked ends the container, its client and its tether."""
    with opened(trace):
        pass

    assert trace.gone_within(PATIENCE)


def test_a_killed_parent_and_tether_leave_no_container(image: Image, trace: Trace) -> None:
    """Even when nobody of ours is left, the container notices that nobody waits for its answer."""
    with opened(trace) as (_, tether):
        os.kill(tether, signal.SIGKILL)

    assert trace.gone_within(PATIENCE)


def test_leftovers_are_swept_and_others_are_not(engine: Engine, image: Image, trace: Trace) -> None:
    """A container whose owner is dead goes with the next room; the living one's and a stranger's stay."""
    boot = container_sweep.owner().split(".")[0]
    made = {}
    for who, labels in {
        "orphan": [f"{container_sweep.LABEL}=room", f"{container_sweep.OWNER}={boot}.4194303.1"],
        "living": [f"{container_sweep.LABEL}=room", f"{container_sweep.OWNER}={container_sweep.owner()}"],
        "stranger": [f"{container_sweep.OWNER}={boot}.4194303.1"],
    }.items():
        options = [part for label in labels for part in ("--label", label)]
        limits = room_container._own_limits() if engine.kind == "podman" else []
        name = f"{trace.word}-{who}"
        made[who] = container_engine.ask(engine, "create", "--name", name, *options, *limits, image.digest).strip()

    swept = container_sweep.sweep(engine)
    left = container_engine.ask(engine, "ps", "--all", "--quiet", "--no-trunc").split()
    for one in (made["living"], made["stranger"]):
        container_sweep.remove(engine, one)

    assert made["orphan"] in swept
    assert {made["living"], made["stranger"]} <= set(left)
    assert made["orphan"] not in left


def test_many_learners_at_once_get_the_truth_or_a_request_to_try_again(image: Image, trace: Trace) -> None:
    """Eight rooms at once on this machine: each tells the same structure, or that the machine was too busy; none differs."""
    expected = structure(rooms.measure(gates(pool=3), "here"))

    def one(_: int) -> list[object] | None:
        asked = request.encode(gates(pool=3))  # past the lock, which other machines' learners do not share
        try:
            return structure(measurement.decode(rooms.ask(room_container.ROOM, "measure", asked)))
        except NoisyError:
            return None

    with ThreadPoolExecutor(8) as learners:
        answers = list(learners.map(one, range(8)))

    assert all(answer in (expected, None) for answer in answers)
    assert any(answer is not None for answer in answers)
