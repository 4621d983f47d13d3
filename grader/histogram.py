"""A class's bets, counted: what was said before anybody looked, for the projector. Pure, and no learner's name comes out.

Everybody has numbers of their own, so "5 held" and "3 held" may be the same thought. An answer is therefore counted by what it
means: Node's, or the story that predicts it, and told in the numbers of the commonest draw. What fits neither is counted as it
was typed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from grader import work as works
from grader.work import Evidence, Work
from labs.spec import Bet, Blank, Lab, Row, Scene

#: Bars in a chart; what is rarer is counted together.
MOST_BARS = 8
#: Answers as they were typed that are quoted beside a bar.
MOST_TYPED = 3
#: A bet with more blanks than this is also counted blank by blank.
MOST_TOGETHER = 2
NODE = "Node"
NONE = "none of these"
ELSEWHERE = "something else, in other numbers"
OTHERS = "others"


@dataclass(frozen=True)
class Said:
    """One learner's bet, as it stood when it was looked at (or stands now), with the numbers it is about."""

    answers: Row
    scene: Scene
    changed: bool = False


@dataclass(frozen=True)
class Bar:
    """One answer and how many gave it.

    Attributes:
        text: The answer, told in the numbers of the chart.
        count: How many learners.
        means: ``Node``, the titles of the stories that predict it, or ``none of these``.
        typed: The same answers as they were typed, each in its own numbers, the most frequent first.
    """

    text: str
    count: int
    means: tuple[str, ...] = (NONE,)
    typed: tuple[tuple[str, int], ...] = ()

    @property
    def node(self) -> bool:
        """Whether it is what Node does."""
        return self.means == (NODE,)

    @property
    def rest(self) -> bool:
        """Whether different answers stand in it that nothing holds together."""
        return self.text in (ELSEWHERE, OTHERS)

    @property
    def meaning(self) -> str:
        """Who says so, in words: at most :data:`MOST_TYPED` of them."""
        more = len(self.means) - MOST_TYPED
        return "; or ".join([*self.means[:MOST_TYPED], *([f"{more} more ideas"] if more > 0 else [])])

    @property
    def quoted(self) -> str:
        """The answers as they were typed, where they were not all the same: ``3 held (5), 6 held (2), 1 more``."""
        if len(self.typed) < 2 and not self.rest:
            return ""
        shown = [f"{text} ({count})" for text, count in self.typed[:MOST_TYPED]]
        left = len(self.typed) - MOST_TYPED
        return "as typed: " + "; ".join([*shown, *([f"{left} more"] if left > 0 else [])])


@dataclass(frozen=True)
class Chart:
    """The answers to a bet, or to one part of it.

    Attributes:
        about: Which part; empty for the whole bet.
        bars: The most frequent first, at most :data:`MOST_BARS` and one for the others.
        node: What Node does in the chart's numbers.
        learners: How many answers were counted.
    """

    about: str
    bars: tuple[Bar, ...]
    node: str
    learners: int

    @property
    def largest(self) -> int:
        """The largest count, 1 where nothing was counted."""
        return max((bar.count for bar in self.bars), default=1)


@dataclass(frozen=True)
class Histogram:
    """One bet of a class.

    Attributes:
        bet: Its slug.
        step: The notebook's step in which it is made, 0 where there is none.
        ask: The question, in the numbers of the commonest draw.
        learners: How many have made it.
        changed: How many of them changed it before they looked.
        draws: How many different sets of numbers they had.
        charts: The whole bet first, then its parts.
    """

    bet: str
    step: int
    ask: str
    learners: int
    changed: int
    draws: int
    charts: tuple[Chart, ...]

    @property
    def only_parts(self) -> bool:
        """Whether the whole bet has no chart of its own: too many different rows to say anything."""
        return all(chart.about for chart in self.charts)


@dataclass(frozen=True)
class _Part:
    """What one chart is about: what of an answer, how it is said, and whether that says all without the draw's numbers."""

    about: str
    cut: Callable[[Row, Scene], Row]
    say: Callable[[Row], str]
    alone: bool = False


def histograms(lab: Lab, everybody: Iterable[Evidence]) -> tuple[Histogram, ...]:
    """Return a histogram for each bet of the lab, also for those that nobody has made yet.

    Args:
        lab: The lab.
        everybody: What each learner handed in; the same learner's work found twice counts once.
    """
    done = [works.read(lab, evidence.entries) for evidence in _once_each(everybody)]
    return tuple(_histogram(lab, bet, [said for one in done if (said := standing(one, bet))]) for bet in lab.bets)


