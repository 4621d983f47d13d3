"""Calls are tried three ways: alone, with every slot held, and with every other end silent.

What a call needs is what keeps it from coming back when it is taken away. *Alone* shows whether the pool was born for it
(observed). With every slot held, whatever comes back needed no slot; with every other end silent, whatever comes back
waited for nobody outside. Both are read at rest and then let go: a call that only was slow would not come back by that.
"""

from __future__ import annotations

import os
import signal
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from labs.errors import NoisyError
from labs.measurement import Run, Step
from labs.places.paths import ALONE, FULL, SILENT
from labs.run import NodeRun
from labs.supervise import Stage

#: Seconds for what must come back; much less, but for a busy machine.
_WITHIN = 20.0
GIVEN = Path(__file__).with_name("calls.cjs")
Answers = dict[str, dict[str, Any]]


def attempt(stage: Stage, script: str, calls: list[str], slots: int) -> tuple[Run, ...]:
    """Return the runs: each call alone, then all with every slot held, then all with every other end silent.

    Raises:
        NoisyError: A call did not come back though nothing was in its way.
    """
    total = len(calls) + 2
    alone = []
    for number, call in enumerate(calls):
        stage.progress(number, total, f"{call}, alone")
        alone.append(_alone(stage, script, call, slots))
    unpooled = {call for call, run in zip(calls, alone, strict=True) if not run.counts["pool_threads"]}
    stage.progress(total - 2, total, FULL)
    full = _full(stage, script, calls, slots, unpooled)
    stage.progress(total - 1, total, SILENT)
    return (*alone, full, _silent(stage, script, calls, slots))


def _launch(
    stage: Stage, script: str, name: str, calls: list[str], slots: int, *, held: int = 0, silent: bool = False
) -> AbstractContextManager[NodeRun]:
    parameters = {"calls": calls, "pool": slots, "tasks": held, "silent": silent}
    return stage.launch(
        script, name=name, parameters=parameters, pool=slots, gates=held, keep=True, tick=0.001,
        node_args=("--require", str(GIVEN)),
    )  # fmt: skip


def answers(run: NodeRun) -> Answers:
    """Return what has come back: call -> whether it was there at once, and after how many turns of the loop."""
    found = {}
    for claim in run.claims():
        if claim.kind == "done" and isinstance(claim.value, dict):
            found[str(claim.value.get("name"))] = claim.value
    return found


def _all_made(run: NodeRun) -> None:
    _wait(run, lambda: run.reported("made"), "The calls were not made in time.")


def _wait(run: NodeRun, ready: Any, problem: str) -> None:
    if not run.wait_until(ready, _WITHIN):
        if run.ending is not None:
            raise run.failure()
        raise NoisyError(f"{problem} Your machine was too busy. Nothing is lost; run the cell again later.")


def _back(run: NodeRun, calls: list[str]) -> list[str]:
    there = answers(run)
    return [call for call in calls if call in there]


def _alone(stage: Stage, script: str, call: str, slots: int) -> Run:
    with _launch(stage, script, f"{ALONE}: {call}", [call], slots) as run:
        _wait(run, lambda: call in answers(run), f"{call} did not come back.")
        look = run.look()
        seen = answers(run)[call]
        return run.finish(
            counts={
                "pool_threads": len(look.workers),
                "turns": int(seen["turns"]),
                "at_once": int(bool(seen["there"])),
            },
            sources={"turns": "claimed", "at_once": "claimed"},
            claims={"problem": seen.get("problem")},
        )


def _full(stage: Stage, script: str, calls: list[str], slots: int, unpooled: set[str]) -> Run:
    with _launch(stage, script, FULL, calls, slots, held=slots) as run:
        _all_made(run)
        # Those for which no pool was born have nothing to wait for here; so the rest below is not merely an early look.
        _wait(run, lambda: unpooled <= {*answers(run)}, "A call that needs no slot did not come back.")
        look = run.settle()
        held, back = run.slots(look), _back(run, calls)
        reached = [call for call in calls if call in run.reported("heard")]
        steps = [
            Step(
                action="start", slots=held, waiting=_not(calls, back), finished=tuple(back), at=run.since_start(look.at)
            )
        ]
        for gate in range(1, slots + 1):
            run.open_gate(gate)
        _wait(run, lambda: len(answers(run)) == len(calls), "With every slot free again a call did not come back.")
        look = run.settle()
        steps.append(
            Step(
                action="all gates open",
                slots=run.slots(look),
                finished=tuple(_back(run, calls)),
                at=run.since_start(look.at),
            )
        )
        return run.finish(
            counts={"held_slots": sum(name is not None for name in held), "pool_threads": len(held), "back": len(back)},
            sources={"back": "claimed"}, steps=steps, claims={"back": back, "reached": reached},
        )  # fmt: skip


def _silent(stage: Stage, script: str, calls: list[str], slots: int) -> Run:
    with _launch(stage, script, SILENT, calls, slots, silent=True) as run:
        _all_made(run)
        look = run.settle()
        back = _back(run, calls)
        os.kill(run.pid, signal.SIGUSR2)
        _wait(
            run, lambda: len(answers(run)) == len(calls), "With every other end awake again a call did not come back."
        )
        return run.finish(
            counts={"pool_threads": len(look.workers), "back": len(back)},
            sources={"back": "claimed"},
            claims={"back": back},
        )


def _not(calls: list[str], back: list[str]) -> tuple[str, ...]:
    return tuple(call for call in calls if call not in back)
