"""The acts around the bets and questions: a new draw, the way past, the worked record, the card, the solution."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from course import asking, steps, warming
from course.betting import is_blank, names
from course.measuring import day
from course.reply import WIDTH, Reply, say
from course.session import Session
from grader import policy
from grader import work as works
from grader.answering import found, is_settled
from grader.card import card
from grader.marks import marks, skipped
from grader.work import Evidence, Work
from labs import acts, catalog
from labs.answers import Refusal, read
from labs.errors import FourThreadsError
from labs.journal import Entry
from labs.measurement import Record
from labs.spec import Item, Lab
from labs.words import listed

AFTER_RESTART = "After a restart of the kernel, run this cell first."


def greet(session: Session, node: str) -> Reply:
    """Say what runs where, and where the learner is."""
    from importlib.metadata import version

    work = session.work()
    if work.opened is None and not session.frozen:
        body = acts.Opened(
            course=session.course.course, learner=session.learner.learner, version=version("fourthreads")
        )
        session.write("open", body)
    cores = session.look().cores
    problem = ""
    try:
        place = session.place()
        where = {"here": "runs here", "replay": "shows recorded runs"}.get(place, f"runs in a {place}")
    except FourThreadsError as found_problem:
        where, problem = "cannot run here", str(found_problem)
    pinned = session.course.version
    if pinned and pinned != version("fourthreads"):
        problem = f"Your class uses version {pinned}; this is {version('fourthreads')}. Ask for it before you go on. {problem}".strip()
    at = f"You are at step {steps.position(work)} of {len(session.lab.steps)}."
    if work.records and work.last is not None:
        newest = max((kept[-1] for kept in work.records.values()), key=lambda kept: kept.entry.number)
        done = f'Last time: {day(work.last.wall)}, "{newest.record.measure}"{_numbers(newest.record)}.'
    else:
        done = "Nothing measured yet."
    return say(
        f"{session.lab.slug} · {node} · {where} · {cores} core{'' if cores == 1 else 's'}",
        *([problem] if problem else []),
        f"{at} {done}",
        AFTER_RESTART,
        entries=session.about(""),
    )


def _numbers(record: Record) -> str:
    told = [
        f"{key} {value}" for key, value in record.parameters.items() if key in {"pool", "tasks"} and value is not None
    ]
    return f" with {', '.join(told)}" if told else ""


def evidence(session: Session, slug: str) -> Reply:
    """Print the raw lines a number was counted from, one sentence beside each."""
    lines = session.lab.evidence.get(slug)
    if lines is None:
        return say(f"There is a worked record for {names(tuple(session.lab.evidence))}.", state="refused")
    work = session.work()
    kept = work.latest(works.thing(session.lab, slug))
    if kept is None:
        return say(f'First measure: {session.name}.measure("{slug}").', state="refused")
    here = session.scene(work, slug, kept.record)
    if slug not in work.looked and not session.frozen:
        session.write("evidence", acts.Looked(thing=slug))
    shown = next((step for step in (f"evidence {slug}", f"measure {slug}") if step in session.lab.steps), None)
    following = [steps.after(session.lab, shown)] if shown else []
    return say(*lines(here), *following, entries=session.about(slug))


def again(session: Session, slug: str) -> Reply:
    """Draw new numbers for a thing whose old ones are used up."""
    lab, work = session.lab, session.work()
    name = works.thing(lab, slug)
    question, measures = found(lab, slug), {measure.slug for measure in lab.measures if not measure.free}
    if question is None and name not in measures:
        everything = (*(q.slug for q in lab.questions), *measures)
        return say(f"There is no {slug!r} here to draw again. There is {names(everything)}.", state="refused")
    number = work.number(name)
    bet = next((bet for bet in lab.bets if bet.measure == name), None)
    used = is_settled(work, slug) if question else bool(work.records.get((name, number)))
    if not used:
        return say(f'Your numbers for "{slug}" are still open: use them first. Nothing was drawn.', state="refused")
    session.drawn(work, name, number + 1)
    work = session.work()
    if question is not None:
        share = policy.worth(number + 1)
        here, seed = asking.scene(session, work, question)
        worth = f"New numbers. They are worth {share:g} of the points; the best draw counts."
        return say(
            worth,
            *asking.posed(question, here, seed),
            "Next: answer in the cell above, and run it.",
            entries=session.about(slug),
        )
    measure = lab.measure(name)
    here = session.scene(work, bet.slug if bet else name)
    told = [bet.ask(here)] if bet else [measure.ask(here)] if measure.ask else []
    verb = "bet" if bet else "measure"
    return say(
        "New numbers; what you have stays.", *told, f"Next: {verb} again in its cell.", entries=session.about(name)
    )


def skip(session: Session) -> Reply:
    """Go to the step that stands for those before it."""
    lab, work = session.lab, session.work()
    if lab.skip_to is None:
        return say("This lab has no way past; each of its steps is short.", state="refused")
    things = (lab.skip_to, *(f"{verb} {lab.skip_to}" for verb in ("measure", "explain")))
    step = next((index for index, title in enumerate(lab.steps, 1) if title in things), None)
    target = f"step {step}" if step else f'"{lab.skip_to}"'
    if any(name == lab.skip_to for name, _ in (*work.records, *work.tries)):
        text = f"{target.capitalize()} has been tried already, so it cannot stand for the others. They are still there."
        return say(text, state="refused")
    if work.skip is None and not session.frozen:
        session.write("skip", acts.Nothing())
    work = session.work()
    return say(
        f"Go to {target}. Solved at the first try, it stands for: {', '.join(lab.skips)}.",
        "If it is not, nothing is lost: you go back and take them one by one.",
        *_not_stood_for(lab),
        *_asked(session, work, lab.skip_to),
        entries=session.about(lab.skip_to),
    )


def _not_stood_for(lab: Lab) -> list[str]:
    """Name the work of one's own that the way past leaves open: nothing stands for what was never made."""
    own = [item for item in lab.items if item.checks and all(check.measure != lab.skip_to for check, _ in item.checks)]
    told = listed([f'"{item.title}" (step {item.step})' for item in own])
    return [f"What you make yourself stays to be done for its points: {told}."] if own else []