def _once_each(everybody: Iterable[Evidence]) -> list[Evidence]:
    """Return one evidence a learner, the longest: a file may have been handed in twice, under two names."""
    found: dict[object, Evidence] = {}
    for number, evidence in enumerate(everybody):
        opening = next((entry.body.get("learner") for entry in evidence.entries if entry.kind == "open"), None)
        key = opening if isinstance(opening, str) and opening else number
        if key not in found or len(found[key].entries) < len(evidence.entries):
            found[key] = evidence
    return list(found.values())


def standing(done: Work, bet: Bet) -> Said | None:
    """Return the bet that a learner made in their first draw of it; None where there is none that can be read.

    An answer is read again by the rules of its blank, so that nothing else than an answer can reach the projector.
    """
    number = min((number for name, number in done.bets if name == bet.slug), default=None)
    if number is None or (placed := works.standing(done, bet, number)) is None:
        return None
    drawn = done.draws.get((works.thing(done.lab, bet.slug), number))
    if drawn is None:
        return None
    before = [one for one in done.bets[bet.slug, number] if one.entry.number <= placed.entry.number]
    try:
        answers = {blank.name: blank.kind.read(placed.answers[blank.name], drawn.parameters) for blank in bet.blanks}
        here = Scene(drawn.parameters, drawn.shape)
        predictions(done.lab, bet, here)
    except Exception:  # numbers or answers that no lab of ours has made: there is nothing to count
        return None
    return Said(answers, here, changed=any(one.answers != placed.answers for one in before))


def predictions(lab: Lab, bet: Bet, here: Scene) -> dict[str, Row]:
    """Return what Node and each story say to a bet in these numbers; Node stands first."""
    rows = {NODE: dict(lab.node(here).get(bet.slug, {}))} if lab.node is not None else {}
    return rows | {story.title: row for story in lab.stories if (row := story.rows(here).get(bet.slug))}


def _histogram(lab: Lab, bet: Bet, everybody: Sequence[Said]) -> Histogram:
    step = next((place for place, title in enumerate(lab.steps, 1) if title == f"predict {bet.slug}"), 0)
    if not everybody:
        return Histogram(bet.slug, step, "", 0, 0, 0, ())
    draws = Counter(_numbers(said.scene) for said in everybody)
    commonest, _ = min(draws.items(), key=lambda one: (-one[1], one[0]))
    here = next(said.scene for said in everybody if _numbers(said.scene) == commonest)
    charts = [_chart(lab, bet, part, everybody, here) for part in _parts(bet, everybody, here)]
    changed = sum(said.changed for said in everybody)
    return Histogram(bet.slug, step, bet.ask(here), len(everybody), changed, len(draws), tuple(charts))


def _numbers(here: Scene) -> str:
    """Return the numbers of a draw, and the cores that they were drawn for, as a key."""
    return json.dumps([here.parameters, here.shape.cores], sort_keys=True, default=str)


def _parts(bet: Bet, everybody: Sequence[Said], here: Scene) -> list[_Part]:
    """Return what a bet's charts are about: the whole row, each of many blanks, each part of a blank that has parts."""
    each = next((blank for blank in bet.blanks if blank.each is not None), None)
    if each is not None:
        return _each(each, everybody, here)
    whole = _Part("", lambda row, _: row, lambda row: _said(bet.blanks, row))
    if len(bet.blanks) <= MOST_TOGETHER:
        return [whole]
    return [whole, *(_Part(_about(blank), _only(blank), _one(blank)) for blank in bet.blanks)]


def _about(blank: Blank) -> str:
    return f"{blank.name}: {blank.ask}" if blank.ask else blank.name


def _said(blanks: Sequence[Blank], row: Row) -> str:
    return ", ".join(blank.say(row[blank.name]) for blank in blanks if blank.name in row)


def _only(blank: Blank) -> Callable[[Row, Scene], Row]:
    return lambda row, _: {name: value for name, value in row.items() if name == blank.name}


def _one(blank: Blank) -> Callable[[Row], str]:
    return lambda row: _said((blank,), row)


