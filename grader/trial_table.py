"""A trial's figures: how often each check erred, of how many tries, and how sure that makes us. Pure.

A window is what one verdict may take, 25 pairs in the order in which they were made, within one series. *Re-drawn*, it
begins at every pair: many windows, but neighbours share pairs. *Disjoint*, the next one begins after the pairs that the
verdict before took (9, 15 or 25), as a learner would measure again: only these support a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

import msgspec
from msgspec import Struct

from grader import binomial, trial, trial_log, work
from grader.checks import judge_check
from grader.shapes import MachineShape
from grader.trial_log import Block, Judged, Live
from grader.verdict import Outcome, Verdict
from labs import catalog, ratio
from labs.measurement import Clock, Node, Record, script_of
from labs.spec import RatioCheck, Scene

#: Pairs of the last look.
WINDOW = max(ratio.STAGES)


class Rate(Struct, frozen=True):
    """Errors in tries, and the rate that is not exceeded with 95 % confidence (one-sided)."""

    errors: int
    tries: int
    at_most: float


def rate(errors: int, tries: int) -> Rate:
    """Return a count with its bound."""
    return Rate(errors, tries, binomial.at_most(errors, tries))


class Row(Struct, frozen=True):
    """One check on one machine shape.

    Attributes:
        lab: Slug.
        check: Slug; ``bet NAME`` for a bet.
        shape: The machine.
        kind: ``live`` runs, or ``windows`` of recorded pairs.
        false_fail: The reference solution contradicted.
        inconclusive: It could not be judged, or had to be run again.
        false_pass: A wrong way passed.
        wrong_name: A wrong way contradicted under another name than its own.
        not_separable: Tries of the solution in which this machine cannot tell the models apart; they count in no rate.
        errors: Tries that ended in a fault (ours or the script's); they count in no rate.
        redrawn: Windows that begin at every pair: false FAIL and false PASS in so many; null for live runs.
        calibrations: Behind the pairs; null for live runs.
        same: Wrong models whose prediction is the model's own on this machine: their pairs are right, and not judged here.
        beside: Threads that ran beside ours when a try began, in the median; null where unknown.
        odd: Reasons of what went amiss, some of them.
    """

    lab: str
    check: str
    shape: MachineShape
    kind: str
    false_fail: Rate
    inconclusive: Rate
    false_pass: Rate
    wrong_name: Rate
    not_separable: int = 0
    errors: int = 0
    redrawn: tuple[tuple[int, int], tuple[int, int]] | None = None
    calibrations: int | None = None
    same: tuple[str, ...] = ()
    beside: float | None = None
    odd: tuple[str, ...] = ()


#: Reasons that a row keeps.
_MOST_ODD = 5


def rows(lines: Iterable[trial_log.Line]) -> tuple[Row, ...]:
    """Return the figures of a trial's lines: one row a check and shape, live ones first, in the order of the lines."""
    live: dict[tuple[str, str, MachineShape], list[Judged]] = {}
    beside: dict[tuple[str, str, MachineShape], list[float]] = {}
    pairs: dict[tuple[str, str, MachineShape], list[Block]] = {}
    for line in lines:
        if isinstance(line, Live):
            for one in line.judged:
                live.setdefault((line.lab, one.check, line.shape), []).append(one)
            for check in {one.check for one in line.judged}:
                beside.setdefault((line.lab, check, line.shape), []).extend(_known(line.beside))
        elif isinstance(line, Block):
            pairs.setdefault((line.lab, line.check, line.shape), []).append(line)
            beside.setdefault((line.lab, line.check, line.shape), []).extend(_known(line.beside))
    counted = (_row(*key, "live", judged) for key, judged in live.items())
    windows = (_windows(*key, blocks) for key, blocks in pairs.items())
    return tuple(
        msgspec.structs.replace(row, beside=median(seen) if (seen := beside[row.lab, row.check, row.shape]) else None)
        for row in (*counted, *windows)
    )


def _known(value: float | None) -> list[float]:
    return [] if value is None else [value]


def _row(lab: str, check: str, shape: MachineShape, kind: str, judged: Sequence[Judged]) -> Row:
    told = [one for one in judged if one.outcome not in (Outcome.ERROR, Outcome.NOT_SEPARABLE, Outcome.NOT_ATTEMPTED)]
    right = [one for one in told if one.right]
    wrong = [one for one in told if not one.right]
    refuted = [one for one in wrong if one.outcome is Outcome.CONTRADICTS]
    odd = [
        one.because
        for one in judged
        if one.because and (one.outcome is Outcome.ERROR or _erred(one) or not _well_named(one))
    ]
    return Row(
        lab, check, shape, kind,
        false_fail=rate(sum(one.outcome is Outcome.CONTRADICTS for one in right), len(right)),
        inconclusive=rate(sum(one.outcome is Outcome.INCONCLUSIVE for one in right), len(right)),
        # A bet is not passed: it earns its credit by being made.
        false_pass=rate(sum(one.outcome is Outcome.PASS for one in wrong), 0 if check.startswith("bet ") else len(wrong)),
        wrong_name=rate(sum(not _well_named(one) for one in refuted), len(refuted)),
        not_separable=sum(one.outcome is Outcome.NOT_SEPARABLE for one in judged if one.right),
        errors=sum(one.outcome is Outcome.ERROR for one in judged),
        odd=tuple(dict.fromkeys(odd))[:_MOST_ODD],
    )  # fmt: skip


def _erred(one: Judged) -> bool:
    return one.outcome is (Outcome.CONTRADICTS if one.right else Outcome.PASS)


def _well_named(one: Judged) -> bool:
    if one.right or one.outcome is not Outcome.CONTRADICTS:
        return True
    return bool({*one.wanted} & {*one.named}) if one.wanted else not one.named


# recorded pairs


def _windows(lab: str, check: str, shape: MachineShape, blocks: Sequence[Block]) -> Row:
    found = trial.ratio_check(catalog.load(lab), check)
    series: dict[tuple[str, int], list[Block]] = {}
    for block in blocks:
        series.setdefault((block.case, block.series), []).append(block)
    disjoint: list[Judged] = []
    redrawn = {True: [0, 0], False: [0, 0]}
    same: list[str] = []
    for (case, _), parts in series.items():
        record = _record(lab, found, parts)
        right = case == "solution"
        if not right and case in _inseparable(found, record):
            same.append(case)
            continue
        wanted = () if right else (case,)
        whole = [_judged(found, record, begin, begin + WINDOW, right, wanted) for begin in _begins(record)]
        redrawn[right][0] += sum(map(_erred, whole))
        redrawn[right][1] += len(whole)
        disjoint += _walk(found, record, right, wanted)
    row = _row(lab, check, shape, "windows", disjoint)
    made = len({(block.machine, block.noise) for block in blocks if block.pairs})
    lost = tuple(block.because for block in blocks if block.because)
    return msgspec.structs.replace(
        row, calibrations=made, same=tuple(dict.fromkeys(same)), odd=(*row.odd, *lost)[:_MOST_ODD], errors=row.errors + len(lost),
        redrawn=((redrawn[True][0], redrawn[True][1]), (redrawn[False][0], redrawn[False][1])),
    )  # fmt: skip


def _begins(record: Record) -> range:
    return range(len(record.pairs) - WINDOW + 1)


def _walk(check: RatioCheck, record: Record, right: bool, wanted: tuple[str, ...]) -> list[Judged]:
    """Return the verdicts of disjoint windows; of the walks that begin at the first nine pairs, the one that errs most."""
    walks = []
    for begin in range(min(ratio.STAGES)):
        walk, at = [], begin
        while at + WINDOW <= len(record.pairs):
            one, at = _look(check, record, at, right, wanted)
            walk.append(one)
        walks.append(walk)
    return max(walks, key=lambda walk: (sum(map(_erred, walk)), len(walk)))


def _look(check: RatioCheck, record: Record, at: int, right: bool, wanted: tuple[str, ...]) -> tuple[Judged, int]:
    for count in ratio.STAGES:
        one = _judged(check, record, at, at + count, right, wanted)
        if one.outcome is not Outcome.INCONCLUSIVE or count == WINDOW:
            return one, at + count
    raise AssertionError("the last look is a look")


def _judged(check: RatioCheck, record: Record, begin: int, end: int, right: bool, wanted: tuple[str, ...]) -> Judged:
    said = verdict(check, msgspec.structs.replace(record, pairs=record.pairs[begin:end]))
    return Judged(check.slug, right, said.outcome, said.wrong_models, wanted, said.because)


def _inseparable(check: RatioCheck, record: Record) -> tuple[str, ...]:
    if not record.machine.capacity:
        return ()
    scene = _scene(record)
    return ratio.band(check.expected(scene, record.machine), check.wrong(scene, record.machine)).inseparable


def _scene(record: Record) -> Scene:
    return work.alone(record)


def verdict(check: RatioCheck, record: Record) -> Verdict:
    """Return what a check says of a record of pairs alone: there are no runs whose counts could be looked at first."""
    return judge_check(replace(check, sanity=lambda record: None), _scene(record))


def _record(lab: str, check: RatioCheck, parts: Sequence[Block]) -> Record:
    """Return the pairs of one series as the record that a check reads."""
    first = parts[0]
    pairs = tuple(msgspec.structs.replace(pair, name=check.pair) for part in parts for pair in part.pairs)
    return Record(
        schema=1, lab=lab, measure=check.measure, parameters=first.scene, seed=first.series + 1, draw=0,
        node=Node(version="", uv=""), machine=first.machine, room="here", script=script_of(""), runs=(),
        clock=Clock(wall=0.0, monotonic=0.0, boot=""), pairs=pairs, noise=first.noise,
    )  # fmt: skip
