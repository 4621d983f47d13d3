"""The learner's one line: what the dry run saw, and what to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from labs.rehearsal import Asked, Findings
from labs.rehearsed import broken, kept
from labs.spec import Rehearsed, Scene, ScriptTask
from labs.words import number

STARTER = """for (let i = 1; i <= n; i++) {
  fs.open(gate(i), 'r', () => done(i));
}
// your line here
"""
#: Gates of the dry run, and its slots: a fourth request stands behind three.
GATES = 3
CANARY = "stat"


def rehearse(findings: Mapping[str, Any], scene: Scene) -> Rehearsed:
    """Say what the dry run saw, the first thing that matters first."""
    seen = msgspec.convert(findings, Findings)
    if seen.problem is not None:
        return broken(seen.problem, seen.message, seen.text)
    stats = [(place, call) for place, call in enumerate(seen.calls) if not call.gate and _is_stat(call)]
    gates = [place for place, call in enumerate(seen.calls) if call.gate]
    asked = seen.gates_asked_shut()
    if len(asked) < GATES:
        all_of_them = f"We need all {number(scene.parameters['tasks'])} asked for at once."
        if not asked:
            return kept(f"Kept, but no gate is asked for yet: keep the loop as it was given. {all_of_them}")
        return kept(f"Your loop asks for gate {len(asked) + 1} only when gate {asked[-1]} is open. {all_of_them}")
    if not stats:
        return kept("Kept, but nothing asks for a stat yet. One line, after the loop.")
    if any(call.sync for _, call in stats):
        return kept(
            "Kept. Note that this one answers before the program goes on. Is that the request you want to test?"
        )
    if stats[0][0] < gates[-1]:
        return kept("Kept. It stands first in line there. We asked for it behind the gates: after the loop.")
    if CANARY in seen.done_shut:
        return kept(
            "Kept. done('stat') was called with all gates still shut, before any answer can be back. "
            "Call it when the stat's answer is there."
        )
    if CANARY not in seen.done_open:
        return kept(
            "Your stat was asked for; done('stat') was never called. Where would you know that the answer is there?"
        )
    return Rehearsed("Kept. With all gates open your stat came back. Next: your bet.", kept=True, complete=True)


def _is_stat(call: Asked) -> bool:
    return call.api.removesuffix("Sync") in {"fs.stat", "fs.promises.stat", "fs.lstat", "fs.promises.lstat"}


TASK = ScriptTask(starter=STARTER, rehearse=rehearse)
