"""The lab ``waves`` as data: numbers, stories and questions, for every draw on 1 to 64 cores."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import msgspec
import pytest

from grader.answering import solution
from grader.judge import judge_record
from grader.verdict import Outcome
from labs import model, simulate
from labs.acts import freeze
from labs.capacity import ideal
from labs.measurement import Record
from labs.spec import Row, Scene, Shape
from labs.waves import expect, stories
from labs.waves.around import Around
from labs.waves.draw import OWN
from labs.waves.watch import computes
from tests.hashroom import CORES, LAB, curve, draws, record, request

BETS = ("all at once", "other cores", "own")
#: Stories that say the same on a machine, where nothing can tell them apart. With a core for each of four slots "more threads
#: = faster" is the textbook's first row; from eight on that row is true.
_RICH = {frozenset({"core-a-slot", "always-faster"})}
TWINS = {1: {frozenset({"a-slot-a-core", "one-by-one"})}, 4: _RICH, 12: _RICH, 16: _RICH}


def scene(numbers: dict[str, Any], slug: str, cores: int) -> Scene:
    """Return the scene of a bet, before it is measured."""
    return Scene(numbers[slug], Shape(cores, curve(cores)))


def rows(numbers: dict[str, Any], cores: int) -> dict[str, dict[str, Row]]:
    """Return story -> bet -> row."""
    return {
        story.slug: {bet: dict(row) for bet in BETS if (row := story.rows(scene(numbers, bet, cores)).get(bet))}
        for story in LAB.stories
        if not story.local
    }


@pytest.mark.parametrize("cores", CORES)
def test_two_stories_differ_in_their_whole_row_or_are_twins_of_the_machine(cores: int) -> None:
    """No draw lets two stories agree in all bets of both, but where the machine makes them one."""
    for numbers in draws(cores):
        for (one, first), (other, second) in combinations(rows(numbers, cores).items(), 2):
            common = first.keys() & second.keys()
            if common and all(first[bet] == second[bet] for bet in common):
                assert frozenset({one, other}) in TWINS.get(cores, set()), (one, other)


@pytest.mark.parametrize("cores", (*CORES, 3, 8, 64))
def test_no_story_agrees_with_node_in_its_whole_row(cores: int) -> None:
    """But for what is true on this machine: with eight cores and more the textbook is right until fewer cores are used."""
    for numbers in draws(cores, 20):
        node = {bet: stories.node(scene(numbers, bet, cores))[bet] for bet in BETS}
        for slug, predicted in rows(numbers, cores).items():
            same = all(all(node[bet][blank] == value for blank, value in row.items()) for bet, row in predicted.items())
            if slug == "always-faster":
                assert same == (cores >= 8)
            elif cores == 1 and slug == "slower":
                assert not same
            else:
                assert not same, slug


@pytest.mark.parametrize("cores", CORES)
def test_node_is_what_the_simulation_does(cores: int) -> None:
    """Started, and the time of all over one, by a second witness."""
    for numbers in draws(cores, 20):
        for bet in BETS:
            here = scene(numbers, bet, cores)
            p, on = here.parameters, here.parameters["cores"] or cores
            played = simulate.what_if(p["tasks"], p["pool"] or 4, on, "cpu")
            row = stories.node(here)[bet]

            assert played.peak == row["started"]
            assert row["times"] == Around(played.makespan.low, played.makespan.high)


def by_the_law(tasks: int, slots: int, cores: int) -> float:
    """Return what the five lines say that so many hashes take."""
    rounds = model.waves(tasks, slots)
    return rounds if slots <= cores else max(tasks / cores, rounds)


@pytest.mark.parametrize("cores", (*range(1, 9), 12, 16))
def test_the_law_of_the_five_lines_is_nodes_time(cores: int) -> None:
    """For every draw, and for any more hashes than slots and cores: rounds with a core a slot, else hashes over cores."""
    for numbers in draws(cores, 20):
        for bet in BETS:
            p, row = numbers[bet], stories.node(scene(numbers, bet, cores))[bet]
            assert row["times"] == by_the_law(p["tasks"], expect.size(p["pool"]), p["cores"] or cores)
    for slots in range(1, 9):
        for tasks in range(max(slots, cores), 3 * max(slots, cores) + 1):
            low, high = expect.all_over_one(tasks, slots, ideal(cores))
            assert low <= by_the_law(tasks, slots, cores) <= high, (tasks, slots)


@pytest.mark.parametrize("cores", range(1, 65))
def test_own_numbers_are_never_the_machines(cores: int) -> None:
    """The pool is never the cores nor four, and more hashes are asked for than there are cores or slots."""
    for numbers in draws(cores, 20):
        own, first = numbers["own"], numbers["all at once"]

        assert own["pool"] in set(OWN) - {cores, 4}
        assert own["tasks"] > max(own["pool"], min(cores, 38))
        assert first["tasks"] > min(cores, 38) and first["tasks"] % 8 == 0
        assert numbers["other cores"]["tasks"] == first["tasks"]


def test_the_service_is_what_the_model_says() -> None:
    """The last hash, and what the proposal does to it, by the closed form on ideal cores."""
    question = LAB.question("service")
    for numbers in draws(2):
        p = numbers["service"]
        before = model.makespan(p["logins"], 4, "cpu", ideal(p["cores"])).low
        after = model.makespan(p["logins"], p["proposed"], "cpu", ideal(p["cores"])).low
        right = solution(question, Scene(p, Shape(2)))

        assert before * p["cost"] == right["last"]
        assert right["after"] == {1.0: "same", 0.25: "quarter"}[after / before]
        assert after > 1  # no other option is true as well


def test_somebody_elses_code_becomes_four_times_as_fast() -> None:
    """One at a time against four at a time with a core each."""
    for numbers in draws(2):
        p = numbers["code"]
        repaired = model.makespan(p["users"], 4, "cpu", ideal(p["cores"]))

        assert p["users"] == 4 * repaired.low == 4 * repaired.high


def test_what_a_record_holds_is_what_was_asked() -> None:
    """A draw's parameters survive the way through JSON, so that a record belongs to its draw."""
    for numbers in draws(2, 5):
        for bet in BETS:
            assert numbers[bet] == freeze(dict(record(request(bet, numbers[bet]), 2).parameters))


