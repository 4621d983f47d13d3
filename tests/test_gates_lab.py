"""The numbers of ``gates``: every draw, on machines of 1 to 64 cores."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import pytest

from labs import catalog
from labs.acts import freeze
from labs.gates import drawing, puzzle, stories
from labs.gates.draw import GATES, MOST_CORES, OPENINGS, draw, gates, held, needed, targets
from labs.measurement import decode
from labs.model import canary_returns
from labs.pool import Pool
from labs.pool import held as held_job
from labs.request import Request
from labs.spec import Row, Scene, Shape
from tests import classroom

CORES = (1, 2, 3, 4, 5, 6, 8, 12, 16, 37, 38, 39, 64)
LAB = catalog.load("gates")
#: Where a machine cannot tell two stories apart, both are named.
TWINS = {1: {"a-slot-a-core", "one-at-a-time"}, 4: {"a-slot-a-core", "always-four"}}
MANY_CORES = {"a-slot-a-core", "no-limit"}
STORIES = tuple(story for story in LAB.stories if not story.local)


@cache
def drawn(cores: int, seed: int) -> Mapping[str, Any]:
    """Return one draw as the journal holds it."""
    numbers: Mapping[str, Any] = freeze(
        {name: dict(part) for name, part in draw(random.Random(seed), Shape(cores)).items()}
    )
    return numbers


def draws(cores: int, most: int = 300) -> Iterator[Mapping[str, Any]]:
    """Yield one draw of each (pool, first gate)."""
    seen = set()
    for seed in range(most):
        numbers = drawn(cores, seed)
        key = (numbers["one gate"]["pool"], numbers["one gate"]["first"])
        if key not in seen:
            seen.add(key)
            yield numbers


def agree(one: Mapping[str, Row], other: Mapping[str, Row]) -> bool:
    """Return whether two whole rows say the same wherever both say something."""
    return all(one[bet] == other[bet] for bet in one.keys() & other.keys())


def through(pool: int, tasks: int, opened: tuple[int, ...]) -> Pool:
    """Return the pool after these openings."""
    machine = Pool(pool)
    machine.submit(*[held_job(str(task)) for task in range(1, tasks + 1)])
    for gate in opened:
        machine.release(str(gate))
    return machine


@pytest.mark.parametrize("cores", CORES)
def test_a_draw_keeps_to_its_rules(cores: int) -> None:
    """Pool 3, 5 or 6, never 4 or the cores; gates by pool, or two more than cores; gate 1 is never the first."""
    pools = set()
    for seed in range(200):
        numbers = drawn(cores, seed)
        one, start = numbers["one gate"], numbers["start"]
        pools.add(one["pool"])

        assert one["pool"] != cores
        assert one["tasks"] == (max(GATES[one["pool"]], cores + 2) if cores <= MOST_CORES else 38)
        assert start == {"pool": None, "tasks": gates(12, cores)}
        assert 2 <= one["first"] <= one["pool"]
        assert {"pool": one["pool"], "tasks": one["tasks"]} == numbers["canary"]
    assert {3, 5, 6} - {cores} == pools


@pytest.mark.parametrize("cores", CORES)
def test_no_story_agrees_with_node_and_no_two_with_each_other(cores: int) -> None:
    """In whole rows, and already in the second bet's row, where most learners meet their story."""
    twins = MANY_CORES if cores > MOST_CORES else TWINS.get(cores, set())
    for numbers in draws(cores):
        scene = Scene(numbers["one gate"], Shape(cores))
        node = {bet: row for bet, row in stories.node(scene).items() if bet in ("start", "one gate", "canary")}
        rows = {story.slug: story.rows(scene) for story in STORIES}
        second = {slug: {"one gate": row["one gate"]} for slug, row in rows.items()}

        assert [] == [slug for slug, row in rows.items() if agree(row, node)]
        assert [] == [slug for slug, row in second.items() if agree(row, node)]
        for one, other in combinations(rows, 2):
            assert ({one, other} <= twins) == agree(rows[one], rows[other]), (one, other)
            assert ({one, other} <= twins) == agree(second[one], second[other]), (one, other)


@pytest.mark.parametrize("cores", CORES)
def test_slips_in_the_third_bet_are_different_numbers_and_none_is_nodes(cores: int) -> None:
    """0, 1, P, N - P, N and Node's N + 1 - P never meet."""
    for numbers in draws(cores):
        scene = Scene(numbers["canary"], Shape(cores))
        slips = [story.rows(scene)["canary"]["openings"] for story in LAB.stories if story.local]

        assert len(slips) == len({*slips, canary_returns(scene.parameters["tasks"], scene.parameters["pool"])}) - 1


def test_the_table_of_the_design() -> None:
    """P = 3, N = 9, gate 2 first, 2 cores: the predictions that the design prints."""
    scene = Scene({"pool": 3, "tasks": 9, "first": 2}, Shape(2))
    expected = {
        "no-limit": (12, 9, (), 0),
        "a-slot-a-core": (2, 2, (3,), 8),
        "batches": (4, 3, (), 9),
        "own-line": (4, 3, (5,), None),
        "one-at-a-time": (1, 1, (), 9),
        "nobody-waits": (0, 0, (), 0),
        "always-four": (4, 4, (5,), 6),
    }
    rows = {story.slug: story.rows(scene) for story in STORIES} | {"node": stories.node(scene)}
    told = {
        slug: (row["start"]["held"], *row["one gate"].values(), row.get("canary", {}).get("openings"))
        for slug, row in rows.items()
    }

    assert {**expected, "node": (4, 3, (4,), 7)} == told


