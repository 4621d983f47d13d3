"""One run of hashes that is watched from outside and traced by the pool itself: two witnesses of the same counts."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from labs import proc, trace
from labs.errors import ScriptError
from labs.measurement import Run, Source, Thread
from labs.observe import Look
from labs.run import NodeRun
from labs.said import Restless
from labs.waves import expect, slips
from labs.waves.setting import Setting
from labs.words import counted, listed

#: Seconds between two looks.
_PAUSE = 0.002


class _Rest(NamedTuple):
    """One look at rest: when, how many workers were at work, and the calls in which some of those slept."""

    at: float
    busy: int
    calls: tuple[str, ...]


@dataclass
class _Seen:
    """What the looks showed, up to the end of the process."""

    looks: list[_Rest] = field(default_factory=list)
    threads: dict[int, Thread] = field(default_factory=dict)
    main_before: float | None = None
    main: float = 0.0


def watched(setting: Setting, name: str, pool: int | None) -> Run:
    """Run the script once, to its end, and count.

    Counts (all observed but ``done`` and ``early``):
        pool_threads: Threads of the pool, 0 where it was never born.
        started: Hashes that workers were at before the first one ended: workers not parked at rest, and the trace agrees.
        asked_first: Hashes the script had asked for by then.
        asked: Hashes it asked for in the whole run.
        finished: Hashes that ended in the pool.
        on_main: Service times' worth of computing that the thread of the loop did itself.
        done: Different hashes 1 to n that the script reported (claimed).
        early: Reports that came before as many hashes had ended in the pool (claimed).

    Raises:
        ScriptError: The script ended the measurement, or holds a slot with something else than a hash.
        Restless: The two witnesses differ; the machine was too busy to watch.
    """
    parameters = {"tasks": setting.tasks, "rounds": setting.rounds}
    with setting.stage.launch(
        setting.script,
        name=name,
        parameters=parameters,
        pool=pool,
        cores=setting.cores,
        node_args=trace.OPTIONS,
        bounds=setting.bounds,
    ) as run:
        seen = _look_until_exit(run)
        if run.ending != "exited":
            raise run.failure()
        trips = trace.read(run.experiment.folder)
        first = trace.first_end(trips)
        started = trace.started_before(trips, first)
        rest = _at_rest(seen, first)
        if trips and rest.calls and rest.busy - len(rest.calls) == started:
            # Hashes never sleep, and both witnesses agree on their number.
            raise ScriptError(
                f"Something else than a hash held {counted(len(rest.calls), 'slot')} of the pool, asleep in {listed(sorted({*rest.calls}))}, "
                "while the first hashes computed. Ask the pool for hashes only, and run it again."
            )
        if trips and rest.busy != started:
            raise Restless(
                f"The pool's own trace shows {started} hashes that started at once, and we saw {rest.busy} workers at work: this "
                "machine was too busy to watch. Nothing is lost; run the cell again later."
            )
        reports = [claim for claim in run.claims() if claim.kind == "done"]
        claimed = [claim.value for claim in reports]
        ends = sorted(trip.finished for trip in trips if trip.finished is not None)
        known = {value for value in claimed if isinstance(value, int) and 1 <= value <= setting.tasks}
        counts = {
            "pool_threads": len(seen.threads),
            "started": started,
            "asked_first": trace.asked_before(trips, first),
            "asked": len(trips),
            "finished": sum(trip.finished is not None for trip in trips),
            "on_main": int((seen.main - (seen.main_before or 0.0)) / setting.service + 0.25),
            "done": len(known),
            "early": sum(bisect_right(ends, report.at) < place for place, report in enumerate(reports, 1)),
        }
        sources: dict[str, Source] = {"done": "claimed", "early": "claimed"}
        tasks = trace.tasks(trips, run.since_start)
        made = run.finish(counts=counts, sources=sources, tasks=tasks, claims={"done": claimed})
        if made.exit_code:
            raise run.failure()
        return msgspec.structs.replace(made, threads=tuple(seen.threads.values()))


def computes(run: Run, tasks: int) -> bool:
    """Say whether the script asked the pool, of the size given, for all hashes at once and reported each.

    Only then its time means anything.
    """
    counts, pool = run.counts, run.parameters.get("pool")
    if slips.smaller(run, tasks, expect.size(pool if isinstance(pool, int) else None)):
        return False
    return counts["asked"] == counts["asked_first"] == counts["done"] == tasks and counts["early"] == 0


def _look_until_exit(run: NodeRun) -> _Seen:
    seen = _Seen()
    previous: tuple[float, frozenset[tuple[int, int]]] = (0.0, frozenset())
    while run.ending is None:
        try:
            look = run.look()
        except (ScriptError, *proc.GONE):
            if run.ending == "exited":
                break
            raise
        # Node writes its trace at the very end, and asks the pool for it: a pool that is born by then is not the script's.
        ending = any(claim.kind == "exit" for claim in run.claims())
        with suppress(*proc.GONE):
            _note_threads(run, look, seen, ending)
        # Two looks in which the same workers are at it and have not given up their core: at rest, as far as computing can be.
        busy = frozenset((worker.tid, worker.switches) for worker in look.workers if not worker.parked)
        if busy and busy == previous[1]:
            asleep = tuple(worker.call for worker in look.workers if worker.held and worker.call is not None)
            seen.looks.append(_Rest(look.at, len(busy), asleep))
        previous = (look.at, busy)
        run.wait_exit(_PAUSE)
    return seen


def _note_threads(run: NodeRun, look: Look, seen: _Seen, ending: bool) -> None:
    used = proc.schedule(run.pid, run.pid)
    seen.main = used.cpu if used else proc.stat(run.pid, run.pid).cpu
    if seen.main_before is None:
        seen.main_before = seen.main
    for worker in look.workers:
        if ending and worker.tid not in seen.threads:
            continue
        used = proc.schedule(run.pid, worker.tid)
        seen.threads[worker.tid] = Thread(
            name=proc.name(run.pid, worker.tid),
            role="worker",
            state="running" if worker.call is None else "parked" if worker.parked else "held",
            call=worker.call or "",
            cpu=used.cpu if used else proc.stat(run.pid, worker.tid).cpu,
            run_queue=used.run_queue if used else None,
        )


def _at_rest(seen: _Seen, first: float | None) -> _Rest:
    """Return the last look at rest before the first hash ended, one without anybody at work where there was none."""
    before = [rest for rest in seen.looks if first is None or rest.at < first]
    return before[-1] if before else _Rest(0.0, 0, ())
