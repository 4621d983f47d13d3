"""The room `container` for real: the same evidence as `here`, sealed, and nothing left over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from labs import container_engine, container_sweep, measurement, request, room_container, rooms
from labs.container_engine import Engine
from labs.container_image import Image
from labs.errors import FourThreadsError, NoisyError
from labs.measurement import Record
from labs.request import Request
from labs.room_container import ContainerRoom, Limits
from tests.container import Trace
from tests.container import engine as engine
from tests.container import image as image
from tests.container import trace as trace

pytestmark = [pytest.mark.container, pytest.mark.node, pytest.mark.timeout(300)]


def gates(measure: str = "start", **parameters: measurement.Value) -> Request:
    """Return a request of the lab ``gates``."""
    return Request(lab="gates", measure=measure, parameters={"pool": None, "tasks": 7, **parameters})


def structure(record: Record) -> list[object]:
    """Return what load cannot change: observed counts, and who held, waited, was done after each step."""
    found: list[object] = []
    for run in record.runs:
        found.append({name: count for name, count in run.counts.items() if run.sources[name] == "observed"})
        found += [(step.action, set(step.slots), step.waiting, set(step.finished)) for step in run.steps]
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
    ],
    ids=lambda asked: f"{asked.measure}, pool {asked.parameters['pool']}",
)
def test_gates_gives_the_same_structure_here_and_in_a_container(asked: Request, image: Image, trace: Trace) -> None:
    """Held slots, starts after each opening and the canary's return are the same facts in both rooms."""
    assert structure(rooms.measure(asked, "here")) == structure(rooms.measure(asked, "container"))


def test_the_record_names_room_and_image(image: Image, trace: Trace) -> None:
    """Whoever reads the record can tell what it was made in."""
    record = rooms.measure(gates(), "container")

    assert ("container", image.digest) == (record.room, record.image)


def test_a_pool_of_1024_fits(image: Image, trace: Trace) -> None:
    """The limit on processes leaves room for libuv's largest pool."""
    record = rooms.measure(gates(pool=1024, tasks=1030), "container")

    assert 1024 == record.runs[0].counts["held_slots"]


def test_half_a_core_changes_no_structure(image: Image, trace: Trace) -> None:
    """With a quota the counts are the same, and the record says which quota."""
    half = ContainerRoom(Limits(cpus=0.5))

    record = rooms.measure(gates(pool=3), half)

    assert structure(rooms.measure(gates(pool=3), "here")) == structure(record)
    assert 0.5 == record.machine.quota


def test_a_room_that_is_asked_for_nonsense_answers_with_a_sentence(image: Image, trace: Trace) -> None:
    """A problem inside arrives as the same error as in the room `here`."""
    with pytest.raises(FourThreadsError, match="no lab called 'nonsense'"):
        rooms.measure(Request(lab="nonsense", measure="start"), "container")


def test_a_container_can_be_tried(image: Image, trace: Trace) -> None:
    """The doctor's try starts one for real and says how long it took."""
    assert 0 < room_container.try_once() < 60


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

    assert trace.gone_within(20.0)


def test_a_killed_parent_and_tether_leave_no_container(image: Image, trace: Trace) -> None:
    """Even when nobody of ours is left, the container notices that nobody waits for its answer."""
    with opened(trace) as (_, tether):
        os.kill(tether, signal.SIGKILL)

    assert trace.gone_within(20.0)


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
