"""The warm-ups of ``waves``, ``birth`` and ``names``: other numbers than the record's, and the answer that the models give."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import warming
from labs import catalog, simulate
from labs.answers import Answer
from labs.birth import warm as of_birth
from labs.job import Job, Schedule
from labs.model import canary_returns
from labs.names import warm as of_names
from labs.places import facts
from labs.spec import Scene, Shape
from labs.warmup import WarmUp
from labs.waves import warm as of_waves
from labs.words import WIDTH

ALL = [(slug, one) for slug in ("waves", "birth", "names") for one in import_module(f"labs.{slug}.warm").WARM_UPS]
EVERY = pytest.mark.parametrize(("slug", "warm"), ALL, ids=[f"{slug}-{one.lab}" for slug, one in ALL])
SEEDS = st.integers(0, 10**9)
CORES = st.sampled_from([1, 2, 3, 4, 5, 6, 8, 12, 16, 40, 64])


def scene(warm: WarmUp, parameters: Mapping[str, Any] | None = None, cores: int | None = None) -> Scene:
    """Return a scene of the recorded run, or of one like it with other numbers and cores."""
    record = warming.recorded(warm)
    record = msgspec.structs.replace(
        record,
        parameters=dict(parameters if parameters is not None else record.parameters),
        machine=msgspec.structs.replace(record.machine, cores=cores or record.machine.cores, capacity=()),
    )
    return Scene(record.parameters, Shape(record.machine.cores), record)


def drawn(warm: WarmUp, seed: int, cores: int) -> Scene:
    """Return a scene whose record has the numbers of a draw of the earlier lab."""
    numbers = catalog.load(warm.lab).draw(random.Random(seed), Shape(cores))
    return scene(warm, numbers[warm.measure], cores)


def numbers_in(text: str) -> list[int]:
    """Return the whole numbers that stand in a text."""
    return [int(found) for found in re.findall(r"\b\d+\b", text)]


@EVERY
@given(seed=SEEDS, cores=CORES)
def test_the_question_does_not_state_its_answer(slug: str, warm: WarmUp, seed: int, cores: int) -> None:
    """Whatever was drawn there: no number in the question is the answer, and no word of it is."""
    here = drawn(warm, seed, cores)
    answer = warm.solve(here)
    if isinstance(answer, str):
        assert answer not in re.findall(r"\w+", warm.ask(here))
    else:
        assert not [stated for stated in numbers_in(warm.ask(here)) if stated == answer]


@EVERY
@given(seed=SEEDS, cores=CORES)
def test_the_answer_can_be_typed_and_said(slug: str, warm: WarmUp, seed: int, cores: int) -> None:
    """The blank takes the answer as a learner types it, and the answer's reason has it."""
    here = drawn(warm, seed, cores)
    answer: Answer = warm.solve(here)
    said = warm.blank.say(answer)
    typed: Any = answer if isinstance(answer, str) else said.split()[0]
    assert warm.blank.kind.read(typed, here.parameters) == answer
    assert said.split()[0].removesuffix("x") in " ".join(warm.because(here))


@EVERY
@given(seed=SEEDS, cores=CORES)
def test_the_question_and_its_reason_are_short(slug: str, warm: WarmUp, seed: int, cores: int) -> None:
    """A question takes three lines at most, a reason two sentences of as many lines: nothing to scroll."""
    here = drawn(warm, seed, cores)
    assert len(warm.ask(here)) <= 3 * WIDTH
    assert len(warm.because(here)) <= 2
    assert max(map(len, warm.because(here))) <= 2 * WIDTH


@EVERY
def test_the_recorded_run_is_of_the_measure_that_is_remembered(slug: str, warm: WarmUp) -> None:
    """What stands in for a learner's record is a record of the same lab and measure, and its reason speaks of it."""
    record = warming.recorded(warm)
    assert (warm.lab, warm.measure) == (record.lab, record.measure)
    here = Scene(record.parameters, Shape(record.machine.cores), record)
    assert "In that record" in warm.because(here)[-1]


@EVERY
def test_the_lab_that_is_remembered_comes_before(slug: str, warm: WarmUp) -> None:
    """Nobody is asked for what comes later in the course."""
    assert catalog.CURRICULUM.index(warm.lab) < catalog.CURRICULUM.index(slug)


@EVERY
def test_a_record_without_runs_still_has_a_question_and_a_reason(slug: str, warm: WarmUp) -> None:
    """A record of another form is spoken of by its parameters alone."""
    here = scene(warm)
    assert here.record is not None
    bare = Scene(here.parameters, here.shape, msgspec.structs.replace(here.record, runs=(), pairs=()))
    assert warm.ask(bare) == warm.ask(here)
    assert "In that record" not in " ".join(warm.because(bare))


def gates(slots: int, many: int, opened: list[int], behind: bool = False) -> Schedule:
    """Return what libuv's pool does with held tasks of which some are let go, one a second from 1 on."""
    jobs = [Job(str(task), "file", service=None) for task in range(1, many + 1)]
    if behind:
        jobs.append(Job("stat", "file", service=0.001))
    return simulate.simulate(jobs, slots, releases={str(task): float(at) for at, task in enumerate(opened, 1)})


