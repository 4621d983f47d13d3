"""``measure``: bet first, then ask Node; what was measured is kept and shown again, not measured again."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from course.betting import is_blank, names
from course.reply import MOST_LINES, Reply, say, wrapped
from course.session import Progress, Session
from grader import stories
from grader import work as works
from grader.work import Draw, Kept, Work
from labs import acts
from labs.answers import Answer, Refusal, read
from labs.errors import NoisyError, ScriptError
from labs.measurement import Record
from labs.request import Request
from labs.spec import Bet, Measure, Scene

FIRST_BET = "First your bet (the cell above). Looking first takes the surprise away."
SURPRISE = "You would have bet on it. Surprises of that kind stay with people longest."
INTERRUPTED = "The run was interrupted. Nothing of it is left. Run the cell again."


def day(wall: float) -> str:
    """Return a moment as a learner remembers it: ``Tuesday 21:40``, with the date where it is long ago."""
    then = datetime.fromtimestamp(wall)
    return then.strftime("%A %H:%M" if time.time() - wall < 6 * 86400 else "%Y-%m-%d %H:%M")


def measure(
    session: Session, slug: str | None, typed: Mapping[str, Any], again: bool = False, on_progress: Progress | None = None,
) -> Reply:  # fmt: skip
    """Measure, keep the record, and answer; without a bet, a script or a blank filled in, say what comes first."""
    found = _find(session, slug)
    if isinstance(found, Reply):
        return found
    work = session.work()
    drawn = session.drawn(work, found.slug)
    answers = _typed(session, work, found, drawn, typed)
    if isinstance(answers, Reply):
        return answers
    bet = session.lab.bet(found.bet) if found.bet else None
    placed = works.standing(work, bet, drawn.number) if bet else None
    kept = work.records.get((found.slug, drawn.number), ())
    if bet and placed is None and not (kept and works.telling(bet, kept)):
        return say(FIRST_BET, state="refused", entries=session.about(found.slug))
    # A recorded run has its own script.
    script = session.script(work) if found.script and session.room != "replay" else None
    if found.script and script is None and session.room != "replay":
        return say(f"First your script: run the cell that starts with %%node {session.name}.", state="refused")
    same = [one for one in kept if one.typed == answers and (script is None or one.record.script.text == script)]
    if session.frozen and not same:
        return say("Nothing is measured while a notebook is graded.", state="refused")
    if same and not again:
        return _answer(session, work, found, drawn, same[-1], fresh=False)
    if script is not None and script != work.script():
        whole = next((made.complete for made, _ in reversed(work.scripts) if made.text == script), False)
        session.write("script", acts.Scripted(text=script, kept=True, complete=whole))
    record = _run(session, found, drawn, answers, script, on_progress)
    if isinstance(record, Reply):
        return record
    made = acts.Recorded(
        thing=found.slug, draw=drawn.number, record=msgspec.to_builtins(record), typed=dict(answers),
    )  # fmt: skip
    entry = session.write("record", made)
    return _answer(session, session.work(), found, drawn, Kept(record, answers, entry), fresh=True)


def _find(session: Session, slug: str | None) -> Measure | Reply:
    measures = {measure.slug: measure for measure in session.lab.measures}
    if slug is None:
        free = next((measure for measure in session.lab.measures if measure.free), None)
        if free is not None:
            return free
    elif slug in measures:
        return measures[slug]
    shown = tuple(name for name, one in measures.items() if not one.free)
    return say(f"What is to be measured? Here that is one of {names(shown)}.", state="refused")


def _typed(
    session: Session, work: Work, found: Measure, drawn: Draw, typed: Mapping[str, Any]
) -> dict[str, Answer] | Reply:
    known = {blank.name: blank for blank in found.typed}
    if unknown := sorted(typed.keys() - known.keys()):
        takes = f"It takes {', '.join(known)}." if known else "It takes no numbers."
        return say(f"{session.name}.measure has no {unknown[0]!r} here. {takes}", state="refused")
    blanks = [name for name in known if is_blank(typed.get(name, ...))]
    if blanks and not (found.free and len(blanks) < len(known)):
        ask = [found.ask(session.scene(work, found.slug))] if found.ask else []
        last = f"Still blank: {', '.join(blanks)}. Fill it in and run this cell."
        return say(*ask, last, state="blank", entries=session.about(found.slug))
    try:
        return {
            name: read(name, blank.kind, typed[name], {**drawn.parameters, **typed})
            for name, blank in known.items()
            if name not in blanks
        }
    except Refusal as refusal:
        return say(str(refusal), state="refused", entries=session.about(found.slug))


def _run(
    session: Session,
    found: Measure,
    drawn: Draw,
    answers: Mapping[str, Answer],
    script: str | None,
    on_progress: Progress | None,
) -> Record | Reply:
    asked = found.parameters(Scene(drawn.parameters, drawn.shape, answers=answers))
    request = Request(
        lab=session.lab.slug, measure=found.slug, parameters=msgspec.to_builtins(dict(asked)), seed=drawn.seed,
        draw=drawn.number, script=script,
    )  # fmt: skip
    about = session.about(found.slug)
    try:
        if found.calibrated and session.calibrate is not None:
            request = session.calibrate(request, on_progress)
        return session.measure(request, room=session.room, on_progress=on_progress)
    except NoisyError as problem:
        return say(str(problem), state="inconclusive", entries=about)
    except ScriptError as problem:
        return say(
            str(problem), "Next: change your script, run its cell, then this one.", state="script", entries=about
        )
    except KeyboardInterrupt:
        return say(INTERRUPTED, state="inconclusive", entries=about)


def _answer(session: Session, work: Work, found: Measure, drawn: Draw, kept: Kept, fresh: bool) -> Reply:
    bet = session.lab.bet(found.bet) if found.bet else None
    near = works.earlier(work, bet.slug if bet else found.slug, drawn.number)
    shape = dataclasses.replace(drawn.shape)
    numbers = (
        {**acts.freeze(kept.record.parameters), **drawn.parameters}
        if not found.free
        else acts.freeze(kept.record.parameters)
    )
    here = Scene(numbers, shape, kept.record, kept.typed, near)
    named: tuple[str, ...] = ()
    if bet is not None:
        lines, named = _of_bet(work, bet, drawn.number, here)
    else:
        lines = list(found.look(here)) if found.look else []
    told = []
    if kept.record.room == "replay":
        told.append(
            "A recorded run, from another machine: it shows what happens and earns nothing for what is measured."
            if found.replayed is None
            else "No Node ran here: what follows from your choice was worked out by libuv's rules. Your choice counts."
        )
    if not fresh:
        lines = [line for line in lines if line != SURPRISE]
        told.append(
            f"Kept from {day(kept.clock.wall)}; nothing was measured now. {_again_call(session, found)} measures again."
        )
    # What to do next stays last.
    at = len(lines) - 1 if lines and lines[-1].startswith("Next: ") else len(lines)
    lines[at:at] = told
    return Reply(tuple(lines), session.about(found.slug), named, "measured" if fresh else "kept")


def _again_call(session: Session, found: Measure) -> str:
    return (
        f'{session.name}.measure("{found.slug}", ..., again=True)'
        if found.typed
        else f'{session.name}.measure("{found.slug}", again=True)'
    )


def _of_bet(work: Work, bet: Bet, number: int, here: Scene) -> tuple[list[str], tuple[str, ...]]:
    placed = works.standing(work, bet, number)
    assert here.record is not None
    actual = bet.actual(here.record)
    if actual is None or placed is None:
        return list(bet.look(dataclasses.replace(here, answers=placed.answers if placed else {}))), ()
    here = dataclasses.replace(here, answers=placed.answers, sure=placed.sure)
    lines = list(bet.look(here))
    if dict(placed.answers) == dict(actual):
        return [*lines, *bet.because(here), bet.next_step], ()
    row = stories.row(work, bet, number, placed.answers, actual, here)
    found = stories.named(work.lab.stories, row, works.group(work.lab, bet.slug))
    spoken = [story for story in found if bet.slug in story.voice]
    if not spoken:
        lines += bet.otherwise(here)
    else:
        lines += spoken[0].voice[bet.slug](here)
        if len(found) > 1:
            others = " and ".join(f'"{story.title}"' for story in found)
            lines.append(f"On this machine {others} give the same numbers.")
    if placed.sure == "bet" and len(wrapped(lines)) < MOST_LINES - 1:
        lines.append(SURPRISE)
    return [*lines, bet.next_step], tuple(story.slug for story in found)
