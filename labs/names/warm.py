"""What ``names`` remembers before its first bet: the one line of ``gates``, and where a name waits, of ``places``."""

from __future__ import annotations

from dataclasses import dataclass

from labs.answers import Count
from labs.model import canary_returns
from labs.places import paths
from labs.places.facts import CALLS, KIND
from labs.spec import Blank, Lines, Scene
from labs.warmup import WarmUp
from labs.words import counted, ordinal

# gates

#: How many more slots than in the record.
_MORE = 2


@dataclass(frozen=True)
class Asked:
    """The numbers of the question: what is to be imagined."""

    slots: int
    gates: int

    @property
    def openings(self) -> int:
        """Return after how many openings a stat behind all the gates is back."""
        return canary_returns(self.gates, self.slots)


def asked(scene: Scene) -> Asked:
    """Return other numbers than the record's, so that its notebook does not hold the answer, nor the question its own."""
    pool, tasks = (int(scene.parameters[name]) for name in ("pool", "tasks"))
    slots = pool + _MORE
    stated = {pool, tasks, slots, canary_returns(tasks, pool)}
    gates = next(
        many
        for many in range(2 * slots, 4 * slots + tasks)
        if many != tasks and canary_returns(many, slots) not in {*stated, many}
    )
    return Asked(slots, gates)


def _gates_ask(scene: Scene) -> str:
    p, now = scene.parameters, asked(scene)
    return (
        f"There a stat stood behind {p['tasks']} gates, with {p['pool']} slots. Now imagine {now.slots} slots, {now.gates} gates and the stat "
        "behind them. Gates are opened one by one, each time one that is held. After how many openings is the stat back?"
    )


def _gates_because(scene: Scene) -> Lines:
    p, now = scene.parameters, asked(scene)
    lines = [
        f"It stands {ordinal(now.gates + 1)} in the one line. {now.slots} start at once, and each opening lets one more start: "
        f"{now.gates} + 1 - {now.slots} = {now.openings}."
    ]
    before = canary_returns(p["tasks"], p["pool"])
    runs = scene.record.runs if scene.record is not None else ()
    if runs and runs[0].counts.get("canary_openings") == before:
        lines.append(f"In that record it was back after {counted(before, 'opening')}: {p['tasks']} + 1 - {p['pool']}.")
    return tuple(lines)


GATES = WarmUp(
    lab="gates",
    measure="canary",
    ask=_gates_ask,
    blank=Blank("openings", Count(), lambda answer: counted(int(str(answer)), "opening"), "after how many openings?"),
    solve=lambda scene: asked(scene).openings,
    because=_gates_because,
)

# places

#: The call that is asked about: it only looks a name up. It is in none of that lab's bets.
LOOKUP = "lookup-name"


def _connected(scene: Scene) -> str:
    """Return the code of the record's call that looks a name up and then connects."""
    return CALLS[[str(call) for call in scene.parameters["calls"] if KIND.get(str(call)) == "name"][0]].code


def _places_ask(scene: Scene) -> str:
    return (
        f"There one of the calls was {_connected(scene)}. Now {CALLS[LOOKUP].code}, which only looks the name up. Where does it wait: "
        "loop, pool or kernel, or two of them in their order?"
    )


def _places_because(scene: Scene) -> Lines:
    lines = [
        "P, for the pool: a lookup is a call that waits (getaddrinfo), and a thread has to make it and stay in it."
    ]
    calls = paths.calls(scene.record) if scene.record is not None else ()
    call = next((call for call in calls if KIND.get(call) == "name"), None)
    if scene.record is not None and call is not None and paths.seen(scene.record, call) == CALLS[call].path:
        lines.append(
            f"In that record {CALLS[call].code} stayed away while every slot was held. Its K is the connection, which comes after."
        )
    return tuple(lines)


PLACES = WarmUp(
    lab="places",
    measure="six",
    ask=_places_ask,
    blank=Blank("path", paths.Path(), str, "which path?"),
    solve=lambda scene: CALLS[LOOKUP].path,
    because=_places_because,
)

WARM_UPS = (GATES, PLACES)
