"""Warm-ups: before the first bet of a lab, a question about an earlier one, in the numbers of the learner's own record there.

Nothing here is kept, judged or needed: where there is no record of the learner's own, a recorded run stands in, and a journal
that is damaged or somebody else's is as good as none.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course import folder as folders
from course import recorded as recorded_runs
from course import steps
from course.betting import is_blank
from course.measuring import day
from course.reply import Reply, say
from course.session import Session
from grader import work as works
from grader.work import Kept, Work
from labs import catalog
from labs.answers import Refusal, read
from labs.errors import FourThreadsError
from labs.journal import Journal
from labs.measurement import Record, decode
from labs.spec import Lab, Scene
from labs.warmup import WarmUp
from labs.words import listed


@dataclass(frozen=True)
class Remembered:
    """What a warm-up speaks of.

    Attributes:
        scene: The record and its own numbers.
        whose: Whose record that is, as the question's first line says it.
    """

    scene: Scene
    whose: str


def recorded(warm: WarmUp) -> Record:
    """Return the recorded run that stands in: that of the measure.

    Raises:
        FileNotFoundError: There is none (the lint sees to it that there is).
    """
    lab = catalog.load(warm.lab)
    if (path := recorded_runs.path(lab, lab.measure(warm.measure))) is None:
        raise FileNotFoundError(f"{warm.lab} has no recorded run of {warm.measure!r}")
    return decode(path.read_bytes())


def remember(session: Session, warm: WarmUp) -> Remembered:
    """Return the learner's newest record that the question can be asked of, else the recorded run."""
    kept = _own(session, warm)
    if kept is None:
        return Remembered(
            works.alone(recorded(warm)), f"A recorded run of {warm.lab}, since {_why_not(session, warm)}:"
        )
    when = day(kept.clock.wall)
    if kept.record.room == "replay":
        return Remembered(works.alone(kept.record), f"The recorded run of {warm.lab} that you looked at, {when}:")
    return Remembered(works.alone(kept.record), f"Your own record of {warm.lab}, {when}:")


def _own(session: Session, warm: WarmUp) -> Kept | None:
    """Return the newest record, of those measured if there is one."""
    there = _there(session, warm)
    usable = [kept for name, kept in there if name == warm.measure and _can_be_asked(warm, kept)]
    measured = [kept for kept in usable if kept.record.room != "replay"]
    return max(measured or usable, key=lambda kept: kept.clock.wall, default=None)


def _why_not(session: Session, warm: WarmUp) -> str:
    """Say why no record of the learner's own is asked about."""
    there = {name for name, _ in _there(session, warm)}
    if not there:
        return "none of your own can be read here"
    if warm.measure not in there:
        return f'you have not measured "{warm.measure}" there yet'
    return f'your own record of "{warm.measure}" does not hold what is asked here'


def _there(session: Session, warm: WarmUp) -> list[tuple[str, Kept]]:
    """Return the learner's records of the lab that is remembered, each with its measure; beside this lab's folder, or in it."""
    if warm.lab not in catalog.slugs():
        return []
    lab = catalog.load(warm.lab)
    here = session.folder.resolve()
    return [one for place in (here.parent / lab.slug, here) for one in _records(session, lab, place)]


def _records(session: Session, lab: Lab, place: Path) -> tuple[tuple[str, Kept], ...]:
    """Return the learner's records in a folder; none where its journal is missing, damaged or another learner's."""
    try:
        work = works.read(lab, Journal(place, lab.slug).entries())
    except (FourThreadsError, OSError):
        return ()
    if not _is_own(session, work, place):
        return ()
    return tuple((name, one) for (name, _), kept in work.records.items() for one in kept)


def _is_own(session: Session, work: Work, place: Path) -> bool:
    """Return whether this learner wrote a journal; folders that do not lie in one workspace have each an id of their own."""
    if work.opened is None:
        return True
    mine = {session.learner.learner}
    with suppress(FourThreadsError, OSError):
        mine |= {there.learner for there in [folders.known(place)] if there is not None}
    return work.opened.learner in mine


def _can_be_asked(warm: WarmUp, kept: Kept) -> bool:
    """Return whether the question makes sense of this record: it may be of another release, or have ended too early."""
    try:
        here = works.alone(kept.record)
        for read in (warm.ask, warm.solve, warm.because):
            read(here)
        day(kept.clock.wall)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, TypeError, ValueError):
        return False
    return True


def warm_up(session: Session, about: str, value: Any) -> Reply:
    """Ask from memory what an earlier lab has shown, or answer what was typed; nothing of it is kept.

    Args:
        session: The lab that is begun.
        about: The slug of the lab that is remembered.
        value: What was typed, or ``...``.
    """
    lab = session.lab
    warm = next((one for one in lab.warm_ups if one.lab == about), None)
    if warm is None:
        there = " and ".join(f'"{one.lab}"' for one in lab.warm_ups) or "none"
        return say(f'There is no warm-up about "{about}" here. There is {there}.', state="refused")
    it = remember(session, warm)
    if is_blank(value):
        return say(
            it.whose,
            warm.ask(it.scene),
            "Next: put your answer in place of ... in this cell and run it. It earns nothing, so you may also go on.",
            state="blank",
        )
    try:
        answer = read("", warm.blank.kind, value, it.scene.parameters)
    except Refusal as refusal:
        return say(str(refusal), state="refused")
    right, told = warm.solve(it.scene), warm.blank.say
    said = f"So it is: {told(right)}." if answer == right else f"You said {told(answer)}; it is {told(right)}."
    return say(said, *warm.because(it.scene), following(lab, warm), state="right" if answer == right else "settled")


def following(lab: Lab, warm: WarmUp) -> str:
    """Return the sentence that names what comes after a warm-up: the next one, or the step after them all."""
    index = lab.warm_ups.index(warm) + 1
    if index < len(lab.warm_ups):
        return f'Next: the cell below, {lab.slug}.recall("{lab.warm_ups[index].lab}", ...).'
    return steps.after(lab, step(lab))


def again(lab: Lab) -> str:
    """Return the sentence that names the labs which come back to this one; empty where none does in this release."""
    later = [slug for slug in catalog.slugs() if any(warm.lab == lab.slug for warm in catalog.load(slug).warm_ups)]
    return f"You will be asked about it again in {listed(later)}." if later else ""


def step(lab: Lab) -> str:
    """Return the step that a lab's warm-ups make together; it is named after the first."""
    return f"recall {lab.warm_ups[0].lab}"
