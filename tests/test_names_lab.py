"""The numbers of ``names``: every draw, on machines of 1 to 128 cores."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

from grader.judge import judge_record
from labs import model
from labs.acts import freeze
from labs.names import drawing, puzzle, stories, tables, visits
from labs.names.draw import NAMES, TARGETS, draw, free, solutions
from labs.names.setting import KINDS
from labs.pool import Pool, held
from labs.request import Request
from labs.spec import Row, Scene, Shape
from tests import classroom, names_room
from tests.names_room import BETS, LAB

CORES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 23, 24, 64, 128)
STORIES = tuple(story for story in LAB.stories if not story.local)


@cache
def drawn(cores: int, seed: int) -> Mapping[str, Any]:
    """Return one draw as the journal holds it."""
    numbers: Mapping[str, Any] = freeze(
        {name: dict(part) for name, part in draw(random.Random(seed), Shape(cores)).items()}
    )
    return numbers


def scene(cores: int, seed: int, slug: str) -> Scene:
    """Return a thing's scene, without a record."""
    return Scene(drawn(cores, seed)[slug], Shape(cores))


def whole(cores: int, seed: int, rows: Any) -> dict[str, Row]:
    """Return a whole row over all bets."""
    return {slug: dict(row) for slug in BETS if (row := rows(scene(cores, seed, slug)).get(slug))}


def agree(one: Mapping[str, Row], other: Mapping[str, Row]) -> bool:
    """Return whether two whole rows say the same wherever both say something."""
    return all(one[bet] == other[bet] for bet in one.keys() & other.keys())


@pytest.mark.parametrize("cores", CORES)
def test_no_story_agrees_with_node_and_no_two_with_each_other(cores: int) -> None:
    """In whole rows, and already in the second bet's own row, where most learners meet their story."""
    for seed in range(60):
        node = whole(cores, seed, stories.node)
        rows = {story.slug: whole(cores, seed, story.rows) for story in STORIES}
        second = {slug: {"own": row["own"]} for slug, row in rows.items()}
        assert [] == [slug for slug, row in rows.items() if agree(row, node)]
        assert [] == [slug for slug, row in second.items() if agree(row, node)]
        for one, other in combinations(rows, 2):
            assert not agree(rows[one], rows[other]), (one, other)
            if (
                cores <= 96
            ):  # beyond, names no longer outnumber the cores that gates leave free; the first bet still tells
                assert not agree(second[one], second[other]), (one, other)


@pytest.mark.parametrize("cores", CORES)
def test_a_draw_keeps_to_its_rules(cores: int) -> None:
    """An odd size from 7 on, never the cores; gates leave one slot or two; more names than cores, while they can be read."""
    for seed in range(60):
        numbers = drawn(cores, seed)
        own = numbers["own"]
        assert own["pool"] in {7, 9, 11} - {cores}
        assert own["pool"] - own["held"] in (1, 2)
        assert own["names"] == numbers["start"]["names"] >= NAMES
        assert cores >= 97 or own["names"] > cores
        assert sorted(KINDS) == sorted(numbers["through"]["order"])
        assert "address" != numbers["through"]["order"][0]


@pytest.mark.parametrize("cores", CORES)
def test_slips_inside_a_bet_are_different_answers_and_none_is_nodes(cores: int) -> None:
    """Who gets through, what the second thread buys, what a cache asks for: each slip has an answer of its own."""
    for seed in range(30):
        for slug in ("second", "through", "cache"):
            here = scene(cores, seed, slug)
            slips = [dict(row) for story in LAB.stories if story.local and (row := story.rows(here).get(slug))]
            answers = [tuple(sorted(slip.items())) for slip in slips]
            assert len(answers) == len({*answers})
            if slug != "cache":  # what a cache does is the learner's own doing
                assert stories.node(here)[slug] not in slips


@pytest.mark.parametrize("cores", (1, 2, 4, 16))
def test_node_is_what_the_pool_does(cores: int) -> None:
    """The row that stories are held against is the one that the simulated pool gives."""
    for seed in range(30):
        for slug in ("start", "own", "second"):
            here = scene(cores, seed, slug)
            request = Request(lab="names", measure=slug, parameters=classroom.plain(dict(here.parameters)))
            assert stories.node(here)[slug] == LAB.bet(slug).actual(names_room.record(request, cores))


