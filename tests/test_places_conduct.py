"""``places`` on a real Node: what is taken away, what comes back, who is answered first. In smoke sizes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from grader.judge import judge_record
from labs import catalog, rehearsal, rooms
from labs.errors import NoisyError, ScriptError, SetupError
from labs.measurement import Record, decode, encode
from labs.places import own, paths, script, serving
from labs.places.facts import path
from labs.places.orders import ROUTES, is_right
from labs.places.reference import trial
from labs.request import Request
from labs.spec import Scene, Shape
from tests.room import stage

pytestmark = pytest.mark.node
CALLS = ["fetch-name", "hash-stream", "spawn", "stat", "watch"]


def measured(measure: str, code: str | None = None, **parameters: Any) -> Record:
    """Return a record in smoke size."""
    return rooms.measure(
        Request(lab="places", measure=measure, parameters={"pool": 3, **parameters}, script=code, smoke=True)
    )


def test_paths_are_read_from_what_stayed_away() -> None:
    """Five calls of five paths; pool threads of each alone are observed: none, or as many as were asked for."""
    record = measured("six", calls=CALLS)

    assert tuple(path(call) for call in CALLS) == paths.all_seen(record)
    assert [3, 0, 0, 3, 0] == [paths.threads(record, call) for call in CALLS]
    assert {"observed"} == {run.sources["pool_threads"] for run in record.runs}


def test_every_slot_was_held_and_everything_came_back_afterwards() -> None:
    """Held slots are observed; the last look shows nobody waiting."""
    run = paths.run_of(measured("six", calls=CALLS), paths.FULL)
    assert run is not None

    assert (3, 3) == (run.counts["held_slots"], run.counts["pool_threads"])
    assert {"fetch-name", "stat"} == {*run.steps[0].waiting}
    assert (None, None, None) == run.steps[-1].slots
    assert {*CALLS} == {*run.steps[-1].finished}


def test_lines_that_were_named_are_tried_and_no_others() -> None:
    """Two of the eight; none at all is a record too."""
    record = measured("lines", calls=["sign", "gzip"], lines=["sign", "gzip", "stat"], stop=[1, 2])

    assert ("L", "P") == paths.all_seen(record)
    assert None is paths.seen(record, "stat")
    assert [paths.FULL, paths.SILENT] == [run.name for run in measured("lines", calls=[], lines=["sign"], stop=[]).runs]


@pytest.mark.parametrize("measure", ["victim", "parse", "trips", "sockets", "innocent", "table"])
def test_every_measure_has_a_smoke_size(measure: str) -> None:
    """A record that decodes strictly, and whose table is printed."""
    lab = catalog.load("places")
    record = measured(measure, calls=["stat", "hash"])

    assert record == decode(encode(record))
    assert lab.evidence[measure](Scene(record.parameters, Shape(2), record))


def test_the_record_names_the_script_that_ran() -> None:
    """A service is no list of calls."""
    assert "jobs[kind]" in measured("parse").script.text
    assert "attempt(name, done)" in measured("six", calls=["stat"]).script.text
    assert trial.SOUND_TEXT == measured("own", trial.SOUND_TEXT, orders=5).script.text


def test_the_starter_is_right_and_serves_nobody_else() -> None:
    """Right answers, each before /health, with every slot held."""
    counts = measured("own", orders=5).runs[0].counts

    assert 3 == counts["held_slots"]
    for route in ("key", "page", "sum"):
        assert (1, 1, 0) == (counts[f"{route}_right"], counts[f"{route}_early"], counts[f"{route}_health_first"])


def test_the_solution_waits_and_serves_the_others() -> None:
    """Right answers, none before a slot is free, and /health each time."""
    counts = measured("own", trial.SOUND_TEXT, orders=5).runs[0].counts

    for route in ("key", "page", "sum"):
        assert (1, 0, 1) == (counts[f"{route}_right"], counts[f"{route}_early"], counts[f"{route}_health_first"])
    assert {"observed"} == {*measured("own", trial.SOUND_TEXT, orders=5).runs[0].sources.values()}


def test_a_worker_thread_is_as_good_as_a_slot() -> None:
    """It answers though every slot is held; by its processor time another thread than the loop's did the work."""
    request = Request(lab="places", measure="own", parameters={"pool": 3, "orders": 5}, script=trial.WORKER)
    counts = rooms.measure(request).runs[0].counts

    assert (1, 1) == (counts["key_right"], counts["key_early"])
    assert own.MOVED == own.state(counts, "key")


