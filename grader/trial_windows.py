"""Recorded pairs, judged in windows: what one verdict may take, 25 pairs in the order in which they were made, in one series. Pure.

*Re-drawn*, a window begins at every pair: many windows, but neighbours share pairs. *Disjoint*, the next one begins after the
pairs that the verdict before took (9, 15 or 25), as a learner would measure again: only these support a bound, and all of a
series rest on one calibration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from grader import trial_log, work
from grader.checks import judge_check
from grader.trial_log import Block, Judged
from grader.verdict import Outcome, Verdict
from labs import ratio
from labs.measurement import Clock, Node, Record, script_of
from labs.spec import RatioCheck

#: Pairs of the last look.
WINDOW = max(ratio.STAGES)


@dataclass(frozen=True)
class Walked:
    """One series, judged.

    Attributes:
        case: ``solution``, or the wrong model whose prediction was brought about.
        draw: The check's parameters, as a key.
        pairs: How many it has.
        same: Whether this machine expects the same ratio of the wrong model as of the solution: then it is not judged.
        windows: Verdicts of its disjoint windows.
        redrawn: Of windows that begin at every pair: so many erred, of so many.
    """

    case: str
    draw: str
    pairs: int
    same: bool
    windows: tuple[Judged, ...] = ()
    redrawn: tuple[int, int] = (0, 0)

    @property
    def right(self) -> bool:
        """Whether the pairs are those of the solution."""
        return self.case == "solution"


def walked(check: RatioCheck, blocks: Sequence[Block]) -> tuple[Walked, ...]:
    """Return the series of a check's blocks, judged, in the order in which they began; those without pairs are left out."""
    series: dict[object, list[Block]] = {}
    for block in blocks:
        if block.pairs:
            series.setdefault(trial_log.series(block), []).append(block)
    return tuple(_walked(check, parts) for parts in series.values())


def _walked(check: RatioCheck, parts: Sequence[Block]) -> Walked:
    record, case = _record(check, parts), parts[0].case
    found = Walked(case, repr(sorted(parts[0].scene.items())), len(record.pairs), case in _inseparable(check, record))
    if found.same:
        return found
    whole = [_judged(check, record, case, at, at + WINDOW) for at in range(len(record.pairs) - WINDOW + 1)]
    return replace(found, windows=tuple(_walk(check, record, case)), redrawn=(sum(map(erred, whole)), len(whole)))


def erred(one: Judged) -> bool:
    """Say whether a right way contradicted or a wrong one passed."""
    return one.outcome is (Outcome.CONTRADICTS if one.right else Outcome.PASS)


def _walk(check: RatioCheck, record: Record, case: str) -> list[Judged]:
    """Return the verdicts of disjoint windows: of the walks that begin at the first nine pairs, the one that errs most.

    Of those that err equally often the shortest is taken: it supports the least.
    """
    walks = []
    for begin in range(min(ratio.STAGES)):
        walk, at = [], begin
        while at + WINDOW <= len(record.pairs):
            one, at = _look(check, record, case, at)
            walk.append(one)
        if walk:
            walks.append(walk)
    return max(walks, key=lambda walk: (sum(map(erred, walk)), -len(walk)), default=[])


def _look(check: RatioCheck, record: Record, case: str, at: int) -> tuple[Judged, int]:
    for count in ratio.STAGES:
        one = _judged(check, record, case, at, at + count)
        if one.outcome is not Outcome.INCONCLUSIVE or count == WINDOW:
            return one, at + count
    raise AssertionError("the last look is a look")


def _judged(check: RatioCheck, record: Record, case: str, begin: int, end: int) -> Judged:
    said = verdict(check, msgspec.structs.replace(record, pairs=record.pairs[begin:end]))
    right = case == "solution"
    named = said.wrong_models if right else _told_apart(check, record, case, said.wrong_models)
    return Judged(check.slug, right, said.outcome, named, () if right else (case,), said.because)


def _told_apart(check: RatioCheck, record: Record, case: str, named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names without those that predict just what the wanted one does: nobody could tell them apart."""
    predicted = check.wrong(work.alone(record), record.machine)
    return tuple(name for name in named if name == case or predicted[name] != predicted[case])


def _inseparable(check: RatioCheck, record: Record) -> tuple[str, ...]:
    if not record.machine.capacity:
        return ()
    scene = work.alone(record)
    return ratio.band(check.expected(scene, record.machine), check.wrong(scene, record.machine)).inseparable


def verdict(check: RatioCheck, record: Record) -> Verdict:
    """Return what a check says of a record of pairs alone: there are no runs whose counts could be looked at first."""
    return judge_check(replace(check, sanity=lambda record: None), work.alone(record))


def _record(check: RatioCheck, parts: Sequence[Block]) -> Record:
    """Return the pairs of one series as the record that a check reads."""
    first = parts[0]
    pairs = tuple(msgspec.structs.replace(pair, name=check.pair) for part in parts for pair in part.pairs)
    return Record(
        schema=1, lab=first.lab, measure=check.measure, parameters=first.scene, seed=0, draw=0,
        node=Node(version="", uv=""), machine=first.machine, room="here", script=script_of(""), runs=(),
        clock=Clock(wall=0.0, monotonic=0.0, boot=""), pairs=pairs, noise=first.noise,
    )  # fmt: skip
