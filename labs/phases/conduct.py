"""How ``phases`` is measured: one Node for each program, with Node's own trace of the loop, read after it has ended.

``four``, ``two``, ``between`` and ``modules`` run the lab's programs, made from the draw; ``A`` and ``B`` run that part of the
learner's script three times: as it is, and at two other paces (recorder.cjs). Order and phase are *observed* (the trace), names
are *claimed* (``log``). ``starve`` counts steps, which the script claims. ``shares``, ``formats``, ``lines``, ``idle`` are free.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from labs import proc
from labs.errors import NoisyError, SetupError
from labs.given import procedure
from labs.launch import Bounds
from labs.measurement import Run, Source
from labs.phases import further, loop, loop_trace, programs
from labs.phases.rehearse import Findings
from labs.phases.rehearse import rehearse as dry_run
from labs.request import Request
from labs.supervise import Conducted, NodeRun, Stage

#: No tick of the timer beside the script falls into a run.
NO_TICK = 3600.0
BOUNDS = Bounds(wall=15.0, stall=6.0)
#: Steps after which a recursion that lets the loop turn is given up; the file is back long before.
GIVEN_UP = 1_000_000
PACES = (None, "slow", "quick")
_RECORDER = Path(__file__).with_name("recorder.cjs")
_MODULES: dict[loop.Source, Literal["mjs", "cjs"]] = {"mjs": "mjs"}


def script() -> str:
    """Return the lab's own script."""
    return Path(__file__).with_name("experiment.mjs").read_text(encoding="utf-8")


def conduct(request: Request, stage: Stage) -> Conducted:
    """Run one measure of the lab.

    Raises:
        SetupError: The request asks for what this lab cannot measure.
        NoisyError: The machine was too busy.
        ScriptError: The script ended the measurement.
    """
    made = procedure(request, _PROCEDURES)
    return Conducted(runs=tuple(made(request, stage)), warnings=stage.scratch.warnings)


def rehearse(request: Request, stage: Stage) -> Findings:
    """Run both parts of the learner's script once, and say what was asked for where."""
    return dry_run(request, stage, _RECORDER, NO_TICK)


def _launched(
    stage: Stage, text: str, name: str, parameters: dict[str, Any], module: Literal["mjs", "cjs"], traced: bool,
    node: Path | None,
) -> tuple[NodeRun, Any]:  # fmt: skip
    options = ("--require", str(_RECORDER), *(loop_trace.OPTIONS if traced else ()))
    with stage.launch(
        text, name=name, parameters=parameters, pool=None, tick=NO_TICK, module=module, node_args=options, bounds=BOUNDS,
        node=node,
    ) as run:  # fmt: skip
        run.wait_exit()
        if run.exit_code != 0:
            raise run.failure()
        claims = run.claims()
        run.stop()
    return run, claims


def traced(
    stage: Stage, text: str, name: str, parameters: dict[str, Any], module: Literal["mjs", "cjs"] = "cjs"
) -> Run:
    """Run one program to its end and return it with its callbacks."""
    run, claims = _launched(stage, text, name, parameters, module, True, None)
    callbacks = loop_trace.callbacks(claims, loop_trace.read(run.experiment.folder), run.since_start)
    return run.finish(counts={"callbacks": len(callbacks)}, callbacks=callbacks)


def _reported(claims: Sequence[Any]) -> dict[str, int]:
    said: dict[str, int] = {}
    for claim in claims:
        if claim.kind == "report" and isinstance(claim.value, dict):
            said |= {key: value for key, value in claim.value.items() if isinstance(value, int) and value >= 0}
    return said


def _program(stage: Stage, program: loop.Program, name: str) -> Run:
    text = programs.text(program)
    return traced(stage, text, name, {"source": program.source, "program": text}, _MODULES.get(program.source, "cjs"))


def _lines(request: Request) -> tuple[loop.Kind, ...]:
    lines = request.parameters.get("lines")
    known = ("tick", "promise", "timeout", "immediate")
    if not isinstance(lines, list) or not lines or len({*lines}) < len(lines) or not {*lines} <= {*known}:
        raise SetupError(f"The lines must be some of {', '.join(known)}, each once, not {lines!r}.")
    return tuple(lines)  # type: ignore[arg-type]  # checked above


def _from(*sources: loop.Source) -> Callable[[Request, Stage], list[Run]]:
    def runs(request: Request, stage: Stage) -> list[Run]:
        lines, made = _lines(request), []
        for done, source in enumerate(sources):
            stage.progress(done, len(sources), f"asking in {source}")
            made.append(_program(stage, programs.four(source, lines), source))
        return made

    return runs


def _between(request: Request, stage: Stage) -> list[Run]:
    pair, first = request.parameters.get("pair"), request.parameters.get("first")
    if pair not in ("timers", "immediates") or first not in ("A", "C"):
        raise SetupError(f"A pair is timers or immediates and the first is A or C, not {pair!r} and {first!r}.")
    return [_program(stage, programs.between(str(pair), str(first)), str(pair))]


