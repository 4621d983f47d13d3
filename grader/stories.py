"""Which stories a learner's row of answers fits. A story is named for a whole row, never for half of one."""

from __future__ import annotations

from dataclasses import dataclass

from grader.work import Work, group, nearest, scene
from labs.spec import Bet, Row, Scene, Story


@dataclass(frozen=True)
class Said:
    """One bet of a row: what was said, what Node did, and the numbers it was about."""

    bet: str
    answers: Row
    actual: Row
    scene: Scene


def row(work: Work, bet: Bet, number: int, answers: Row, actual: Row, here: Scene) -> tuple[Said, ...]:
    """Return the measured bets of the row up to this one, this one last."""
    names = group(work.lab, bet.slug)
    found = []
    for name in names[: names.index(bet.slug)]:
        before = work.lab.bet(name)
        near = nearest(work, before, number)
        if near is None:
            continue
        at, placed, kept = near
        did = before.actual(kept.record)
        if did is not None:
            found.append(Said(name, placed.answers, did, scene(work, name, at, kept.record, placed.answers)))
    return (*found, Said(bet.slug, answers, actual, here))


def named(stories: tuple[Story, ...], said: tuple[Said, ...], names: tuple[str, ...]) -> tuple[Story, ...]:
    """Return the stories that may be named at the last bet of the row.

    Args:
        stories: Those of the lab.
        said: The row, the current bet last.
        names: The bets that belong to the row, in order. A later bet needs an earlier one beside it: half a row names nothing.
    """
    if names and said[-1].bet != names[0] and len(said) == 1:
        return ()
    return tuple(story for story in stories if _fits(story, said))


def _fits(story: Story, said: tuple[Said, ...]) -> bool:
    *before, now = said
    predicted = story.rows(now.scene).get(now.bet)
    if not predicted or not _agree(predicted, now.answers) or _agree(predicted, now.actual):
        return False
    if story.local:
        return all(_agree(one.actual, one.answers) for one in before)
    return all(_agree(story.rows(one.scene).get(one.bet, {}), one.answers) for one in before)


def _agree(predicted: Row, answers: Row) -> bool:
    return all(answers.get(blank) == value for blank, value in predicted.items())
