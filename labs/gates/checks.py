"""What earns the points of one's own work: where the stat came back, and what the slots held in the end."""

from __future__ import annotations

from labs.answers import Answer
from labs.gates import drawing as see
from labs.gates import puzzle
from labs.gates.draw import DEFAULT_POOL
from labs.measurement import Record
from labs.model import canary_returns
from labs.poolsize import in_force
from labs.spec import CountCheck, Item, Scene
from labs.words import counted


def _stat_back(record: Record) -> Answer | None:
    """Return after how many openings the stat was back; a script that never reports it has waited for all of them."""
    back = see.openings_until_canary(record)
    return back if back is not None else "never"


def _behind_all(scene: Scene) -> Answer:
    return canary_returns(scene.parameters["tasks"], scene.parameters["pool"])


def _own_script_because(scene: Scene) -> str:
    assert scene.record is not None
    back = see.openings_until_canary(scene.record)
    if back is None:
        return "done('stat') was never called, with all gates open."
    place = f"behind {scene.parameters['tasks']} gates with {scene.parameters['pool']} slots it is {_behind_all(scene)}"
    return f"Your stat came back after {counted(back, 'opening')}; {place}."


OWN_SCRIPT = CountCheck(
    slug="gates-own-script",
    measure="canary",
    measured=_stat_back,
    expected=_behind_all,
    wrong=lambda scene: {},
    because=_own_script_because,
    next_step='Ask for the stat after the loop, through fs.stat, and report it; then gates.measure("canary", again=True).',
)


def _state_because(scene: Scene) -> str:
    assert scene.record is not None
    there = see.held(scene.record.runs[0].steps[-1])
    return f"The slots held {' '.join(map(str, there)) or 'nobody'}; the target was {' '.join(map(str, scene.parameters['target']))}."


STATE = CountCheck(
    slug="gates-state",
    measure="state",
    measured=puzzle.reached,
    expected=lambda scene: tuple(sorted(scene.parameters["target"])),
    wrong=lambda scene: {},
    because=_state_because,
    next_step='gates.measure("state", open=[...]): each attempt starts from shut gates.',
    sanity=puzzle.unlike_model,
)

# What no item is about: how many are held at first. It earns nothing; `fourthreads check` says whether libuv's law holds.


def _held_at_first(record: Record) -> Answer | None:
    run = record.runs[0] if record.runs else None
    return run.counts.get("held_slots") if run is not None and run.sources.get("held_slots") == "observed" else None


def _size(scene: Scene) -> int:
    assert scene.record is not None
    return in_force(scene.parameters.get("pool"), scene.record.node.uv)


def _held_by_stories(scene: Scene) -> dict[str, Answer]:
    tasks = scene.parameters["tasks"]
    said = {
        "no-limit": tasks,
        "a-slot-a-core": min(scene.shape.cores, tasks),
        "one-at-a-time": 1,
        "nobody-waits": 0,
        "always-four": min(DEFAULT_POOL, tasks),
    }
    return {name: held for name, held in said.items() if held != min(_size(scene), tasks)}


def _held_because(scene: Scene) -> str:
    assert scene.record is not None
    return f"{_held_at_first(scene.record)} of {scene.parameters['tasks']} requests were held; the pool has {counted(_size(scene), 'slot')}."


LAW = tuple(
    CountCheck(
        slug="gates-held",
        measure=measure,
        measured=_held_at_first,
        expected=lambda scene: min(_size(scene), scene.parameters["tasks"]),
        wrong=_held_by_stories,
        because=_held_because,
        next_step="Measure again with the lab's own script: fourthreads measure gates.",
    )
    for measure in ("start", "one gate", "free")
)

ITEMS = (
    Item(
        grade_id="gates-bets",
        title="bets made before looking",
        points=2.0,
        part="bets",
        step=4,
        bets=("start", "one gate", "canary"),
    ),
    Item(grade_id="gates-why", title="why", points=1.5, part="explanation", step=9, question="why"),
    Item(
        grade_id="gates-own-script",
        title="own script, behind the gates",
        points=2.0,
        part="artefact",
        step=11,
        checks=((OWN_SCRIPT, 1.0),),
    ),
    Item(
        grade_id="gates-state",
        title="state",
        label=lambda scene: f"state {' '.join(map(str, scene.parameters['target']))}",
        points=2.5,
        part="artefact",
        step=14,
        checks=((STATE, 1.0),),
        done="reached",
    ),
    Item(grade_id="gates-cannot", title="what cannot be", points=1.0, part="transfer", step=15, question="cannot"),
    Item(grade_id="gates-service", title="on a service", points=1.0, part="transfer", step=16, question="service"),
)
