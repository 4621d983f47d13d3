"""Names in flight on a real Node: what the name server holds at rest, for every pool size. No clock is involved."""

from __future__ import annotations

from typing import Any

import pytest

from labs import rooms
from labs.errors import RoomError, ScriptError, SetupError
from labs.measurement import Run
from labs.names.reference import trial
from labs.names.script import STARTER
from labs.names.watch import task_of
from labs.request import Request
from labs.room_namespace import HOSTS_NAME, offers
from tests import classroom, names_room
from tests.needs import refuse

pytestmark = pytest.mark.node
NAMES = 24
STATS = 10


@pytest.fixture(autouse=True)
def names_can_be_held() -> None:
    """Where this kernel forbids the room namespace, these are reported as not run; on CI that is a failure."""
    offer = offers()
    if not offer.ok:
        refuse(offer.reason)


def measure(what: str = "in flight", script: str | None = None, **parameters: Any) -> Run:
    """Measure once in the room namespace and return the run."""
    asked = Request(lab="names", measure=what, parameters=parameters, script=script)
    (run,) = rooms.measure(asked, room="namespace").runs
    return run


@pytest.mark.parametrize(
    ("pool", "slots"), [(None, 2), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (8, 4), (16, 8)]
)
def test_half_of_the_pool_rounded_up_looks_names_up(pool: int | None, slots: int) -> None:
    """(P + 1) // 2 in flight, never more; small requests behind them get through unless the pool has one thread."""
    run = measure(pool=pool, names=NAMES, stats=STATS)
    counts = run.counts
    assert (slots, slots) == (counts["names_in_flight"], counts["peak_names"])
    assert slots == counts["held_slots"]
    assert (0 if pool == 1 else STATS) == counts["stats_before_first_name"]
    assert -(-NAMES // slots) == counts["rounds"]
    assert NAMES == counts["names_seen"] == len(run.tasks)
    assert 2 * slots == counts["queries_in_flight"]


def test_resolve4_needs_no_slot() -> None:
    """All in flight at once, no thread of the pool holds anything."""
    counts = measure(pool=4, names=NAMES, api="resolve4").counts
    assert (NAMES, 1) == (counts["names_in_flight"], counts["rounds"])
    assert (0, 0) == (counts["held_slots"], counts["pool_threads"])


@pytest.mark.parametrize(("held", "slots"), [(0, 2), (1, 2), (2, 2), (3, 1), (4, 0)])
def test_the_half_is_a_ceiling_and_not_a_reservation(held: int, slots: int) -> None:
    """Other work that holds slots first may leave fewer than half, or none."""
    run = measure(pool=4, names=6, held=held)
    assert slots == run.counts["names_in_flight"]
    assert held + slots == run.counts["held_slots"]
    gates = [str(number) for number in range(1, held + 1)]
    names = [f"name-{number}" for number in range(1, slots + 1)]
    assert {*gates, *names} == {slot for slot in run.steps[0].slots if slot is not None}


def test_lookup_and_lookup_service_share_the_half() -> None:
    """Six of each at size 4: two in flight."""
    assert 2 == measure(pool=4, names=12, api="mix").counts["names_in_flight"]


def test_names_are_looked_up_in_the_order_they_were_asked_for() -> None:
    """First come, first served: each round holds the next ones."""
    run = measure(pool=4, names=6)
    assert [{"name-1", "name-2"}, {"name-3", "name-4"}, {"name-5", "name-6"}, set()] == [
        {slot for slot in step.slots if slot is not None} for step in run.steps
    ]


def test_equal_names_are_not_asked_once() -> None:
    """Six lookups of one name are one name in flight, and six lookups one after the other in two slots."""
    script = "import dns from 'node:dns'; for (let i = 0; i < 6; i++) dns.lookup('same.test', () => done(i));"
    run = measure(pool=4, script=script)
    assert (1, 4, 3) == tuple(run.counts[name] for name in ("names_in_flight", "queries_in_flight", "rounds"))


def test_the_total_is_rounds_times_hold() -> None:
    """Each slot's names follow one another, so their holds add up; load can only add to it."""
    run = measure("total", pool=4, names=6, hold=0.05)
    assert 3 * 0.05 <= run.claims["total"]
    assert (2, 6, 12) == tuple(run.counts[name] for name in ("names_in_flight", "names_seen", "queries"))


def test_the_first_round_is_counted_whole_however_slowly_names_are_asked_for() -> None:
    """Each name takes longer to ask for than an answer is held: as on a machine that is far too busy."""
    script = (
        "import dns from 'node:dns';\n"
        "for (let i = 1; i <= 6; i++) {\n"
        "  dns.lookup(`name-${i}.test`, () => done(`name-${i}`));\n"
        "  const until = performance.now() + 20;\n"
        "  while (performance.now() < until);\n"
        "}\n"
    )
    run = measure("total", script=script, pool=8, names=6, hold=0.01)
    assert 4 == run.counts["names_in_flight"]
    assert 2 * 0.01 <= run.claims["total"]


def test_only_a_new_connection_to_a_name_asks() -> None:
    """Two requests over one kept connection: one lookup. An address: none. A name in the hosts file: none that we see."""
    script = f"""
import http from 'node:http';
const server = http.createServer((_, answer) => answer.end('here')).listen(0, '127.0.0.1', run);
const agent = new http.Agent({{ keepAlive: true, maxSockets: 1 }});
const get = (host) => new Promise((resolve, reject) => {{
  const port = server.address().port;
  http.get({{ host, port, agent, headers: {{ host: 'x' }} }}, (answer) => answer.resume().on('end', resolve)).on('error', reject);
}});
async function run() {{
  await get('one.test'); await get('one.test'); await get('127.0.0.1');
  await get('two.test');
  await new Promise((resolve) => import('node:dns').then((dns) => dns.lookup('{HOSTS_NAME}', resolve)));
  server.close(); agent.destroy();
}}
"""
    run = measure("asked", pool=4, script=script)
    assert (2, 2) == (run.counts["names_seen"], run.counts["lookups"])


def test_on_the_bare_machine_it_says_which_rooms_it_needs() -> None:
    """Port 53 and the files that name the server are the machine's, not ours."""
    with pytest.raises(RoomError, match='room="namespace"'):
        rooms.measure(Request(lab="names", measure="in flight", parameters={"pool": 4, "names": 2}), room="here")


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"names": 0}, "names"),
        ({"names": 4, "held": -1}, "held"),
        ({"names": 4, "api": "magic"}, "api"),
        ({"names": True}, "names"),
    ],
)
def test_what_cannot_be_measured_is_named(parameters: dict[str, Any], named: str) -> None:
    """The parameter's name and what it may be."""
    with pytest.raises(SetupError, match=f"^{named} must be"):
        measure(pool=4, **parameters)