def _each(blank: Blank, everybody: Sequence[Said], here: Scene) -> list[_Part]:
    """Return a part for each thing that a blank's values are about, in the order of the commonest draw, then by frequency."""
    tell = blank.each
    assert tell is not None
    counted = Counter(thing for said in everybody for thing in tell(said.scene.parameters))
    first = tell(here.parameters)
    order = [*first, *(thing for thing, _ in counted.most_common() if thing not in first)]

    def cut(thing: str) -> Callable[[Row, Scene], Row]:
        def only(row: Row, at: Scene) -> Row:
            things, values = tell(at.parameters), row.get(blank.name)
            if thing not in things or not isinstance(values, tuple) or len(values) != len(things):
                return {}
            return {blank.name: values[things.index(thing)]}

        return only

    return [_Part(thing, cut(thing), lambda row: str(row[blank.name]), alone=True) for thing in order]


def _chart(lab: Lab, bet: Bet, part: _Part, everybody: Sequence[Said], here: Scene) -> Chart:
    """Count the answers to one part by what they mean.

    Args:
        lab: The lab.
        bet: The bet.
        part: Which part of it.
        everybody: The bets.
        here: The commonest draw, in whose numbers the answers are told.
    """
    cut = [(answer, said.scene) for said in everybody if (answer := part.cut(said.answers, said.scene))]
    if not any(part.cut(said.answers, said.scene) for said in everybody if _numbers(said.scene) == _numbers(here)):
        here = cut[0][1]  # the commonest draw has no such part
    groups: dict[tuple[str, ...], list[tuple[Row, Scene]]] = {}
    for answer, at in cut:
        means = _means(part, predictions(lab, bet, at), answer, at)
        comparable = part.alone or at.parameters == here.parameters
        key = means if means != (NONE,) else (NONE, part.say(answer) if comparable else ELSEWHERE)
        groups.setdefault(key, []).append((answer, at))
    expected = {name: part.cut(row, here) for name, row in predictions(lab, bet, here).items()}
    node = part.say(expected[NODE]) if expected.get(NODE) else ""
    right = [_bar(part, key, found, expected, here, ()) for key, found in groups.items() if key == (NODE,)]
    taken = (node, *(bar.text for bar in right))
    others = [_bar(part, key, found, expected, here, taken) for key, found in groups.items() if key != (NODE,)]
    bars = _merged([*right, *others])
    if len(bars) > MOST_BARS + 1:
        rest = bars[MOST_BARS:]
        bars = [
            *bars[:MOST_BARS],
            Bar(OTHERS, sum(bar.count for bar in rest), (), tuple((b.text, b.count) for b in rest)),
        ]
    return Chart(part.about, tuple(bars), node, len(cut))


def _merged(bars: Iterable[Bar]) -> list[Bar]:
    """Return the bars, those with the same text as one: what two stories say in these numbers is one answer. Most first."""
    found: dict[str, Bar] = {}
    for bar in bars:
        if (same := found.get(bar.text)) is not None:
            both = tuple(name for name in same.means if name in bar.means) or (*same.means, *bar.means)
            typed = Counter(dict(same.typed))
            typed.update(dict(bar.typed))
            bar = Bar(bar.text, same.count + bar.count, both, tuple(typed.most_common()))
        found[bar.text] = bar
    return sorted(found.values(), key=lambda bar: (bar.text == ELSEWHERE, -bar.count, _in_order(bar.text)))


def _in_order(text: str) -> list[tuple[int, str]]:
    """Return a key by which ``4 held`` stands before ``12 held``."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d{1,9})", text)]


def _means(part: _Part, predicted: dict[str, Row], answer: Row, at: Scene) -> tuple[str, ...]:
    """Return who says exactly this: Node alone where Node does, else every story that does."""
    found = []
    for name, row in predicted.items():
        says = part.cut(row, at)
        if says and all(answer.get(blank) == value for blank, value in says.items()):
            if name == NODE:
                return (NODE,)
            found.append(name)
    return tuple(found) or (NONE,)


def _bar(
    part: _Part,
    key: tuple[str, ...],
    found: Sequence[tuple[Row, Scene]],
    expected: dict[str, Row],
    here: Scene,
    taken: Sequence[str],
) -> Bar:
    typed = tuple(Counter(part.say(answer) for answer, _ in found).most_common())
    if key[0] == NONE:
        return Bar(key[1], len(found), (NONE,), typed)
    # Somebody who has the chart's numbers said it best; else the model says it for them.
    ours = Counter(part.say(answer) for answer, at in found if _numbers(at) == _numbers(here)).most_common(1)
    told = (
        ours[0][0] if ours else " or ".join(dict.fromkeys(part.say(row) for name in key if (row := expected.get(name))))
    )
    if not told or told in taken:
        # In the chart's numbers this idea says nothing, or what Node does; in its holders' numbers it did not.
        told = f"{typed[0][0]} (other numbers)"
    return Bar(told, len(found), key, typed)
