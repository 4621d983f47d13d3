"""The lab ``waves``: what happens to hashes? They need a core as well as a slot."""

from __future__ import annotations

from labs.parameters import drawn_and_typed
from labs.spec import Blank, Lab, Measure, Recall
from labs.waves import curious, picture, script, telling, warm, whatif
from labs.waves.around import Times, times
from labs.waves.bets import BETS
from labs.waves.checks import ITEMS
from labs.waves.draw import draw
from labs.waves.law import LAW
from labs.waves.questions import QUESTIONS
from labs.waves.stories import STORIES, node

MEASURES = (
    Measure(
        slug="all at once",
        bet="all at once",
        parameters=drawn_and_typed,
        script=True,
        calibrated=True,
        replay="all-at-once",
        seconds=60.0,
    ),
    Measure(
        slug="other cores",
        bet="other cores",
        parameters=drawn_and_typed,
        script=True,
        calibrated=True,
        replay="other-cores",
        seconds=40.0,
    ),
    Measure(
        slug="own", bet="own", parameters=drawn_and_typed, script=True, calibrated=True, replay="own", seconds=40.0
    ),
    *curious.MEASURES,
)

LAB = Lab(
    slug="waves",
    number=4,
    title="What happens to hashes?",
    minutes=30,
    rooms=("here", "namespace", "container"),
    draw=draw,
    bets=BETS,
    measures=MEASURES,
    questions=QUESTIONS,
    stories=STORIES,
    node=node,
    law=LAW,
    items=ITEMS,
    rows=(("all at once", "other cores"), ("own",)),
    steps=(
        "title",
        "ready?",
        "recall gates",
        "node",
        "predict all at once",
        "measure all at once",
        "evidence all at once",
        "predict other cores",
        "measure other cores",
        "explain why",
        "what_if",
        "node",
        "predict own",
        "measure own",
        "explain code",
        "explain service",
        "check",
    ),
    script=script.TASK,
    evidence={"all at once": telling.evidence},
    five_lines=telling.five_lines,
    five_lines_after="why",
    recall=Recall(
        ask=telling.recall_ask, blank=Blank("times", Times(), times, "how many times one?"), solve=telling.recall_solve
    ),
    closing=telling.closing,
    skip_to="own",
    skips=("all at once", "other cores", "why"),
    picture=picture.draw,
    picture_text=picture.text,
    what_if=whatif.WHAT_IF,
    next_lab='birth, 30 min, "when is the pool born, and how large?"',
    warm_ups=warm.WARM_UPS,
)
