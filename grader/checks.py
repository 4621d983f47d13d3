"""One check on one record. Pure: it reads the record and nothing else."""

from __future__ import annotations

from statistics import median

from grader.verdict import Outcome, Verdict
from labs import ratio
from labs.measurement import Record
from labs.spec import CountCheck, RatioCheck, Scene

NEXT_RUN = "Run the cell again; nothing is lost."


def judge_check(check: CountCheck | RatioCheck, scene: Scene) -> Verdict:
    """Return what a check says about ``scene.record``.

    A record that has not the form the check reads (another release, a forgery) is an ERROR with its reason, never a crash.
    """
    if scene.record is None:
        return Verdict(check=check.slug, outcome=Outcome.NOT_ATTEMPTED, next_step=check.next_step)
    try:
        if isinstance(check, CountCheck):
            return _count(check, scene, scene.record)
        return _ratio(check, scene, scene.record)
    except Exception as problem:
        because = f"This record has not the form that is judged here ({type(problem).__name__}: {problem})."
        return Verdict(check=check.slug, outcome=Outcome.ERROR, because=because, next_step=NEXT_RUN)


def _count(check: CountCheck, scene: Scene, record: Record) -> Verdict:
    if (reason := check.sanity(record)) is not None:
        return Verdict(check=check.slug, outcome=Outcome.INCONCLUSIVE, because=reason, next_step=NEXT_RUN)
    measured, expected = check.measured(record), check.expected(scene)
    if measured is None:
        because = "The record does not hold what is counted here."
        return Verdict(check=check.slug, outcome=Outcome.INCONCLUSIVE, because=because, next_step=NEXT_RUN)
    passed = measured == expected
    return Verdict(
        check=check.slug,
        outcome=Outcome.PASS if passed else Outcome.CONTRADICTS,
        wrong_models=() if passed else tuple(name for name, value in check.wrong(scene).items() if value == measured),
        measured=measured,
        expected=expected,
        accepted=expected,
        because=check.because(scene),
        next_step="" if passed else check.next_step,
    )


def _ratio(check: RatioCheck, scene: Scene, record: Record) -> Verdict:
    if (reason := check.sanity(record)) is not None:
        return Verdict(check=check.slug, outcome=Outcome.INCONCLUSIVE, because=reason, next_step=NEXT_RUN)
    pairs = [pair for pair in record.pairs if pair.name == check.pair]
    if not pairs or not record.machine.capacity:
        because = "No pairs of runs were made on a calibrated machine."
        return Verdict(check=check.slug, outcome=Outcome.INCONCLUSIVE, because=because, next_step=NEXT_RUN)
    accepted = ratio.band(check.expected(scene, record.machine), check.wrong(scene, record.machine))
    alone = median(pair.denominator for pair in pairs)
    beside = ratio.control(record.machine, record.noise.floor, check.threads(scene), alone)
    seen = ratio.final(ratio.judge(pairs, accepted, beside))
    outcome = Outcome(seen.outcome)
    return Verdict(
        check=check.slug,
        outcome=outcome,
        wrong_models=seen.fits,
        measured=seen.estimate and [seen.estimate.value, seen.estimate.low, seen.estimate.high],
        expected=list(accepted.expected),
        accepted=[accepted.low, accepted.high],
        because=f"{check.because(scene)} {seen.because[:1].upper()}{seen.because[1:]}.".strip(),
        next_step="" if outcome is Outcome.PASS else check.next_step,
    )
