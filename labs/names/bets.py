"""The first three bets, on the half: what is asked, what Node did beside it, and why it is so."""

from __future__ import annotations

from labs.answers import Count
from labs.measurement import Record
from labs.names import drawing as see
from labs.spec import Bet, Blank, Lines, Row, Scene
from labs.words import beside, counted, number

FLYING = Count(0, lambda parameters: int(parameters["names"]), "names")
BACK = Count(0, lambda parameters: int(parameters["stats"]), "of them")


# start


def _start_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"{p['names']} names are asked for at once, then {p['stats']} small file requests; the size is not set. Nothing is answered. "
        "How many names are at the name server, and how many small requests are back?"
    )


def _start_actual(record: Record) -> Row | None:
    runs = see.runs_of(record, 1)
    return {"flying": see.flying(runs[0]), "back": see.back(runs[0])} if runs else None


def look_at_start(scene: Scene) -> Lines:
    """Show how many names are in flight, who holds the slots, and who went past."""
    run, p = see.run_of(scene), scene.parameters
    said = (
        f"you said {scene.answers['flying']}, and {scene.answers['back']} back{see.sure(scene)}"
        if "flying" in scene.answers
        else ""
    )
    small = f", {see.back(run)} of {p['stats']} small requests back" if p.get("stats") else ""
    return (
        beside(f"IN FLIGHT  {see.flying(run)} of {p['names']} names{small}", said),
        f"{see.slots(run.steps[0])}      {see.waiting(run.steps[0])}",
    )


def _start_because(scene: Scene) -> Lines:
    run = see.run_of(scene)
    return (
        f"{number(see.flying(run), capital=True)} threads sit in a lookup. {number(see.idle(run), capital=True)} have nothing to do, and "
        f"{see.names_waiting(run.steps[0])} names wait all the same.",
        "The small requests came after the names, and went past them through the threads that names leave alone.",
    )


def _start_otherwise(scene: Scene) -> Lines:
    run, said = see.run_of(scene), scene.answers
    if said["flying"] == see.flying(run):
        free = number(see.idle(run))
        return (
            f"In flight is what you said. But look at the slots: {free} have nothing to do, and the small requests found them.",
        )
    if said["back"] == see.back(run):
        return (
            f"The small requests came back as you said. But {see.names(see.flying(run))} in flight, not {said['flying']}: "
            "who else is in a slot?",
        )
    return (
        f"None of the usual stories gives {said['flying']} and {said['back']}. Keep your reason in mind, and look what it misses.",
    )


START = Bet(
    slug="start",
    measure="start",
    blanks=(
        Blank(
            "flying", FLYING, lambda answer: f"{answer} in flight", "how many names are at the name server right now?"
        ),
        Blank(
            "back", BACK, lambda answer: f"{answer} back", "how many of the ten small requests behind them are back?"
        ),
    ),
    ask=_start_ask,
    actual=_start_actual,
    look=look_at_start,
    because=_start_because,
    otherwise=_start_otherwise,
    next_step="Next: the cell below shows how we know.",
)


# own


def _own_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"Your numbers: {p['pool']} slots, {p['names']} names, nothing answered. First alone. Then once more, behind {see.gates(p['held'])} "
        "that were asked for before and stay shut."
    )


def _own_actual(record: Record) -> Row | None:
    runs = see.runs_of(record, 2)
    return {"alone": see.flying(runs[0]), "beside": see.flying(runs[1])} if runs else None


def _own_look(scene: Scene) -> Lines:
    alone, crowded = see.run_of(scene), see.run_of(scene, 1)
    said = (
        f"you said {scene.answers['alone']}, then {scene.answers['beside']}{see.sure(scene)}" if scene.answers else ""
    )
    held = scene.parameters["held"]
    return (
        beside(f"ALONE    {counted(see.flying(alone), 'name')} in flight   {see.slots(alone.steps[0], 9)}", said, 78),
        f"{f'{held} GATES':<9}{counted(see.flying(crowded), 'name')} in flight   {see.slots(crowded.steps[0], 14)}",
    )


