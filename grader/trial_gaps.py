"""What a trial leaves out, told from the labs themselves: no table shows what was never tried. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader import trial, trial_table, work
from grader.shapes import MachineShape
from labs import catalog, trials
from labs.spec import Lab, RatioCheck, Row, Scene, Shape
from labs.trials import Trials

#: Seeds whose draws are looked at.
_SEEDS = range(1, 41)


def gaps(slugs: Iterable[str], cores: Iterable[int]) -> tuple[str, ...]:
    """Say what is not tried of these labs on machines of so many cores, in sentences; nothing of a lab without reference."""
    counts = sorted({*cores})
    return tuple(
        said for slug in slugs if (found := trials.of(slug)) for said in _of(catalog.load(slug), found, counts)
    )


def missing(rows: Sequence[trial_table.Row]) -> tuple[str, ...]:
    """Say which checks and bets have no row at all on a machine on which others of their lab have one, in sentences."""
    present: dict[tuple[str, MachineShape], set[str]] = {}
    for row in rows:
        present.setdefault((row.lab, row.shape), set()).add(row.check)
    return tuple(
        f"{slug} on {shape}: nothing was tried of {', '.join(left)}."
        for (slug, shape), checks in present.items()
        if (left := [check for check in _all(catalog.load(slug)) if check not in checks])
    )


def _all(lab: Lab) -> Iterator[str]:
    yield from (check.slug for item in lab.items for check, _ in item.checks)
    if (found := trials.of(lab.slug)) is not None:
        yield from (f"bet {slug}" for row in trial.rows_of(lab, found) for slug in row)


def _of(lab: Lab, found: Trials, cores: list[int]) -> Iterator[str]:
    series = {one.story for one in found.series}
    ratios = [check.slug for item in lab.items for check, _ in item.checks if isinstance(check, RatioCheck)]
    if ratios:
        yield f"`{lab.slug}`: tried by series of recorded pairs, not live: {_list(ratios)}."
    bets = [slug for row in trial.rows_of(lab, found) for slug in row]
    if left := [bet.slug for bet in lab.bets if bet.slug not in bets]:
        yield f"`{lab.slug}`: no answer to {_list(left)} is held against a live record."
    scenes = [
        (bet, Scene(work.draw(lab, bet, seed, Shape(count)), Shape(count)))
        for bet in bets
        for count in cores
        for seed in _SEEDS
    ]
    timed: dict[str, dict[str, None]] = {}
    held: set[str] = set()
    for bet, scene in scenes:
        node = found.node(scene)[bet]
        timed.setdefault(bet, {}).update(
            dict.fromkeys(blank for blank, value in node.items() if isinstance(value, float))
        )
        held |= {story.slug for story in lab.stories if _counts_differ(node, story.rows(scene).get(bet, {}))}
    if parts := [f"{_list(blanks)} of `bet {bet}`" for bet, blanks in timed.items() if blanks]:
        yield f"`{lab.slug}`: times are not compared live, so nothing is held against {', '.join(parts)}."
    if never := [story.slug for story in lab.stories if story.slug not in held | series]:
        yield f"`{lab.slug}`: stories that differ from Node in no count on these machines, so nothing tries whether they are named: {_list(never)}."
    if only := [story.slug for story in lab.stories if story.slug in series - held]:
        yield f"`{lab.slug}`: stories that differ from Node in no count on these machines, and are tried by series: {_list(only)}."
    yield from (f"`{lab.slug}`: {note}" for note in found.notes)


def _counts_differ(node: Row, predicted: Row) -> bool:
    return any(value != node.get(blank) for blank, value in predicted.items() if not isinstance(node.get(blank), float))


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
