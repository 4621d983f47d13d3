"""Every sentence of ``places`` about Node, held against the Node of the course: if Node changes it, a test here fails."""

from __future__ import annotations

import math
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from labs import node_binary
from labs.measurement import Run
from labs.places import attempts, claims, conduct, edges, facts, own, paths, serving, working
from labs.places.orders import ROUTES, is_right
from labs.request import Request
from labs.sentence import Sentence
from labs.supervise import Stage
from tests.room import stage

pytestmark = pytest.mark.node
SLOTS = 2


@pytest.fixture
def here() -> Iterator[Stage]:
    """A stage of this process."""
    with stage(Request(lab="places", measure="six", parameters={})) as made:
        yield made


def tried(here: Stage, calls: list[str]) -> dict[str, str | None]:
    """Return the path that each call takes here."""
    runs = attempts.attempt(here, conduct.script(), calls, SLOTS)
    parameters = {"calls": list(calls)}
    record = _Like(runs, parameters)
    return {call: paths.seen(record, call) for call in calls}  # type: ignore[arg-type]  # a record as far as it is read


class _Like:
    """As much of a record as a path is read from."""

    def __init__(self, runs: tuple[Run, ...], parameters: object) -> None:
        self.runs, self.parameters = runs, parameters


def marks(here: Stage, text: str, *, gates: int = SLOTS, poke: bool = False) -> list[object]:
    """Run a script until it says ``ready``, with its gates shut, to rest; poke it if asked, rest again; return what it reported."""
    with here.launch(
        text, name="claim", parameters={"tasks": gates}, pool=SLOTS, gates=gates, keep=True, tick=0.05
    ) as run:

        def reported() -> list[object]:
            return [claim.value for claim in run.claims() if claim.kind == "report"]

        assert run.wait_until(lambda: "ready" in reported(), 20)
        run.settle()
        if poke:
            os.kill(run.pid, signal.SIGUSR2)
            assert run.wait_until(lambda: "over" in reported(), 20)
            run.settle()
        return reported()


def paths_(here: Stage) -> None:
    """All of them, in one go."""
    assert {slug: call.path for slug, call in facts.CALLS.items()} == tried(here, list(facts.CALLS))


def twins(here: Stage) -> None:
    """Every variant of a kind that a draw can choose."""
    for kinds in (facts.SIX, facts.SIX_MORE):
        assert all(1 == len({facts.path(slug) for slug in slugs}) for slugs in kinds.values())


HOLD = "for (let i = 1; i <= n; i++) fs.open(gate(i), 'r', () => {});\n"


def watchers(here: Stage) -> None:
    """Two slots, both held; the file is changed by the loop itself, and the change is an event in its kernel queue."""
    text = (
        "fs.writeFileSync('f', 'x');\nfs.watch('f', () => report('watch'));\n"
        "fs.watchFile('f', { interval: 5 }, () => report('watchFile'));\nsetTimeout(() => {\n"
        + HOLD
        + "process.once('SIGUSR2', () => { fs.writeFileSync('f', 'longer'); setTimeout(() => report('over'), 60); });\nreport('ready'); }, 30);"
    )
    seen = marks(here, text, poke=True)

    assert "watch" in seen
    assert "watchFile" not in seen


def child(here: Stage) -> None:
    """In ten of ten spawns."""
    text = (
        "import { spawn } from 'node:child_process';\nlet there = 0;\nfor (let i = 0; i < 10; i++) {\n"
        "  const child = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'] });\n"
        "  there += fs.readlinkSync(`/proc/${child.pid}/exe`) !== fs.readlinkSync('/proc/self/exe');\n  child.kill('SIGKILL');\n}\n"
        "report({ there });\nreport('ready');"
    )

    assert {"there": 10} in marks(here, text, gates=0)


