"""``predict``: a number of one's own, before looking."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_lowercase
from typing import Any

from course.reply import Reply, say
from course.session import Session
from grader import work as works
from grader.work import Placed, Work
from labs import acts
from labs.answers import Answer, Choice, Refusal, noun, read
from labs.spec import Bet, Blank
from labs.words import listed

SURE = Choice(("guess", "think", "bet"))


def names(things: Mapping[str, Any] | tuple[str, ...]) -> str:
    """Return names in quotes, for a sentence."""
    return ", ".join(f'"{name}"' for name in things)


def is_blank(typed: object) -> bool:
    """Return whether a value is still the blank of the notebook: ``...``, alone or in a list."""
    return typed is ... or (isinstance(typed, list | tuple) and any(item is ... for item in typed))


def said(bet_blanks: tuple[Blank, ...], answers: Mapping[str, Answer]) -> str:
    """Return the answers as one clause: ``3 held, then 4 starts``."""
    return ", then ".join(blank.say(answers[blank.name]) for blank in bet_blanks if blank.name in answers)


def predict(session: Session, slug: str, typed: Mapping[str, Any]) -> Reply:
    """Note a bet, or say what is missing. Nothing that is typed here can cost anything."""
    bet = next((bet for bet in session.lab.bets if bet.slug == slug), None)
    if bet is None:
        return say(f"There is no bet {slug!r} here. The bets are {names(tuple(bet.slug for bet in session.lab.bets))}.")
    known = {blank.name for blank in bet.blanks} | {"sure"}
    if unknown := sorted(typed.keys() - known):
        return say(
            f"This bet has no blank {unknown[0]!r}. Its blanks are {', '.join(b.name for b in bet.blanks)}.",
            state="refused",
        )
    work = session.work()
    drawn = session.drawn(work, bet.measure)
    number = drawn.number
    seen = works.telling(bet, work.records.get((bet.measure, number), ()))
    stands = works.standing(work, bet, number)
    if seen is not None:
        return _closed(session, bet, stands)
    blanks = [blank for blank in bet.blanks if is_blank(typed.get(blank.name, ...))]
    if blanks:
        return _blank(session, work, bet, blanks, typed)
    try:
        answers = {one.name: read(one.name, one.kind, typed[one.name], drawn.parameters) for one in bet.blanks}
        unsaid = is_blank(typed.get("sure", ...)) or typed["sure"] is None
        sure = None if unsaid else str(read("sure", SURE, typed["sure"], {}))
    except Refusal as refusal:
        return say(str(refusal), state="refused", entries=session.about(slug))
    return _note(session, bet, number, stands, answers, sure, typed)


def _note(
    session: Session, bet: Bet, number: int, stands: Placed | None, answers: dict[str, Answer], sure: str | None,
    typed: Mapping[str, Any],
) -> Reply:  # fmt: skip
    more = _listed(bet, typed, answers)
    if stands is None or dict(stands.answers) != answers or stands.sure != sure:
        session.write("bet", acts.Betted(bet=bet.slug, draw=number, answers=answers, sure=sure, typed=more))
    text = f"Noted: {said(bet.blanks, answers)}"
    if stands is not None and dict(stands.answers) != answers:
        text = f"Changed: {_changes(bet, stands.answers, answers)}"
    if more:
        tasks = ", ".join(str(item) for value in more.values() for item in value)
        text += f" (you named tasks {tasks}; we keep that too)."
        return say(text, state="noted", entries=session.about(bet.slug))
    return say(
        f"{text}. You can run the next cell. A bet can be changed until then.",
        state="noted",
        entries=session.about(bet.slug),
    )


def _changes(bet: Bet, before: Mapping[str, Answer], after: Mapping[str, Answer]) -> str:
    changed = [
        (blank.name, blank.kind.say(before[blank.name]), blank.kind.say(after[blank.name]))
        for blank in bet.blanks
        if before.get(blank.name) != after[blank.name] and blank.name in before
    ]
    if len(bet.blanks) == 1:
        return "; ".join(f"{was} -> {now}" for _, was, now in changed)
    return "; ".join(f"{name} {was} -> {now}" for name, was, now in changed)


def _listed(bet: Bet, typed: Mapping[str, Any], answers: Mapping[str, Answer]) -> dict[str, list[int]]:
    """Return the lists that were typed where only a number was asked for: they say more than the number."""
    found = {}
    for blank in bet.blanks:
        value = typed[blank.name]
        if isinstance(value, list | tuple | set) and isinstance(answers[blank.name], int):
            found[blank.name] = [int(item) for item in value if isinstance(item, int)]
    return {name: items for name, items in found.items() if items}


def _left(blank: Blank, value: object) -> str:
    """Return what of a blank is still to be typed: its name, or the letters of its items where some are there."""
    if not isinstance(value, list | tuple) or all(item is ... for item in value) or blank.each is None:
        return blank.name
    letters = [letter for letter, item in zip(ascii_lowercase, value, strict=False) if item is ...]
    return f"{blank.name} {listed(letters)}"


def _blank(session: Session, work: Work, bet: Bet, blanks: list[Blank], typed: Mapping[str, Any]) -> Reply:
    still = [_left(blank, typed.get(blank.name, ...)) for blank in blanks]
    nouns = {noun(blank.kind) for blank in blanks}
    what = f"Still blank: {', '.join(still)}"
    if still == [blank.name for blank in bet.blanks]:
        what = f"No {nouns.pop() if len(nouns) == 1 else 'answer'} yet"
    lines = [bet.ask(session.scene(work, bet.slug)), f"{what}. Any honest guess will do; only making one counts."]
    lines.append("Next: put your own in place of ... in this cell and run it.")
    return say(*lines, state="blank", entries=session.about(bet.slug))


def _closed(session: Session, bet: Bet, stands: Placed | None) -> Reply:
    was = f"you said {said(bet.blanks, stands.answers)}" if stands else "it was not made before looking"
    again = f'{session.name}.again("{bet.slug}") opens a new one.'
    return say(f"This bet is closed: {was}. {again}", state="closed", entries=session.about(bet.slug))
