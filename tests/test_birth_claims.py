"""Every sentence of ``birth`` about Node, held against the Node of the course: if Node changes it, a test here fails."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from labs import model
from labs.birth import claims, conduct, situations
from labs.birth.situations import Situation
from labs.measurement import Run
from labs.request import Request
from labs.sentence import Sentence
from labs.supervise import Stage
from tests.room import stage

pytestmark = pytest.mark.node
SIZE = 6


@pytest.fixture
def here() -> Iterator[Stage]:
    """A stage of this process."""
    with stage(Request(lab="birth", measure="first", parameters={"size": SIZE, "jobs": 60})) as made:
        yield made


def pool(here: Stage, text: str, module: Any = "cjs", outside: bool | int = False) -> int:
    """Return how many threads the pool has where a program stands still."""
    return conduct.counted(here, Situation("claim", "", text, module, outside), SIZE).counts["pool_threads"]


def way(here: Stage, slug: str) -> int:
    """Return how many threads the pool has in one of the lab's own situations."""
    found = next(one for one in situations.WAYS if one.slug == slug)
    file = here.scratch.path / "size.env"
    file.write_text(f"UV_THREADPOOL_SIZE={SIZE}\n")
    return conduct.counted(here, found, SIZE, file).counts["pool_threads"]


def measure(here: Stage, slug: str, **parameters: Any) -> tuple[Run, ...]:
    """Return the runs of a measure."""
    return conduct.conduct(Request(lab="birth", measure=slug, parameters=parameters), here).runs


def lazy(here: Stage) -> None:
    """0 at the first line, all after one stat, no more after sixty."""
    counts = measure(here, "first", size=SIZE, jobs=60)[0].counts
    assert (0, SIZE, SIZE) == (counts["before"], counts["after"], counts["more"])
    assert SIZE == counts["more_all"] - counts["before_all"]


def read_once(here: Stage) -> None:
    """In the first line it counts, in a file's callback it does not."""
    assert (SIZE, 4) == (way(here, "first"), way(here, "late"))


def random_bytes(here: Stage) -> None:
    """A megabyte at once leaves the pool unborn; one byte with a callback makes it."""
    crypto = "const crypto = require('node:crypto');\n"
    assert 0 == pool(here, crypto + "crypto.randomBytes(1e6); look('end');\n")
    assert 4 == pool(here, crypto + "crypto.randomBytes(1, () => {}); look('end');\n")
    assert (SIZE, 4) == (way(here, "quick"), way(here, "token"))


def jobs(here: Stage) -> None:
    """Each of them makes the pool; what only computes does not."""
    for job in ("require('fs').stat('.', () => {})", "require('dns').lookup('localhost', () => {})",
                "require('crypto').pbkdf2('a', 'b', 1, 8, 'sha1', () => {})", "require('zlib').gzip('a', () => {})",
                "require('fs').promises.stat('.')"):  # fmt: skip
        assert 4 == pool(here, f"{job}; look('end');\n"), job
    for none in (
        "require('fs').readFileSync('/dev/null')",
        "require('crypto').pbkdf2Sync('a', 'b', 1, 8, 'sha1')",
        "require('dns').resolve4('localhost', () => {})",
        "require('crypto').createHash('sha1').update('a').digest()",
        "require('zlib').gzipSync('a')",
    ):
        assert 0 == pool(here, f"{none}; look('end');\n"), none


def atoi(here: Stage) -> None:
    """The table of the facts."""
    expected = {
        "0": 1,
        "": 1,
        "abc": 1,
        "0x10": 1,
        "1e3": 1,
        "6x": 6,
        " 6": 6,
        "+5": 5,
        "2.9": 2,
        "-1": 1024,
        "1025": 1024,
    }
    runs = measure(here, "value", values=[*expected])
    assert [*expected.values()] == [run.counts["pool_threads"] for run in runs]
    assert 4 == way(here, "nothing")


def sixteen(here: Stage) -> None:
    """Fifteen characters are read, sixteen are not."""
    assert [6, 4] == [
        run.counts["pool_threads"] for run in measure(here, "value", values=["6".zfill(15), "6".zfill(16)])
    ]


def bill(here: Stage) -> None:
    """The model's bytes to within what V8 may map meanwhile (under one stack); under a hundredth of it in memory."""
    for size in (8, 128):
        counts = conduct.bill(here, size).counts
        assert 0 <= counts["more_space"] - model.stack_bytes(size) // 1024 < 8 * 1024
        assert (size, size, 0) == (counts["pool_threads"], counts["more_threads"], counts["more_files"])
    assert 0.01 > counts["more_resident"] / counts["more_space"]