def _starve(request: Request, stage: Stage) -> list[Run]:
    most = request.parameters.get("most")
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= 200_000:
        raise SetupError(f"The steps must be a whole number from 1 to 200,000, not {most!r}.")
    made = []
    kinds: tuple[loop.Kind, ...] = ("tick", "promise", "immediate", "timeout")
    for done, kind in enumerate(kinds):
        stage.progress(done, len(kinds), f"a {kind} that asks for the next")
        here = most if kind in ("tick", "promise") else GIVEN_UP
        run, claims = _launched(stage, further.recursion(kind), kind, {"most": here}, "cjs", False, None)
        steps = _reported(claims).get("steps")
        if steps is None or (steps == GIVEN_UP and kind in ("immediate", "timeout")):
            raise NoisyError(
                "Your machine was too busy to answer a file's request. Nothing is lost; run the cell again later."
            )
        made.append(run.finish(counts={"steps": steps, "most": here}, sources={"steps": "claimed"}))
    return made


def _part(request: Request, stage: Stage) -> list[Run]:
    if request.script is None:
        raise SetupError("This measure runs a script of yours, with a part A and a part B.")
    made = []
    for done, pace in enumerate(PACES):
        name = pace or "as it is"
        stage.progress(done, len(PACES), f"your part {request.measure}, {name}")
        given = {**request.parameters, "part": request.measure, **({"pace": pace} if pace else {})}
        made.append(traced(stage, request.script, name, given, "mjs"))
    return made


def _shares(request: Request, stage: Stage) -> list[Run]:
    times, launches = (3, 1) if request.smoke else (40, 12)
    made: list[Run] = []
    claimed: dict[str, Source] = {"timeout": "claimed", "immediate": "claimed"}
    cells = [(source, busy) for busy in (0, programs.BUSY) for source in further.REPEATABLE]
    for done, (source, busy) in enumerate(cells):
        stage.progress(done, len(cells) + 4, f"many times in {source}")
        text = further.repeated(source, times, busy)
        run, claims = _launched(stage, text, f"{source} {busy}", {"source": source, "busy": busy}, "cjs", False, None)
        made.append(run.finish(counts=_reported(claims), sources=claimed))
    main: tuple[Literal["cjs", "mjs"], ...] = ("cjs", "mjs")
    for done, (module, busy) in enumerate(
        [(module, busy) for busy in (0, programs.BUSY) for module in main], len(cells)
    ):
        stage.progress(done, len(cells) + 4, f"many times in a main module ({module})")
        for _ in range(launches):
            given = {"source": module, "busy": busy}
            run, claims = _launched(stage, further.alone(busy), f"{module} {busy}", given, module, False, None)
            first = next(claim.value["log"] for claim in claims if claim.kind == "report")
            made.append(run.finish(counts={name: int(name == first) for name in claimed}, sources=claimed))
    return made


def _formats(request: Request, stage: Stage) -> list[Run]:
    return [traced(stage, text, name, {"format": name}, module) for name, module, text in further.formats()]  # type: ignore[arg-type]  # cjs or mjs


def _two_lines(request: Request, stage: Stage) -> list[Run]:
    older = further.older()
    made = []
    # The pinned Node last: it is the one the record is of.
    for node in ([older] if older else []) + [None]:
        text = further.unreferenced(40 if request.smoke else 100)
        run, claims = _launched(stage, text, "pinned" if node is None else "older", {}, "cjs", False, node)
        fired = sum(claim.kind == "report" for claim in claims)
        told = {"node": run.node.version, "uv": run.node.uv}
        made.append(run.finish(counts={"fired": fired}, sources={"fired": "claimed"}, claims=told))
    return made


def _idle(request: Request, stage: Stage) -> list[Run]:
    sockets, rest = (20, 50) if request.smoke else (1000, 500)
    with stage.launch(
        further.idle(sockets, rest), name="idle", parameters={"sockets": sockets}, pool=None, tick=NO_TICK, bounds=BOUNDS,
        node_args=("--require", str(_RECORDER)),
    ) as run:  # fmt: skip
        before = _threads(run, "turns")
        after = _threads(run, "sockets")
        said = _wait(run, "turns_with_sockets")
        open_now = sum("socket:" in path for _, path in proc.open_files(run.pid))
        counts = {"threads": before, "threads_with_sockets": after, "open_sockets": open_now, **said}
        return [run.finish(counts=counts, sources=dict.fromkeys(said, "claimed"))]


def _wait(run: NodeRun, key: str) -> dict[str, int]:
    if not run.wait_until(lambda: key in _reported(run.claims()), within=10.0):
        raise NoisyError("Your machine was too busy to rest. Nothing is lost; run the cell again later.")
    return _reported(run.claims())


def _threads(run: NodeRun, key: str) -> int:
    _wait(run, key)
    end = time.monotonic() + 0.02  # a moment after what was reported, so that a thread it had started would be there
    run.wait_until(lambda: time.monotonic() > end, within=1.0)
    return len(proc.tids(run.pid))


_PROCEDURES: dict[str, Callable[[Request, Stage], list[Run]]] = {
    "four": _from("file", "timer"), "two": _from("immediate", "close"), "between": _between, "modules": _from("cjs", "mjs"),
    "starve": _starve, "A": _part, "B": _part, "shares": _shares, "formats": _formats, "lines": _two_lines, "idle": _idle,
}  # fmt: skip