@given(seed=SEEDS, cores=CORES, data=st.data())
def test_waves_asks_how_many_wait_as_the_pool_leaves_them(seed: int, cores: int, data: st.DataObject) -> None:
    """Whichever of the held gates are opened, the simulated pool leaves as many waiting as the answer says."""
    here = drawn(of_waves.GATES, seed, cores)
    now = of_waves.asked(here)
    opened = data.draw(
        st.lists(st.integers(1, now.slots), min_size=now.opened, max_size=now.opened, unique=True), label="opened"
    )
    tasks = gates(now.slots, now.gates, opened).tasks
    assert sum(task.started is None for task in tasks) == of_waves.GATES.solve(here)


@given(seed=SEEDS, cores=CORES)
def test_waves_asks_for_what_batches_answer_otherwise(seed: int, cores: int) -> None:
    """Who lets the next group wait for the whole one before, or gives every task a thread, has another number."""
    here = drawn(of_waves.GATES, seed, cores)
    now = of_waves.asked(here)
    assert now.opened < now.slots
    assert of_waves.GATES.solve(here) not in (now.gates - now.slots, 0)


@given(seed=SEEDS, cores=CORES)
def test_waves_asks_for_other_numbers_than_the_record_has(seed: int, cores: int) -> None:
    """Neither slots nor gates are the record's, and the answer is not how many waited there."""
    here = drawn(of_waves.GATES, seed, cores)
    now, p = of_waves.asked(here), here.parameters
    assert now.slots != p["pool"]
    assert now.gates != p["tasks"]
    assert of_waves.GATES.solve(here) not in (p["tasks"] - p["pool"], p["tasks"] - p["pool"] - 1)


@given(seed=SEEDS, cores=CORES)
def test_birth_asks_how_long_hashes_take_as_the_cores_let_them(seed: int, cores: int) -> None:
    """The simulated pool on ideal cores ends within the answer, and a core a slot would be another one."""
    here = drawn(of_birth.WAVES, seed, cores)
    now = of_birth.asked(here)
    found = simulate.what_if(now.hashes, now.slots, now.cores, "cpu")
    answer = of_birth.WAVES.solve(here)
    assert found.makespan.low == answer
    assert found.makespan.high == answer
    assert found.waves != answer
    assert now.hashes != answer


@given(seed=SEEDS, cores=CORES)
def test_birth_asks_for_other_numbers_than_the_record_has(seed: int, cores: int) -> None:
    """Slots, hashes and cores are all others."""
    here = drawn(of_birth.WAVES, seed, cores)
    now = of_birth.asked(here)
    assert (now.slots, now.hashes, now.cores) != (here.parameters["pool"], here.parameters["tasks"], cores)
    assert now.slots != here.parameters["pool"]
    assert now.hashes != here.parameters["tasks"]
    assert now.cores != cores


@given(seed=SEEDS, cores=CORES, data=st.data())
def test_names_asks_when_the_stat_is_back_as_the_pool_lets_it(seed: int, cores: int, data: st.DataObject) -> None:
    """Held gates are opened one by one, any of those held: the stat ends after as many as the answer says."""
    here = drawn(of_names.GATES, seed, cores)
    now = of_names.asked(here)
    held, line, opened = list(range(1, now.slots + 1)), list(range(now.slots + 1, now.gates + 1)), []
    while held:
        opened.append(held.pop(data.draw(st.integers(0, len(held) - 1))))
        held += [line.pop(0)] if line else []
    stat = gates(now.slots, now.gates, opened, behind=True).tasks[-1]
    assert stat.started is not None
    assert int(stat.started.high) == of_names.GATES.solve(here)


@given(seed=SEEDS, cores=CORES)
def test_names_asks_for_other_numbers_than_the_record_has(seed: int, cores: int) -> None:
    """Neither slots, gates nor openings are the record's."""
    here = drawn(of_names.GATES, seed, cores)
    now, p = of_names.asked(here), here.parameters
    assert now.slots != p["pool"]
    assert now.gates != p["tasks"]
    assert of_names.GATES.solve(here) != canary_returns(p["tasks"], p["pool"])


@given(seed=SEEDS)
def test_names_asks_for_a_call_that_the_record_has_not(seed: int) -> None:
    """The lookup alone is in neither bet of ``places``, and takes another path than the call it is set beside."""
    here = drawn(of_names.PLACES, seed, 2)
    assert of_names.LOOKUP not in here.parameters["calls"]
    assert "PK" in {facts.CALLS[str(call)].path for call in here.parameters["calls"]}
    assert of_names.PLACES.solve(here) == "P"


def test_a_stat_that_did_not_wait_is_not_spoken_of() -> None:
    """Who measured ``statSync`` there reads the rule, and nothing of a record that does not show it."""
    warm = of_names.GATES
    record = warming.recorded(warm)
    run = msgspec.structs.replace(record.runs[0], counts={**record.runs[0].counts, "canary_openings": 0})
    here = Scene(record.parameters, Shape(2), msgspec.structs.replace(record, runs=(run,)))
    assert len(warm.because(here)) == 1
