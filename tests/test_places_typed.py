"""What is typed in ``places`` and read kindly; what is said of a service, in its form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from grader.judge import judge_record
from labs.answers import Refusal
from labs.places import bets, own, paths, reading, script, voices, waits
from labs.spec import Scene, Shape
from tests import places_room
from tests.form import fits
from tests.test_places_lab import LAB, drawn, measured


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("P", "P"),
        ("pool", "P"),
        ("pk", "PK"),
        ("P then K", "PK"),
        (["P", "K"], "PK"),
        ("pool, then the kernel", "PK"),
        ("LK", "LK"),
    ],
)
def test_a_path_is_read_kindly(typed: object, expected: str) -> None:
    """Letters, words, lists."""
    assert expected == paths.read(typed)


@pytest.mark.parametrize("typed", ["", "X", "PP", "thread", 4, None])
def test_what_is_no_path_is_refused_in_a_sentence(typed: object) -> None:
    """The refusal says what a path is."""
    with pytest.raises(Refusal, match="L .loop., P .pool. and K .kernel."):
        paths.read(typed)


def test_six_paths_are_wanted() -> None:
    """A text with spaces is taken; five are not."""
    kind, parameters = paths.Paths(), {"calls": ("a",) * 6}

    assert ("P", "L", "K", "PK", "L", "L") == kind.read("p L, k PK l L", parameters)
    with pytest.raises(Refusal, match="6 paths, please"):
        kind.read(["P"] * 5, parameters)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("both", "both"),
        (["timer", "stat"], "both"),
        ("the stat", "stat"),
        ("Timer", "timer"),
        (None, "none"),
        ("nobody", "none"),
        ([], "none"),
    ],
)
def test_who_waits_is_read_kindly(typed: object, expected: str) -> None:
    """Words and lists."""
    assert expected == waits.Waits().read(typed, {})


def test_who_waits_is_read_from_counts() -> None:
    """No tick: the timer waited. A job done before: the stat waited."""
    seen = {
        waits.waited(places_room.work_run("x", 3, sync=False, ticks=ticks, stat_after=stat))
        for ticks in (0, 9)
        for stat in (0, 2)
    }

    assert {"both", "timer", "stat", "none"} == seen


def test_a_machine_too_busy_for_one_tick_leaves_the_bet_open() -> None:
    """Without a tick beside the callbacks nothing is told, and the cell can be run again."""
    scene = Scene(drawn(1)["victim"], Shape(2), answers={"sync": "both", "callback": "stat"})
    record = measured("victim", scene)
    busy = replace(record, runs=tuple(replace(run, counts={**run.counts, "ticks": 0}) for run in record.runs))
    bet = LAB.bet("victim")

    assert bet.actual(busy) is None
    fits(bet.look(dataclasses.replace(scene, record=busy)))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, own.MOVED),
        ({"key_right": 0}, own.OTHER_ANSWER),
        ({"key_health_first": 0, "key_loop_us": 80_000, "key_pool_us": 50}, own.ON_THE_LOOP),
        ({"key_loop_us": 70_000, "key_pool_us": 100}, own.WAITS_THEN_LOOP),
        ({"key_loop_us": 9_000, "key_pool_us": 100, "key_others_us": 0}, own.MOVED),
        ({"key_early": 1, "key_others_us": 80_000, "key_pool_us": 0}, own.MOVED),
        ({"key_early": 1, "key_health_first": 0, "key_others_us": 80_000, "key_pool_us": 0}, own.MOVED),
        (
            {"key_early": 1, "key_health_first": 0, "key_others_us": 3_000, "key_pool_us": 0, "key_loop_us": 500},
            own.ON_THE_LOOP,
        ),
        ({"key_early": 1, "key_pool_us": 0, "key_loop_us": 12_000, "key_children_us": 80_000}, own.MOVED),
        (
            {"key_early": 1, "key_health_first": 0, "key_pool_us": 0, "key_loop_us": 12_000, "key_children_us": 80_000},
            own.NOT_TOLD,
        ),
    ],
)
def test_a_route_is_judged_by_the_order_of_answers_and_whose_thread_worked(
    changes: Mapping[str, int], expected: str
) -> None:
    """Too short to weigh: the order alone. A thread or a process of one's own is as good as a slot, but for one the loop waited for."""
    run = places_room.service_run(places_room.SOUND, 3, **changes)

    assert expected == own.state(run.counts, "key")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sum_pool_us": 6_900, "sum_loop_us": 14_000}, own.MOVED),
        ({"sum_pool_us": 200, "sum_loop_us": 11_000}, own.WAITS_THEN_LOOP),
        ({"sum_pool_us": 40, "sum_loop_us": 9_000, "sum_early": 1, "sum_health_first": 0}, own.ON_THE_LOOP),
        ({"sum_pool_us": 40, "sum_others_us": 14_000, "sum_loop_us": 17_000, "sum_early": 1}, own.MOVED),
        (
            {"sum_pool_us": 40, "sum_others_us": 14_000, "sum_loop_us": 17_000, "sum_early": 1, "sum_health_first": 0},
            own.MOVED,
        ),
        ({"sum_pool_us": 40, "sum_children_us": 14_000, "sum_loop_us": 17_000, "sum_early": 1}, own.MOVED),
        (
            {"sum_pool_us": 40, "sum_children_us": 14_000, "sum_loop_us": 500, "sum_early": 1, "sum_health_first": 0},
            own.NOT_TOLD,
        ),
    ],
)
def test_a_hash_is_held_against_its_own_time(changes: Mapping[str, int], expected: str) -> None:
    """It takes 8 ms here, less than the copy that the loop makes: so whether others used that time tells, and no share does."""
    run = places_room.service_run(places_room.SOUND, 3, **{"sum_work_us": 8_000, "sum_others_us": 0, **changes})

    assert expected == own.state(run.counts, "sum")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("PASS", "PASS", "PASS", "PASS")),
        ({"sum_pool_us": 90, "sum_others_us": 0}, ("PASS", "PASS", "PASS", "PASS")),
        ({"sum_health_first": 0, "sum_early": 1, "sum_pool_us": 90}, ("PASS", "PASS", "CONTRADICTS", "PASS")),
        ({"sum_health_first": 0, "sum_early": 1}, ("PASS", "PASS", "PASS", "PASS")),
        ({"sum_right": 0}, ("PASS", "PASS", "CONTRADICTS", "PASS")),
        ({"page_loop_us": 20_000, "page_pool_us": 50}, ("PASS", "PASS", "PASS", "PASS")),
        ({"page_loop_us": 40_000, "page_pool_us": 50}, ("PASS", "CONTRADICTS", "PASS", "CONTRADICTS")),
    ],
)
def test_an_older_record_has_the_verdicts_it_had(changes: Mapping[str, int], expected: tuple[str, ...]) -> None:
    """One without the hash's own time: of ``sum`` the order tells, or a thread that plainly did it; of the others from 30 ms on."""
    record = measured("own", Scene(drawn(1)["own"], Shape(2)))
    (run,) = record.runs
    verdicts = judge_record(
        LAB, places_room.older(replace(record, runs=(replace(run, counts={**run.counts, **changes}),)))
    )

    assert expected == tuple(str(verdict.outcome) for verdict in verdicts)


