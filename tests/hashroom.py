"""A classroom for ``waves`` without Node: records as an undisturbed machine makes them, for sound scripts and for each slip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from course.session import Session
from labs import catalog
from labs.acts import freeze
from labs.capacity import ideal
from labs.measurement import Machine, Noise, Pair, Record, Run, Task, Thread, script_of
from labs.request import Request
from labs.spec import Scene, Shape
from labs.waves import expect
from labs.waves.draw import draw
from tests import classroom

LAB = catalog.load("waves")
CORES = (1, 2, 4, 12, 16)
UNIT = 0.08
SOUND = "for (let i = 1; i <= n; i++) pbkdf2('a', 'b', parameters.rounds, 64, 'sha512', () => done(i));\n"
#: Slip -> a script that has it (its first line tells the fake room), and how its run counts: asked_first, started, asked, done, early.
SLIPS: dict[str, tuple[str, Callable[[int, int], tuple[int, int, int, int, int]]]] = {
    "awaits-in-turn": ("for (let i = 1; i <= n; i++) { await hash(); done(i); }\n", lambda n, p: (1, 1, n, n, 0)),
    "one-by-one": (
        "const next = (i) => i <= n && hash(() => { done(i); next(i + 1); }); next(1);\n",
        lambda n, p: (1, 1, n, n, 0),
    ),
    "on-the-loop": ("for (let i = 1; i <= n; i++) { pbkdf2Sync(); done(i); }\n", lambda n, p: (0, 0, 0, n, n)),
    "no-report": ("for (let i = 1; i <= n; i++) hash(() => {});\n", lambda n, p: (n, min(n, p), n, 0, 0)),
    "early-report": (
        "for (let i = 1; i <= n; i++) { hash(() => {}); done(i); }\n",
        lambda n, p: (n, min(n, p), n, n, n),
    ),
    "own-size": ("process.env.UV_THREADPOOL_SIZE = n; all();\n", lambda n, p: (n, n, n, n, 0)),
    "unlimited": (
        "for (let i = 1; i <= n; i++) execFile(process.execPath, ['hash'], () => done(i));\n",
        lambda n, p: (0, 0, 0, n, n),
    ),
    "nothing": ("// nothing\n", lambda n, p: (0, 0, 0, 0, 0)),
    "a-few-at-a-time": ("two at a time\n", lambda n, p: (2, 2, n, n, 0)),
    "another-number": (
        "for (let i = 1; i < n; i++) hash(() => done(i));\n",
        lambda n, p: (n - 1, min(n - 1, p), n - 1, n - 1, 0),
    ),
    "missing-report": (
        "for (let i = 1; i <= n; i++) hash(() => i > 1 && done(i));\n",
        lambda n, p: (n, min(n, p), n, n - 1, 0),
    ),
}


def draws(cores: int, seeds: int = 60) -> Iterator[dict[str, Any]]:
    """Yield what learners on a machine with so many cores are given."""
    import random

    for seed in range(seeds):
        yield freeze({name: dict(numbers) for name, numbers in draw(random.Random(seed), Shape(cores)).items()})


def request(slug: str, numbers: dict[str, Any], script: str = SOUND) -> Request:
    """Return the request of a measure with the draw's numbers."""
    return Request(lab="waves", measure=slug, parameters=dict(numbers), script=script)


def record(asked: Request, cores: int, *, busy: bool = False, **changes: Any) -> Record:
    """Return the record of a request; on a ``busy`` machine the calibration does not support any verdict on times."""
    p = dict(asked.parameters)
    tasks, slots = int(p["tasks"]), expect.size(p.get("pool"))  # type: ignore[arg-type]
    cores = int(p.get("cores") or cores)  # type: ignore[arg-type]
    text = asked.script if asked.script is not None else SOUND
    slip = next((name for name, (one, _) in SLIPS.items() if one == text), None)
    runs = [_run(asked.measure, tasks, slots, cores, slip)]
    pairs: list[Pair] = []
    if slip is None and "more" in p:
        runs.append(_run(f"{p['more']} slots", tasks, int(p["more"]), cores, None))  # type: ignore[arg-type]
    if slip is None and not busy:
        pairs += _pairs(expect.ALL_OVER_ONE, _total(tasks, slots, cores), 1.0, min(tasks, slots), cores)
        if "more" in p:
            large = int(p["more"])  # type: ignore[arg-type]
            pairs += _pairs(
                expect.MORE_SLOTS, _total(tasks, large, cores), _total(tasks, slots, cores), min(tasks, large), cores
            )
    return classroom.recorded(
        asked, runs, cores, **{
            "machine": Machine(cores=cores, capacity=curve(cores)), "script": script_of(text), "pairs": tuple(pairs),
            "noise": Noise(floor=1.6 if busy else 1.02),
        } | changes,
    )  # fmt: skip


