"""What a learner types: ``gates.predict(...)``, ``gates.measure(...)``, and the rest. Every act prints one answer.

Nothing here raises, but what Python itself raises for a misspelled name: a problem is a sentence, a fault of ours is one too.
"""

from __future__ import annotations

import hashlib
import os
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from course import asking, betting, keeping, magic, measuring
from course.display import show
from course.progress import Bar
from course.reply import Reply, say
from course.session import Session
from labs import acts
from labs.errors import FourThreadsError, NoisyError, SetupError

OPENED: dict[str, Learner] = {}


class GradingError(RuntimeError):
    """``check`` ran inside nbgrader's stock autograde, which executes student code: no mark may come from there."""


def open_lab(slug: str, room: str | None = None) -> Learner:
    """Open a lab in the current folder; see :func:`course.lab`."""
    from course.machinery import node_version, session

    try:
        opened = Learner(session(slug, Path.cwd(), room), slug)
    except FourThreadsError as problem:
        opened = Learner(None, slug, str(problem))
    except OSError as problem:
        opened = Learner(
            None, slug, str(SetupError.refused(problem) or f"This folder cannot be used: {problem.strerror}.")
        )
    OPENED[slug] = opened
    magic.register(_find)
    opened._tell("open", lambda it: keeping.greet(it, node_version()))
    return opened


def _find(slug: str) -> Callable[[str], None]:
    learner = OPENED.get(slug) or (next(iter(OPENED.values())) if len(OPENED) == 1 and not slug else None)
    if learner is not None:
        return learner.node
    names = ", ".join(OPENED) or "none yet"

    def not_open(_text: str) -> None:
        show(say(f"%%node is followed by the name of an open lab (open: {names}). Run the cell with lab(...) first."))

    return not_open


def code_of(fault: BaseException) -> str:
    """Return a short code that is equal for equal faults: what was raised, and where."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return "F-" + hashlib.sha256(f"{type(fault).__name__} {place}".encode()).hexdigest()[:6]


class Learner:
    """One lab, as its notebook uses it."""

    def __init__(self, session: Session | None, slug: str, problem: str = "") -> None:
        self._session = session
        self._slug = slug
        self._problem = problem

    def __repr__(self) -> str:
        return f"<lab {self._slug}>"

    def _tell(self, thing: str, act: Callable[[Session], Reply]) -> None:
        if self._session is None:
            show(say(self._problem))
            return
        show(answer(self._session, thing, act))

    def predict(self, bet: str, /, **blanks: Any) -> None:
        """Bet before looking: fill the blanks with numbers of your own."""
        self._tell(bet, lambda it: betting.predict(it, bet, blanks))

    def measure(self, measure: str | None = None, /, *, again: bool = False, **typed: Any) -> None:
        """Ask Node. What was measured is kept; ``again=True`` measures once more."""

        def act(session: Session) -> Reply:
            with Bar() as bar:
                return measuring.measure(session, measure, typed, again, bar)

        self._tell(measure or "free", act)

    def explain(self, question: str, /, *answer: Any, **blanks: Any) -> None:
        """Answer a question; left blank, it is printed in your numbers."""
        self._tell(question, lambda it: asking.explain(it, question, answer, blanks))

    answer = explain

    def node(self, script: str) -> None:
        """Keep a script of your own and run it dry; ``%%node`` does this with a cell."""
        self._tell("script", lambda it: magic.node(it, script))

    def hint(self, thing: str | None = None, /) -> None:
        """Show the next hint; it costs nothing."""
        self._tell(thing or "hint", lambda it: asking.hint(it, thing))

    def evidence(self, thing: str, /) -> None:
        """Show the raw lines that a number was counted from."""
        self._tell(thing, lambda it: keeping.evidence(it, thing))

    def plot(self) -> None:
        """Draw your records as one picture."""
        self._tell("plot", keeping.plot)

    def what_if(self, **numbers: Any) -> None:
        """Play with numbers: what the model says of a machine you do not have, beside what you measured."""
        from course import whatif

        if self._session is None:
            show(say(self._problem))
            return
        session = self._session
        reply = answer(session, "what if", lambda it: whatif.answer(it, numbers))
        if reply.picture is None:
            show(reply)
        else:
            whatif.play(session, reply, numbers)

    def again(self, thing: str, /) -> None:
        """Draw new numbers for a thing; the best draw counts."""
        self._tell(thing, lambda it: keeping.again(it, thing))

    def skip(self) -> None:
        """Take the way past, for who knows this already."""
        self._tell("skip", keeping.skip)

    def recall(self, *answer: Any, **blanks: Any) -> None:
        """Answer from memory, without points: ``recall("gates", ...)`` about an earlier lab, ``recall(...)`` about this one."""
        self._tell("recall", lambda it: keeping.recall(it, answer, blanks))

    def check(self, item: str | None = None, /) -> None:
        """Show your card: what is earned, and what opens the rest.

        Raises:
            GradingError: Inside nbgrader's stock autograde; the marks of this course come from evidence only.
        """
        if os.environ.get("NBGRADER_EXECUTION") == "autograde":
            raise GradingError(
                "Four Threads marks from evidence, and this notebook is being executed: use the course's configuration."
            )
        self._tell("check", lambda it: keeping.check(it) if item is None else keeping.check_one(it, item))

    def solution(self, *, really: bool = False) -> None:
        """Open the reference solution; this is noted."""
        self._tell("solution", lambda it: keeping.solution(it, really))


def answer(session: Session, thing: str, act: Callable[[Session], Reply]) -> Reply:
    """Return what an act is answered with, whatever happens in it; a fault of ours gets a code and stands in the journal."""
    try:
        return act(session)
    except NoisyError as problem:
        return say(str(problem), state="inconclusive")
    except FourThreadsError as problem:
        return say(str(problem), state="error")
    except KeyboardInterrupt:
        return say(measuring.INTERRUPTED, state="inconclusive")
    except Exception as fault:
        if isinstance(fault, OSError) and (refused := SetupError.refused(fault)) is not None:
            return say(str(refused), state="error")
        if os.environ.get("FOURTHREADS_TRACE"):
            raise
        code = code_of(fault)
        with suppress(Exception):
            session.write(
                "fault", acts.Faulted(code=code, message=f"{type(fault).__name__}: {fault}"[:500], thing=thing)
            )
        return say(
            f"This is a fault of the course, not yours. It is noted with your work: {code}. Please report it; these points are "
            "left out of your total until it is settled.",
            state="fault",
        )
