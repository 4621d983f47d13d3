"""The lab ``names``: why do two lookups run on four threads?

Its first bet is made with the law of ``gates``, which fails; only then comes the rule of half.
"""

from __future__ import annotations

from labs.answers import Choice, Count
from labs.names import picture, puzzle, reading, script, tables, warm
from labs.names.bets import OWN, SECOND, START, look_at_start
from labs.names.checks import ITEMS
from labs.names.draw import draw
from labs.names.law import LAW
from labs.names.questions import QUESTIONS
from labs.names.stories import STORIES, node
from labs.names.visits import CACHE, THROUGH
from labs.parameters import drawn_and_typed
from labs.spec import Blank, Lab, Lines, Measure, Recall, Scene


def _free_look(scene: Scene) -> Lines:
    return (*look_at_start(scene), "Kept with your work; it earns nothing and needs no bet.")


_FREE = (
    *puzzle.TYPED,
    Blank("api", Choice(("lookup", "resolve4", "lookupService", "mix")), str, "how names are asked for"),
)

MEASURES = (
    Measure(slug="start", bet="start", parameters=drawn_and_typed, replay="start"),
    Measure(slug="own", bet="own", parameters=drawn_and_typed, replay="own"),
    Measure(slug="second", bet="second", parameters=drawn_and_typed, replay="second"),
    Measure(
        slug="state",
        parameters=drawn_and_typed,
        typed=puzzle.TYPED,
        look=puzzle.look,
        ask=puzzle.ask,
        replay="state",
        replayed=puzzle.replayed,
    ),
    Measure(slug="through", bet="through", parameters=drawn_and_typed, replay="through"),
    Measure(slug="cache", bet="cache", parameters=drawn_and_typed, script=True, replay="cache", seconds=8.0),
    Measure(
        slug="ways",
        parameters=drawn_and_typed,
        typed=(tables.VISITS,),
        look=tables.ways,
        ask=tables.ask,
        replay="ways",
        seconds=12.0,
    ),
    Measure(slug="sizes", parameters=drawn_and_typed, look=tables.sizes, replay="sizes", seconds=15.0),
    Measure(slug="free", parameters=drawn_and_typed, typed=_FREE, look=_free_look, free=True),
)

LAB = Lab(
    slug="names",
    number=6,
    title="Why do two lookups run on four threads?",
    minutes=30,
    rooms=("namespace", "container"),
    draw=draw,
    bets=(START, OWN, SECOND, THROUGH, CACHE),
    measures=MEASURES,
    questions=QUESTIONS,
    stories=STORIES,
    node=node,
    law=LAW,
    items=ITEMS,
    rows=(("start",), ("own", "second"), ("through",), ("cache",)),
    steps=(
        "title",
        "ready?",
        "recall gates",
        "the program",
        "predict start",
        "measure start",
        "evidence start",
        "predict own",
        "measure own",
        "explain why",
        "plot",
        "predict second",
        "measure second",
        "explain source",
        "measure state",
        "explain cannot",
        "predict through",
        "measure through",
        "node",
        "predict cache",
        "measure cache",
        "measure ways",
        "explain code",
        "explain service",
        "check",
    ),
    script=script.TASK,
    evidence={"start": reading.evidence},
    five_lines=reading.five_lines,
    five_lines_after="why",
    hints={"state": puzzle.HINTS, "cache": script.HINTS},
    recall=Recall(
        ask=reading.recall_ask,
        blank=Blank("flying", Count(0, 100), lambda answer: f"{answer} in flight", "how many are in flight?"),
        solve=reading.recall_solve,
    ),
    closing=reading.closing,
    skip_to="state",
    skips=("start", "own", "why", "second", "source"),
    picture=picture.draw,
    picture_text=picture.text,
    next_lab='starvation, 30 min, "who starves whom?"',
    warm_ups=warm.WARM_UPS,
)