@pytest.mark.parametrize("code", [places_room.SOUND, places_room.SUM_LEFT, "moved: sum", "as given"])
def test_an_older_record_is_looked_at_and_says_what_would_tell_more(code: str) -> None:
    """Who runs a finished notebook again reads it; the bet is told by it, as it was."""
    scene = Scene(drawn(1)["own"], Shape(2), answers={"early": 0, "health": 3}, sure="think")
    record = places_room.older(measured("own", scene, code))
    told = own.look_at_own(dataclasses.replace(scene, record=record))

    assert (code in (places_room.SOUND, "moved: sum")) == ("again=True tells whose thread hashed" in told[2])
    assert ({"early": 0, "health": 3} if code == places_room.SOUND else None) == bets.OWN.actual(record)
    fits(told, 5)


BESIDE = {"key_early": 1, "key_pool_us": 0, "key_others_us": 90_000}


def test_threads_of_ones_own_are_told_of_as_such() -> None:
    """Nobody reads that a route waited which was answered with every slot held."""
    run = places_room.service_run(places_room.SOUND, 3, **BESIDE)
    scene = Scene(drawn(1)["own"], Shape(2), answers={"early": 3, "health": 3})
    record = replace(measured("own", scene), runs=(run,))
    here = dataclasses.replace(scene, record=record)
    dry = script.rehearse({"reports": [dict(run.counts)]}, Scene({}, Shape(2)))
    expected = "page and sum waited for a slot; key was answered by a thread of your own"

    assert {"early": 1, "health": 3} == bets.OWN.actual(record)
    for said in (bets.OWN.because(here), voices.own_free(here), reading.closing({"own": record}), (dry.text,)):
        assert expected in " ".join(said)
        fits(said)
    assert dry.complete


def test_a_thread_quicker_than_our_client_leaves_the_bet_open() -> None:
    """The work has left the loop and earns its points; who would have come first is not seen."""
    run = places_room.service_run(places_room.SOUND, 3, **BESIDE, key_health_first=0)
    scene = Scene(drawn(1)["own"], Shape(2), answers={"early": 1, "health": 3})
    record = replace(measured("own", scene), runs=(run,))
    told = own.look_at_own(dataclasses.replace(scene, record=record))

    assert own.all_moved(record)
    assert bets.OWN.actual(record) is None
    assert "A thread of your own answered key before our client could ask" in told[-1]
    fits(told, 5)


