"""The dry run of a learner's script: what it asks for, in which order, and whether it reports. Within a second or so.

All of it is *claimed* but ``held``: it helps the learner, and earns nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from labs import helper, request, said
from labs.claims import Claim
from labs.errors import ScriptError
from labs.launch import Bounds
from labs.measurement import Count, Ending
from labs.request import Request
from labs.run import NodeRun
from labs.supervise import Stage

BOUNDS = Bounds(wall=15.0, stall=0.6, output=32 * 1024, memory=512 * 1024 * 1024, processes=8)
#: Seconds in which a script must come to rest (much less, but for a busy machine), and must report after all gates are open.
_REST = 5.0
_REPORT = 0.3

Problem = Literal[
    "syntax", "error", "exit", "endless", "output", "memory", "processes", "standstill", "refused", "restless"
]


class Asked(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One call that was made.

    Attributes:
        api: Such as ``fs.stat``, ``fs.promises.stat``, ``fs.statSync``, ``crypto.pbkdf2``.
        about: Its first argument where that is a text; for a gate its number, such as ``"3"``.
        gate: Whether it is about a gate.
        sync: Whether it answers before the program goes on.
        shut: Whether all gates were still shut.
        after: How many reports had been made by then.
    """

    api: str
    about: str | None = None
    gate: bool = False
    sync: bool = False
    shut: bool = True
    after: Count = 0


