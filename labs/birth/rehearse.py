"""The dry run of the learner's script: once, with nothing set. What it did; not how many threads there were.

All of it is *claimed*: it helps the learner, and earns nothing.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from labs.errors import ScriptError
from labs.launch import Bounds
from labs.rehearsal import Problem, cause
from labs.request import Request
from labs.run import NodeRun
from labs.supervise import Stage

STARTER = """const token = require('./token.cjs');
process.env.UV_THREADPOOL_SIZE = '16';
console.log('pool:', process.env.UV_THREADPOOL_SIZE);

fs.stat('.', () => ready());
"""
BOUNDS = Bounds(wall=6.0, stall=2.0, output=32 * 1024, memory=512 * 1024 * 1024, processes=8)


class Findings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a dry run saw.

    Attributes:
        problem: Why it did not run to its end, or None (see labs.rehearsal.Findings).
        message: What to say about the problem; empty without one.
        text: What it printed, without our frames.
        changed: Whether it is another program than the one that was given, white space aside.
        loaded: Whether token.cjs was loaded.
        ready: Whether ready() was called.
        shown: What process.env showed there.
    """

    problem: Problem | None = None
    message: str = ""
    text: str = ""
    changed: bool = True
    loaded: bool = False
    ready: bool = False
    shown: str | None = None


def rehearse(asked: Request, stage: Stage, preload: Path, tick: float, gates: int) -> Findings:
    """Run the script once, to its ``ready()``, to its end, or into a problem."""
    with stage.launch(
        asked.script or "", name="rehearsal", parameters={**asked.parameters}, pool=None, gates=gates, tick=tick, module="cjs",
        node_args=("--require", str(preload)), bounds=BOUNDS,
    ) as run:  # fmt: skip
        problem: ScriptError | None = None
        try:
            came = run.wait_until(lambda: _shown(run) is not None, within=BOUNDS.wall)
            if not came and run.exit_code != 0:
                problem = run.failure()  # type: ignore[assignment]  # a run that ended has a ScriptError
            claims = run.claims()
        except ScriptError as found:
            problem = found
        if problem is not None:
            return Findings(problem=cause(run), message=str(problem), text=run.text)
        reports = [claim.value for claim in claims if claim.kind == "report" and isinstance(claim.value, dict)]
        looks = [value for value in reports if "look" in value]
        shown = looks[0].get("shown") if looks else None
        return Findings(
            text=run.text,
            changed=(asked.script or "").split() != STARTER.split(),
            loaded=any(value.get("loaded") == "token" for value in reports),
            ready=bool(looks),
            shown=str(shown) if shown is not None else None,
        )


def _shown(run: NodeRun) -> object:
    return next(
        (claim.value for claim in run.claims() if claim.kind == "report" and "look" in (claim.value or {})), None
    )
