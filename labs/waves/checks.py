"""What earns the points of one's own work: counts of the script's run, and a ratio where this machine can tell."""

from __future__ import annotations

from collections.abc import Mapping

from labs.answers import Answer
from labs.capacity import capacity_of
from labs.measurement import Machine, Record
from labs.spec import CountCheck, Item, RatioCheck, Scene
from labs.waves import expect, reading, slips


def _label(record: Record) -> Answer | None:
    return slips.measured(record.runs[0]) if record.runs else None


def _expected(scene: Scene) -> Answer:
    p = scene.parameters
    return slips.expected(p["tasks"], expect.size(p.get("pool")))


def _named(scene: Scene) -> Mapping[str, Answer]:
    assert scene.record is not None
    return slips.named(scene.record)


def _because(scene: Scene) -> str:
    assert scene.record is not None
    found = slips.find(scene.record)
    if found is not None:
        return found.lines[0]
    counts = scene.record.runs[0].counts
    return (
        f"All {counts['asked_first']} were asked for at once, {counts['started']} started on {reading.slots_of(scene.record)} slots, "
        f"and {counts['done']} were reported."
    )


LINE = CountCheck(
    slug="waves-line",
    measure="all at once",
    measured=_label,
    expected=_expected,
    wrong=_named,
    because=_because,
    next_step='Report each hash with done(i) where it is back; run the cell of your line, then waves.measure("all at once", again=True).',
    sanity=slips.unsound,
)

COUNTS = CountCheck(
    slug="waves-script-counts",
    measure="own",
    measured=_label,
    expected=_expected,
    wrong=_named,
    because=_because,
    next_step='Ask for all n in one go and report each where it is back; run its cell, then waves.measure("own", again=True).',
    sanity=slips.unsound,
)


def _span(scene: Scene, machine: Machine) -> tuple[float, float]:
    p = scene.parameters
    span = expect.all_over_one(p["tasks"], p.get("pool"), capacity_of(machine))
    return span.low, span.high


def _rivals(scene: Scene, machine: Machine) -> Mapping[str, tuple[float, float]]:
    p = scene.parameters
    return {
        slug: (span.low, span.high) for slug, span in expect.all_over_one_stories(p["tasks"], p.get("pool")).items()
    }


RATIO = RatioCheck(
    slug="waves-script-ratio",
    measure="own",
    pair=expect.ALL_OVER_ONE,
    expected=_span,
    wrong=_rivals,
    because=lambda scene: "All over one, by your own reports.",
    next_step='waves.measure("own", again=True) when the machine has nothing else to do.',
    moves_to="waves-script-counts",
    threads=lambda scene: min(scene.parameters["tasks"], expect.size(scene.parameters.get("pool"))),
    sanity=slips.uncounted,
)

ITEMS = (
    Item(
        grade_id="waves-bets", title="bets made before looking", points=2.0, part="bets", step=5,
        bets=("all at once", "other cores", "own"),
    ),
    Item(
        grade_id="waves-line", title="own line: reported when back", points=1.5, part="artefact", step=4, checks=((LINE, 1.0),),
    ),
    Item(grade_id="waves-why", title="why", points=1.5, part="explanation", step=10, question="why"),
    Item(
        grade_id="waves-script",
        title="own script: all at once",
        label=lambda scene: f"own script, {scene.parameters.get('pool') or 4} slots, {scene.parameters['tasks']} hashes",
        points=3.0,
        part="artefact",
        step=12,
        checks=((COUNTS, 0.7), (RATIO, 0.3)),
    ),
    Item(grade_id="waves-code", title="somebody else's code", points=1.0, part="transfer", step=15, question="code"),
    Item(grade_id="waves-service", title="on a service", points=1.0, part="transfer", step=16, question="service"),
)  # fmt: skip
