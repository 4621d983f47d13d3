"""``explain`` and ``hint``: questions that earn points answer in steps, never with the answer first."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from course.betting import is_blank, names
from course.reply import Reply, say
from course.session import Session
from grader import policy
from grader.answering import Asked, asked, found, lettered, options, solution
from grader.work import Try, Work
from labs import acts
from labs.answers import Answer, Choice, Refusal, read
from labs.spec import Option, Question, Scene


def scene(session: Session, work: Work, question: Question) -> tuple[Scene, int]:
    """Return a question's scene at the draw in force, and its seed."""
    drawn = session.drawn(work, question.slug)
    kept = work.latest(question.needs[-1]) if question.needs else None
    return session.scene(work, question.slug, kept.record if kept else None), drawn.seed


def posed(question: Question, here: Scene, seed: int) -> list[str]:
    """Return the question in the learner's numbers, with its lettered options."""
    return [
        question.ask(here),
        *(f"  {letter}  {option.text}" for letter, option in lettered(question, here, seed).items()),
    ]


def explain(session: Session, slug: str, given: tuple[Any, ...], typed: Mapping[str, Any]) -> Reply:
    """Take an answer: the first miss gets what speaks against it, the second a hint, the third the answer with its reason."""
    question = found(session.lab, slug)
    if question is None:
        return say(
            f"There is no question {slug!r} here. The questions are {names(tuple(q.slug for q in session.lab.questions))}."
        )
    work = session.work()
    missing = [name for name in question.needs if work.latest(name) is None]
    if missing and not session.room == "replay":
        return say(f'First measure "{missing[0]}": this question is about what you saw there.', state="refused")
    here, seed = scene(session, work, question)
    kinds = _kinds(question, here, seed)
    values = dict(typed)
    for name, value in zip(kinds, given, strict=False):
        values.setdefault(name, value)
    if unknown := sorted(values.keys() - kinds.keys()):
        return say(f"This question has no blank {unknown[0]!r}. Its blanks are {', '.join(kinds)}.", state="refused")
    blanks = [name for name in kinds if is_blank(values.get(name, ...))]
    seen = asked(question, here, work.tries.get((slug, work.number(slug)), ()))
    if blanks:
        if seen.settled:
            return _settled(session, work, question, here, seen)
        lines = posed(question, here, seed)
        lines.append(f"Next: put your answer ({', '.join(blanks)}) in place of ... and run this cell.")
        return say(*lines, state="blank", entries=session.about(slug))
    try:
        # A letter alone is typed without the name of its blank.
        said = {name: name if name in typed or len(kinds) > 1 else "" for name in kinds}
        answers = {name: read(said[name], kind, values[name], here.parameters) for name, kind in kinds.items()}
    except Refusal as refusal:
        return say(str(refusal), state="refused", entries=session.about(slug))
    if question.choice in kinds and question.right is not None:
        answers[question.choice] = lettered(question, here, seed)[str(answers[question.choice])].slug
    return _take(session, work, question, here, answers, seen)


def _kinds(question: Question, here: Scene, seed: int) -> dict[str, Any]:
    kinds: dict[str, Any] = {blank.name: blank.kind for blank in question.blanks}
    if question.right is None:
        return kinds
    letters = Choice(tuple(lettered(question, here, seed)))
    if question.blanks:
        return {**kinds, question.choice: letters}
    return {question.choice: letters}


def _take(
    session: Session, work: Work, question: Question, here: Scene, answers: dict[str, Answer], seen: Asked,
) -> Reply:  # fmt: skip
    right = answers == solution(question, here)
    if seen.settled:
        if right and seen.right_at is not None:
            return _right(session, question, here, answers, seen)
        return _settled(session, work, question, here, seen)
    number = work.number(question.slug)
    if session.frozen:
        return say("Nothing is noted while a notebook is graded.", state="refused")
    if answers not in [dict(miss) for miss in seen.misses]:
        entry = session.write(
            "answer", acts.Answered(question=question.slug, draw=number, answers=answers, right=right)
        )
        tries = (*work.tries.get((question.slug, number), ()), Try(answers, entry))
        seen = asked(question, here, tries)
    if right:
        return _right(session, question, here, answers, seen)
    if seen.settled:
        return _settled(session, work, question, here, seen)
    return _missed(session, question, here, answers, level=[dict(miss) for miss in seen.misses].index(answers))


