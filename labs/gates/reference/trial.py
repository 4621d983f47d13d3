"""The trial of ``gates``: the solution, and what people do instead in good faith."""

from __future__ import annotations

from pathlib import Path

from labs.gates import stories
from labs.gates.draw import needed
from labs.spec import Row, Scene
from labs.trials import Case, Trials

_LOOP = "for (let i = 1; i <= n; i++) {\n  fs.open(gate(i), 'r', () => done(i));\n}\n"
_STAT = "fs.stat('.', () => done('stat'));\n"

#: Scripts that do not put one stat behind all gates, each by a slip that people make.
SCRIPTS = {
    "stat first": _STAT + _LOOP,
    "stat by the loop itself": _LOOP + "fs.statSync('.');\ndone('stat');\n",
    "reported when asked for": _LOOP + "fs.stat('.', () => {});\ndone('stat');\n",
    "never reported": _LOOP + "fs.stat('.', () => {});\n",
    "no stat": _LOOP,
    "behind half of the gates": (
        "for (let i = 1; i <= n; i++) {\n  fs.open(gate(i), 'r', () => done(i));\n  if (i === Math.ceil(n / 2)) {\n    "
        + _STAT
        + "  }\n}\n"
    ),
    "a timer instead": _LOOP + "setTimeout(() => done('stat'), 1);\n",
    "two stats, one after the other": _LOOP + "fs.stat('.', () => fs.stat('.', () => done('stat')));\n",
    "a microtask instead": _LOOP + "Promise.resolve().then(() => done('stat'));\n",
}
#: The second stat of two takes the slot that the first one left, so it is back at the same opening: nothing to contradict.
_HARMLESS = {"two stats, one after the other"}


def _solve(scene: Scene) -> Row:
    return {"open": needed(tuple(scene.parameters["target"]))}


def _target(scene: Scene) -> Row:
    """Open what is wanted: an open gate lets its task go."""
    return {"open": tuple(scene.parameters["target"])}


def _one_less(scene: Scene) -> Row:
    """Stop one opening early."""
    return {"open": needed(tuple(scene.parameters["target"]))[:-1]}


def _first_group(scene: Scene) -> Row:
    """Let the whole first group go, as batches would have it."""
    return {"open": tuple(range(1, scene.parameters["pool"] + 1))}


def _those_behind(scene: Scene) -> Row:
    """Open only what still waits: nothing moves."""
    pool, tasks = scene.parameters["pool"], scene.parameters["tasks"]
    return {"open": tuple(range(pool + 1, tasks + 1))[:4]}


def _own_lines(scene: Scene) -> Row:
    """Open as if slot s went on with s + P: of each wanted task's own line, all that stand before it."""
    pool = scene.parameters["pool"]
    ahead = {other for task in scene.parameters["target"] for other in range(task - pool, 0, -pool)}
    return {"open": tuple(sorted(ahead - {*scene.parameters["target"]}))}


#: Openings that do not lead to the target on any draw.
OPENINGS = {
    "nothing opened": lambda scene: {"open": ()},
    "opened the target": _target,
    "one opening less": _one_less,
    "the first group": _first_group,
    "those behind": _those_behind,
    "own lines": _own_lines,
}

TRIALS = Trials(
    cases=(
        Case("solution", "canary", script=Path(__file__).with_name("solution.mjs").read_text("utf-8")),
        Case("stat after another", "canary", script=SCRIPTS["two stats, one after the other"]),
        *(
            Case(slug, "canary", script=script, contradicts={"gates-own-script": ()})
            for slug, script in SCRIPTS.items()
            if slug not in _HARMLESS
        ),
        Case("solution", "state", typed=_solve),
        Case(
            "solution backwards",
            "state",
            typed=lambda scene: {"open": tuple(reversed(needed(tuple(scene.parameters["target"]))))},
        ),
        *(Case(slug, "state", typed=typed, contradicts={"gates-state": ()}) for slug, typed in OPENINGS.items()),
    ),
    node=stories.node,
)