class Findings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a dry run saw.

    Attributes:
        problem: Why it did not run to its end, or None: ``syntax`` it does not parse (or imports what is not there);
            ``error`` it threw; ``exit`` it ended itself; ``endless`` it never lets its loop turn or never ends;
            ``output``, ``memory``, ``processes`` it ran into that bound; ``standstill`` its own thread is inside a
            call that does not return; ``refused`` it touched what is ours; ``restless`` the machine was too busy.
        message: What to say about the problem; empty without one.
        text: What it printed, without our frames: for ``syntax`` and ``error`` Node's own line, caret and message.
        ended: How the process ended.
        exit_code: Where it ended by itself.
        calls: What it asked for, in order.
        held: Slots held with all gates shut (observed), None where it did not come to that.
        done_shut: Names reported with ``done`` while all gates were shut, in order.
        done_open: Names reported after they were opened.
        done_first: Names reported before the loop had its first turn, so before anything can be back.
        reports: Values passed to ``report``.
    """

    schema: Literal[1] = 1
    problem: Problem | None = None
    message: str = ""
    text: str = ""
    ended: Ending = "stopped"
    exit_code: int | None = None
    calls: tuple[Asked, ...] = ()
    held: Count | None = None
    done_shut: tuple[str, ...] = ()
    done_open: tuple[str, ...] = ()
    done_first: tuple[str, ...] = ()
    reports: tuple[Any, ...] = ()

    def gates_asked_shut(self) -> tuple[str, ...]:
        """Return the gates that were asked for while all were shut, in order."""
        return tuple(call.about or "" for call in self.calls if call.gate and call.shut and not call.sync)

    def others(self) -> tuple[Asked, ...]:
        """Return the file requests that are not about a gate."""
        return tuple(call for call in self.calls if not call.gate and call.api.startswith("fs."))


def answer(data: bytes, attached: int | None) -> bytes:
    """Answer the verb ``rehearse``: one request in, findings out. A lab may bring its own ``rehearse(request, stage)``."""
    asked = request.decode(data)
    lab = helper.procedure(asked.lab)
    own = getattr(lab, "rehearse", None)
    with helper.stage_for(asked, attached) as stage:
        return msgspec.json.encode(own(asked, stage) if own is not None else rehearse(asked, stage))


def decode(data: bytes) -> Findings:
    """Read findings from JSON (strict).

    Raises:
        RecordError: They are none.
    """
    from labs.errors import RecordError

    try:
        return msgspec.json.decode(data, type=Findings)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise RecordError.of(problem) from problem


def rehearse(
    asked: Request,
    stage: Stage,
    *,
    gates: int = 0,
    parameters: Mapping[str, Any] | None = None,
    pool: int | str | None = None,
    module: Literal["mjs", "cjs"] = "mjs",
    bounds: Bounds = BOUNDS,
) -> Findings:
    """Run a script dry. With gates: first all shut, then all open. Without: until it ends by itself.

    Args:
        asked: With the script.
        stage: Where to run it.
        gates: How many.
        parameters: What the script is given (default: the request's).
        pool: The pool's size.
        module: How the script is read.
        bounds: What it may use.
    """
    given = dict(parameters if parameters is not None else asked.parameters)
    with stage.launch(
        asked.script or "", name="rehearsal", parameters=given, pool=pool, gates=gates, keep=gates > 0, tick=0.002,
        module=module, bounds=bounds, rehearse=True,
    ) as run:  # fmt: skip
        held: int | None = None
        opened_at = float("inf")
        problem: ScriptError | None = None
        restless = ""
        try:
            if gates:
                held = sum(worker.held for worker in run.settle(_REST).workers)
                opened_at = time.monotonic()
                for gate in range(1, gates + 1):
                    run.open_gate(gate)
                run.settle(_REST)
                run.wait_until(lambda: _all_reported(run), _REPORT)
            elif not run.wait_exit(bounds.wall):
                raise run.failure()
        except ScriptError as found:
            problem = found
        except said.Restless as found:
            restless = str(found)
        return findings(run, held, opened_at, problem, restless, gates)


def _all_reported(run: NodeRun) -> bool:
    claims = run.claims()
    reported = {str(claim.value) for claim in claims if claim.kind == "done"}
    others = [call for call in _calls(run, claims, 0.0) if not call.gate]
    return len(reported) >= run.experiment.gates + min(1, len(others))


def _calls(run: NodeRun, claims: Sequence[Claim], opened_at: float) -> tuple[Asked, ...]:
    """Return the script's own calls: what Node asks for while it loads files comes before the script begins."""
    begun = next((index for index, claim in enumerate(claims) if claim.kind == "begin"), len(claims))
    folder = f"{run.experiment.folder}/"
    found = []
    reported = 0
    for claim in claims[begun:]:
        reported += claim.kind == "done"
        if claim.kind == "call":
            api, about = str(claim.value["api"]), claim.value["about"]
            if about in (f"{folder}script.cjs", f"{folder}script.mjs"):
                continue
            gate = run.task(about) if about else None
            about = gate or (about.removeprefix(folder) if about else None)
            shut = claim.at < opened_at
            found.append(
                Asked(api=api, about=about, gate=gate is not None, sync=api.endswith("Sync"), shut=shut, after=reported)
            )
    return tuple(found)


def findings(
    run: NodeRun, held: int | None, opened_at: float, problem: ScriptError | None, restless: str, gates: int
) -> Findings:
    """Stop a dry run and return what it saw; a lab's own rehearsal ends with this too.

    Args:
        run: The dry run.
        held: Slots that were held with all gates shut, None where it did not come to that.
        opened_at: Monotonic seconds when the gates were opened.
        problem: What ended it, or None.
        restless: Why the machine was too busy; empty if it was not.
        gates: How many gates there were; without any, an exit code other than 0 is a problem.
    """
    run.stop()
    try:
        claims = run.claims()
    except ScriptError as found:
        claims, problem = [], found
    kinds: set[str] = {claim.kind for claim in claims}
    done = [(str(claim.value), claim.at < opened_at) for claim in claims if claim.kind == "done"]
    turn = next((index for index, claim in enumerate(claims) if claim.kind == "through"), 0)
    failed = run.exit_code not in (0, None)
    why: Problem | None = None
    if problem is not None or restless or (failed and not gates):
        why = _problem(run, kinds, problem, restless)
        problem = problem or run.failure()  # type: ignore[assignment]  # a run that ended has a ScriptError
    return Findings(
        problem=why,
        message=restless or (str(problem) if why else ""),
        text=run.text,
        ended=run.ending or "stopped",
        exit_code=run.exit_code,
        calls=_calls(run, claims, opened_at),
        held=held,
        done_shut=tuple(name for name, shut in done if shut),
        done_open=tuple(name for name, shut in done if not shut),
        done_first=tuple(str(claim.value) for claim in claims[:turn] if claim.kind == "done"),
        reports=tuple(claim.value for claim in claims if claim.kind == "report"),
    )


def cause(run: NodeRun) -> Problem:
    """Return why a dry run without gates did not come to its end: a lab's own rehearsal asks this.

    A CommonJS file that does not parse ends as one that throws.
    """
    bound = "endless" if run.ending is None else _bound(run)
    try:
        return bound or _thrown({claim.kind for claim in run.claims()}) or "exit"
    except ScriptError:
        return "refused"


def _problem(run: NodeRun, kinds: set[str], problem: ScriptError | None, restless: str) -> Problem:
    if restless:
        return "restless"
    if (found := _bound(run) or _thrown(kinds)) is not None:
        return found
    if run.ending in ("exited", "died"):
        return "exit"
    return "standstill" if isinstance(problem, said.Standstill) else "refused"


def _bound(run: NodeRun) -> Problem | None:
    """Return the bound that a dry run came to, or None."""
    if run.ending == "time":
        return "endless"
    return run.ending if run.ending in ("output", "memory", "processes") else None


def _thrown(kinds: set[str]) -> Problem | None:
    """Return what kind of error a script ended with, by what the harness said, or None."""
    if "error" not in kinds:
        return None
    return "error" if "begin" in kinds else "syntax"
