"""The learner's service: what the dry run saw, and what to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from labs.places.orders import ROUTES
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
    early = [route for route in ROUTES if not counts.get(f"{route}_health_first")]
    if len(early) == len(ROUTES):
        return kept(
            "Kept. With its only slot held all three routes were answered, and /health behind them: the loop did the work. "
            "async, or a promise around a Sync call, does not move it."
        )
    if early:
        moved = listed([route for route in ROUTES if route not in early])
        hint = " Node has the hash once more, under crypto.subtle." if early == ["sum"] else ""
        return kept(f"Kept. {moved} waited for a slot; {listed(early)} did not: the loop did that work.{hint}")
    return Rehearsed(
        "Kept. With the only slot held your three routes waited and /health did not; with the slot free all three were right.",
        kept=True,
        complete=True,
    )


TASK = ScriptTask(starter=STARTER, rehearse=rehearse)
