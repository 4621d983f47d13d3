"""Laws: what a record that earns nothing is held against (``Lab.law``): a count in each run, and what the model says of it.

A measure without one has nothing that the model expects one value of, such as times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labs.answers import Answer
from labs.measurement import Record, Run
from labs.spec import CountCheck, Scene

#: What is counted in a run; None where the run does not hold it.
Reads = Callable[[Run], int | str | None]
#: What the model says of a run of a record; None where it says nothing of this run, which is then left out.
Expects = Callable[[Run, Record], int | str | None]


def law(
    lab: str,
    name: str,
    measure: str,
    reads: Reads,
    expects: Expects,
    because: str,
    *,
    wrong: Mapping[str, Expects] | None = None,
    sanity: Callable[[Record], str | None] = lambda record: None,
) -> CountCheck:
    """Return a check of every run of a measure's record: one value for a single run, else one for each in their order.

    Args:
        lab: The lab's slug.
        name: Its permanent name, behind the lab's, in verdicts.
        measure: Whose records it judges.
        reads: What was counted.
        expects: What the model says.
        because: One sentence: what was counted, and by which rule.
        wrong: Story slug -> what it says instead.
        sanity: Why a record cannot be judged, or None.
    """

    def measured(record: Record) -> Answer | None:
        return _row([reads(run) for run in record.runs if expects(run, record) is not None])

    def said(scene: Scene, by: Expects) -> Answer:
        assert scene.record is not None
        judged = [run for run in scene.record.runs if expects(run, scene.record) is not None]
        found = _row([by(run, scene.record) for run in judged])
        return found if found is not None else "nothing"

    return CountCheck(
        slug=f"{lab}-{name}",
        measure=measure,
        measured=measured,
        expected=lambda scene: said(scene, expects),
        wrong=lambda scene: {name: said(scene, by) for name, by in (wrong or {}).items()},
        because=lambda scene: because,
        next_step=f'Measure again with the lab\'s own program: fourthreads measure {lab} --measure "{measure}".',
        sanity=sanity,
    )


def observed(name: str) -> Reads:
    """Return what reads a count that was observed from outside; what a script claims is none."""
    return lambda run: run.counts.get(name) if run.sources.get(name) == "observed" else None


def of_program(name: str) -> Reads:
    """Return what reads a count that the lab's own program made (claimed; no learner's script runs in such a measure)."""
    return lambda run: run.counts.get(name)


def _row(values: list[int | str | None]) -> Answer | None:
    """Return one value, or several as a row; None where there are none or one is missing."""
    if not values or any(value is None for value in values):
        return None
    if len(values) == 1:
        return values[0]
    return tuple(values)  # type: ignore[return-value]  # all numbers or all texts, as one law reads them
