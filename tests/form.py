"""The form of whatever is said to a learner."""

from __future__ import annotations

import re
from collections.abc import Sequence

from course.reply import MOST_LINES, WIDTH, wrapped
from grader import answering
from labs.spec import Lab, Question, Scene

#: Words that are never said, and exclamation marks, but for JavaScript's ``!=`` and ``!done``.
HARSH = re.compile(r"\b(wrong|incorrect|oops|traceback)\b|!(?![=\w])", re.IGNORECASE)
#: A pattern of equal tasks, which only the lab ``waves`` speaks of; others may name that lab, as ``waves``.
WAVE = re.compile(r"\bwaves?\b(?!`)", re.IGNORECASE)


def own_steps(lab: Lab, acts: Sequence[str]) -> list[str]:
    """Return what cells do, without what is part of the step before: a second warm-up, and the evidence of what was just measured."""
    more = {f"recall {warm.lab}" for warm in lab.warm_ups[1:]}
    shown = {
        after
        for before, after in zip(acts, acts[1:], strict=False)
        if before == after.replace("evidence ", "measure ", 1) and after not in lab.steps
    }
    return [act for act in acts if act not in more | shown]


def banned(text: str, *, waves: bool = False) -> list[str]:
    """Return the words of a text that are not to be said."""
    patterns = (HARSH,) if waves else (HARSH, WAVE)
    return [found[0] for pattern in patterns for found in pattern.finditer(text)]


def fits(lines: Sequence[str], most: int = MOST_LINES, *, waves: bool = False) -> None:
    """Assert that an answer has so many lines at most, each of the page's width, and no word that is not to be said."""
    shown = wrapped(lines)
    text = "\n".join(shown)
    assert len(shown) <= most, text
    assert max(map(len, shown)) <= WIDTH
    assert [] == banned(text, waves=waves), text


def asks_fairly(question: Question, here: Scene, most: int = 10) -> None:
    """Assert that a question with all its options fits, each wrong one has a hint, and no answer to one states the right one."""
    options = answering.options(question, here)
    right = next(option for option in options if option.slug == question.right)
    assert len(options) == len({option.slug for option in options}) == len({option.text for option in options})
    fits((question.ask(here), *(f"  a  {option.text}" for option in options)), most)
    fits(question.because(here))
    for option in options:
        if option.reply:
            fits((option.reply,), 3)
        assert option is right or option.hint
        assert option is right or right.text not in option.reply
