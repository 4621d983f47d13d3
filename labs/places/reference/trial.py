"""The trial of ``places``: the solution, and what people do instead in good faith."""

from __future__ import annotations

from pathlib import Path

from labs.places import lines, stories
from labs.places.draw import LINES
from labs.places.facts import path
from labs.places.script import STARTER
from labs.spec import Row, Scene
from labs.trials import Case, Trials

SOUND_TEXT = Path(__file__).with_name("solution.mjs").read_text("utf-8")
_KEY = "key: (order) => promisify(pbkdf2)(order.word, order.salt, order.rounds, 32, 'sha512')"
_PAGE = "page: (order) => promisify(gzip)(order.page)"
_SUM = "sum: (order) => crypto.subtle.digest('SHA-256', order.page)"


def _instead(**routes: str) -> str:
    """Return the solution with other routes in it."""
    text = SOUND_TEXT.replace("import { pbkdf2 }", "import { pbkdf2, pbkdf2Sync, createHash }").replace(
        "{ gzip }", "{ gzip, gzipSync }"
    )
    for old, route in ((_KEY, "key"), (_PAGE, "page"), (_SUM, "sum")):
        assert old in text
        text = text.replace(old, routes.get(route, old))
    return text


_SYNC_KEY = "pbkdf2Sync(order.word, order.salt, order.rounds, 32, 'sha512')"
SUM_AFTER_A_WAIT = (
    "sum: async (order) => { await fs.promises.stat('.'); return createHash('sha256').update(order.page).digest(); }"
)
#: A slip -> the script, and the checks that speak against it.
SCRIPTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "as given": (STARTER, ("places-key", "places-page", "places-sum", "places-share")),
    "key in a promise": (_instead(key=f"key: async (order) => {_SYNC_KEY}"), ("places-key", "places-share")),
    "key after a wait": (
        _instead(key=f"key: async (order) => {{ await fs.promises.stat('.'); return {_SYNC_KEY}; }}"),
        ("places-key", "places-share"),
    ),
    "page in an immediate": (
        _instead(page="page: (order) => new Promise((done) => setImmediate(() => done(gzipSync(order.page))))"),
        ("places-page", "places-share"),
    ),
    "sum as a stream": (
        _instead(
            sum="sum: (order) => new Promise((done) => { const hash = createHash('sha256'); "
            "hash.on('readable', () => { const sum = hash.read(); if (sum) done(sum); }).end(order.page); })"
        ),
        ("places-sum",),
    ),
    "sum after a wait": (_instead(sum=SUM_AFTER_A_WAIT), ("places-sum",)),
    "sum of nothing": (_instead(sum="sum: () => crypto.subtle.digest('SHA-256', new Uint8Array())"), ("places-sum",)),
    "page without its work": (_instead(page="page: async (order) => order.page"), ("places-page",)),
}
#: The same work in a thread of one's own: off the loop, though in no slot.
WORKER = (
    _instead(key="key: (order) => beside(order)")
    + """
import { Worker } from 'node:worker_threads';
function beside({ word, salt, rounds }) {
  const code = `const { workerData: o, parentPort } = require('node:worker_threads');
    parentPort.postMessage(require('node:crypto').pbkdf2Sync(o.word, o.salt, o.rounds, 32, 'sha512'));`;
  return new Promise((done, fail) => {
    new Worker(code, { eval: true, workerData: { word, salt, rounds } }).on('message', (key) => done(Buffer.from(key))).on('error', fail);
  });
}
"""
)
_WORK = """  const { pbkdf2Sync, createHash } = require('node:crypto');
  const { gzipSync } = require('node:zlib');
  const work = {
    key: (order) => pbkdf2Sync(order.word, order.salt, order.rounds, 32, 'sha512'),
    page: (order) => gzipSync(order.page),
    sum: (order) => createHash('sha256').update(order.page).digest(),
  };"""
#: All three in one thread that was there before the first request: so quick that its answer may overtake a client's next question.
WAITING_WORKER = (
    """
import { Worker } from 'node:worker_threads';
const code = `const { parentPort } = require('node:worker_threads');
"""
    + _WORK
    + """
  parentPort.on('message', ({ route, order, number }) => parentPort.postMessage({ number, reply: work[route](order) }));`;
const worker = new Worker(code, { eval: true });
const asked = [];
worker.on('message', ({ number, reply }) => asked[number](Buffer.from(reply)));
const beside = (route) => (order) => new Promise((done) => {
  worker.postMessage({ route, order, number: asked.push(done) - 1 });
});
serve({ key: beside('key'), page: beside('page'), sum: beside('sum') });
"""
)
#: All three in a process of the script's own.
CHILD = (
    """
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
writeFileSync('child.cjs', `
"""
    + _WORK
    + """
  process.on('message', ({ route, order, number }) => process.send({ number, reply: work[route](order) }));`);
const child = fork('child.cjs', { serialization: 'advanced' });
const asked = [];
child.on('message', ({ number, reply }) => asked[number](Buffer.from(reply)));
const beside = (route) => (order) => new Promise((done) => {
  child.send({ route, order, number: asked.push(done) - 1 });
});
serve({ key: beside('key'), page: beside('page'), sum: beside('sum') });
"""
)


def _solve(scene: Scene) -> Row:
    return {"stop": lines.right(scene)}


def _none_ends_in_sync(scene: Scene) -> Row:
    """Believe the names."""
    return {"stop": ()}


def _one_less(scene: Scene) -> Row:
    return {"stop": lines.right(scene)[:-1]}


def _computing_leaves(scene: Scene) -> Row:
    """Take for the loop's whatever is not network and not a file."""
    numbers = range(1, LINES + 1)
    return {
        "stop": tuple(n for n, call in zip(numbers, scene.parameters["lines"], strict=True) if "K" not in path(call))
    }


TRIALS = Trials(
    cases=(
        Case("solution", "own", script=SOUND_TEXT),
        Case("a worker thread", "own", script=WORKER),
        Case("a worker that waits for work", "own", script=WAITING_WORKER),
        Case("in a child process", "own", script=CHILD),
        *(
            Case(slug, "own", script=script, contradicts=dict.fromkeys(checks, ()))
            for slug, (script, checks) in SCRIPTS.items()
        ),
        Case("solution", "lines", typed=_solve),
        Case("none ends in Sync", "lines", typed=_none_ends_in_sync, contradicts={"places-lines": ()}),
        Case("one line less", "lines", typed=_one_less, contradicts={"places-lines": ()}),
        Case("all but the kernel's", "lines", typed=_computing_leaves, contradicts={"places-lines": ()}),
    ),
    node=stories.node,
)
