"""The lab ``places``: loop, pool or kernel: where does a call wait?

A call's path cannot be told by its name or its form. So something is taken away (every slot; every other end), and what still
comes back did not need it.
"""

from __future__ import annotations

from labs.parameters import drawn
from labs.places import lines, picture, reading, script, warm
from labs.places.bets import BETS
from labs.places.checks import ITEMS
from labs.places.draw import draw
from labs.places.law import LAW
from labs.places.paths import Path
from labs.places.questions import QUESTIONS
from labs.places.stories import STORIES, node
from labs.spec import Blank, Lab, Measure, Recall

MEASURES = (
    Measure(slug="six", bet="six", parameters=drawn, replay="six", seconds=10),
    Measure(slug="six more", bet="six more", parameters=drawn, replay="six-more", seconds=10),
    Measure(slug="victim", bet="victim", parameters=drawn, replay="victim", seconds=15),
    Measure(slug="own", bet="own", parameters=drawn, script=True, replay="own", seconds=10),
    Measure(
        slug="lines",
        parameters=lines.parameters,
        typed=(lines.STOP,),
        look=lines.look,
        ask=lines.ask,
        replay="lines",
        replayed=lines.replayed,
        seconds=10,
    ),
    Measure(slug="table", parameters=drawn, look=reading.first_lines, free=True, replay="table", seconds=30),
    Measure(slug="parse", parameters=drawn, look=reading.first_lines, free=True, replay="parse", seconds=10),
    Measure(slug="innocent", parameters=drawn, look=reading.first_lines, free=True, replay="innocent", seconds=10),
    Measure(slug="trips", parameters=drawn, look=reading.first_lines, free=True, replay="trips"),
    Measure(slug="sockets", parameters=drawn, look=reading.first_lines, free=True, replay="sockets"),
)

LAB = Lab(
    slug="places",
    number=2,
    title="Loop, pool or kernel: where does a call wait?",
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
    rows=(("six", "six more"), ("victim",), ("own",)),
    steps=(
        "title",
        "ready?",
        "recall gates",
        "three places",
        "predict six",
        "measure six",
        "evidence six",
        "predict six more",
        "measure six more",
        "explain why",
        "plot",
        "predict victim",
        "measure victim",
        "node",
        "predict own",
        "measure own",
        "measure lines",
        "explain cannot",
        "explain service",
        "check",
    ),
    script=script.TASK,
    evidence={
        "six": reading.evidence,
        "six more": reading.evidence,
        "victim": reading.victims,
        "table": reading.table,
        "parse": reading.parse,
        "innocent": reading.innocent,
        "trips": reading.trips,
        "sockets": reading.sockets,
    },
    five_lines=reading.five_lines,
    five_lines_after="why",
    hints={"lines": lines.HINTS},
    recall=Recall(ask=reading.recall_ask, blank=Blank("path", Path(), str, "which path?"), solve=reading.recall_solve),
    closing=reading.closing,
    skip_to="lines",
    skips=("six", "six more", "victim", "why"),
    picture=picture.draw,
    picture_text=picture.text,
    picture_says="A row is a call; the numbers are the order of its places.",
    warm_ups=warm.WARM_UPS,
    next_lab='machine, 30 min, "what can this machine show?"',
)
