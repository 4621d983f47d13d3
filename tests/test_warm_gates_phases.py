"""What ``phases`` and ``places`` ask of the labs before them: every draw's question, its answer by another witness, its length."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from course import lint
from course.reply import MOST_LINES, wrapped
from grader import work as works
from labs.gates import draw as gates_draw
from labs.measurement import Record
from labs.phases import conduct, programs
from labs.phases.warm import GATES as NEXT
from labs.places.warm import GATES as HELD
from labs.places.warm import PHASES as ORDER
from labs.places.warm import exchanged
from labs.pool import Pool, held
from labs.request import Request
from labs.spec import Scene, Shape
from labs.warmup import WarmUp
from tests import classroom, phases_room
from tests.room import stage

CORES = (1, 2, 4, 12, 16, 64)
DRAWS = range(40)
PROGRAMS = list(product(("timers", "immediates"), "AC"))


def gates(measure: str, seed: int, cores: int, **typed: list[int]) -> Scene:
    """Return the scene of a record of ``gates``, as a warm-up gets it."""
    drawn = gates_draw.draw(random.Random(seed), Shape(cores))[measure]
    request = Request(lab="gates", measure=measure, parameters=classroom.plain({**drawn, **typed}))
    return works.alone(classroom.gates_record(request, cores))


def states(seed: int, cores: int) -> Iterator[Scene]:
    """Yield scenes of the puzzle: solved, begun, opened early, a gate that waits, the wanted ones."""
    target = gates_draw.draw(random.Random(seed), Shape(cores))["state"]["target"]
    solved = list(gates_draw.needed(tuple(target)))
    for opened in (solved, solved[:1], [solved[-1], *solved[:-1]], [5], list(target)):
        yield gates("state", seed, cores, open=opened)


def between(pair: str, first: str) -> Record:
    """Return a record of ``phases``: two of a kind and one of another."""
    return phases_room.record(Request(lab="phases", measure="between", parameters={"pair": pair, "first": first}))


def pool_of(scene: Scene) -> Pool:
    """Return the pool as the record left it, by the model of libuv's queue and not by the lab's own rule."""
    record = scene.record
    assert record is not None
    pool = Pool(len(record.runs[0].steps[0].slots))
    pool.submit(*[held(str(task)) for task in range(1, int(scene.parameters["tasks"]) + 1)])
    for step in record.runs[0].steps[1:]:
        pool.release(step.action.removeprefix("open "))
    return pool


def fits(warm_up: WarmUp, scene: Scene) -> None:
    """Hold a question to what every answer is held to: six lines, nothing given away, an answer that can be typed."""
    ask, answer, because = warm_up.ask(scene), warm_up.solve(scene), warm_up.because(scene)
    assert len(wrapped(("whose", *([ask] if "\n" not in ask else []), "Next: ..."))) <= MOST_LINES
    assert len(wrapped(("what it is", *because, "Next: ..."))) <= MOST_LINES
    assert not lint.states(ask, warm_up, answer)
    assert answer == warm_up.blank.kind.read(answer, scene.parameters)


@pytest.mark.parametrize("cores", CORES)
def test_the_next_opening_lets_in_the_first_of_the_line(cores: int) -> None:
    """As the pool has it; and nobody is right who takes tasks for dealt out, or for started in groups."""
    for seed in DRAWS:
        scene = gates("one gate", seed, cores)
        fits(NEXT, scene)
        pool = pool_of(scene)
        gate = int(NEXT.ask(scene).partition("Now gate ")[2].split()[0])
        before = {*pool.held}
        assert str(gate) in before
        pool.release(str(gate))
        assert {str(NEXT.solve(scene))} == {*pool.held} - before
        assert NEXT.solve(scene) != gate + int(scene.parameters["pool"])


@pytest.mark.parametrize("cores", CORES)
def test_two_more_gates_leave_what_the_pool_leaves(cores: int) -> None:
    """Whatever the learner opened in the puzzle; where no line is left, an older record or the recorded run stands in."""
    asked = 0
    for seed in DRAWS:
        for scene in states(seed, cores):
            fits(HELD, scene)
            asked += 1
            pool = pool_of(scene)
            more = HELD.ask(scene).partition("Now gates ")[2].partition(" are opened")[0].split(" and ")
            assert 2 == len(more)
            for gate in more:
                pool.release(gate)
            assert tuple(sorted(map(int, pool.held))) == HELD.solve(scene)
    assert len(DRAWS) * 5 == asked


def test_a_record_at_the_end_of_its_line_is_not_asked_about() -> None:
    """All gates open, or none: there is nothing to go on from."""
    tasks = int(gates_draw.draw(random.Random(1), Shape(2))["state"]["tasks"])
    for opened in ([], [*range(1, tasks + 1)], [*range(1, tasks - 3)]):
        with pytest.raises(ValueError, match="no line is left"):
            HELD.ask(gates("state", 1, 2, open=opened))


@pytest.mark.parametrize(("pair", "first"), PROGRAMS)
def test_exchanged_kinds_run_in_another_order(pair: str, first: str) -> None:
    """The record's own order is no answer."""
    scene = works.alone(between(pair, first))
    fits(ORDER, scene)
    assert ("C", "A", "tickA", "B", "tickB") == ORDER.solve(scene)
    assert "They ran as A tickA B tickB C." in ORDER.ask(scene)


@pytest.mark.node
@pytest.mark.parametrize(("pair", "first"), PROGRAMS)
def test_node_runs_the_exchanged_program_so(pair: str, first: str) -> None:
    """The program that the question shows, run by the Node of the course."""
    scene = works.alone(between(pair, first))
    text = programs.text(exchanged(scene))
    assert all(line.strip() in ORDER.ask(scene) for line in text.splitlines())
    with stage(Request(lab="phases", measure="four", parameters={})) as here:
        ran = conduct.traced(here, text, "warm", {}, "cjs").callbacks
    assert ORDER.solve(scene) == tuple(one.name for one in ran)