def sent(here: Stage) -> None:
    """To a socket that never answers, with every slot held: the callback of send comes, and no reply."""
    text = (
        "import dgram from 'node:dgram';\nconst far = dgram.createSocket('udp4').bind(0, '127.0.0.1');\n"
        "await new Promise((ready) => far.on('listening', ready));\nconst near = dgram.createSocket('udp4');\n"
        "near.on('message', () => report('reply'));\n"
        + HOLD
        + "near.send('m', far.address().port, '127.0.0.1', () => { report('sent'); report('ready'); });"
    )
    seen = marks(here, text)

    assert "sent" in seen
    assert "reply" not in seen


def kept(here: Stage) -> None:
    """The second request over a kept connection comes back with every slot held; a new one does not."""
    text = (
        "import http from 'node:http';\nconst server = http.createServer((request, response) => response.end('pong')).listen(0, '127.0.0.1');\n"
        "await new Promise((ready) => server.on('listening', ready));\nconst agent = new http.Agent({ keepAlive: true });\n"
        "const get = (agent) => new Promise((back) => http.get({ host: 'localhost', port: server.address().port, family: 4, agent }, "
        "(got) => got.resume().on('end', back)));\nawait get(agent);\nawait new Promise(setImmediate);\n"
        + HOLD
        + "await get(agent);\nreport('kept');\nget(false).then(() => report('new'));\nreport('ready');"
    )
    seen = marks(here, text)

    assert "kept" in seen
    assert "new" not in seen


def store(here: Stage) -> None:
    """The first call fills it (path P, see ``paths``); the second comes back with every slot held."""
    text = (
        "import { randomInt } from 'node:crypto';\nawait new Promise((back) => randomInt(10, back));\n"
        + HOLD
        + "await new Promise((back) => randomInt(10, back));\nreport('second');\nreport('ready');"
    )

    assert "second" in marks(here, text)


#: What several claims are read from is measured once.
_KEPT: dict[str, tuple[Run, ...]] = {}


def _trips(here: Stage) -> dict[str, int]:
    if "trips" not in _KEPT:
        _KEPT["trips"] = (edges.trips(here),)
    found: dict[str, int] = _KEPT["trips"][0].claims["trips"]
    return found


def trips_of_files(here: Stage) -> None:
    """2 MiB, one byte, a path of two parts."""
    trips = _trips(here)
    reads = math.ceil(edges.LARGE / 524_288)

    assert 3 + reads == trips["fs.readFile"] == trips["fs.promises.readFile"]
    assert 4 == trips["fs.readFile, one byte"]
    assert 2 + edges.LARGE // 65_536 + 1 == trips["fs.createReadStream"]
    assert (3, 1) == (trips["fs.writeFile"], trips["fs.stat"])
    assert len(Path("/usr/bin").parts) - 1 == trips["fs.realpath of /usr/bin"]


def trips_of_gzip(here: Stage) -> None:
    """floor(output / 16 KiB) + 2; noise does not get shorter by being compressed."""
    trips = _trips(here)

    assert 2 == trips["zlib.gzip, 10 bytes"]
    assert 2**20 // 16_384 + 2 == trips["zlib.gzip, 1 MiB of noise"]
    assert 1 == trips["crypto.pbkdf2"]


def _victims(here: Stage) -> dict[str, Run]:
    if "victims" not in _KEPT:
        _KEPT["victims"] = working.victims(here, SLOTS, smoke=False)
    return {run.name: run for run in _KEPT["victims"]}


def sync_stops(here: Stage) -> None:
    """Three kinds of work: no tick, everybody behind it; by its processor time the loop did it."""
    runs = _victims(here)
    for name, _ in working.KINDS:
        assert (0, SLOTS) == (runs[name].counts["ticks"], runs[name].counts["stat_after"])
    for name in ("pbkdf2Sync", "gzipSync"):
        assert runs[name].counts["loop_us"] > 10 * runs[name].counts["pool_us"]


def callback_moves(here: Stage) -> None:
    """Ticks come through, the pool used more than twice the loop's time, and a hash ended before the stat was back."""
    counts = _victims(here)["pbkdf2"].counts

    assert counts["ticks"] >= 1
    assert counts["pool_us"] > 2 * counts["loop_us"]
    assert counts["stat_after"] >= 1


