"""The learner's one line: what the dry run saw, and what to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from labs.rehearsal import Asked, Findings
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
_KEPT_BEFORE = "Nothing was changed; your last working version is kept."


def rehearse(findings: Mapping[str, Any], scene: Scene) -> Rehearsed:
    """Say what the dry run saw, the first thing that matters first."""
    seen = msgspec.convert(findings, Findings)
    if seen.problem is not None:
        return _problem(seen)
    stats = [(place, call) for place, call in enumerate(seen.calls) if not call.gate and _is_stat(call)]
    gates = [place for place, call in enumerate(seen.calls) if call.gate]
    asked = seen.gates_asked_shut()
    if len(asked) < GATES:
        all_of_them = f"We need all {number(scene.parameters['tasks'])} asked for at once."
        if not asked:
            return _kept(f"Kept, but no gate is asked for yet: keep the loop as it was given. {all_of_them}")
        return _kept(f"Your loop asks for gate {len(asked) + 1} only when gate {asked[-1]} is open. {all_of_them}")
    if not stats:
        return _kept("Kept, but nothing asks for a stat yet. One line, after the loop.")
    if any(call.sync for _, call in stats):
        return _kept(
            "Kept. Note that this one answers before the program goes on. Is that the request you want to test?"
        )
    if stats[0][0] < gates[-1]:
        return _kept("Kept. It stands first in line there. We asked for it behind the gates: after the loop.")
    if CANARY in seen.done_shut:
        return _kept(
            "Kept. done('stat') was called with all gates still shut, before any answer can be back. "
            "Call it when the stat's answer is there."
        )
    if CANARY not in seen.done_open:
        return _kept(
            "Your stat was asked for; done('stat') was never called. Where would you know that the answer is there?"
        )
    return Rehearsed("Kept. With all gates open your stat came back. Next: your bet.", kept=True, complete=True)


def _is_stat(call: Asked) -> bool:
    return call.api.removesuffix("Sync") in {"fs.stat", "fs.promises.stat", "fs.lstat", "fs.promises.lstat"}


def _kept(text: str) -> Rehearsed:
    return Rehearsed(text, kept=True, complete=False)


def _problem(seen: Findings) -> Rehearsed:
    """Answer a script that could not be seen to its end; only what the machine did to it is kept."""
    if seen.problem == "restless":
        return _kept(seen.message)
    if seen.problem in ("syntax", "error"):
        return Rehearsed(f"{_short(seen.text)}\n{_KEPT_BEFORE}", kept=False, complete=False)
    after = "" if "not affected" in seen.message else " The next run is not affected."
    return Rehearsed(f"{seen.message}{after}", kept=False, complete=False)


def _short(text: str, most: int = 5) -> str:
    """Return Node's own line, caret and message."""
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join([*lines[: most - 1], lines[-1]] if len(lines) > most else lines)


TASK = ScriptTask(starter=STARTER, rehearse=rehearse)
