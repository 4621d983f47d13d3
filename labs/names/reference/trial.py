"""The trial of ``names``: the solution, and what people do instead in good faith."""

from __future__ import annotations

from pathlib import Path

from labs.names import stories
from labs.names.draw import solutions
from labs.names.script import STARTER
from labs.spec import Row, Scene
from labs.trials import Case, Trials

_HEAD = "import dns from 'node:dns';\nconst kept = new Map();\n"
_END = "\nvisit(lookup);\n"

#: A lookup that keeps an answer when it is in: too late for who comes at the same moment.
LATE = (
    _HEAD
    + """function lookup(name, options, callback) {
  if (kept.has(name)) return callback(null, kept.get(name));
  dns.lookup(name, { all: true }, (problem, list) => {
    if (!problem) kept.set(name, list);
    callback(problem, list);
  });
}"""
    + _END
)
#: A lookup that keeps the promise, and a failure with it.
FAILURES_KEPT = (
    _HEAD
    + """function lookup(name, options, callback) {
  if (!kept.has(name)) kept.set(name, dns.promises.lookup(name, { all: true }));
  kept.get(name).then((list) => callback(null, list), callback);
}"""
    + _END
)
#: A lookup that keeps the promise only while it is out: whoever comes later asks again.
MERGED = (
    _HEAD
    + """function lookup(name, options, callback) {
  if (!kept.has(name)) kept.set(name, dns.promises.lookup(name, { all: true }).finally(() => kept.delete(name)));
  kept.get(name).then((list) => callback(null, list), callback);
}"""
    + _END
)
#: A lookup that keeps one answer for all names.
ONE_FOR_ALL = (
    _HEAD
    + """let known;
function lookup(name, options, callback) {
  known ??= dns.promises.lookup(name, { all: true });
  known.then((list) => callback(null, list), callback);
}"""
    + _END
)
#: A lookup that calls back with an address where a list is wanted.
NO_LIST = _HEAD + "function lookup(name, options, callback) {\n  dns.lookup(name, callback);\n}" + _END

#: The cache by callbacks: who comes while the question is out stands in a list.
BY_CALLBACKS = (
    _HEAD
    + """function lookup(name, options, callback) {
  const known = kept.get(name);
  if (known?.list) return process.nextTick(callback, null, known.list);
  if (known) return void known.waiting.push(callback);
  const mine = { waiting: [callback], list: null };
  kept.set(name, mine);
  dns.lookup(name, { all: true }, (problem, list) => {
    if (problem) kept.delete(name);
    else mine.list = list;
    for (const one of mine.waiting) one(problem, list);
  });
}"""
    + _END
)
#: The cache over resolve4: other questions, and as many lookups.
BY_RESOLVE = (
    _HEAD
    + """async function ask(name) {
  const found = await dns.promises.resolve4(name);
  return found.map((address) => ({ address, family: 4 }));
}
function lookup(name, options, callback) {
  if (!kept.has(name)) kept.set(name, ask(name).catch((problem) => { kept.delete(name); throw problem; }));
  kept.get(name).then((list) => callback(null, list), callback);
}"""
    + _END
)

_BOTH = "names-once-a-host", "names-failures-again"


def _instead(slug: str, script: str, *story: str) -> Case:
    """Return a case in which hosts are asked for too often, or visits do not arrive."""
    return Case(slug, "cache", script=script, contradicts={_BOTH[0]: story, _BOTH[1]: ()})


def _solve(scene: Scene) -> Row:
    pool, held = solutions(scene.parameters["flying"], scene.parameters["idle"])[0]
    return {"pool": pool, "held": held}


def _other_size(scene: Scene) -> Row:
    pool, held = solutions(scene.parameters["flying"], scene.parameters["idle"])[-1]
    return {"pool": pool, "held": held}


def _one_line(scene: Scene) -> Row:
    """Give each name that shall be in flight a slot, as one line would have it."""
    return {"pool": scene.parameters["flying"], "held": 0}


def _slots_and_free(scene: Scene) -> Row:
    """Give names and free slots a slot each, and forget that names have only half."""
    return {"pool": scene.parameters["flying"] + scene.parameters["idle"], "held": 0}


def _no_gates(scene: Scene) -> Row:
    return {"pool": 2 * scene.parameters["flying"], "held": 0}


def _gates_for_names(scene: Scene) -> Row:
    """Hold as many gates as names are wanted."""
    return {"pool": 2 * scene.parameters["flying"], "held": scene.parameters["flying"]}


TRIALS = Trials(
    cases=(
        Case("solution", "cache", script=Path(__file__).with_name("solution.mjs").read_text("utf-8")),
        Case("by callbacks", "cache", script=BY_CALLBACKS),
        Case("over resolve4", "cache", script=BY_RESOLVE),
        _instead("nothing remembered", STARTER, "no-cache"),
        _instead("kept when it is in", LATE, "late-answer"),
        _instead("forgotten when it is in", MERGED),
        _instead("one answer for all", ONE_FOR_ALL),
        _instead("no list", NO_LIST),
        Case("failures kept", "cache", script=FAILURES_KEPT, contradicts={_BOTH[1]: ()}),
        Case("solution", "state", typed=_solve),
        Case("the other size", "state", typed=_other_size),
        *(
            Case(slug, "state", typed=typed, contradicts={"names-state": ()})
            for slug, typed in {
                "one line": _one_line,
                "names and free slots": _slots_and_free,
                "gates for names": _gates_for_names,
                "no gates": _no_gates,
            }.items()
        ),
    ),
    node=stories.node,
)