def test_a_worker_that_waits_for_work_has_moved_all_three() -> None:
    """Its answers may overtake our client's question for /health: whose time it was says that the loop did not do it."""
    request = Request(lab="places", measure="own", parameters={"pool": 3, "orders": 5}, script=trial.WAITING_WORKER)
    counts = rooms.measure(request).runs[0].counts

    assert [1, 1, 1] == [counts[f"{route}_early"] for route in ROUTES]
    assert [own.MOVED] * 3 == [own.state(counts, route) for route in ROUTES]


#: A Node that reads what it is given to its end, for one request each.
GZIP = "process.stdin.pipe(require('node:zlib').createGzip()).pipe(process.stdout)"
HASH = "process.stdout.write(require('node:crypto').createHash('sha256').update(require('node:fs').readFileSync(0)).digest())"
PIPED = f"""
import {{ spawn, execFileSync }} from 'node:child_process';
const piped = (code, page) => new Promise((done) => {{
  const child = spawn(process.execPath, ['-e', code]);
  const parts = [];
  child.stdout.on('data', (part) => parts.push(part)).on('end', () => done(Buffer.concat(parts)));
  child.stdin.end(page);
}});
const stood = (page) => execFileSync(process.execPath, ['-e', `{HASH}`], {{ input: page }});
"""


def test_a_process_of_ones_own_is_as_good_as_a_slot() -> None:
    """A fork that does all three answers though every slot is held; by processor time the loop did not do the work."""
    record = rooms.measure(
        Request(lab="places", measure="own", parameters={"pool": 3, "orders": 5}, script=trial.CHILD)
    )
    counts = record.runs[0].counts

    assert [(1, 1)] * 3 == [(counts[f"{route}_early"], counts[f"{route}_right"]) for route in ROUTES]
    said = {verdict.check: str(verdict.outcome) for verdict in judge_record(catalog.load("places"), record)}
    # A child that hashes may be quicker than our client: then nobody can tell, and it is no slip.
    by_order = "PASS" if counts["sum_health_first"] else "INCONCLUSIVE"
    assert {"places-key": "PASS", "places-page": "PASS", "places-sum": by_order, "places-share": "PASS"} == said


def test_a_process_that_ends_with_its_answer_is_counted() -> None:
    """One child for each request: what it used stands in no folder any more when the answer is there."""
    text = f"{PIPED}serve({{ key: (order) => piped(`{HASH}`, order.word), page: (order) => piped(`{GZIP}`, order.page), sum: (order) => piped(`{HASH}`, order.page) }});"
    request = Request(lab="places", measure="own", parameters={"pool": 3, "orders": 5}, script=text)
    counts = rooms.measure(request).runs[0].counts

    assert {"page": (1, own.MOVED), "sum": (1, own.MOVED)} == {
        route: (counts[f"{route}_early"], own.state(counts, route)) for route in ("page", "sum")
    }


def test_a_process_that_the_loop_waits_for_has_not_left_the_loop() -> None:
    """``execFileSync``: another processor does the work, and nobody is served meanwhile. A child that is quicker than we looks the same."""
    text = trial.SOUND_TEXT.replace(trial._SUM, "sum: (order) => stood(order.page)") + PIPED
    record = rooms.measure(Request(lab="places", measure="own", parameters={"pool": 3, "orders": 5}, script=text))
    counts = record.runs[0].counts

    assert counts["sum_children_us"] > counts["sum_work_us"]
    assert own.NOT_TOLD == own.state(counts, "sum")
    said = {verdict.check: str(verdict.outcome) for verdict in judge_record(catalog.load("places"), record)}
    assert "INCONCLUSIVE" == said["places-sum"]


#: Work without an end, in a thread and in a process of the script's own.
ENDLESS = {
    "thread": "const endless = () => new Worker('for (;;);', { eval: true });",
    "process": "const endless = () => spawn(process.execPath, ['-e', 'for (;;);']);",
}


