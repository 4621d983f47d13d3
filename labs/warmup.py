"""A question at the start of a lab about one that came before, in the numbers of the learner's own record there. Data only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labs.answers import Answer

if TYPE_CHECKING:
    from labs.spec import Blank, Lines, Scene


@dataclass(frozen=True)
class WarmUp:
    """What was learned there, asked from memory; it earns nothing and opens nothing.

    Each function gets a scene whose ``record`` is the learner's newest record of the measure, else the recorded run, and
    whose ``parameters`` are that record's own. Numbers other than the record's are computed from them, so that the answer
    cannot be read off the old notebook.

    Attributes:
        lab: Slug of the lab that is remembered; also the warm-up's name in ``recall("...")``.
        measure: Whose record it speaks of; where the learner has none, its recorded run stands in.
        ask: The question; it names the record's numbers, and whether they are the learner's is said by the caller. Where a
            record cannot be asked about (it ended too early, say) any of the three functions may raise a ValueError or
            LookupError: then an older one, or the recorded run, stands in.
        blank: What is typed.
        solve: The answer.
        because: Why it is so, by what the record shows; one or two lines.
    """

    lab: str
    measure: str
    ask: Callable[[Scene], str]
    blank: Blank
    solve: Callable[[Scene], Answer]
    because: Callable[[Scene], Lines]
