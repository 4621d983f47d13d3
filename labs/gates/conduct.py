"""How ``gates`` is measured: shut gates, requests, openings one by one, and a look at rest after each.

Every measure has ``pool`` (an integer, a text, or null for unset) and ``tasks``. ``one gate`` opens ``first``, ``state`` and
``free`` open ``open``, ``canary`` opens the lowest gate that is held until the canary is back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labs import rehearsal
from labs.errors import NoisyError, ScriptError, SetupError
from labs.given import checked, whole
from labs.measurement import Run, Source, Step, Task
from labs.observe import Look
from labs.rehearsal import Findings
from labs.request import Request
from labs.supervise import Conducted, NodeRun, Stage

#: What the learner's line reports: the request that has nothing to do with the gates.
CANARY = "stat"
#: Ticks of the timer that a free loop lets through while we watch.
TICKS = 20
_TICK = 0.001
_MOST_TASKS = 1100


def script() -> str:
    """Return the lab's own script."""
    return Path(__file__).with_name("experiment.mjs").read_text(encoding="utf-8")


def conduct(request: Request, stage: Stage) -> Conducted:
    """Run one measure of the lab.

    Raises:
        SetupError: The request asks for what this lab cannot measure.
        NoisyError: The machine was too busy, or somebody else opened a gate.
        ScriptError: The script ended the measurement.
    """
    tasks = whole(request.parameters, "tasks", 1, _MOST_TASKS)
    pool = request.parameters.get("pool")
    if isinstance(pool, list | float | bool):
        raise SetupError(f"The pool's size is a whole number or a text, not {pool!r}.")
    openings = _openings(request, tasks)
    text = request.script if request.script is not None else script()
    parameters = {**request.parameters, "tasks": tasks}
    with stage.launch(
        text, name=request.measure, parameters=parameters, pool=pool, gates=tasks, keep=True, tick=_TICK
    ) as run:
        stage.progress(0, 1, "waiting until the requests stand still")
        watch = _Watch(run, tasks, canary=request.measure == "canary")
        watch.step("start", run.settle())
        # Seen once at rest: the ticks that arrive from here on arrive beside full slots. The longest gap is of the whole run.
        before = run.ticks()[0]
        run.wait_until(lambda: run.ticks()[0] - before >= TICKS, within=10.0)
        ticks = min(TICKS, run.ticks()[0] - before)
        if request.measure == "canary":
            while not watch.is_back() and (gate := watch.lowest_held()) is not None:
                watch.open(gate)
        for gate in openings:
            watch.open(gate)
        return Conducted(runs=(watch.finish(ticks),), warnings=stage.scratch.warnings)