def test_recall_is_hashes_over_slots_or_cores() -> None:
    """Whichever are fewer."""
    assert LAB.recall is not None
    for numbers in draws(2):
        p = numbers["recall"]
        assert LAB.recall.solve(Scene(p, Shape(2))) == p["tasks"] / min(p["pool"], p["cores"])


@pytest.mark.parametrize("measure", [measure for measure in LAB.measures if measure.replay], ids=lambda one: one.slug)
def test_recorded_runs_are_sound(measure: Any) -> None:
    """Each decodes strictly, belongs to its measure, answers its bet with times that are judged, and contradicts nothing."""
    from pathlib import Path

    import labs.waves
    from grader.judge import judge_record
    from grader.verdict import Outcome
    from labs.measurement import decode
    from labs.waves import reading, slips

    made = decode((Path(labs.waves.__path__[0]) / "replay" / f"{measure.replay}.json").read_bytes())
    actual = LAB.bet(measure.bet).actual(made)

    assert ("waves", measure.slug) == (made.lab, made.measure)
    assert slips.find(made) is None and slips.unsound(made) is None
    assert actual is not None and reading.all_over_one(made).judged
    assert {"pool", "tasks", "cores"} <= made.parameters.keys()
    assert Outcome.CONTRADICTS not in {verdict.outcome for verdict in judge_record(LAB, made)}


def test_the_recorded_machine_shows_what_more_cores_would_not() -> None:
    """On its two cores eight slots change nothing; on one of them all take as long as they are many."""
    from pathlib import Path

    import labs.waves
    from labs.measurement import decode
    from labs.waves import reading

    folder = Path(labs.waves.__path__[0]) / "replay"
    first, second = (decode((folder / f"{name}.json").read_bytes()) for name in ("all-at-once", "other-cores"))

    assert reading.more_slots(first).answer == 1.0 and reading.more_slots(first).judged
    assert reading.all_over_one(second).answer == float(reading.tasks_of(second))


def counted(pool: int, **counts: int) -> Record:
    """Return the record of a sound script on so many slots, with other counts."""
    made = record(request("own", {"pool": pool, "tasks": 12, "cores": None}), 2)
    run = msgspec.structs.replace(made.runs[0], counts={**made.runs[0].counts, **counts})
    return msgspec.structs.replace(made, runs=(run,), pairs=())


def outcome(made: Record) -> tuple[Outcome, tuple[str, ...]]:
    """Return what the check of the script's counts says, and which slips it names."""
    verdict = next(one for one in judge_record(LAB, made) if one.check == "waves-script-counts")
    return verdict.outcome, verdict.wrong_models


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_smaller_pool_than_the_one_given_is_the_scripts_own_doing(size: int) -> None:
    """Fewer threads than slots, and each of them at work: named, and its times are not compared."""
    made = counted(5, started=size, pool_threads=size)
    assert (Outcome.CONTRADICTS, ("own-size",)) == outcome(made)
    assert not computes(made.runs[0], 12)
    assert computes(counted(5).runs[0], 12)


@pytest.mark.parametrize(
    ("started", "threads"),
    [
        pytest.param(4, 5, id="a thread that came late"),
        pytest.param(3, 4, id="a thread that came late, and one that was not seen"),
        pytest.param(4, 0, id="no thread seen before the script ended itself"),
    ],
)
def test_a_slot_that_nobody_saw_at_work_is_no_ones_fault(started: int, threads: int) -> None:
    """Two counts that do not agree are a busy machine's: INCONCLUSIVE, and no slip is named."""
    assert (Outcome.INCONCLUSIVE, ()) == outcome(counted(5, started=started, pool_threads=threads))


def test_threads_that_were_missed_cost_nothing_where_all_slots_were_at_work() -> None:
    """The trace has five at once on five slots; that only two threads were looked at is not the script's doing."""
    assert (Outcome.PASS, ()) == outcome(counted(5, started=5, pool_threads=2))


@pytest.mark.parametrize("left", [{}, {"asked": 12, "started": 5}], ids=["none", "some"])
def test_without_the_counts_of_its_run_a_record_is_not_judged(left: dict[str, int]) -> None:
    """Neither by counts nor by the ratio of its times, which passes with them; the reason names what is missing."""
    made = record(request("own", {"pool": 5, "tasks": 12, "cores": None}), 2)
    bare = msgspec.structs.replace(made.runs[0], counts=left, sources={})
    assert {Outcome.PASS} == {verdict.outcome for verdict in judge_record(LAB, made)}
    for verdict in judge_record(LAB, msgspec.structs.replace(made, runs=(bare, *made.runs[1:]))):
        assert Outcome.INCONCLUSIVE is verdict.outcome, verdict.check
        assert "does not hold what was counted: " in verdict.because and "early" in verdict.because
