"""The lab ``phases``: in which order do callbacks run?"""

from __future__ import annotations

from labs.answers import Words
from labs.parameters import drawn
from labs.phases import curious, parts, picture, reading, warm
from labs.phases.bets import BETS
from labs.phases.draw import KINDS, draw
from labs.phases.law import LAW
from labs.phases.questions import QUESTIONS
from labs.phases.stories import STORIES, node
from labs.spec import Blank, Item, Lab, Measure, Recall

MEASURES = (
    Measure(slug="four", bet="four", parameters=drawn, replay="four"),
    Measure(slug="two", bet="two", parameters=drawn, replay="two"),
    Measure(slug="between", bet="between", parameters=drawn, replay="between"),
    Measure(slug="modules", bet="modules", parameters=drawn, replay="modules"),
    Measure(slug="starve", bet="starve", parameters=drawn, replay="starve"),
    Measure(
        slug="A", parameters=drawn, script=True, replay="A",
        look=lambda scene: parts.look("A", scene), ask=lambda scene: parts.ask("A", scene),
    ),
    Measure(
        slug="B", parameters=drawn, script=True, replay="B",
        look=lambda scene: parts.look("B", scene), ask=lambda scene: parts.ask("B", scene),
    ),
    Measure(slug="shares", parameters=drawn, look=curious.shares, free=True, replay="shares", seconds=30.0),
    Measure(slug="formats", parameters=drawn, look=curious.formats, free=True, replay="formats"),
    Measure(slug="lines", parameters=drawn, look=curious.lines, free=True, replay="lines"),
    Measure(slug="idle", parameters=drawn, look=curious.idle, free=True, replay="idle"),
)  # fmt: skip

ITEMS = (
    Item(
        grade_id="phases-bets", title="bets made before looking", points=2.0, part="bets", step=5,
        bets=("four", "two", "between", "modules", "starve"),
    ),
    Item(grade_id="phases-why", title="why", points=1.5, part="explanation", step=12, question="why"),
    Item(
        grade_id="phases-part-a", title="part A", points=2.0, part="artefact", step=19, checks=((parts.CHECK_A, 1.0),),
        done="at any pace",
    ),
    Item(
        grade_id="phases-part-b", title="part B", points=2.5, part="artefact", step=20, checks=((parts.CHECK_B, 1.0),),
        done="at any pace",
    ),
    Item(grade_id="phases-cannot", title="what cannot be", points=1.0, part="transfer", step=21, question="cannot"),
    Item(grade_id="phases-service", title="a machine's code", points=1.0, part="transfer", step=22, question="service"),
)  # fmt: skip

LAB = Lab(
    slug="phases",
    number=1,
    title="In which order do callbacks run?",
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
    rows=(("four", "two", "between", "modules"), ("starve",)),
    steps=(
        "title",
        "ready?",
        "recall gates",
        "the program",
        "predict four",
        "measure four",
        "evidence four",
        "predict two",
        "measure two",
        "predict between",
        "measure between",
        "explain why",
        "plot",
        "predict modules",
        "measure modules",
        "predict starve",
        "measure starve",
        "node",
        "measure A",
        "measure B",
        "explain cannot",
        "explain service",
        "check",
    ),
    script=parts.TASK,
    evidence={"four": reading.evidence},
    five_lines=reading.five_lines,
    five_lines_after="why",
    hints={"A": parts.HINTS, "B": parts.HINTS},
    recall=Recall(
        ask=reading.recall_ask,
        blank=Blank(
            "order",
            Words(KINDS),
            lambda answer: " ".join(map(str, answer)) if isinstance(answer, tuple) else str(answer),
        ),
        solve=reading.recall_solve,
    ),
    closing=reading.closing,
    skip_to="B",
    skips=("four", "two", "between", "modules", "starve", "why"),
    picture=picture.draw,
    picture_text=picture.text,
    picture_says="A lane is a phase.",
    warm_ups=warm.WARM_UPS,
    next_lab='places, 30 min, "loop, pool or kernel?"',
)