def curve(cores: int) -> tuple[float, ...]:
    """Return the capacity of equal, undisturbed cores, as far as a calibration measures it."""
    return tuple(ideal(cores).at(k) for k in range(1, 2 * cores + 1))


def _total(tasks: int, slots: int, cores: int) -> float:
    full, rest = divmod(tasks, slots)
    return full * max(1.0, slots / cores) + (max(1.0, rest / cores) if rest else 0.0)


def _pairs(name: str, above: float, below: float, threads: int, cores: int) -> list[Pair]:
    control = ideal(cores).at(threads)
    return [
        Pair(
            name=name, first="numerator" if number % 2 == 0 else "denominator", numerator=above * UNIT * (1 + 0.002 * (number - 4)),
            denominator=below * UNIT, control=control,
        )
        for number in range(9)
    ]  # fmt: skip


def _run(name: str, tasks: int, slots: int, cores: int, slip: str | None) -> Run:
    first, started, asked, done, early = (
        SLIPS[slip][1](tasks, slots) if slip else (tasks, min(tasks, slots), tasks, tasks, 0)
    )
    counts = {
        "pool_threads": slots if asked else 0, "started": started, "asked_first": first, "asked": asked, "finished": asked,
        "on_main": {"on-the-loop": tasks, "unlimited": 1}.get(slip or "", 0), "done": done, "early": early,
    }  # fmt: skip
    free = [0.0] * slots
    made = []
    for number in range(1, asked + 1):
        lane = free.index(min(free))
        begin, free[lane] = free[lane], free[lane] + UNIT * max(1.0, started / cores) * (1 + 0.01 * lane)
        made.append(Task(name=str(number), kind="cpu", submitted=0.0, started=begin, finished=free[lane], lane=lane))
    waits = UNIT * asked * max(0.0, started / cores - 1)
    threads = tuple(
        Thread(
            name="libuv-worker",
            role="worker",
            state="parked",
            call="futex",
            cpu=UNIT * asked / slots,
            run_queue=waits / slots,
        )
        for _ in range(slots if asked else 0)
    )
    return Run(
        name=name, parameters={"pool": slots}, counts=counts,
        sources={key: "claimed" if key in ("done", "early") else "observed" for key in counts},
        tasks=tuple(made), threads=threads, wall=1.0, cpu=0.5, ended="exited", exit_code=0,
    )  # fmt: skip


class FakeRoom(classroom.Room):
    """A room that answers by the model, idle or busy."""

    def __init__(self, cores: int = 2, busy: bool = False) -> None:
        super().__init__(cores)
        self.busy = busy

    def record(self, request: Request) -> Record:
        """Return the record of a request."""
        return record(request, self.cores, busy=self.busy)


def rehearsed(measure: str, script: str, here: Scene) -> dict[str, Any]:
    """Return what the dry run finds in one of the scripts above: three hashes."""
    slip = next((name for name, (one, _) in SLIPS.items() if one == script), None)
    if "syntax" in script:
        return dict(classroom.UNPARSED)
    turn = slip in ("awaits-in-turn", "one-by-one")
    calls = [
        {
            "api": "crypto.pbkdf2Sync" if slip == "on-the-loop" else "crypto.pbkdf2",
            "sync": slip == "on-the-loop",
            "after": k if turn else 0,
        }
        for k in range({"another-number": 2, "nothing": 0, "unlimited": 0}.get(slip or "", 3))
    ]
    done = [] if slip in ("no-report", "nothing") else ["2", "3"] if slip == "missing-report" else ["1", "2", "3"]
    return {"calls": calls, "done_shut": done, "done_first": done if slip in ("early-report", "on-the-loop") else []}


def session(folder: Path, cores: int = 2, learner: str = "jonas", room: classroom.Room | None = None) -> Session:
    """Return a session of ``waves`` on a machine with so many cores."""
    return classroom.session(
        folder,
        cores,
        learner,
        room or FakeRoom(cores),
        lab=LAB,
        rehearse=rehearsed,
        look=lambda: Shape(cores, curve(cores)),
    )