def test_a_script_that_fails_ends_the_measurement() -> None:
    """With the learner's error, not ours."""
    with pytest.raises(ScriptError, match="mistake"):
        measure(pool=4, script="throw new Error('mistake')")


def test_names_on_the_wire_have_the_labs_names() -> None:
    """Lookups by their name, addresses by their last number."""
    assert ("name-3", "name-3", "other.example") == tuple(
        map(task_of, ("name-3.test", "3.0.9.10.in-addr.arpa", "other.example"))
    )


def runs(what: str, script: str | None = None, **parameters: Any) -> tuple[Run, ...]:
    """Measure once in the room namespace and return all runs."""
    return rooms.measure(
        Request(lab="names", measure=what, parameters=parameters, script=script), room="namespace"
    ).runs


def test_own_runs_alone_and_behind_gates() -> None:
    """Half of seven, rounded up; then what five gates leave."""
    alone, crowded = runs("own", pool=7, names=24, held=5)
    assert (4, 2) == (alone.counts["names_in_flight"], crowded.counts["names_in_flight"])
    assert (3, 0) == tuple(run.counts["pool_threads"] - run.counts["held_slots"] for run in (alone, crowded))
    assert 20 == sum(name.startswith("name-") for name in alone.steps[0].waiting)


def test_the_second_thread_is_no_name_s_and_everybody_else_s() -> None:
    """One name in flight with one thread and with two; none of ten small requests back, then all."""
    one, two = runs("second", names=8, stats=10)
    assert (1, 1) == (one.counts["names_in_flight"], two.counts["names_in_flight"])
    assert (0, 10) == (one.counts["stats_before_first_name"], two.counts["stats_before_first_name"])


def test_who_needs_no_name_slot_gets_through() -> None:
    """An address, a kept connection and resolve4; localhost and a healthy name wait, and come when the names are answered."""
    (run,) = runs("through", pool=None, hanging=8, order=["localhost", "fresh", "address", "resolve", "kept"])
    hang, after = run.steps
    assert {"3", "4", "5"} == {*hang.finished}
    assert ("1", "2") == hang.waiting
    assert {"1", "2", "3", "4", "5"} == {*after.finished}
    assert (3, 3, 1) == tuple(run.counts[name] for name in ("through", "back", "kept_lookups"))