@pytest.mark.parametrize("cores", CORES)
def test_node_is_what_the_pool_does(cores: int) -> None:
    """The row that stories are held against is the one the simulated pool gives."""
    for numbers in draws(cores):
        one = numbers["one gate"]
        node = stories.node(Scene(one, Shape(cores)))
        machine = through(one["pool"], one["tasks"], ())
        before = len(machine.held)
        started = machine.release(str(one["first"]))

        assert {"held": before, "starts": tuple(int(name) for name in started)} == node["one gate"]


@pytest.mark.parametrize("pool", GATES)
def test_every_target_is_reached_by_what_it_needs_in_any_order(pool: int) -> None:
    """Three or four openings, forwards and backwards; the closed form and the simulation agree."""
    for target in targets(pool, GATES[pool]):
        opened = needed(target)

        assert OPENINGS[0] <= len(opened) <= OPENINGS[1]
        assert target == held(pool, GATES[pool], opened)
        for order in (opened, opened[::-1]):
            assert target == tuple(sorted(int(name) for name in through(pool, GATES[pool], order).held))


@pytest.mark.parametrize("pool", GATES)
def test_no_target_is_reached_where_tasks_run_in_groups_or_own_lines(pool: int) -> None:
    """Brute force over all sets of opened gates up to the target's last: neither wrong model ever holds it."""
    tasks = GATES[pool]
    wanted = set(targets(pool, tasks))
    last = max(max(target) for target in wanted)
    grouped, dealt = set(), set()
    for count in range(last + 1):
        for opened in combinations(range(1, last + 1), count):
            grouped.add(_batches(pool, tasks, {*opened}))
            dealt.add(_own_lines(pool, tasks, {*opened}))

    assert set() == wanted & grouped
    assert set() == wanted & dealt


def _batches(pool: int, tasks: int, opened: set[int]) -> tuple[int, ...]:
    for first in range(1, tasks + 1, pool):
        shut = [task for task in range(first, min(first + pool, tasks + 1)) if task not in opened]
        if shut:
            return tuple(shut)
    return ()


def _own_lines(pool: int, tasks: int, opened: set[int]) -> tuple[int, ...]:
    lines = [[task for task in range(slot, tasks + 1, pool) if task not in opened] for slot in range(1, pool + 1)]
    return tuple(sorted(line[0] for line in lines if line))


@pytest.mark.parametrize("cores", CORES)
def test_one_option_of_cannot_is_impossible_and_the_others_are_not(cores: int) -> None:
    """Every subset of the gates that matter is opened: two claims are seen, the third never is."""
    for numbers in draws(cores):
        p = numbers["cannot"]
        pool, last = p["pool"], max(*p["odd"], *p["target"], p["never"])
        seen = {
            (held(pool, p["tasks"], opened), p["never"] in opened and p["never"] < held(pool, p["tasks"], opened)[-1])
            for count in range(max(len(needed(p["odd"])), len(needed(p["target"]))) + 1)
            for opened in combinations(range(1, last + 1), count)
        }
        full = tuple(range(1, pool + 1))

        assert p["odd"] in {holds for holds, _ in seen}
        assert p["target"] in {holds for holds, _ in seen}
        assert (full, True) not in seen
        assert str(p["never"]) not in through(pool, p["tasks"], (p["never"],)).finished


def test_the_model_of_a_record_is_its_own_openings() -> None:
    """A record that follows libuv's order is judged; one that does not says where they part and is not."""
    scene = Scene(drawn(2, 1)["state"], Shape(2), answers={"open": needed(drawn(2, 1)["state"]["target"])})
    request = Request(lab="gates", measure="state", parameters=classroom.plain(LAB.measure("state").parameters(scene)))
    record = classroom.gates_record(request, 2)
    run = record.runs[0]
    from msgspec.structs import replace

    moved = replace(
        run, steps=(*run.steps[:-1], replace(run.steps[-1], slots=run.steps[0].slots, waiting=(), finished=()))
    )

    assert puzzle.unlike_model(record) is None
    assert "libuv's order" in (puzzle.unlike_model(replace(record, runs=(moved,))) or "")


def test_recall_is_answered_by_the_pool() -> None:
    """Its answer is what a simulated pool of that size holds."""
    assert LAB.recall is not None
    for seed in range(60):
        p = drawn(2, seed)["recall"]
        machine = through(p["pool"], p["tasks"], p["opened"])

        assert tuple(sorted(int(name) for name in machine.held)) == LAB.recall.solve(Scene(p, Shape(2)))


@pytest.mark.parametrize("measure", [measure for measure in LAB.measures if measure.replay], ids=lambda one: one.slug)
def test_recorded_runs_are_sound(measure: Any) -> None:
    """Each decodes strictly, belongs to its measure, and follows the model."""
    from pathlib import Path

    import labs.gates

    record = decode((Path(labs.gates.__path__[0]) / "replay" / f"{measure.replay}.json").read_bytes())

    assert ("gates", measure.slug) == (record.lab, record.measure)
    assert puzzle.unlike_model(record) is None
    for before, after in pairwise(record.runs[0].steps):
        assert len(drawing.new_in(before, after)) <= 1


def test_a_recorded_puzzle_follows_the_learners_openings() -> None:
    """What was typed is played through by the model, and the record says that it was."""
    measure = LAB.measure("state")
    scene = Scene(drawn(2, 1)["state"], Shape(2), answers={"open": (2, 1)})
    request = Request(lab="gates", measure="state", parameters=classroom.plain(measure.parameters(scene)))
    record = classroom.gates_record(request, 2)
    assert measure.replayed is not None
    other = measure.replayed(record, {**request.parameters, "open": [3]})

    assert ["start", "open 3"] == [step.action for step in other.runs[0].steps]
    assert puzzle.unlike_model(other) is None
    assert {"claimed"} == {*other.runs[0].sources.values()}
    assert "computed" in other.warnings[-1]
