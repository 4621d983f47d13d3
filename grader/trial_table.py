"""A trial's figures: how often each check erred, of how many tries, and how sure that makes us. Pure.

Windows of recorded pairs are made in grader.trial_windows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

import msgspec
from msgspec import Struct

from grader import binomial, trial, trial_log, trial_windows
from grader.shapes import MachineShape
from grader.trial_log import Block, Judged, Live
from grader.trial_windows import Walked, erred
from grader.verdict import Outcome
from labs import catalog


class Rate(Struct, frozen=True):
    """Errors in tries, and the rate that is not exceeded with 95 % confidence (one-sided)."""

    errors: int
    tries: int
    at_most: float


def rate(errors: int, tries: int) -> Rate:
    """Return a count with its bound."""
    return Rate(errors, tries, binomial.at_most(errors, tries))


class Ways(Struct, frozen=True):
    """How many ways the tries are shared by, and how often the one that was tried least was."""

    ways: int = 0
    fewest: int = 0


class Series(Struct, frozen=True):
    """What the windows of right, or of wrong, ways rest on.

    Attributes:
        erred: Series in which any window erred, of all: each has one calibration, which its windows share, and a draw.
        draws: Different draws among them.
        pairs: Pairs of the shortest series and of the longest.
        redrawn: Windows that begin at every pair: so many erred, of so many.
    """

    erred: Rate
    draws: int
    pairs: tuple[int, int]
    redrawn: tuple[int, int]


class Beside(Struct, frozen=True):
    """What ran beside the tries of a row.

    Attributes:
        threads: Running or ready beside ours when a try began, load among them, in the median; null where unknown.
        load: Fewest and most load processes of the trial itself; null where unknown.
        loads: Fewest and most load processes of all trials that were seen; null where unknown.
        unknown: Tries of which it is not known how many load processes there were.
    """

    threads: float | None = None
    load: tuple[int, int] | None = None
    loads: tuple[int, int] | None = None
    unknown: int = 0


class Row(Struct, frozen=True):
    """One check on one machine shape.

    Attributes:
        lab: Slug.
        check: Slug; ``bet NAME`` for a bet.
        shape: The machine.
        kind: ``live`` runs, or ``windows`` of recorded pairs.
        false_fail: A right way contradicted.
        inconclusive: A right way could not be judged, or had to be run again.
        false_pass: A wrong way passed.
        wrong_name: A wrong way contradicted under another name than its own, or under one more.
        undecided: A wrong way could not be judged, or had to be run again: neither passed nor refuted.
        not_separable: Tries of right ways in which this machine cannot tell the models apart; they count in no rate.
        errors: Tries that ended in a fault (ours or the script's); they count in no rate.
        right_ways: The solution, and what is as good.
        wrong_ways: What people do instead; a bound over several is one of their mixture.
        right_series: Null for live runs.
        wrong_series: Null for live runs.
        same: Wrong models whose prediction is the model's own on this machine: their pairs are right, and not judged here.
        beside: What else ran.
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
    undecided: Rate
    not_separable: int = 0
    errors: int = 0
    right_ways: Ways = Ways()
    wrong_ways: Ways = Ways()
    right_series: Series | None = None
    wrong_series: Series | None = None
    same: tuple[str, ...] = ()
    beside: Beside = Beside()
    odd: tuple[str, ...] = ()


#: Reasons that a row keeps.
_MOST_ODD = 5


Key = tuple[str, str, MachineShape]


def rows(lines: Iterable[trial_log.Line]) -> tuple[Row, ...]:
    """Return the figures of a trial's lines: one row a check and shape, live ones first, in the order of the lines."""
    live: dict[Key, list[tuple[str, Judged]]] = {}
    pairs: dict[Key, list[Block]] = {}
    seen: dict[Key, list[Live | Block]] = {}
    for line in lines:
        if isinstance(line, Live):
            for one in line.judged:
                live.setdefault((line.lab, one.check, line.shape), []).append((_way(line.unit), one))
            for check in dict.fromkeys(one.check for one in line.judged):
                seen.setdefault((line.lab, check, line.shape), []).append(line)
        elif isinstance(line, Block):
            pairs.setdefault((line.lab, line.check, line.shape), []).append(line)
            seen.setdefault((line.lab, line.check, line.shape), []).append(line)
    counted = (_row(*key, "live", judged) for key, judged in live.items())
    windows = (_windows(*key, blocks) for key, blocks in pairs.items())
    return tuple(
        msgspec.structs.replace(row, beside=_beside(seen[row.lab, row.check, row.shape]))
        for row in (*counted, *windows)
    )


def _way(unit: str) -> str:
    """Return which way a live run went: the last word of its unit but for the number."""
    return unit.rpartition("|")[0].rpartition("|")[2]


def _beside(lines: Sequence[Live | Block]) -> Beside:
    threads = [line.beside for line in lines if line.beside is not None]
    return Beside(
        median(threads) if threads else None,
        _ends([line.load for line in lines if line.load is not None]),
        _ends([line.loads for line in lines if line.loads is not None]),
        sum(line.load is None for line in lines),
    )


def _ends(numbers: Sequence[int]) -> tuple[int, int] | None:
    return (min(numbers), max(numbers)) if numbers else None


def _row(lab: str, check: str, shape: MachineShape, kind: str, judged: Sequence[tuple[str, Judged]]) -> Row:
    """Return the figures of tries, each with the way that was tried."""
    told = [
        (way, one)
        for way, one in judged
        if one.outcome not in (Outcome.ERROR, Outcome.NOT_SEPARABLE, Outcome.NOT_ATTEMPTED)
    ]
    right = [one for _, one in told if one.right]
    wrong = [one for _, one in told if not one.right]
    refuted = [one for one in wrong if one.outcome is Outcome.CONTRADICTS]
    odd = [
        one.because
        for _, one in judged
        if one.because and (one.outcome is Outcome.ERROR or erred(one) or not _well_named(one))
    ]
    bet = check.startswith("bet ")
    return Row(
        lab, check, shape, kind,
        false_fail=_share(right, Outcome.CONTRADICTS),
        inconclusive=_share(right, Outcome.INCONCLUSIVE),
        # A bet is not passed, nor undecided when its record is there: it earns its credit by being made.
        false_pass=_share([] if bet else wrong, Outcome.PASS),
        undecided=_share([] if bet else wrong, Outcome.INCONCLUSIVE),
        wrong_name=rate(sum(not _well_named(one) for one in refuted), len(refuted)),
        not_separable=sum(one.outcome is Outcome.NOT_SEPARABLE for _, one in judged if one.right),
        errors=sum(one.outcome is Outcome.ERROR for _, one in judged),
        right_ways=_ways(way for way, one in told if one.right),
        wrong_ways=_ways(way for way, one in told if not one.right),
        odd=tuple(dict.fromkeys(odd))[:_MOST_ODD],
    )  # fmt: skip


def _share(tries: Sequence[Judged], outcome: Outcome) -> Rate:
    return rate(sum(one.outcome is outcome for one in tries), len(tries))


def _ways(tried: Iterable[str]) -> Ways:
    counts = Counter(tried)
    return Ways(len(counts), min(counts.values(), default=0))


def _well_named(one: Judged) -> bool:
    """Say whether a wrong way was given a name of its own and no other."""
    if one.right or one.outcome is not Outcome.CONTRADICTS:
        return True
    if one.extra or {*one.named} - {*one.wanted}:
        return False
    return bool(one.named) == bool(one.wanted)


# recorded pairs


def _windows(lab: str, check: str, shape: MachineShape, blocks: Sequence[Block]) -> Row:
    found = trial.ratio_check(catalog.load(lab), check)
    walked = trial_windows.walked(found, blocks)
    tried = [one for one in walked if not one.same]
    row = _row(lab, check, shape, "windows", [(one.case, judged) for one in tried for judged in one.windows])
    lost = tuple(block.because for block in blocks if block.because)
    return msgspec.structs.replace(
        row, same=tuple(dict.fromkeys(one.case for one in walked if one.same)), odd=(*row.odd, *lost)[:_MOST_ODD],
        errors=row.errors + len(lost), right_series=_series([one for one in tried if one.right]),
        wrong_series=_series([one for one in tried if not one.right]),
    )  # fmt: skip


def _series(walked: Sequence[Walked]) -> Series:
    long = [one for one in walked if one.windows]  # shorter ones hold no whole window
    return Series(
        rate(sum(any(map(erred, one.windows)) for one in long), len(long)),
        len({one.draw for one in long}),
        _ends([one.pairs for one in long]) or (0, 0),
        (sum(one.redrawn[0] for one in long), sum(one.redrawn[1] for one in long)),
    )