def _own_because(scene: Scene) -> Lines:
    alone, crowded = see.run_of(scene), see.run_of(scene, 1)
    return (
        f"Alone, {see.slots_free(see.idle(alone))} while {see.names_waiting(alone.steps[0])} names wait. Behind the gates, "
        f"{see.slots_free(see.idle(crowded))}: names had what was left.",
    )


def _own_otherwise(scene: Scene) -> Lines:
    alone, crowded, said = see.run_of(scene), see.run_of(scene, 1), scene.answers
    if said["alone"] == see.flying(alone):
        return (
            f"Alone is what you said. Behind the gates {number(see.flying(crowded))}: count the brackets in the second line, and who is in them.",
        )
    if said["beside"] == see.flying(crowded):
        return (
            f"Behind the gates is what you said. Alone {number(see.flying(alone))}, with {number(see.idle(alone))} free: what kept the next "
            "name out?",
        )
    return (
        f"None of the usual stories gives {said['alone']} and {said['beside']}. Node's row is {see.flying(alone)} and "
        f"{see.flying(crowded)}; what would have to be so for it?",
    )


OWN = Bet(
    slug="own",
    measure="own",
    blanks=(
        Blank("alone", FLYING, lambda answer: f"{answer} alone", "names in flight, where nothing else wants a slot"),
        Blank(
            "beside", FLYING, lambda answer: f"{answer} behind the gates", "names in flight, where the gates were first"
        ),
    ),
    ask=_own_ask,
    actual=_own_actual,
    look=_own_look,
    because=_own_because,
    otherwise=_own_otherwise,
    next_step="Next: say why (the cell below).",
)


# second


def _second_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"{p['names']} names, then {p['stats']} small file requests; first with one thread in the pool, then with two. How many more names "
        "are in flight with two, and how many more of the small requests are back?"
    )


def _second_actual(record: Record) -> Row | None:
    runs = see.runs_of(record, 2)
    if not runs:
        return None
    one, two = runs
    more = {"names": see.flying(two) - see.flying(one), "files": see.back(two) - see.back(one)}
    return more if min(more.values()) >= 0 else None


def _second_look(scene: Scene) -> Lines:
    said = (
        f"you said {scene.answers['names']} more, and {scene.answers['files']} more back{see.sure(scene)}"
        if scene.answers
        else ""
    )
    lines = [
        f"{title:<12}{counted(see.flying(run), 'name')} in flight, {see.back(run)} of {scene.parameters['stats']} back"
        for title, run in (("ONE THREAD", see.run_of(scene)), ("TWO THREADS", see.run_of(scene, 1)))
    ]
    return (beside(lines[0], said, 50), lines[1])


def _second_because(scene: Scene) -> Lines:
    return (
        "(1 + 1) / 2 is 1, and (2 + 1) / 2 in whole numbers is 1 too: for names the second thread is worth nothing.",
        "It is worth everything to the others: names may not take it. With one thread there is no way past.",
    )


def _second_otherwise(scene: Scene) -> Lines:
    one, two, said = see.run_of(scene), see.run_of(scene, 1), scene.answers
    if said["names"] != see.flying(two) - see.flying(one):
        return (
            f"With one thread {see.flying(one)} in flight, with two {see.flying(two)}. Put 1 and 2 into the rule of your five lines.",
        )
    return (
        f"The names are as you said. The small requests are quick, and a thread that names leave alone takes all of them: "
        f"{see.back(two)} of {scene.parameters['stats']}.",
    )


SECOND = Bet(
    slug="second",
    measure="second",
    blanks=(
        Blank(
            "names",
            FLYING,
            lambda answer: f"{answer} more in flight",
            "how many more names are in flight with two threads",
        ),
        Blank("files", BACK, lambda answer: f"{answer} more back", "how many more of the ten small requests are back"),
    ),
    ask=_second_ask,
    actual=_second_actual,
    look=_second_look,
    because=_second_because,
    otherwise=_second_otherwise,
    next_step="Next: find the line that does it (the cell below).",
)
