"""What a trial does with a lab: the reference solution and the wrong ways, and what each check must say of them. Data only.

They stand in ``labs/SLUG/reference/trial.py`` as ``TRIALS``, beside the solution: class releases leave that folder out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from labs.measurement import Machine, Parameters
from labs.spec import Row, Scene


@dataclass(frozen=True)
class Case:
    """One way to do a measure; it is run live, with a new draw each time.

    Attributes:
        slug: Its name in results: ``solution``, or what is done instead.
        measure: Which measure.
        typed: What is passed to it, from the draw's numbers.
        script: The JavaScript, None for the lab's own.
        contradicts: None for the solution: every count check of the measure must pass. Else the checks that must contradict,
            each with the stories of which one must be named (none given: none may be).
    """

    slug: str
    measure: str
    typed: Callable[[Scene], Row] = lambda scene: {}
    script: str | None = None
    contradicts: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Series:
    """A ratio whose pairs are recorded once, many of them, and judged in windows.

    Attributes:
        slug: ``solution``, or the story whose prediction is brought about.
        check: The ratio check.
        measure: The measure that records pairs without looking at them; it takes ``count``.
        parameters: Its parameters, from the check's scene and the calibrated machine; None where this machine cannot bring the
            prediction about.
        story: What a verdict must name; None for the solution, which must pass.
    """

    slug: str
    check: str
    measure: str
    parameters: Callable[[Scene, Machine], Parameters | None]
    story: str | None = None


@dataclass(frozen=True)
class Trials:
    """All of a lab's.

    Attributes:
        cases: Run live.
        series: Recorded once, judged often.
        node: What Node does, in every bet that is tried: the synthetic answers of stories are held against live records of the
            bets it names.
        notes: What else is not tried live, or is not as a learner has it: a sentence each, for the table's page.
    """

    cases: tuple[Case, ...] = ()
    series: tuple[Series, ...] = ()
    node: Callable[[Scene], Mapping[str, Row]] = field(default=lambda scene: {})
    notes: tuple[str, ...] = ()


def of(slug: str) -> Trials | None:
    """Return a lab's trials; None where it has none (or where the reference was left out)."""
    name = f"labs.{slug}.reference.trial"
    try:
        found = import_module(name).TRIALS
    except ModuleNotFoundError as problem:
        if problem.name is not None and name.startswith(problem.name):
            return None
        raise
    assert isinstance(found, Trials)
    return found
