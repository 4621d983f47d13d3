"""The learner's service: what the dry run saw, and what to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from labs.places import own
from labs.places.orders import ROUTES
from labs.places.voices import fared
from labs.rehearsal import Findings
from labs.rehearsed import broken, kept
from labs.spec import Rehearsed, Scene, ScriptTask
from labs.words import listed

STARTER = Path(__file__).with_name("starter.mjs").read_text("utf-8")


def rehearse(findings: Mapping[str, Any], scene: Scene) -> Rehearsed:
    """Say what the dry run saw, the first thing that matters first."""
    seen = msgspec.convert(findings, Findings)
    if seen.problem is not None:
        return broken(seen.problem, seen.message, seen.text)
    counts: Mapping[str, int] = seen.reports[0] if seen.reports and isinstance(seen.reports[0], dict) else {}
    failed = [route for route in ROUTES if counts.get(f"{route}_status") != 200]
    if failed:
        return kept(
            f"Kept. {failed[0]} throws, or answers with an error. It must return what it returned before, or a promise of it."
        )
    other = [route for route in ROUTES if not counts.get(f"{route}_right")]
    if other:
        return kept(
            f"Kept. {other[0]} no longer gives the answer it gave: move the work, and keep what comes out of it."
        )
    states = {route: own.state(counts, route) for route in ROUTES}
    if {own.ON_THE_LOOP} == {*states.values()}:
        return kept(
            "Kept. With its only slot held all three routes were answered, and /health behind them: the loop did the work. "
            "async, or a promise around a Sync call, does not move it."
        )
    left = [route for route in ROUTES if states[route] not in (own.MOVED, own.NOT_TOLD)]
    if left:
        later = [route for route in left if states[route] == own.WAITS_THEN_LOOP]
        waits = f" {listed(later)} waited for something, but not for that." if later else ""
        hint = " Node has the hash once more, under crypto.subtle." if left == ["sum"] else ""
        return kept(f"Kept. The loop still does the work of {listed(left)}.{waits}{hint}")
    if own.NOT_TOLD in states.values():
        quick = next(route for route in ROUTES if states[route] == own.NOT_TOLD)
        return Rehearsed(f"Kept. {own.quick_child(quick)}", kept=True, complete=True)
    return Rehearsed(
        f"Kept. With the only slot held {fared(counts)}; the loop was free for /health. All three were right.",
        kept=True,
        complete=True,
    )


TASK = ScriptTask(starter=STARTER, rehearse=rehearse)
