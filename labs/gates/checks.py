"""What earns the points of one's own work: where the stat came back, and what the slots held in the end."""

from __future__ import annotations

from labs.answers import Answer
from labs.gates import drawing as see
from labs.gates import puzzle
from labs.measurement import Record
from labs.model import canary_returns
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
