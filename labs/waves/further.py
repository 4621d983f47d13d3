"""What stands under "further": where a larger pool helps, how often a gzip stands in line, what hashes do to the loop.

Nothing here earns points, and no verdict rests on it: one run for each size, no pairs.
"""

from __future__ import annotations

import time
from pathlib import Path

from labs import proc, trace
from labs.errors import ScriptError, SetupError
from labs.measurement import Pair, Run, Source
from labs.request import Request
from labs.run import NodeRun
from labs.waves import expect
from labs.waves.setting import Setting

Made = tuple[tuple[Run, ...], tuple[Pair, ...]]
#: Sizes of the pool at which the knee is looked for.
SIZES = (1, 2, 4, 8, 16)
#: Sizes of the pool beside which the loop is watched.
BESIDE = (4, 16)
#: Seconds between two ticks that the loop owes.
TICK = 0.005
WORK = ("computing", "waiting", "mixed")
_PAUSE = 0.002


def script(measure: str) -> str | None:
    """Return the script that a measure runs instead of the lab's usual one, None where it runs that."""
    path = Path(__file__).with_name(f"{measure}.mjs")
    return path.read_text(encoding="utf-8") if path.is_file() else None


def knee(request: Request, setting: Setting) -> Made:
    """Run the same tasks once on each size of the pool.

    Counts (claimed): ``ms`` from the first line to the last report, ``done``.

    Raises:
        SetupError: There is no such work.
    """
    work = request.parameters.get("work")
    if work not in WORK:
        raise SetupError(f"The work is {', '.join(WORK)}, not {work!r}.")
    gates = {"waiting": setting.tasks, "mixed": (setting.tasks + 1) // 2}.get(str(work), 0)
    runs = []
    for place, size in enumerate(SIZES):
        setting.stage.progress(place, len(SIZES), "sizes of the pool")
        parameters = {"tasks": setting.tasks, "rounds": setting.rounds, "work": work}
        with setting.stage.launch(
            script("knee") or "", name=f"{size} slots", parameters=parameters, pool=size, gates=gates, cores=setting.cores,
            bounds=setting.bounds,
        ) as run:  # fmt: skip
            _serve(run, setting.alone)
            runs.append(_timed(run))
    return tuple(runs), ()


def _serve(run: NodeRun, hold: float) -> None:
    """Open each gate so many seconds after somebody was first seen at it, until Node has ended."""
    since: dict[str, float] = {}
    opened: set[str] = set()
    while run.ending is None:
        try:
            held = run.slots(run.look()) if run.experiment.gates else ()
        except (ScriptError, *proc.GONE):
            if run.ending == "exited":
                break
            raise
        now = time.monotonic()
        for name in held:
            if name is not None:
                since.setdefault(name, now)
        for name, at in since.items():
            if name not in opened and now - at >= hold:
                run.open_gate(int(name))
                opened.add(name)
        run.wait_exit(_PAUSE)


def _timed(run: NodeRun, **more: int) -> Run:
    if run.ending != "exited":
        raise run.failure()
    claims = run.claims()
    began = next(claim.at for claim in claims if claim.kind == "begin")
    done = [claim.at for claim in claims if claim.kind == "done"]
    counts = {"ms": round(1000 * (max(done, default=began) - began)), "done": len(done), **more}
    sources: dict[str, Source] = dict.fromkeys(counts, "claimed")
    return run.finish(counts=counts, sources=sources)


def gzip(request: Request, setting: Setting) -> Made:
    """Run some gzips once and count their jobs in the pool's own trace.

    Counts: ``jobs``, ``at_once`` the most of them at a time (observed); ``written`` bytes by one gzip (claimed).
    """
    kilobytes = request.parameters.get("kilobytes")
    pool = request.parameters.get("pool")
    parameters = {"tasks": setting.tasks, "kilobytes": kilobytes}
    with setting.stage.launch(
        script("gzip") or "", name="gzip", parameters=parameters, pool=pool if isinstance(pool, int) else None, cores=setting.cores,
        node_args=trace.OPTIONS, bounds=setting.bounds,
    ) as run:  # fmt: skip
        run.wait_exit()
        if run.ending != "exited":
            raise run.failure()
        trips = trace.read(run.experiment.folder, "zlib")
        written = [claim.value for claim in run.claims() if claim.kind == "report" and isinstance(claim.value, int)]
        counts = {
            "jobs": len(trips),
            "at_once": _most(trips),
            "written": min(written, default=0),
            "calls": len(written),
        }
        return (run.finish(counts=counts, sources={"written": "claimed", "calls": "claimed"}),), ()


def _most(trips: tuple[trace.Trip, ...]) -> int:
    """Return how many jobs were at work at one moment, at most."""
    changes = [(trip.started, 1) for trip in trips if trip.started is not None]
    changes += [(trip.finished, -1) for trip in trips if trip.started is not None and trip.finished is not None]
    most = now = 0
    for _, change in sorted(changes):  # an end before a start at the same moment
        now += change
        most = max(most, now)
    return most


def loop(request: Request, setting: Setting) -> Made:
    """Run hashes on a small and a large pool, and see how late the ticks of the loop's timer come.

    Counts (claimed): ``ticks`` that came, ``due``, ``gap_ms`` the longest time between two.
    """
    runs = []
    for place, size in enumerate(BESIDE):
        setting.stage.progress(place, len(BESIDE), "beside hashes")
        parameters = {"tasks": setting.tasks, "rounds": setting.rounds}
        with setting.stage.launch(
            setting.script, name=f"{expect.size(size)} slots", parameters=parameters, pool=size, cores=setting.cores, tick=TICK,
            bounds=setting.bounds,
        ) as run:  # fmt: skip
            run.wait_exit()
            ticks, gap = run.ticks()
            made = _timed(run, ticks=ticks, gap_ms=round(1000 * gap))
            runs.append(made)
    return tuple(runs), ()
