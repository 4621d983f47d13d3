"""What ``names`` says of Node, held against the pinned Node: each sentence has a test that fails when Node changes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from labs import model, rooms
from labs.measurement import Run
from labs.names.claims import CLAIMS
from labs.request import Request
from labs.room_namespace import offers
from labs.sentence import Sentence
from tests import names_room
from tests.names_room import LAB
from tests.needs import refuse

pytestmark = pytest.mark.node
DNS = "import dns from 'node:dns';\n"


@pytest.fixture(autouse=True)
def names_can_be_held() -> None:
    """Where this kernel forbids the room namespace, these are reported as not run; on CI that is a failure."""
    offer = offers()
    if not offer.ok:
        refuse(offer.reason)


def runs(what: str = "in flight", script: str | None = None, **parameters: Any) -> tuple[Run, ...]:
    """Measure once and return all runs."""
    return rooms.measure(
        Request(lab="names", measure=what, parameters=parameters, script=script), room="namespace"
    ).runs


def flight(script: str | None = None, **parameters: Any) -> dict[str, int]:
    """Return the counts of names in flight."""
    return runs("in flight", script, **{"pool": 4, **parameters})[0].counts


def asked(script: str, ttl: int = 0) -> tuple[dict[str, int], list[Any]]:
    """Return what a script asked for, run to its end with every question answered, and what it reported.

    Args:
        script: Run as it is.
        ttl: Seconds for which an answer may be remembered by whoever does that.
    """
    (run,) = runs("asked", script, pool=4, ttl=ttl)
    return run.counts, run.claims["report"]


def half() -> None:
    """At both ends of a rounding, and for a size that is not set."""
    for pool in (None, 1, 2, 5, 6):
        assert model.names_in_flight(12, pool or 4) == flight(pool=pool, names=12)["names_in_flight"]


def ceiling() -> None:
    """Four gates on four slots: no name. Three: one."""
    assert [0, 1] == [flight(names=4, held=held)["names_in_flight"] for held in (4, 3)]


def past() -> None:
    """Ten of ten, while two threads have nothing to do."""
    counts = flight(names=12, stats=10)
    assert (10, 2) == (counts["stats_before_first_name"], counts["pool_threads"] - counts["held_slots"])


def second() -> None:
    """One and one name; none and ten."""
    one, two = runs("second", names=8, stats=10)
    assert (1, 0, 1, 10) == tuple(
        run.counts[name] for run in (one, two) for name in ("names_in_flight", "stats_before_first_name")
    )


def order() -> None:
    """Each rest holds the next two."""
    (run,) = runs(pool=4, names=6)
    assert [{"name-1", "name-2"}, {"name-3", "name-4"}, {"name-5", "name-6"}] == [
        {*filter(None, step.slots)} for step in run.steps[:3]
    ]


def tail() -> None:
    """Three names, then a gate; one slot for them, which is below the half of three. The gate does not come last."""
    script = (
        DNS + "for (const i of [1, 2]) fs.open(gate(i), 'r', () => {});\n"
        "for (const i of [1, 2, 3]) dns.lookup(`name-${i}.test`, () => done(`name-${i}`));\n"
        "fs.open(gate(3), 'r', () => {});\n"
    )
    (run,) = runs("in flight", script, pool=3, held=3)
    assert {"1", "2", "3"} == {*filter(None, run.steps[-1].slots)}
    assert 3 > run.counts["names_seen"]


def at_exit() -> None:
    """Hashes hold all slots until the word to end is in the line, behind six names: one of them is asked for."""
    script = (
        DNS
        + "import { pbkdf2 } from 'node:crypto';\nfor (let i = 0; i < 4; i++) pbkdf2('a', 'b', 1_000_000, 64, 'sha512', () => {});\n"
        "for (let i = 1; i <= 6; i++) dns.lookup(`name-${i}.test`, () => {});\nprocess.exit(0);"
    )
    assert 1 == asked(script)[0]["lookups"]


def unmerged() -> None:
    """Six lookups of one name, two at a time."""
    counts = flight(DNS + "for (let i = 0; i < 6; i++) dns.lookup('same.test', () => done(i));")
    assert (1, 4, 3) == tuple(counts[name] for name in ("names_in_flight", "queries_in_flight", "rounds"))


def two_questions() -> None:
    """Two packets for one lookup."""
    counts, _ = asked(DNS + "dns.lookup('one.test', () => {});")
    assert (1, 2, 1) == (counts["names_seen"], counts["queries"], counts["lookups"])


def poll() -> None:
    """Read from outside, at rest."""
    (run,) = runs("start", pool=None, names=6, stats=0)
    assert (
        {"poll", "ppoll"}
        >= {thread.call for thread in run.threads if thread.state == "held" and thread.role == "worker"}
        != set()
    )


def shared() -> None:
    """Of six and six, two."""
    assert 2 == flight(names=12, api="mix")["names_in_flight"]


def resolve() -> None:
    """Twelve questions for twelve names, and the pool was never born."""
    counts = flight(names=12, api="resolve4")
    assert (12, 12, 0) == tuple(counts[name] for name in ("names_in_flight", "queries_in_flight", "pool_threads"))


def unmerged_resolve() -> None:
    """Seven at once, and one when the answers are in, which may be kept for five minutes: eight questions."""
    script = (
        DNS + "const ask = () => dns.promises.resolve4('same.test', { ttl: true });\n"
        "await Promise.all(Array.from({ length: 7 }, ask));\nreport((await ask())[0].ttl);"
    )
    counts, reports = asked(script, ttl=300)
    assert (8, [300]) == (counts["queries"], reports)


def through() -> None:
    """Behind names that hang, in any order."""
    (run,) = runs("through", pool=None, hanging=8, order=["fresh", "kept", "localhost", "resolve", "address"])
    assert ("1", "3") == run.steps[0].waiting
    assert 1 == run.counts["kept_lookups"]


def every_connection() -> None:
    """As many lookups as visits, though each answer may be kept for five minutes."""
    script = (
        "import http from 'node:http';\n"
        "const server = http.createServer((_, answer) => answer.end()).listen(0, '127.0.0.1', visit);\n"
        "async function visit() {\n"
        "  for (let i = 1; i <= 3; i++) {\n"
        "    await new Promise((over) => http.get({ host: 'one.test', port: server.address().port, agent: false }, (answer) => {\n"
        "      report(answer.resume().statusCode); answer.on('end', over); }));\n"
        "  }\n"
        "  server.close();\n"
        "}\n"
    )
    counts, reports = asked(script, ttl=300)
    assert (3, [200, 200, 200]) == (counts["lookups"], reports)


def list_wanted() -> None:
    """Asked with all, and what comes of an address alone."""
    script = (
        "import http from 'node:http';\n"
        "const get = (answer) => new Promise((over) => http.get({ host: 'x.test', port: 9, agent: false, lookup: (name, options, back) => {\n"
        "  report(options.all); answer(back); } }).on('error', (problem) => over(problem.code)));\n"
        "report(await get((back) => back(null, '127.0.0.1', 4)));\n"
        "report(await get((back) => back(null, [{ address: '127.0.0.1', family: 4 }])));\n"
    )
    assert [True, "ERR_INVALID_IP_ADDRESS", True, "ECONNREFUSED"] == asked(script)[1]


def other_doors() -> None:
    """Both are noticed by lookups that wait for a name slot: with all of them taken neither gets on."""
    script = (
        DNS + "import net from 'node:net';\nimport dgram from 'node:dgram';\n"
        "for (let i = 1; i <= 4; i++) dns.lookup(`hang-${i}.test`, () => done(`name-${i}`));\n"
        "net.createServer().listen(0, '127.0.0.1', () => done('by address'));\n"
        "net.createServer().listen(0, 'localhost', () => done('by name'));\n"
        "dgram.createSocket('udp4').send('x', 9, 'localhost', () => done('datagram'));\n"
    )
    (run,) = runs("in flight", script, pool=4)
    assert ("by address",) == run.steps[0].finished
    assert {"by name", "datagram"} <= {*run.steps[-1].finished}


def no_cancel() -> None:
    """The other side of the race has won, and the slots are as full as before: the third name has not been asked for."""
    script = (
        DNS + "for (const i of [1, 2]) {\n"
        "  await Promise.race([dns.promises.lookup(`name-${i}.test`), new Promise((over) => setImmediate(over))]);\n"
        "  done(`given up ${i}`);\n}\n"
        "dns.lookup('name-3.test', () => done('name-3'));\n"
    )
    (run,) = runs("in flight", script, pool=4)
    assert ("given up 1", "given up 2") == run.steps[0].finished
    assert {"name-1", "name-2"} == {*filter(None, run.steps[0].slots)}
    assert 3 == run.counts["names_seen"]


def alive() -> None:
    """Nothing is awaited, and the callback still runs before the end."""
    assert ["called back"] == asked(DNS + "dns.lookup('one.test', () => report('called back'));")[1]


def lost() -> None:
    """Found by every way over getaddrinfo, by none over c-ares."""
    found = {run.name: run.counts for run in runs("ways", visits=1, names=2)}
    assert [(1, 1), (0, 0)] == [
        (found[way]["hosts_file_found"], found[way]["search_domain_found"]) for way in ("lookup", "resolve4")
    ]


def dispatcher() -> None:
    """Three visits, one lookup."""
    found = {run.name: run.counts for run in runs("ways", visits=3, names=2)}
    assert (3, 1) == (found["dispatcher"]["visits"], found["dispatcher"]["lookups"])


HELD: dict[str, Callable[[], None]] = {
    "half": half, "ceiling": ceiling, "past": past, "second": second, "order": order, "tail": tail, "exit": at_exit,
    "unmerged": unmerged, "two-questions": two_questions, "poll": poll, "shared": shared, "resolve": resolve,
    "unmerged-resolve": unmerged_resolve, "through": through, "every-connection": every_connection, "list": list_wanted,
    "other-doors": other_doors, "no-cancel": no_cancel, "alive": alive, "lost": lost, "dispatcher": dispatcher,
}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim.slug))
def test_what_is_said_is_so(claim: Sentence) -> None:
    """On the pinned Node, in the room of the lab."""
    HELD[claim.slug]()


def test_the_recorded_runs_are_of_the_node_that_is_spoken_of() -> None:
    """Node 24.19.0 with libuv 1.52.1, in every recorded run."""
    for measure in LAB.measures:
        if measure.replay:
            assert ("24.19.0", "1.52.1") == (
                names_room.replay(measure.replay).node.version,
                names_room.replay(measure.replay).node.uv,
            )