@pytest.mark.parametrize(
    ("script", "hosts", "most", "late", "arrived"),
    [
        (names_room.SOUND, 3, 1, 2, 24), (trial.BY_CALLBACKS, 3, 1, 2, 24), (trial.BY_RESOLVE, 3, 1, 2, 24), (STARTER, 24, 8, 2, 24),
        (trial.LATE, 12, 4, 2, 24), (trial.MERGED, 6, 2, 2, 24), (trial.FAILURES_KEPT, 3, 1, 1, 24), (trial.NO_LIST, 24, 8, 2, 0), (None, 24, 8, 2, 24),
    ],
)  # fmt: skip
def test_a_lookup_is_judged_by_questions_and_visits(
    script: str | None, hosts: int, most: int, late: int, arrived: int
) -> None:
    """Both are counted outside of Node; the model that the other tests use says the same."""
    (run,) = runs("cache", script, pool=None, hosts=3, times=4)
    counts = run.counts
    assert (hosts, most, late, arrived) == tuple(
        counts[name] for name in ("host_lookups", "most_lookups", "late_lookups", "visits")
    )
    assert {"observed"} == {*run.sources.values()}
    if script is not None:
        told = names_room.cached(3, 4, script).counts
        assert {name: told[name] for name in ("lookups", "least_lookups", "late_visits")} == {
            name: counts[name] for name in ("lookups", "least_lookups", "late_visits")
        }


def test_an_answer_given_to_another_host_goes_astray() -> None:
    """The visited host sees which name was meant."""
    (run,) = runs("cache", trial.ONE_FOR_ALL, pool=None, hosts=3, times=2)
    assert run.counts["misdirected"] > 0 and run.counts["visits"] < run.counts["visits_due"]


def test_each_way_has_its_cost_and_its_loss() -> None:
    """Lookups and connections for three visits, and who still finds the hosts file and the search domain."""
    found = {run.name: run.counts for run in runs("ways", visits=3, names=8)}
    ways = ("lookup", "keep-alive", "own lookup", "dispatcher", "resolve4")
    assert [3, 1, 1, 1, 1] == [found[way]["lookups"] for way in ways]
    assert [3, 1, 3, 3, 3] == [found[way]["connections"] for way in ways]
    assert [1, 1, 1, 1, 0] == [found[way]["hosts_file_found"] for way in ways]
    assert [1, 1, 1, 1, 0] == [found[way]["search_domain_found"] for way in ways]
    assert (2, 8) == tuple(found[f"{api} at once"]["names_in_flight"] for api in ("lookup", "resolve4"))


def test_the_table_of_sizes_has_the_article_s_numbers() -> None:
    """In flight by size, and no total shorter than its rounds."""
    found = runs("sizes", pools=[0, 1, 2, 3, 8], names=8, hold=0.02)
    assert [2, 1, 1, 2, 4] == [run.counts["names_in_flight"] for run in found]
    assert all(run.claims["total"] >= rounds * 0.02 for run, rounds in zip(found, (4, 8, 8, 4, 2), strict=True))


@pytest.mark.parametrize("measured", ["start", "own", "second", "state", "through", "cache", "ways", "sizes"])
def test_every_measure_has_a_smoke_run(measured: str) -> None:
    """Small, and through all of its procedure."""
    import random

    from labs.names.draw import draw
    from labs.spec import Scene, Shape

    numbers = dict(draw(random.Random(1), Shape(2))[measured])
    more = {"state": {"pool": 4, "held": 1}, "ways": {"visits": 3}}.get(measured, {})
    given = classroom.plain(dict(names_room.LAB.measure(measured).parameters(Scene({**numbers, **more}, Shape(2)))))
    record = rooms.measure(Request(lab="names", measure=measured, parameters=given, smoke=True), room="namespace")
    assert record.runs


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (names_room.SOUND, "asked for once each. Next: your bet"),
        (trial.LATE, "asked for once each. Next: your bet"),
        (STARTER, "nothing is remembered yet"),
        (trial.NO_LIST, "ERR_INVALID_IP_ADDRESS: with options.all the callback wants a list"),
        (trial.FAILURES_KEPT, "what failed before is kept like an answer"),
        (trial.ONE_FOR_ALL, "another host's address"),
        ("function lookup(name, options, callback) {}\nvisit(lookup);", "A visit never got its answer"),
        ("const kept = new Map();", "leave visit(lookup) as the last line"),
        ("visit(lookup", "SyntaxError"),
        ("visit(look);", "ReferenceError: look is not defined"),
        ("while (true);", "a loop in it seems never to end"),
    ],
)
def test_the_dry_run_sees_what_a_lookup_does(script: str, expected: str) -> None:
    """On a real Node: one sentence for each way to write it."""
    import msgspec

    from labs import request
    from labs.names.script import rehearse
    from labs.spec import Scene, Shape

    asked = Request(lab="names", measure="cache", parameters={}, script=script, room="namespace")
    found = msgspec.json.decode(rooms.ask(rooms.find("namespace"), "rehearse", request.encode(asked)))
    assert expected in rehearse(found, Scene({"hosts": 3, "times": 4}, Shape(2))).text