def _option(question: Question, here: Scene, answers: Mapping[str, Answer]) -> Option | None:
    return next((option for option in options(question, here) if option.slug == answers.get(question.choice)), None)


def _reply(question: Question, here: Scene, answers: Mapping[str, Answer]) -> list[str]:
    if question.reply is not None:
        return list(question.reply(dataclasses.replace(here, answers=answers)))
    option = _option(question, here, answers)
    return [option.reply] if option else []


def _missed(session: Session, question: Question, here: Scene, answers: Mapping[str, Answer], level: int) -> Reply:
    lines = _reply(question, here, answers)
    if level:
        option = _option(question, here, answers)
        hint = question.hint(dataclasses.replace(here, answers=answers)) if question.hint else ""
        hint = (option.hint if option else "") or hint
        lines = [*(lines if not hint else []), *([hint] if hint else [])]
    left = policy.MOST_MISSES - 1 - level
    lines.append(f"Next: change your answer and run this cell again ({left} more {'try' if left == 1 else 'tries'}).")
    return say(*lines, state="missed", entries=session.about(question.slug))


def _right(session: Session, question: Question, here: Scene, answers: Mapping[str, Answer], seen: Asked) -> Reply:
    lines = _reply(question, here, answers) or list(question.because(here))
    if seen.right_at is not None and seen.right_at >= len(policy.TRIES):
        lines.append(f'{session.name}.again("{question.slug}") draws new numbers, and the best draw counts.')
    return say(*lines, *following(session, question.slug), state="right", entries=session.about(question.slug))


def _settled(session: Session, work: Work, question: Question, here: Scene, seen: Asked) -> Reply:
    if seen.right_at is not None:
        return _right(session, question, here, solution(question, here), seen)
    lines = list(question.because(here))
    lines.append(f'{session.name}.again("{question.slug}") draws new numbers; the best draw counts.')
    return say(*lines, *following(session, question.slug), state="settled", entries=session.about(question.slug))


def following(session: Session, slug: str) -> list[str]:
    """Return the line that names the next step after a question, and the consolidation where this question opens it."""
    from course.steps import after

    lab = session.lab
    opens = lab.five_lines_after or (lab.questions[0].slug if lab.questions else "")
    told = []
    if lab.five_lines is not None and slug == opens:
        work = session.work()
        question = found(lab, slug)
        assert question is not None
        told = [
            f"{index}. {line}" if not line[:1].isdigit() else line
            for index, line in enumerate(lab.five_lines(scene(session, work, question)[0]), 1)
        ]
    return [*told, after(session.lab, f"explain {slug}")]


def hint(session: Session, slug: str | None) -> Reply:
    """Show the next hint of a thing; hints cost nothing."""
    lab, work = session.lab, session.work()
    if slug is None or (slug not in lab.hints and found(lab, slug) is None):
        have = tuple(lab.hints) or tuple(question.slug for question in lab.questions)
        return say(f"Which hint? {session.name}.hint(...) knows {names(have)}.", state="refused")
    hints = lab.hints.get(slug, ())
    question = found(lab, slug)
    if not hints and question is not None and question.hint is not None:
        hints = (question.hint(scene(session, work, question)[0]),)
    if not hints:
        return say("There is no hint for this one: try an answer, and see what speaks against it.")
    level = min(work.hints.get(slug, 0) + 1, len(hints))
    if not session.frozen and level > work.hints.get(slug, 0):
        session.write("hint", acts.Hinted(thing=slug, level=level))
    last = "That was the last one." if level == len(hints) else f'{session.name}.hint("{slug}") has another.'
    return say(f"{level} of {len(hints)}: {hints[level - 1]}", last, entries=session.about(slug))
