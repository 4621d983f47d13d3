"""What earns the points of one's own work: the state brought about, and what the cache asked for."""

from __future__ import annotations

from collections.abc import Mapping

from labs.answers import Answer
from labs.measurement import Record
from labs.names import drawing as see
from labs.names import puzzle, visits
from labs.names.setting import LATE
from labs.spec import CountCheck, Item, Scene
from labs.words import counted


def _state_because(scene: Scene) -> str:
    run, p = see.run_of(scene), scene.parameters
    return f"{counted(see.flying(run), 'name')} in flight and {see.idle(run)} free; the target was {p['flying']} in flight and {p['idle']} free."


STATE = CountCheck(
    slug="names-state",
    measure="state",
    measured=puzzle.reached,
    expected=lambda scene: (int(scene.parameters["flying"]), int(scene.parameters["idle"])),
    wrong=lambda scene: {},
    because=_state_because,
    next_step='names.measure("state", pool=..., held=...): each attempt starts anew.',
    sanity=puzzle.unlike_model,
)


def _once(record: Record) -> Answer | None:
    """Return how many lookups the hosts got in all; what speaks of visits where not all of them arrived."""
    if not record.runs:
        return None
    counts = record.runs[0].counts
    if not visits.sound(record):
        return f"{counts['visits']} of {counts['visits_due']} visits arrived"
    return counts["host_lookups"] if counts["least_lookups"] else "a host was visited without a lookup"


def _once_wrong(scene: Scene) -> Mapping[str, Answer]:
    hosts, times = int(scene.parameters["hosts"]), int(scene.parameters["times"])
    return {"no-cache": 2 * hosts * times, "late-answer": hosts * times}


def _once_because(scene: Scene) -> str:
    counts = see.run_of(scene).counts
    if not visits.sound(scene.record):  # type: ignore[arg-type]  # a check is only asked where there is a record
        return f"{counts['visits']} of {counts['visits_due']} visits arrived where their host lives."
    return f"{scene.parameters['hosts']} hosts got {counted(counts['host_lookups'], 'lookup')} for {counts['visits_due']} visits."


ONCE = CountCheck(
    slug="names-once-a-host",
    measure="cache",
    measured=_once,
    expected=lambda scene: int(scene.parameters["hosts"]),
    wrong=_once_wrong,
    because=_once_because,
    next_step='Keep by name what you have in hand when the first lookup is out; forget failures only. Then names.measure("cache").',
)


def _failed(record: Record) -> Answer | None:
    """Return how often the late host was asked for, where the cache is one at all."""
    if not record.runs:
        return None
    counts = record.runs[0].counts
    if not visits.sound(record) or counts["most_lookups"] != 1:
        return "no cache yet"
    if counts["late_lookups"] == 2 and counts["late_visits"] != 1:
        return "asked, and not visited"
    return counts["late_lookups"]


def _failed_because(scene: Scene) -> str:
    counts = see.run_of(scene).counts
    if counts["most_lookups"] != 1:
        return "Hosts are asked for more than once; what is done with failures is judged after that."
    return f"{LATE} failed once and was asked for {see.times(counts['late_lookups'])} in two rounds."


FAILED = CountCheck(
    slug="names-failures-again",
    measure="cache",
    measured=_failed,
    expected=lambda scene: 2,
    wrong=lambda scene: {},
    because=_failed_because,
    next_step='Forget what failed, so that the next visit asks again; then names.measure("cache").',
)

ITEMS = (
    Item(
        grade_id="names-bets",
        title="bets made before looking",
        points=2.0,
        part="bets",
        step=5,
        bets=("start", "own", "second", "through", "cache"),
    ),
    Item(grade_id="names-why", title="why", points=1.0, part="explanation", step=10, question="why"),
    Item(
        grade_id="names-source", title="the line in libuv", points=0.5, part="explanation", step=14, question="source"
    ),
    Item(
        grade_id="names-state",
        title="free slots, and names that wait",
        points=1.5,
        part="artefact",
        step=15,
        checks=((STATE, 1.0),),
        done="reached",
        label=lambda scene: f"{scene.parameters['flying']} in flight, {scene.parameters['idle']} free",
    ),
    Item(grade_id="names-cannot", title="what cannot be", points=0.5, part="transfer", step=16, question="cannot"),
    Item(
        grade_id="names-own-lookup",
        title="own lookup, once a name",
        points=3.0,
        part="artefact",
        step=19,
        checks=((ONCE, 0.7), (FAILED, 0.3)),
    ),
    Item(grade_id="names-code", title="an assistant's code", points=0.5, part="transfer", step=23, question="code"),
    Item(grade_id="names-service", title="on a service", points=1.0, part="transfer", step=24, question="service"),
)