def pieces(here: Stage) -> None:
    """The stat is back before the first of them is through."""
    runs = _victims(here)

    assert (0, 0) == (runs["gzip"].counts["stat_after"], runs["readFile"].counts["stat_after"])


def parse(here: Stage) -> None:
    """1 to 13 MB: no tick in any; the longest takes the loop more processor time than the shortest."""
    runs = working.parsed(here, smoke=False)

    assert [0] * len(runs) == [run.counts["ticks"] for run in runs]
    assert runs[-1].counts["loop_us"] > 2 * runs[0].counts["loop_us"]


def sockets(here: Stage) -> None:
    """As many threads as before, none of them the pool's."""
    counts = edges.sockets(here, smoke=False).counts

    assert counts["threads_before"] == counts["threads_after"]
    assert 0 == counts["pool_threads"]
    assert counts["sockets"] >= 2 * counts["connections"]


def innocent(here: Stage) -> None:
    """Who comes first, with every slot held."""
    counts = serving.serve(here, conduct.text("innocent.mjs"), conduct.INNOCENT, SLOTS, 1, smoke=False).counts

    for route in ("parse", "sort", "match", "readEachTime", "readAtStart"):
        assert (1, 0) == (counts[f"{route}_early"], counts[f"{route}_health_first"]), route
    assert (1, 1) == (counts["slices_early"], counts["slices_health_first"])
    assert (0, 1) == (counts["readInPool_early"], counts["readInPool_health_first"])
    assert counts["slices_loop_us"] > 10 * counts["slices_pool_us"]


def _states(here: Stage, text: str) -> list[str]:
    run = serving.serve(here, text, ROUTES, SLOTS, 3, smoke=False, right=is_right)
    return [own.state(run.counts, route) for route in ROUTES]


def starter(here: Stage) -> None:
    """All three, with the right answers."""
    assert [own.ON_THE_LOOP] * 3 == _states(here, conduct.text("starter.mjs"))


def solution(here: Stage) -> None:
    """All three, with the right answers."""
    text = (Path(conduct.__file__).parent / "reference" / "solution.mjs").read_text("utf-8")

    assert [own.MOVED] * 3 == _states(here, text)


HELD: dict[str, Callable[[Stage], None]] = {
    "paths": paths_, "twins": twins, "watchers": watchers, "child": child, "sent": sent, "kept": kept, "store": store,
    "trips_of_files": trips_of_files, "trips_of_gzip": trips_of_gzip, "sync_stops": sync_stops, "callback_moves": callback_moves,
    "pieces": pieces, "parse": parse, "sockets": sockets, "innocent": innocent, "starter": starter, "solution": solution,
}  # fmt: skip


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda claim: str(claim.slug))
def test_what_the_lab_says_of_node_is_so(claim: Sentence, here: Stage) -> None:
    """The sentence, measured."""
    HELD[claim.slug](here)


def test_a_timer_comes_back_in_another_turn_however_long_its_call_takes(here: Stage) -> None:
    """The thread is kept from its loop for longer than the timer runs, as on a busy machine: it is none of the loop's own work."""
    slow = (
        "const set = setTimeout;\nglobalThis.setTimeout = (...all) => {\n  const timer = set(...all);\n"
        "  for (const end = performance.now() + 5; performance.now() < end; );\n  return timer;\n};\n"
    )
    runs = attempts.attempt(here, slow + conduct.script(), ["timer", "immediate"], SLOTS)
    record = _Like(runs, {})

    assert ["", ""] == [paths.seen(record, call) for call in ("timer", "immediate")]  # type: ignore[arg-type]  # as above


def test_the_node_of_the_course_is_one_on_which_the_paths_were_measured() -> None:
    """What the lab says of its releases: with another pin, the paths are measured anew and the release is added."""
    said = subprocess.run([str(node_binary.pinned()), "-v"], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.strip().removeprefix("v") in facts.MEASURED