def _asked(session: Session, work: Work, slug: str) -> list[str]:
    measure = next((one for one in session.lab.measures if one.slug == slug), None)
    if measure is not None:
        here = session.scene(work, slug)
        call = f'{session.name}.measure("{slug}"{", ..." if measure.typed else ""})'
        if measure.script and session.script(work) is None:
            call = f"your script, the cell with %%node {session.name}; then {call}"
        return [*([measure.ask(here)] if measure.ask else []), f"Next: {call}."]
    question = found(session.lab, slug)
    assert question is not None
    here, seed = asking.scene(session, work, question)
    return [*asking.posed(question, here, seed), f'Next: {session.name}.explain("{slug}", ...).']


def recall(session: Session, given: tuple[Any, ...], typed: Mapping[str, Any]) -> Reply:
    """Ask something without points, from memory; where a lab is named, it is what that one has shown."""
    lab = session.lab
    if given and isinstance(given[0], str) and given[0] in catalog.CURRICULUM:
        return warming.warm_up(session, given[0], next(iter((*given[1:], *typed.values())), ...))
    if lab.recall is None:
        return say("This lab has no recall.", state="refused")
    here = session.scene(session.work(), "recall")
    value = next(iter((*given, *typed.values())), ...)
    if is_blank(value):
        return say(*_from_memory(session, lab.recall.ask(here)))
    try:
        answer = read("", lab.recall.blank.kind, value, here.parameters)
    except Refusal as refusal:
        return say(str(refusal), state="refused")
    right = lab.recall.solve(here)
    told = lab.recall.blank.kind.say
    said = f"So it is: {told(right)}." if answer == right else f"You said {told(answer)}; it is {told(right)}."
    return say(f"{said} {warming.again(lab)}".strip())


def _from_memory(session: Session, ask: str) -> list[str]:
    """Return the question without points and its call, which is not broken over two lines."""
    call = f"{session.name}.recall(...)   no points"
    whole = f"{ask}   {call}"
    return [whole] if len(whole) <= WIDTH else [ask, call]


def next_lab(lab: Lab) -> str:
    """Return which lab comes next in this release, how long it takes and what it asks; empty after the last."""
    there = catalog.slugs()
    if lab.next_lab.partition(",")[0] in there:
        return lab.next_lab
    later = (
        [slug for slug in there if catalog.CURRICULUM.index(slug) > catalog.CURRICULUM.index(lab.slug)]
        if lab.slug in there
        else []
    )
    if not later:
        return ""
    following = catalog.load(later[0])
    return f'{following.slug}, {following.minutes} min, "{following.title[0].lower()}{following.title[1:]}"'