def test_a_process_of_ones_own_is_told_of_as_such() -> None:
    """Nobody reads of a thread where a child did the work."""
    counts = places_room.service_run(
        places_room.SOUND, 3, key_early=1, page_early=1, page_pool_us=0, page_children_us=90_000
    ).counts
    expected = (
        "sum waited for a slot; key was answered by a thread of your own; page was answered by a process of your own"
    )

    assert expected == voices.fared(counts)


def test_a_child_that_answers_before_health_is_neither_passed_nor_refuted() -> None:
    """It may be quick, or the loop stood still for it: no route of it is told, nor does a loop that stood still share out the work."""
    by_child = {f"{route}_health_first": 0 for route in own.ROUTES} | {
        f"{route}_children_us": 90_000 for route in own.ROUTES
    }
    idle = {f"{route}_pool_us": 0 for route in own.ROUTES} | {f"{route}_loop_us": 3_000 for route in own.ROUTES}
    run = places_room.service_run(places_room.SOUND, 3, **{"sum_work_us": 8_000, **by_child, **idle})
    scene = Scene(drawn(1)["own"], Shape(2))
    record = replace(measured("own", scene), runs=(run,))
    told = own.look_at_own(dataclasses.replace(scene, record=record))

    assert ["INCONCLUSIVE"] * 4 == [str(verdict.outcome) for verdict in judge_record(LAB, record)]
    assert "A process of yours did the work of key" in told[-2]
    fits(told, 7)


def test_a_verdict_says_who_made_what_health_was_behind() -> None:
    """A PASS whose /health came behind the route names the thread that was so quick."""
    run = places_room.service_run(places_room.SOUND, 3, **BESIDE, key_health_first=0)
    record = replace(measured("own", Scene(drawn(1)["own"], Shape(2))), runs=(run,))
    key, page, *_ = judge_record(LAB, record)

    assert "PASS" == str(key.outcome)
    assert key.because.endswith("behind key, whose answer was right. It was made by a thread of your own.")
    assert page.because.endswith("before page, whose answer was right.")


@pytest.mark.parametrize("code", [places_room.SOUND, places_room.SUM_LEFT, "moved: sum", "as given"])
def test_every_look_at_an_own_service_fits(code: str) -> None:
    """All moved, one left, one moved, none."""
    scene = Scene(drawn(1)["own"], Shape(2), answers={"early": 0, "health": 3}, sure="think")
    record = measured("own", scene, code)

    assert (code == places_room.SOUND) == (bets.OWN.actual(record) is not None)
    fits(own.look_at_own(dataclasses.replace(scene, record=record)), 5)


def test_no_long_work_moves_the_weight_to_the_counts() -> None:
    """Where no route took long enough the share is INCONCLUSIVE and the three counts stand for it."""
    scene = Scene(drawn(1)["own"], Shape(2))
    record = measured("own", scene)
    quick = {name: value // 10 for name, value in record.runs[0].counts.items() if name.endswith("_us")}
    quick_record = replace(record, runs=(replace(record.runs[0], counts={**record.runs[0].counts, **quick}),))
    outcomes = {verdict.check: str(verdict.outcome) for verdict in judge_record(LAB, quick_record)}

    assert {
        "places-key": "PASS",
        "places-page": "PASS",
        "places-sum": "PASS",
        "places-share": "INCONCLUSIVE",
    } == outcomes


@pytest.mark.parametrize(
    ("reports", "complete", "expected"),
    [
        (
            places_room.service_run(places_room.SOUND, 1).counts,
            True,
            "held key, page and sum waited for a slot; the loop was free",
        ),
        (places_room.service_run("as given", 1).counts, False, "the loop did the work. async, or a promise"),
        (
            places_room.service_run(places_room.SUM_LEFT, 1).counts,
            False,
            "The loop still does the work of sum. Node has the hash once more",
        ),
        (
            places_room.service_run(places_room.SOUND, 1, sum_pool_us=90).counts,
            False,
            "the work of sum. sum waited for something, but not for that",
        ),
        (places_room.service_run(places_room.SOUND, 1, page_right=0).counts, False, "page no longer gives the answer"),
        (
            places_room.service_run(places_room.SOUND, 1, sum_status=500).counts,
            False,
            "sum throws, or answers with an error",
        ),
    ],
)
def test_the_dry_run_says_what_it_saw(reports: Mapping[str, int], complete: bool, expected: str) -> None:
    """One sentence for each slip."""
    said = script.rehearse({"reports": [dict(reports)]}, Scene({}, Shape(2)))

    assert (True, complete) == (said.kept, said.complete)
    assert expected in said.text
    fits((said.text,))


@pytest.mark.parametrize("problem", ["syntax", "error", "exit", "endless", "output", "refused", "restless"])
def test_a_script_that_does_not_run_is_answered_in_form(problem: str) -> None:
    """Node's own line, or one sentence; only a busy machine keeps it."""
    text = "script.mjs:1\nserve({\nSyntaxError: Unexpected end of input"
    said = script.rehearse({"problem": problem, "message": "It ended.", "text": text}, Scene({}, Shape(2)))

    assert (problem == "restless") == said.kept
    fits((said.text,))
