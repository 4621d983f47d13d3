"""From evidence to verdicts. Pure: the same evidence and the same lab give the same verdicts for ever."""

from __future__ import annotations

from grader import work
from grader.checks import judge_check
from grader.marks import marks
from grader.policy import rounded
from grader.verdict import Outcome, Verdict
from grader.work import Evidence
from labs.measurement import Record
from labs.spec import Lab


def judge(lab: Lab, evidence: Evidence) -> tuple[Verdict, ...]:
    """Return one verdict for each item of the lab (each graded cell), with its points, in the order of the card."""
    return tuple(mark.verdict for mark in marks(lab, evidence))


def judge_record(lab: Lab, record: Record) -> tuple[Verdict, ...]:
    """Return the verdicts of every check of the record's measure, with the points each is worth at most.

    A recorded run (room ``replay``) is judged too, and earns nothing. So is what no item is about, by the lab's ``law``.
    """
    scene = work.alone(record)
    found: dict[str, Verdict] = {}
    worth = [(check, rounded(item.points * weight)) for item in lab.items for check, weight in item.checks]
    for check, most in [*worth, *((check, 0.0) for check in lab.law)]:
        if check.measure != record.measure or check.slug in found:
            continue
        seen = judge_check(check, scene)
        earned = most if seen.outcome is Outcome.PASS and record.room != "replay" else 0.0
        found[check.slug] = Verdict(
            check=seen.check, outcome=seen.outcome, wrong_models=seen.wrong_models, measured=seen.measured,
            expected=seen.expected, accepted=seen.accepted, because=seen.because, next_step=seen.next_step,
            points=earned, max_points=most,
        )  # fmt: skip
    return tuple(found.values())
