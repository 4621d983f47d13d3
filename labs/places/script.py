"""The learner's service: what the dry run saw, and what to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from labs.places.orders import ROUTES
from labs.rehearsal import Findings
from labs.spec import Rehearsed, Scene, ScriptTask
from labs.words import listed

STARTER = Path(__file__).with_name("starter.mjs").read_text("utf-8")
_KEPT_BEFORE = "Nothing was changed; your last working version is kept."


def rehearse(findings: Mapping[str, Any], scene: Scene) -> Rehearsed:
    """Say what the dry run saw, the first thing that matters first."""
    seen = msgspec.convert(findings, Findings)
    if seen.problem is not None:
        return _problem(seen)
    counts: Mapping[str, int] = seen.reports[0] if seen.reports and isinstance(seen.reports[0], dict) else {}
    failed = [route for route in ROUTES if counts.get(f"{route}_status") != 200]
    if failed:
        return _kept(
            f"Kept. {failed[0]} throws, or answers with an error. It must return what it returned before, or a promise of it."
        )
    other = [route for route in ROUTES if not counts.get(f"{route}_right")]
    if other:
        return _kept(
            f"Kept. {other[0]} no longer gives the answer it gave: move the work, and keep what comes out of it."
        )
    early = [route for route in ROUTES if not counts.get(f"{route}_health_first")]
    if len(early) == len(ROUTES):
        return _kept(
            "Kept. With its only slot held all three routes were answered, and /health behind them: the loop did the work. "
            "async, or a promise around a Sync call, does not move it."
        )
    if early:
        moved = listed([route for route in ROUTES if route not in early])
        hint = " Node has the hash once more, under crypto.subtle." if early == ["sum"] else ""
        return _kept(f"Kept. {moved} waited for a slot; {listed(early)} did not: the loop did that work.{hint}")
    return Rehearsed(
        "Kept. With the only slot held your three routes waited and /health did not; with the slot free all three were right.",
        kept=True,
        complete=True,
    )


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