def limit(here: Stage) -> None:
    """Four stacks fit into 512 MiB, 1,024 do not."""
    assert [(1, 4), (0, 0)] == [(run.counts["lives"], run.counts["pool_threads"]) for run in measure(here, "limit")]


def exit_(here: Stage) -> None:
    """200 folders of 200, and nobody was told."""
    counts = measure(here, "exit", jobs=200)[0].counts
    assert (200, 0) == (counts["made"], counts["back"])


def exit_hangs(here: Stage) -> None:
    """With a slot held at a shut gate the process is still there after its exit event; once it is opened it ends.

    By a signal too, but not by one that the program handles: its handler has no loop any more. SIGKILL ends it.
    """
    text = "fs.open(gate(1), 'r', () => {}); setImmediate(() => process.exit(0));\n"
    with conduct._launched(here, text, "claim", {}, 1) as run:
        assert run.wait_until(lambda: any(claim.kind == "exit" for claim in run.claims()), within=10.0)
        assert not run.wait_exit(0.5)
        run.open_gate(1)
        assert run.wait_exit(10.0)
    for handler, ends in (("", True), ("process.on('SIGTERM', () => {});\n", False)):
        with conduct._launched(here, handler + text, "claim", {}, 1) as run:
            assert run.wait_until(lambda run=run: any(claim.kind == "exit" for claim in run.claims()), within=10.0)  # type: ignore[misc]  # a default of this run
            os.kill(run.pid, signal.SIGTERM)
            assert ends == run.wait_exit(10.0 if ends else 0.5)
            if not ends:
                os.kill(run.pid, signal.SIGKILL)
                assert run.wait_exit(10.0)


def modules(here: Stage) -> None:
    """First line of an ES module: it counts; with an import that asks for bytes: 4; an import that sets it, before: it counts."""
    assert (SIZE, 4, SIZE) == (way(here, "mjs"), way(here, "mjs token"), way(here, "mjs size"))
    asked = "import './token.mjs';\nprocess.env.UV_THREADPOOL_SIZE = '24';\nimport fs from 'node:fs';\nfs.stat('.', () => look('end'));\n"
    assert 4 == pool(here, asked, "mjs")


def replaced(here: Stage) -> None:
    """Four."""
    assert 4 == way(here, "replaced")


def worker(here: Stage) -> None:
    """A copy does not count, the shared one does; and what main sets counts for a Worker's first job."""
    assert (4, SIZE, SIZE) == (way(here, "worker"), way(here, "worker shared"), way(here, "worker job"))


def files(here: Stage) -> None:
    """From a file, by option, by call and by --import; 3 where the environment says 3, for the call too."""
    load = "fs.writeFileSync('own.env', 'UV_THREADPOOL_SIZE=9'); process.loadEnvFile('own.env'); fs.stat('.', () => look('end'));\n"
    assert 3 == pool(here, load, outside=3)
    assert (SIZE, SIZE, SIZE, 3) == (
        way(here, "env-file"),
        way(here, "load"),
        way(here, "import"),
        way(here, "env-file shell"),
    )


def child(here: Stage) -> None:
    """Its own pool has the size, its parent's has four."""
    assert SIZE == way(here, "child")


def sockets(here: Stage) -> None:
    """A server on an address, a client, an answer: no thread of the pool."""
    text = (
        "const http = require('node:http');\nconst server = http.createServer((q, a) => a.end('x')).listen(0, '127.0.0.1', () => {\n"
        "  http.get({ host: '127.0.0.1', port: server.address().port }, (a) => a.resume().on('end', () => look('end')));\n});\n"
    )
    assert 0 == pool(here, text)


HELD: dict[str, Callable[[Stage], None]] = {
    one.__name__.rstrip("_").replace("_", "-"): one
    for one in (lazy, read_once, random_bytes, jobs, atoi, sixteen, bill, limit, exit_, exit_hangs, modules, replaced, worker, files,
                child, sockets)
}  # fmt: skip


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda claim: str(claim.slug))
def test_a_claim_holds_on_this_node(claim: Sentence, here: Stage) -> None:
    """What the lab says is what Node does."""
    HELD[claim.slug](here)
