"""What earns the points."""

from __future__ import annotations

from labs.places import lines, own
from labs.spec import Item

ITEMS = (
    Item(
        grade_id="places-bets",
        title="bets made before looking",
        points=2.0,
        part="bets",
        step=5,
        bets=("six", "six more", "victim", "own"),
    ),
    Item(grade_id="places-why", title="what decides", points=1.5, part="explanation", step=10, question="why"),
    Item(
        grade_id="places-own-service",
        title="own service, off the loop",
        points=3.0,
        part="artefact",
        step=14,
        checks=own.CHECKS,
    ),
    Item(
        grade_id="places-lines",
        title="lines on the loop",
        points=1.5,
        part="artefact",
        step=17,
        checks=((lines.CHECK, 1.0),),
        done="all found",
    ),
    Item(grade_id="places-cannot", title="what cannot be", points=1.0, part="transfer", step=18, question="cannot"),
    Item(grade_id="places-service", title="on a service", points=1.0, part="transfer", step=19, question="service"),
)
