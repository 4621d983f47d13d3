"""The dry run of the learner's script: each part once, quickly; which callbacks it asked for, and where. Not: in which order.

All of it is *claimed* but the kind of callback and where it was asked for, which stand in Node's trace; it earns nothing.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from labs.errors import NoisyError, ScriptError
from labs.launch import Bounds
from labs.phases import loop_trace
from labs.rehearsal import Problem, cause
from labs.request import Request
from labs.supervise import Stage

BOUNDS = Bounds(wall=6.0, stall=2.0, output=32 * 1024, memory=512 * 1024 * 1024, processes=8)
PARTS = ("A", "B")


class Logged(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One name that was logged: in what kind of callback, and in which one that was asked for."""

    name: str
    kind: str
    asked_in: str
    asked_id: int


class Part(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one part did.

    Attributes:
        name: ``A`` or ``B``.
        logged: What it logged, sorted by name: the order is for the measurement to show.
    """

    name: str
    logged: tuple[Logged, ...] = ()


class Findings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a dry run saw.

    Attributes:
        problem: Why it did not run to its end, or None (see labs.rehearsal.Findings).
        message: What to say about the problem; empty without one.
        text: What it printed, without our frames.
        parts: Each part that ran to its end.
    """

    problem: Problem | None = None
    message: str = ""
    text: str = ""
    parts: tuple[Part, ...] = ()


def rehearse(asked: Request, stage: Stage, recorder: Path, tick: float) -> Findings:
    """Run each part once, to its end or into a problem."""
    parts = []
    for name in PARTS:
        with stage.launch(
            asked.script or "", name="rehearsal", parameters={**asked.parameters, "part": name}, pool=None, tick=tick, module="mjs",
            node_args=("--require", str(recorder), *loop_trace.OPTIONS), bounds=BOUNDS,
        ) as run:  # fmt: skip
            problem: ScriptError | None = None
            try:
                run.wait_exit()
                if run.exit_code != 0:
                    problem = run.failure()  # type: ignore[assignment]  # a run that ended has a ScriptError
                claims = run.claims()
            except ScriptError as found:
                problem = found
            if problem is not None:
                return Findings(problem=cause(run), message=str(problem), text=run.text)
            run.stop()
            try:
                traced = loop_trace.read(run.experiment.folder)
            except NoisyError as found_noise:
                return Findings(problem="restless", message=str(found_noise))
            logged = loop_trace.callbacks(claims, traced, run.since_start)
            parts.append(Part(name=name, logged=tuple(sorted(
                (Logged(name=one.name, kind=one.kind, asked_in=one.asked_in, asked_id=one.asked_id) for one in logged),
                key=lambda one: one.name,
            ))))  # fmt: skip
    return Findings(parts=tuple(parts))
