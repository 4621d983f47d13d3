"""One kind of work, asked for with ``Sync`` and with a callback: who has to wait meanwhile, and which threads do it."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from labs.errors import NoisyError
from labs.launch import Bounds
from labs.measurement import Run
from labs.places.spent import spent
from labs.run import NodeRun
from labs.supervise import Stage

#: Rounds of one hash, and bytes of one page (8 MB, as in the article this comes from).
ROUNDS, BYTES = 60_000, 8_000_000
SMOKE_ROUNDS, SMOKE_BYTES = 20_000, 1_000_000
#: The three kinds of work, without and with their callback.
KINDS = (("pbkdf2Sync", "pbkdf2"), ("gzipSync", "gzip"), ("readFileSync", "readFile"))
#: Megabytes of text for ``JSON.parse``, which has no other form; the last is the article's 12.9, rounded up.
PARSED = (1, 3, 6, 13)
_WITHIN = 30.0


def script() -> str:
    """Return the script."""
    return Path(__file__).with_name("work.mjs").read_text("utf-8")


def victims(stage: Stage, slots: int, *, smoke: bool) -> tuple[Run, ...]:
    """Return a run for each kind of work and each form: as many jobs as there are slots, and a stat behind them."""
    kinds = [kind for pair in KINDS for kind in pair]
    runs = []
    for number, kind in enumerate(kinds):
        stage.progress(number, len(kinds), f"{kind}, {slots} at once")
        runs.append(
            _one(stage, kind, kind, slots, slots, SMOKE_ROUNDS if smoke else ROUNDS, SMOKE_BYTES if smoke else BYTES)
        )
    return tuple(runs)


def parsed(stage: Stage, *, smoke: bool) -> tuple[Run, ...]:
    """Return a run of ``JSON.parse`` for each size."""
    runs = []
    for number, size in enumerate(PARSED):
        stage.progress(number, len(PARSED), f"JSON.parse of {size} MB")
        runs.append(
            _one(stage, f"JSON.parse {size} MB", "JSON.parse", 1, 4, 1, size * (100_000 if smoke else 1_000_000))
        )
    return tuple(runs)


def _one(stage: Stage, name: str, kind: str, jobs: int, slots: int, rounds: int, size: int) -> Run:
    parameters = {"kind": kind, "tasks": jobs, "rounds": rounds, "bytes": size}
    with stage.launch(
        script(), name=name, parameters=parameters, pool=slots, keep=True, tick=0.05, bounds=Bounds(stall=10.0)
    ) as run:
        reported(run, 1)
        before = spent(run, run.settle())
        os.kill(run.pid, signal.SIGUSR2)
        said = reported(run, 2)
        look = run.settle()
        used = spent(run, look).since(before)
        counts = {
            "jobs": jobs, "pool_threads": len(look.workers), "loop_us": used.loop, "pool_us": used.pool,
            "ticks": int(said["ticks"]), "stat_after": int(said["stat"]),
            "work_us": round(float(said["work"]) * 1e3), "stall_us": round(float(said["stall"]) * 1e3),
        }  # fmt: skip
        claimed = ("ticks", "stat_after", "work_us", "stall_us")
        return run.finish(counts=counts, sources=dict.fromkeys(claimed, "claimed"))


def reported(run: NodeRun, many: int) -> Any:
    """Return the report of that number, from 1, when it has come."""

    def reports() -> list[Any]:
        return [claim.value for claim in run.claims() if claim.kind == "report"]

    if not run.wait_until(lambda: len(reports()) >= many, _WITHIN):
        if run.ending is not None:
            raise run.failure()
        raise NoisyError(
            "The work did not end in time. Your machine was too busy. Nothing is lost; run the cell again later."
        )
    return reports()[many - 1]
