"""How ``waves`` is measured: one run that is watched and traced, then pairs of plain runs for a ratio.

Parameters of every measure: ``pool`` (an integer, or null for unset), ``tasks``, ``cores`` (a number of cores by affinity; null
or absent for all). Procedures: ``hashes`` watches one run; ``all over one`` adds pairs of all hashes over one; ``more slots``
has ``than``, a smaller pool, watches both and adds pairs of one over the other. What learners measure: ``all at once`` has
``more``, a larger pool, and makes both kinds of pairs; ``other cores`` and ``own`` are ``all over one``. Every measure takes
the learner's script or the lab's own. ``knee``, ``gzip`` and ``loop`` are described in labs.waves.further.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from labs import affinity, cgroup, machine, marker, ratio, rehearsal
from labs.calibrate import ROUNDS, Timing, Workers, timing
from labs.capacity import capacity_of
from labs.errors import SetupError
from labs.given import procedure, whole
from labs.measurement import Machine, Pair, Run
from labs.ratio import Band
from labs.rehearsal import Findings
from labs.request import Request
from labs.supervise import Conducted, Stage
from labs.waves import expect, further, plain, watch
from labs.waves.series import series
from labs.waves.setting import Setting

#: Processor seconds of one hash: long against the start of a thread, and above the 45 ms from which counts are exact.
SERVICE = 0.08
#: The same in a smoke run: just above the 45 ms.
SMOKE = 0.05
_MOST_TASKS = 64


def script() -> str:
    """Return the lab's own script."""
    return Path(__file__).with_name("experiment.mjs").read_text()


def conduct(request: Request, stage: Stage) -> Conducted:
    """Run one measure of the lab.

    Raises:
        SetupError: The request asks for what this lab cannot measure.
        NoisyError: The machine was too busy.
        ScriptError: The script ended the measurement.
    """
    made = procedure(request, _PROCEDURES)
    p, every = request.parameters, affinity.mask()
    tasks = whole(p, "tasks", 1, _MOST_TASKS)
    cores = every if p.get("cores") is None else affinity.narrowed(whole(p, "cores", 1, len(every)))
    when = timing(cgroup.quota(), len(cores))
    before = machine.moment()
    with Workers(when, cores=sorted(cores), environment={marker.VARIABLE: stage.mark}) as workers:
        stage.beside.add(workers.pid)
        try:
            # The fastest of three: what disturbs a lone worker can only make hashes too short to be watched.
            unit = max(workers.work(1, Timing(window=0.03)).unit for _ in range(3))
            service = service_time(when, request.smoke) if request.times else SMOKE
            setting = Setting(
                stage=stage,
                script=request.script if request.script is not None else script(),
                tasks=tasks,
                cores=tuple(sorted(cores)),
                rounds=max(1, round(ROUNDS * unit * service)),
                service=service,
                workers=workers,
            )
            runs, pairs = made(request, setting)
        finally:
            stage.beside.discard(workers.pid)
    warnings = machine.disturbances(before, machine.moment(), throttling_expected=cgroup.quota() is not None)
    if request.times and request.measure in _TIMED and (request.noise.floor or 1.0) > ratio.MOST_TOLERANCE:
        warnings += ("The calibration was disturbed, so no times were compared; the next measurement calibrates anew.",)
    if misfit(request, pairs):
        warnings += (ratio.MISFIT,)
    return Conducted(runs=runs, pairs=pairs, warnings=(*stage.scratch.warnings, *warnings), noise=request.noise,
                     script=further.script(request.measure), cores=len(cores))  # fmt: skip


def rehearse(request: Request, stage: Stage) -> Findings:
    """Run a script dry: three hashes of two milliseconds on two slots."""
    return rehearsal.rehearse(request, stage, parameters={"tasks": 3, "rounds": 4_000}, pool=2)


def service_time(when: Timing, smoke: bool) -> float:
    """Return the processor seconds that one hash should take.

    Under a quota a task must last some periods of wall time, or where in a period it starts decides how long it takes.
    """
    return max(SMOKE if smoke else SERVICE, (ratio.PERIODS + 0.5) * when.period * when.share)


def _hashes(request: Request, setting: Setting) -> tuple[tuple[Run, ...], tuple[Pair, ...]]:
    setting.stage.progress(0, 1, "watching which hashes start")
    return (watch.watched(setting, "hashes", _pool(request, "pool")),), ()


def _all_over_one(request: Request, setting: Setting) -> tuple[tuple[Run, ...], tuple[Pair, ...]]:
    pool = _pool(request, "pool")
    setting.stage.progress(0, 1, "watching which hashes start")
    run = watch.watched(setting, "hashes", pool)
    capacity = capacity_of(_calibrated(request))
    stories = expect.all_over_one_stories(setting.tasks, pool)
    accepted = ratio.band(expect.all_over_one(setting.tasks, pool, capacity), stories)

    def pair(number: int) -> Pair:
        return plain.pair(setting, expect.ALL_OVER_ONE, number, (setting.tasks, pool), (1, pool))

    if not watch.computes(run, setting.tasks):
        # The counts already say what this script does instead; its times have nothing to add, and may take for ever.
        return (run,), ()
    return (run,), _pairs(request, setting, accepted, min(setting.tasks, expect.size(pool)), pair)