class _Watch:
    """Keeps the story of one run: what was opened, what is held, what is done, what waits."""

    def __init__(self, run: NodeRun, tasks: int, *, canary: bool) -> None:
        self.run = run
        self.asked = [str(number) for number in range(1, tasks + 1)] + ([CANARY] if canary else [])
        self.canary = canary
        self.openings: list[int] = []
        self.steps: list[Step] = []
        self.finished: list[str] = []
        self.observed: set[str] = set()
        self.times: dict[str, tuple[float | None, float | None]] = {}
        self.lanes: dict[str, int] = {}

    def open(self, gate: int) -> None:
        """Open a gate and look at rest."""
        self.openings.append(gate)
        self.run.open_gate(gate)
        self.step(f"open {gate}", self.run.settle())

    def step(self, action: str, look: Look) -> None:
        """Note what is seen at rest after an action.

        Raises:
            NoisyError: A gate was opened by somebody else.
        """
        slots = self.run.slots(look)
        held = [name for name in slots if name is not None]
        at = self.run.since_start(look.at)
        claimed = [claim.value for claim in self.run.claims() if claim.kind == "done"]
        claimed = [str(value) for value in claimed if isinstance(value, str | int)]
        seen = self.run.opened()
        for name in dict.fromkeys([*seen, *claimed]):
            if name in self.asked and name not in self.finished and name not in held:
                self.finished.append(name)
                started = self.times.get(name, (None, None))[0]
                # A task that was never seen held went straight through, between two looks.
                self.times[name] = (started, at)
        self.observed |= {*seen}
        opened = {str(gate) for gate in self.openings}
        before = {name for name in self.steps[-1].slots if name is not None} if self.steps else set()
        for name in (*self.finished, *sorted(before - {*held})):
            if name not in opened and name != CANARY:
                if name in seen or name in before:
                    raise NoisyError(
                        f"Gate {name} was opened by something other than us. Run the cell again; if it comes back, "
                        f"exclude {self.run.experiment.folder.parent.parent} from your scanner."
                    )
                raise ScriptError(
                    f"Your script said done({name}) while gate {name} was shut. Report a gate when its open is back."
                )
        # Opened and no longer held, though neither seen open nor reported: the script closed it and kept silent.
        self.finished += sorted((before - {*held} - {*self.finished}), key=int)
        for lane, slot in enumerate(slots):
            if slot is not None and slot not in self.times:
                self.times[slot] = (at, None)
                self.lanes[slot] = lane
        waiting = tuple(name for name in self.asked if name not in self.finished and name not in held)
        self.steps.append(Step(action=action, slots=slots, waiting=waiting, finished=tuple(self.finished), at=at))

    def is_back(self) -> bool:
        """Whether the canary has reported (claimed)."""
        return CANARY in self.finished

    def lowest_held(self) -> int | None:
        """Return the lowest gate that is held, None where none is."""
        held = [int(name) for name in self.steps[-1].slots if name is not None]
        return min(held) if held else None

    def finish(self, ticks: int) -> Run:
        """Return the run for the record."""
        first, last = self.steps[0], self.steps[-1]
        held = [sum(name is not None for name in step.slots) for step in self.steps]
        gates_done = [name for name in self.finished if name != CANARY]
        counts = {
            "held_slots": held[0],
            "pool_threads": len(last.slots),
            "openings": len(self.openings),
            "started": held[-1] + len(gates_done),
            "finished": len(gates_done),
            "held_at_end": held[-1],
            "ticks": ticks,
            "ticks_due": TICKS,
        }
        sources: dict[str, Source] = {"ticks": "claimed"}
        if not {*gates_done} <= self.observed:
            sources |= {"started": "claimed", "finished": "claimed"}
        if self.canary:
            if self.is_back():
                counts["canary_openings"] = next(
                    index for index, step in enumerate(self.steps) if CANARY in step.finished
                )
                sources["canary_openings"] = "claimed"
            free = next((index for index, slots in enumerate(held) if slots < len(self.steps[index].slots)), None)
            if free is not None:
                counts["first_free_slot"] = free
        claims: dict[str, Any] = {"done": [claim.value for claim in self.run.claims() if claim.kind == "done"]}
        claims["longest_gap"] = self.run.ticks()[1]
        submitted = first.at if first.slots else None
        return self.run.finish(
            counts=counts, sources=sources, steps=self.steps, claims=claims, tasks=[*self._tasks(submitted)]
        )

    def _tasks(self, _submitted: float | None) -> list[Task]:
        found = []
        for name in self.asked:
            started, finished = self.times.get(name, (None, None))
            found.append(Task(name=name, kind="file", started=started, finished=finished, lane=self.lanes.get(name)))
        return found


def _openings(request: Request, tasks: int) -> list[int]:
    given: object = []
    if request.measure == "one gate":
        given = request.parameters.get("first")
    elif request.measure in ("state", "free"):
        given = request.parameters.get("open") or []
    given = given if isinstance(given, list) else [given]
    gates = [checked(gate, "a gate", 1, tasks) for gate in given]
    if twice := sorted({gate for gate in gates if gates.count(gate) > 1}):
        raise SetupError(f"Gate {twice[0]} is opened twice; an open gate stays open.")
    return gates


def rehearse(request: Request, stage: Stage) -> Findings:
    """Run the learner's script dry: three gates, three slots; first all shut, then all open."""
    return rehearsal.rehearse(request, stage, gates=3, parameters={"tasks": 3}, pool=3)