def check(session: Session) -> Reply:
    """Print the card: what each item earned, which step opens the rest."""
    lab, work = session.lab, session.work()
    lines = list(card(lab.slug, marks(lab, Evidence(lab.slug, session.journal().entries()))))
    if (
        work.skip is not None
        and not skipped(work)
        and any(name == lab.skip_to for name, _ in (*work.records, *work.tries))
        and any(not steps.done(work, step) for step in steps.stood_for(lab))
    ):
        lines.append(f"The way past did not open this time: go back to step {steps.position(work)}; nothing is lost.")
    records = newest(work)
    if lab.closing is not None:
        lines += lab.closing(records)
    if lab.recall is not None:
        ask = lab.recall.ask(session.scene(work, "recall"))
        lines += _from_memory(session, ask)
    if following := next_lab(lab):
        lines.append(f"Next: {following}")
    _home(session)
    return Reply(tuple(lines), session.about(""), state="card")


def _home(session: Session) -> None:
    """Write the course home anew where this lab lies in a workspace; it is no part of the answer, so nothing can fail here."""
    from course import homepage

    workspace = session.folder.resolve().parent
    if session.frozen or not (workspace / homepage.NOTEBOOK).is_file():
        return
    with suppress(Exception):
        homepage.refresh(workspace)


def newest(work: Work) -> dict[str, Record]:
    """Return the newest record of each measure."""
    found_ = {name: work.latest(name) for name, _ in work.records}
    return {name: kept.record for name, kept in found_.items() if kept is not None}


def plot(session: Session) -> Reply:
    """Draw the learner's own records as one picture, with the same as text."""
    lab, records = session.lab, newest(session.work())
    if lab.picture is None or not records:
        return say("There is nothing to draw yet: measure first.", state="refused")
    from io import BytesIO

    figure = lab.picture(records)
    file = BytesIO()
    figure.savefig(file, format="png", dpi=110, bbox_inches="tight")
    text = [f"A picture of your records: {names(tuple(records))}. {lab.picture_says}"]
    if lab.picture_text is not None:
        return Reply((*text, *lab.picture_text(records), *_after_plot(session)), picture=file.getvalue())
    for slug in records:
        work = session.work()
        kept = work.latest(slug)
        bet = next((bet for bet in lab.bets if bet.measure == slug), None)
        if kept is not None and bet is not None:
            text += bet.look(dataclasses.replace(session.scene(work, bet.slug, kept.record), answers={}))
    return Reply((*text, *_after_plot(session)), picture=file.getvalue())


def _after_plot(session: Session) -> list[str]:
    """Return the line that names the step after the picture, until that is done: a picture may be drawn at any time."""
    lab, work = session.lab, session.work()
    if "plot" not in lab.steps[:-1] or steps.done(work, lab.steps[lab.steps.index("plot") + 1]):
        return []
    return [steps.after(lab, "plot")]


def solution(session: Session, really: bool = False) -> Reply:
    """Show where the reference solution is; opening it is noted."""
    lab, rules = session.lab, session.course
    folder = Path(__file__).resolve().parent.parent / "labs" / lab.slug / "reference"
    if not rules.solutions_open or not folder.is_dir():
        return say(
            f"The reference solution is not part of this release. A hint is: {session.name}.hint().", state="refused"
        )
    work = session.work()
    if work.solution is None and not really:
        return say(
            "Opening the solution is noted. What you have earned stays; of the rest only the transfer questions still count.",
            f"If you want that: {session.name}.solution(really=True). If not: {session.name}.hint().",
            state="asked",
        )
    if work.solution is None and not session.frozen:
        session.write("solution", acts.Nothing())
    files = sorted(path for path in folder.iterdir() if path.suffix in {".mjs", ".cjs", ".js", ".md"})
    told = [line for path in files for line in (f"--- {path.name}", *path.read_text("utf-8").splitlines())]
    return say(*told, state="solution", entries=session.about(""))


def check_one(session: Session, item: str) -> Reply:
    """Print one line of the card, for the graded cell of that item."""
    from grader.card import row

    lab = session.lab
    every = marks(lab, Evidence(lab.slug, session.journal().entries()))
    mark = next((mark for mark in every if mark.item.grade_id in (item, f"{lab.slug}-{item}")), None)
    if mark is None:
        return say(
            f"There is no item {item!r} on this card. There is {names(tuple(mark.item.grade_id for mark in every))}."
        )
    reason = [mark.verdict.because] if mark.verdict.because else []
    return Reply((row(mark), *reason), _of_item(session, mark.item), state="card")


def _of_item(session: Session, item: Item) -> tuple[Entry, ...]:
    """Return the entries an item rests on, so that its graded cell alone can be judged."""
    things = {*item.bets, *([item.question] if item.question else []), *(check.measure for check, _ in item.checks)}
    entries = {entry.number: entry for name in things for entry in session.about(name)}
    return tuple(entries[number] for number in sorted(entries))
