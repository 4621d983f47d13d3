"""The lab ``birth``: when is the pool born, how is it sized, what does it cost?"""

from __future__ import annotations

from labs.answers import Count
from labs.birth import further, parts, picture, reading, warm
from labs.birth.bets import BETS
from labs.birth.draw import draw
from labs.birth.law import LAW
from labs.birth.questions import QUESTIONS
from labs.birth.stories import STORIES, node
from labs.parameters import drawn
from labs.spec import Blank, Item, Lab, Measure, Recall

MEASURES = (
    *(Measure(slug=bet.slug, bet=bet.slug, parameters=drawn, replay=bet.slug, seconds=8.0) for bet in BETS),
    Measure(
        slug="unset", parameters=drawn, script=True, replay="unset", look=lambda scene: parts.look("unset", scene), ask=parts.ask,
    ),
    Measure(
        slug="both", parameters=drawn, script=True, replay="both", look=lambda scene: parts.look("both", scene), ask=parts.ask,
    ),
    Measure(slug="ways", parameters=drawn, look=further.ways, free=True, replay="ways", seconds=25.0),
    Measure(slug="odd", parameters=drawn, look=further.odd, free=True, replay="odd", seconds=20.0),
    Measure(slug="sizes", parameters=drawn, look=further.sizes, free=True, replay="sizes", seconds=8.0),
    Measure(slug="limit", parameters=drawn, look=further.limit, free=True, replay="limit"),
)  # fmt: skip

ITEMS = (
    Item(
        grade_id="birth-bets", title="bets made before looking", points=2.0, part="bets", step=5,
        bets=("first", "line", "value", "bill", "exit"),
    ),
    Item(grade_id="birth-why", title="why", points=1.5, part="explanation", step=10, question="why"),
    Item(
        grade_id="birth-unset", title="nothing set outside", points=2.0, part="artefact", step=19,
        checks=((parts.CHECK_UNSET, 1.0),), done="in time",
    ),
    Item(
        grade_id="birth-both", title="the operator's word", points=2.5, part="artefact", step=20,
        checks=((parts.CHECK_BOTH, 1.0),), done="both",
    ),
    Item(grade_id="birth-cannot", title="what cannot be", points=1.0, part="transfer", step=21, question="cannot"),
    Item(grade_id="birth-service", title="a machine's code", points=1.0, part="transfer", step=22, question="service"),
)  # fmt: skip

LAB = Lab(
    slug="birth",
    number=5,
    title="When is the pool born, how is it sized, what does it cost?",
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
    rows=(("first", "line"), ("value",), ("bill",), ("exit",)),
    steps=(
        "title",
        "ready?",
        "recall waves",
        "the program",
        "predict first",
        "measure first",
        "evidence first",
        "predict line",
        "measure line",
        "explain why",
        "plot",
        "predict value",
        "measure value",
        "predict bill",
        "measure bill",
        "predict exit",
        "measure exit",
        "node",
        "measure unset",
        "measure both",
        "explain cannot",
        "explain service",
        "check",
    ),
    script=parts.TASK,
    evidence={"first": reading.evidence},
    five_lines=reading.five_lines,
    five_lines_after="why",
    hints={"unset": parts.HINTS, "both": parts.HINTS},
    recall=Recall(
        ask=reading.recall_ask,
        blank=Blank("threads", Count(0, 5000), lambda answer: f"{answer} threads"),
        solve=reading.recall_solve,
    ),
    closing=reading.closing,
    skip_to="both",
    skips=("first", "line", "value", "bill", "exit", "why"),
    picture=picture.draw,
    picture_text=picture.text,
    picture_says="A bar is a count of threads in the pool.",
    next_lab='names, 30 min, "why do two lookups run on four threads?"',
    warm_ups=warm.WARM_UPS,
)
