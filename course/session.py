"""One learner in one lab: the journal behind it, its draws, and what a thing's cell must carry."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from course.folder import Course, Identity
from grader import work as works
from grader.work import Draw, Work
from labs import acts, draws, shipped
from labs.errors import FourThreadsError
from labs.journal import START, Entry, EntryKind, Journal, make, now
from labs.measurement import Record
from labs.request import Request
from labs.spec import Lab, Row, Scene, Shape

Progress = Callable[[int, int, str], None]
#: A cell's output carries at most this many records of its thing.
MOST_RECORDS = 3


class Room(Protocol):
    """Where a request is run; see :func:`labs.rooms.measure`."""

    def __call__(self, request: Request, room: str | None = None, on_progress: Progress | None = None) -> Record:
        """Return the record of the request."""


class NotHere(FourThreadsError):
    """There is no such thing in this lab."""

    code = "not-here"


@dataclass(frozen=True)
class Session:
    """A lab in a folder, with everything that could differ in a test: the room, the machine, the learner.

    Attributes:
        room: ``replay``, the name of a room, or None for the best there is.
        measure: Runs a request.
        look: Looks at the machine, for draws.
        rehearse: Runs a script dry and returns plain findings.
        calibrate: Gives a request the calibration of its room and cores, for measures that need it.
        recorded: The recorded run whose numbers take the place of drawn ones, in the room ``replay`` (:func:`labs.shipped.fixed`).
        place: Says which room is used, or raises what keeps this lab from running here.
        at_hand: What this kernel knows beyond the journal: ``script``, that of the cell that was run last.
    """

    lab: Lab
    folder: Path
    course: Course
    learner: Identity
    measure: Room
    look: Callable[[], Shape]
    rehearse: Callable[[str, str, Scene], dict[str, Any]]
    room: str | None = None
    calibrate: Callable[[Request, Progress | None], Request] | None = None
    recorded: Callable[[str], Record | None] = lambda name: None
    place: Callable[[], str] = lambda: "here"
    at_hand: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        """The lab's name as learners write it in a cell."""
        return self.lab.slug

    @property
    def frozen(self) -> bool:
        """Whether nbgrader runs this notebook (a stock autograde, or Validate): then nothing is measured and nothing written."""
        return os.environ.get("NBGRADER_EXECUTION") in ("autograde", "validate")

    def journal(self) -> Journal:
        """Return the journal in the assignment's folder."""
        return Journal(self.folder, self.lab.slug)

    def work(self) -> Work:
        """Return everything done so far.

        Raises:
            RecordError: The journal on disk is damaged.
        """
        return works.read(self.lab, self.journal().entries())

    def write(self, kind: EntryKind, body: acts._Body) -> Entry:
        """Append to the journal; while nbgrader runs the notebook only the entry is made, and nothing is kept."""
        import msgspec

        data = msgspec.to_builtins(body)
        if self.frozen:
            return make(len(self.journal().entries()), kind, self.lab.slug, data, START, now())
        return self.journal().append(kind, data)

    def script(self, work: Work) -> str | None:
        """Return the script that the next run takes: that of the cell run last, else the last one in the journal."""
        return self.at_hand.get("script", work.script())

    def shape(self, work: Work, number: int) -> Shape:
        """Return the machine as this draw saw it; all things of one draw share one look, so their numbers belong together."""
        return next((drawn.shape for drawn in work.draws.values() if drawn.number == number), None) or self.look()

    def drawn(self, work: Work, slug: str, number: int | None = None) -> Draw:
        """Return a thing's numbers, drawing them where that was not done yet (``number``: not the one in force)."""
        name = works.thing(self.lab, slug)
        number = work.number(slug) if number is None else number
        if (found := work.draws.get((name, number))) is not None:
            return found
        run = self.recorded(name)
        shape = self.shape(work, number) if run is None else Shape(run.machine.cores, run.machine.capacity)
        seed = draws.seed(self.course.key, self.learner.learner, self.lab.slug, number)
        numbers = works.draw(self.lab, name, seed, shape)
        if run is not None:
            numbers = shipped.over(run, numbers)  # what was recorded cannot be drawn
        body = acts.Drawn(
            thing=name, draw=number, seed=seed, cores=shape.cores, parameters=dict(numbers), capacity=shape.capacity,
        )  # fmt: skip
        return Draw(name, number, seed, shape, numbers, self.write("draw", body))

    def scene(self, work: Work, slug: str, record: Record | None = None, answers: Row | None = None) -> Scene:
        """Return the scene of a thing at the draw in force."""
        drawn = self.drawn(work, slug)
        near = works.earlier(work, slug, drawn.number)
        return Scene(drawn.parameters, drawn.shape, record, answers or {}, near)

    def about(self, slug: str) -> tuple[Entry, ...]:
        """Return the entries that the cell of a thing carries: enough to judge that thing from the cell alone."""
        entries = self.journal().entries()
        name = works.thing(self.lab, slug)
        names = {name, slug, *(bet.slug for bet in self.lab.bets if bet.measure == name)}
        found = [entry for entry in entries if _about(entry) in names]
        records = [entry for entry in found if entry.kind == "record"]
        kept = {entry.number for entry in _worth_keeping(self.lab, name, records)}
        scripts = [entry for entry in entries if entry.kind == "script"][-1:] if _scripted(self.lab, name) else []
        whole = [entry for entry in entries if entry.kind in {"open", "skip", "solution"}]
        chosen = [entry for entry in found if entry.kind != "record" or entry.number in kept]
        return tuple(
            sorted({entry.number: entry for entry in (*whole, *chosen, *scripts)}.values(), key=lambda e: e.number)
        )


def _about(entry: Entry) -> object:
    return next((entry.body[key] for key in ("thing", "bet", "question") if key in entry.body), None)


def _scripted(lab: Lab, name: str) -> bool:
    return any(measure.slug == name and measure.script for measure in lab.measures)


def _worth_keeping(lab: Lab, name: str, records: list[Entry]) -> list[Entry]:
    """Return the records a cell carries: the first ones (a bet was before them), the newest, and the first that passes."""
    from grader.judge import judge_record
    from grader.verdict import Outcome

    keep = {entry.number: entry for entry in (*records[:1], *records[-(MOST_RECORDS - 1) :])}
    for entry in records:
        verdicts = judge_record(lab, acts.record(acts.body(entry)))
        if verdicts and all(verdict.outcome is Outcome.PASS for verdict in verdicts):
            keep[entry.number] = entry
            break
    return list(keep.values())