@pytest.mark.parametrize("whose", ENDLESS)
def test_a_route_that_is_still_worked_on_is_no_fault_of_the_script(whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not back in time, and somebody works: that may be the machine."""
    monkeypatch.setattr(serving, "_WITHIN", 1.0)
    monkeypatch.setattr(serving, "_REST", 0.1)
    text = (
        "import { Worker } from 'node:worker_threads';\nimport { spawn } from 'node:child_process';\n"
        f"{ENDLESS[whose]}\nserve({{ key: () => new Promise(() => endless()), page() {{}}, sum() {{}} }});"
    )
    with (
        stage() as here,
        pytest.raises(NoisyError, match="'key' was not back in time, and something was still at work"),
    ):
        serving.serve(here, text, ROUTES, 3, 5, smoke=True, right=is_right)


def test_the_time_of_a_thread_that_has_ended_is_not_the_next_routes() -> None:
    """A worker made for the key ends after it; the hash behind it is the loop's, and nothing of the worker's is counted there."""
    text = trial.WORKER.replace(trial._SUM, trial.SUM_AFTER_A_WAIT)
    request = Request(lab="places", measure="own", parameters={"pool": 3, "orders": 5}, script=text)
    counts = rooms.measure(request).runs[0].counts

    assert counts["key_others_us"] > counts["key_loop_us"]
    assert counts["sum_others_us"] < own.QUARTER * counts["sum_work_us"]
    assert own.WAITS_THEN_LOOP == own.state(counts, "sum")


def test_other_orders_have_other_answers() -> None:
    """An answer that is remembered from one seed is not right for another."""
    text = trial.SOUND_TEXT.replace("order.word", "'word 5'")

    assert [1, 0] == [measured("own", text, orders=seed).runs[0].counts["key_right"] for seed in (5, 6)]


@pytest.mark.parametrize("slip", trial.SCRIPTS)
def test_each_slip_is_seen_in_the_state_of_its_route(slip: str) -> None:
    """At full size, where the loop's share tells; the others are as in the solution."""
    text, checks = trial.SCRIPTS[slip]
    request = Request(lab="places", measure="own", parameters={"pool": 3, "orders": 7}, script=text)
    counts = rooms.measure(request).runs[0].counts
    moved = {route for route in ("key", "page", "sum") if own.state(counts, route) == own.MOVED}

    assert {"key", "page", "sum"} - {check.removeprefix("places-") for check in checks} == moved


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("1", "offers no service"),
        ("serve({ key() {}, page() {} })", "no route 'sum'"),
        ("serve({ key: () => new Promise(() => {}), page() {}, sum() {} })", "did not answer"),
    ],
)
def test_what_is_no_service_is_said_in_a_sentence(code: str, said: str) -> None:
    """No service, a route too few, a route that never answers."""
    with pytest.raises(ScriptError, match=said):
        measured("own", code, orders=5)


#: A thread of the script's own that never rests for long.
TIMER = "import { Worker } from 'node:worker_threads';\nnew Worker('setInterval(() => {}, 10)', { eval: true });\n"


@pytest.mark.parametrize(
    ("code", "kept", "complete", "said"),
    [
        (trial.SOUND_TEXT, True, True, "Kept. With the only slot held key, page and sum waited for a slot"),
        (
            trial.WAITING_WORKER,
            True,
            True,
            "Kept. With the only slot held key, page and sum were answered by a thread of",
        ),
        # Which of the two depends on whether the child's hash is there before our client has asked for /health.
        (
            trial.CHILD,
            True,
            True,
            r"key, page and sum were answered by a process of|A process of yours did the work of sum",
        ),
        (TIMER + trial.SOUND_TEXT, True, True, "Kept. With the only slot held key, page and sum waited for a slot"),
        (trial.SCRIPTS["sum after a wait"][0], True, False, "The loop still does the work of sum. sum waited for"),
        (script.STARTER, True, False, "the loop did the work"),
        ("serve({", False, False, "SyntaxError"),
        ("serve({ key() { throw new Error('x'); }, page() {}, sum() {} })", True, False, "key throws"),
        ("1", False, False, "offers no service"),
        ("for (;;);", False, False, "a loop in it seems never to end"),
    ],
)
def test_a_dry_run_says_what_it_saw(code: str, kept: bool, complete: bool, said: str) -> None:
    """One slot, small orders; what does not run is not kept."""
    import msgspec

    from labs.places import conduct

    request = Request(lab="places", measure="own", parameters={"pool": 3, "orders": 5}, script=code)
    with stage(request) as here:
        seen = conduct.rehearse(request, here)
    assert isinstance(seen, rehearsal.Findings)
    told = script.rehearse(msgspec.to_builtins(seen), Scene({}, Shape(2)))

    assert (kept, complete) == (told.kept, told.complete)
    assert re.search(said, told.text)


@pytest.mark.parametrize(
    ("measure", "parameters"),
    [
        ("six", {"calls": ["none such"]}),
        ("six", {"calls": "stat"}),
        ("six", {"calls": ["stat"], "pool": 0}),
        ("own", {"orders": None}),
        ("other", {}),
    ],
)
def test_impossible_parameters_are_refused(measure: str, parameters: dict[str, Any]) -> None:
    """A call that is not there, no list, no slot, no orders, no such measure."""
    with pytest.raises(SetupError):
        measured(measure, **parameters)