def rest(pool: int, gates: int, names: int) -> tuple[int, int]:
    """Return names in flight and free slots, by the simulated pool."""
    machine = Pool(pool)
    machine.submit(*[held(str(gate)) for gate in range(1, gates + 1)])
    machine.submit(*[held(f"name-{name}", "name") for name in range(1, names + 1)])
    return machine.names_in_flight, pool - len(machine.held)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_can_be_reached_and_the_model_knows_how(target: tuple[int, int]) -> None:
    """Brute force over all sizes and gates: the closed form and the simulation agree, and one line or two slots never get there."""
    found = tuple(
        (pool, gates)
        for pool, gates in product(range(1, 17), range(17))
        if gates <= pool and rest(pool, gates, NAMES) == target
    )
    assert solutions(*target) == found
    assert 1 <= len(found) <= 2
    flying, idle = target
    assert not [pool for pool, gates in product(range(1, 17), range(17)) if (min(NAMES, pool - gates), 0) == target]
    assert (flying, idle) not in {
        (min(2, pool - gates), pool - gates - 2) for pool in range(1, 17) for gates in range(pool)
    }


@pytest.mark.parametrize("seed", range(40))
def test_one_option_of_cannot_is_impossible_and_the_others_are_not(seed: int) -> None:
    """Every number of gates is tried: three states are seen, the fourth never is."""
    p = drawn(2, seed)["cannot"]
    pool, half, few = p["pool"], p["half"], p["few"]
    seen = {(gates, *rest(pool, gates, 40)) for gates in range(pool + 1)}
    assert half == model.slots(pool, "name")
    assert {(0, half, pool - half), (pool - 1, 1, 0), (pool, 0, 0)} <= seen
    assert (few, half - 1, pool - half + 1 - few) not in seen
    assert pool - half + 1 - few > 0


def test_recall_is_answered_by_the_pool() -> None:
    """Its answer is what a simulated pool of that size has in flight."""
    assert LAB.recall is not None
    for seed in range(60):
        p = drawn(2, seed)["recall"]
        assert rest(p["pool"], p["held"], p["names"])[0] == LAB.recall.solve(Scene(p, Shape(2)))


def test_free_slots_are_never_negative() -> None:
    """More gates than slots leave nothing to anybody."""
    assert 0 == free(4, 9)
    assert (0, 0) == rest(4, 9, NAMES)


@pytest.mark.parametrize("measure", [measure for measure in LAB.measures if measure.replay], ids=lambda one: one.slug)
def test_recorded_runs_are_sound(measure: Any) -> None:
    """Each decodes strictly, belongs to its measure, tells its bet as the model has it, and holds no solution."""
    record = names_room.replay(str(measure.replay))
    assert ("names", measure.slug) == (record.lab, record.measure)
    assert "dns.promises.lookup" not in record.script.text
    if measure.slug in ("start", "own", "second", "through"):
        here = Scene(freeze(dict(record.parameters)), Shape(2), record)
        assert stories.node(here)[measure.slug] == LAB.bet(measure.slug).actual(record)
    if measure.slug == "state":
        assert puzzle.unlike_model(record) is None
    if measure.slug == "cache":
        assert {"asked": visits.first_burst(record.parameters)} == LAB.bet("cache").actual(record)
    if measure.slug == "sizes":
        for run in record.runs:
            pool, names = int(run.parameters["pool"] or 4), int(str(run.parameters["names"]))  # type: ignore[arg-type]
            assert model.names_in_flight(names, pool) == drawing.flying(run)
            assert run.claims["total"] >= model.waves(names, pool, "name") * run.claims["hold"]
    if measure.slug == "ways":
        lines = tables.ways(Scene(freeze(dict(record.parameters)), Shape(2), record))
        assert "resolve4 24, on no thread of the pool" in "\n".join(lines)


def test_a_recorded_puzzle_follows_the_learners_numbers() -> None:
    """What was typed is played through by the model, and the record says that it was."""
    measure = LAB.measure("state")
    assert measure.replayed is not None
    other = measure.replayed(names_room.replay("state"), {"names": NAMES, "pool": 6, "held": 2})
    assert (3, 1) == puzzle.reached(other)
    assert puzzle.unlike_model(other) is None
    assert {"claimed"} == {*other.runs[0].sources.values()}
    assert "computed" in other.warnings[-1]


def test_a_record_that_is_not_libuvs_is_not_judged() -> None:
    """Something interfered: the reason stands in the verdict, and no point is lost."""
    from msgspec.structs import replace

    request = Request(
        lab="names", measure="state", parameters={"names": NAMES, "flying": 3, "idle": 1, "pool": 6, "held": 2}
    )
    record = names_room.record(request, 2)
    odd = replace(record.runs[0], counts={**record.runs[0].counts, "names_in_flight": 2})
    assert "libuv's rule gives 3" in (puzzle.unlike_model(replace(record, runs=(odd,))) or "")
    assert ["INCONCLUSIVE"] == [str(verdict.outcome) for verdict in judge_record(LAB, replace(record, runs=(odd,)))]
