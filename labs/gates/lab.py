"""The lab ``gates``: how many things does Node do at once, and which is next?

The model lab: what the others take from it is its rhythm (bet, look, how we know, bet again, why, own line, own puzzle).
"""

from __future__ import annotations

from labs.answers import Tasks
from labs.gates import drawing, picture, puzzle, reading, script
from labs.gates.bets import BETS, look_at_start
from labs.gates.checks import ITEMS, LAW
from labs.gates.draw import draw
from labs.gates.questions import QUESTIONS
from labs.gates.stories import STORIES, node
from labs.parameters import drawn_and_typed
from labs.spec import Blank, Lab, Lines, Measure, Recall, Scene
from labs.words import listed


def _free_look(scene: Scene) -> Lines:
    run = drawing.run_of(scene)
    return (
        *look_at_start(scene),
        f"Your loop: {drawing.ticks(run)} timer ticks arrived meanwhile.",
        "Kept with your work; it earns nothing and needs no bet.",
    )


MEASURES = (
    Measure(slug="start", bet="start", parameters=drawn_and_typed, replay="start"),
    Measure(slug="one gate", bet="one gate", parameters=drawn_and_typed, replay="one-gate"),
    Measure(slug="canary", bet="canary", parameters=drawn_and_typed, script=True, replay="canary"),
    Measure(
        slug="state",
        parameters=drawn_and_typed,
        typed=(puzzle.OPEN,),
        look=puzzle.look,
        ask=puzzle.ask,
        replay="state",
        replayed=puzzle.replayed,
    ),
    Measure(slug="free", parameters=drawn_and_typed, typed=puzzle.FREE, look=_free_look, free=True),
)

LAB = Lab(
    slug="gates",
    number=0,
    title="How many things run at once, and which is next?",
    minutes=25,
    rooms=("here", "namespace", "container"),
    draw=draw,
    bets=BETS,
    measures=MEASURES,
    questions=QUESTIONS,
    stories=STORIES,
    node=node,
    items=ITEMS,
    rows=(("start",), ("one gate", "canary")),
    steps=(
        "title",
        "ready?",
        "the program",
        "predict start",
        "measure start",
        "evidence start",
        "predict one gate",
        "measure one gate",
        "explain why",
        "plot",
        "node",
        "predict canary",
        "measure canary",
        "measure state",
        "explain cannot",
        "explain service",
        "check",
    ),
    script=script.TASK,
    evidence={"start": reading.evidence},
    five_lines=reading.five_lines,
    five_lines_after="why",
    hints={"state": puzzle.HINTS},
    recall=Recall(
        ask=reading.recall_ask,
        blank=Blank(
            "held",
            Tasks(lambda parameters: int(parameters["tasks"])),
            lambda answer: listed(answer) if isinstance(answer, tuple) else str(answer),
            "which are held?",
        ),
        solve=reading.recall_solve,
    ),
    closing=reading.closing,
    skip_to="state",
    skips=("start", "one gate", "why"),
    picture=picture.draw,
    picture_text=picture.text,
    law=LAW,
    next_lab='phases, 30 min, "in which order do callbacks run?"',
)