def _more_slots(request: Request, setting: Setting) -> tuple[tuple[Run, ...], tuple[Pair, ...]]:
    pool, than = _pool(request, "pool"), _pool(request, "than")
    large, small = expect.size(pool), expect.size(than)
    if small >= large:
        raise SetupError(
            f"The measure more slots compares a larger pool with a smaller one, not {large} with {small} slots."
        )
    setting.stage.progress(0, 1, "watching which hashes start")
    runs = (watch.watched(setting, f"{large} slots", pool), watch.watched(setting, f"{small} slots", than))
    if not all(watch.computes(run, setting.tasks) for run in runs):
        return runs, ()
    return runs, _more_pairs(request, setting, pool, than)


def _more_pairs(request: Request, setting: Setting, pool: int | None, than: int | None) -> tuple[Pair, ...]:
    large, small = expect.size(pool), expect.size(than)
    accepted = ratio.band(
        expect.more_slots(setting.tasks, large, small, capacity_of(_calibrated(request))),
        expect.more_slots_stories(setting.tasks, large, small),
    )

    def pair(number: int) -> Pair:
        return plain.pair(setting, expect.MORE_SLOTS, number, (setting.tasks, pool), (setting.tasks, than))

    return _pairs(request, setting, accepted, min(setting.tasks, large), pair)


def _all_at_once(request: Request, setting: Setting) -> tuple[tuple[Run, ...], tuple[Pair, ...]]:
    pool, more = _pool(request, "pool"), _pool(request, "more")
    if expect.size(more) <= expect.size(pool):
        raise SetupError(
            f"The measure all at once compares {expect.size(pool)} slots with more of them, not with {expect.size(more)}."
        )
    runs, pairs = _all_over_one(request, setting)
    if not request.times or not watch.computes(runs[0], setting.tasks):
        return runs, pairs
    setting.stage.progress(0, 1, "watching the larger pool")
    runs = (*runs, watch.watched(setting, f"{expect.size(more)} slots", more))
    return runs, (*pairs, *_more_pairs(request, setting, more, pool))


#: Measure -> how it is made.
_PROCEDURES = {
    "hashes": _hashes, "all over one": _all_over_one, "more slots": _more_slots, "all at once": _all_at_once,
    "other cores": _all_over_one, "own": _all_over_one, "free": _hashes,
    "knee": further.knee, "gzip": further.gzip, "loop": further.loop,
    "series": series,
}  # fmt: skip
#: Measures that compare times.
_TIMED = frozenset({"all over one", "more slots", "all at once", "other cores", "own"})


def _pairs(
    request: Request, setting: Setting, accepted: Band, threads: int, make: Callable[[int], Pair]
) -> tuple[Pair, ...]:
    """Make pairs until a look decides: 9, 15 or 25 (one for a smoke run)."""
    made: list[Pair] = []
    machine_seen = _calibrated(request)
    if not request.times or (request.noise.floor or 1.0) > ratio.MOST_TOLERANCE:
        return ()  # not asked for, or none could be judged; then conduct() says so
    while (stage := ratio.next_stage(len(made))) is not None:
        setting.stage.progress(len(made), stage, "pairs of runs")
        made.append(make(len(made)))
        if request.smoke:
            break
        alone = min(pair.denominator for pair in made)
        if (
            ratio.judge(made, accepted, ratio.control(machine_seen, request.noise.floor, threads, alone)).outcome
            != "MORE"
        ):
            break
    setting.stage.progress(len(made), len(made), "pairs of runs")
    return tuple(made)


def misfit(request: Request, pairs: Sequence[Pair]) -> bool:
    """Say whether the controls beside pairs of one name, at full size, are off the calibration by more than it allows."""
    if request.smoke or not pairs or request.measure not in _TIMED:
        return False
    tasks, slots = whole(request.parameters, "tasks", 1, _MOST_TASKS), expect.size(_pool(request, "pool"))
    large = {expect.ALL_OVER_ONE: slots, expect.MORE_SLOTS: max(slots, expect.size(_more(request)))}
    for name in {pair.name for pair in pairs}:
        made = [pair for pair in pairs if pair.name == name]
        beside = ratio.control(_calibrated(request), request.noise.floor, min(tasks, large[name]))
        if not ratio.fits(made, beside):
            return True
    return False


def _more(request: Request) -> int:
    return whole(request.parameters, "more", 1, 1024) if "more" in request.parameters else 1


def _calibrated(request: Request) -> Machine:
    if request.machine is None or not request.machine.capacity:
        raise SetupError("A ratio needs a calibrated machine: run `fourthreads calibrate`.")
    return request.machine


def _pool(request: Request, name: str) -> int | None:
    value = request.parameters.get(name)
    if value is None and name == "pool":
        return None
    return whole(request.parameters, name, 1, 1024)
