"""The measures for curiosity: what is typed, and what is answered. They earn nothing."""

from __future__ import annotations

from labs import model, simulate
from labs.answers import Choice, Count
from labs.capacity import Capacity, capacity_of
from labs.job import Job
from labs.spec import Blank, Lines, Measure, Parameters, Scene
from labs.waves import further, reading
from labs.waves.bets import look_free
from labs.words import counted, number

#: A larger pool that saves less than this part of the time has gained nothing.
GAIN = 0.15
_KEPT = "Kept with your work; it earns nothing and needs no bet."
_ONCE = f"One run a size: beside other programs times wander. {_KEPT}"


def _parameters(scene: Scene) -> Parameters:
    return {**scene.parameters, **scene.answers}


def expected(work: str, tasks: int, pool: int, capacity: Capacity) -> float:
    """Return how many times one task all of them take by the model, the middle of its interval."""
    kinds = {"computing": ("cpu", "cpu"), "waiting": ("file", "file"), "mixed": ("cpu", "file")}[work]
    jobs = [Job(str(i), "file" if kinds[i % 2] == "file" else "cpu") for i in range(1, tasks + 1)]
    span = simulate.simulate(jobs, pool, capacity).makespan
    return (span.low + span.high) / 2


def knee(sizes: tuple[int, ...], times: tuple[float, ...]) -> int:
    """Return the smallest size from which on no larger one saves :data:`GAIN` of the time."""
    for place, size in enumerate(sizes):
        if all(later > times[place] * (1 - GAIN) for later in times[place + 1 :]):
            return size
    return sizes[-1]


def _row(title: str, values: tuple[float, ...]) -> str:
    return f"{title:<12}" + "".join(f"{value:>7.3g}" for value in values)


def look_knee(scene: Scene) -> Lines:
    """Show the time on each size, measured and by the model, and where growing stops to help.

    On one slot the tasks are done one by one, so that run holds the time of one alone, whatever slows this machine.
    """
    assert scene.record is not None
    record = scene.record
    work, tasks, cores = str(record.parameters["work"]), reading.tasks_of(record), record.machine.cores
    one = max(1, record.runs[0].counts["ms"]) / tasks
    took = tuple(run.counts["ms"] / one for run in record.runs)
    model_says = tuple(expected(work, tasks, size, capacity_of(record.machine)) for size in further.SIZES)
    at = knee(further.SIZES, model_says)
    why = {
        "computing": "More threads bring no core.",
        "waiting": "Waiting needs no core, so every slot helps until nobody stands in line.",
        "mixed": "Those that wait give their core away: more slots than cores help, up to where the cores are busy.",
    }[work]
    return (
        f"{number(tasks, capital=True)} tasks, {work}, on {counted(cores, 'core')}, in times of one (the run on one slot, over {tasks}: {one:.0f} ms):",
        _row("slots", further.SIZES),
        _row("measured", took),
        _row("model", model_says),
        f"The knee by the model: {counted(at, 'slot')}; measured: {knee(further.SIZES, took)}. {why}",
        _ONCE,
    )


def look_gzip(scene: Scene) -> Lines:
    """Show how many jobs a gzip makes, counted and by the model."""
    assert scene.record is not None
    record = scene.record
    counts = record.runs[0].counts
    calls, jobs = counts["calls"], counts["jobs"]
    a_call = model.gzip_trips(counts["written"])
    return (
        f"{number(calls, capital=True)} gzips of {record.parameters['kilobytes']} KiB of noise: {jobs} jobs in the pool, "
        f"{jobs / max(1, calls):g} a call. By the model {a_call} a call.",
        f"At most {counts['at_once']} of them were at work at a time.",
        "A hash stands in line once. A gzip does so again for every 16 KiB it writes, each time behind everybody else.",
        _KEPT,
    )


def look_loop(scene: Scene) -> Lines:
    """Show how late the loop's timer was beside few and many busy threads."""
    assert scene.record is not None
    record = scene.record
    lines = [
        f"Your loop owes a tick every {1000 * further.TICK:g} ms, beside {reading.tasks_of(record)} hashes on {counted(record.machine.cores, 'core')}:"
    ]
    for run in record.runs:
        counts = run.counts
        mean = counts["ms"] / max(1, counts["ticks"])
        lines.append(
            f"{run.name:<10}one every {mean:.1f} ms, the longest gap {counts['gap_ms']} ms; all back after {counts['ms']} ms"
        )
    return (
        *lines,
        "The loop's thread is one more that wants a core: beyond the cores, threads of the pool take turns with it.",
        _ONCE,
    )


MEASURES = (
    Measure(
        slug="free",
        parameters=_parameters,
        typed=(
            Blank("pool", Count(1, 64), lambda answer: f"{answer} slots", "slots"),
            Blank("tasks", Count(1, 64), lambda answer: f"{answer} hashes", "hashes"),
            Blank("cores", Count(1, 64), lambda answer: f"{answer} cores", "cores, at most yours"),
        ),
        look=look_free,
        free=True,
    ),
    Measure(
        slug="knee",
        parameters=_parameters,
        typed=(Blank("work", Choice(further.WORK), str, "computing, waiting or mixed"),),
        ask=lambda scene: "The same tasks on 1, 2, 4, 8 and 16 slots. Where does a larger pool stop to help?",
        look=look_knee,
        free=True,
        seconds=30.0,
    ),
    Measure(
        slug="gzip",
        parameters=_parameters,
        typed=(Blank("kilobytes", Count(1, 4096), lambda answer: f"{answer} KiB", "size of the noise in KiB"),),
        ask=lambda scene: "How many jobs of the pool is one gzip?",
        look=look_gzip,
        free=True,
    ),
    Measure(slug="loop", parameters=_parameters, look=look_loop, free=True, seconds=15.0),
)
