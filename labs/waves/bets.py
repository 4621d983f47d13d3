"""The three bets, each a row: how many start, how many times one all take, and what more slots, fewer cores, an end change."""

from __future__ import annotations

from collections.abc import Callable

from labs import model
from labs.answers import Answer, Count
from labs.capacity import capacity_of
from labs.measurement import Record, Run
from labs.spec import Bet, Blank, Lines, Row, Scene
from labs.waves import expect, reading, slips, stories
from labs.waves.around import Around, Times, times
from labs.waves.reading import Seen
from labs.words import WIDTH, beside, counted, listed, number, spaced

AGAIN = "Change your script, run its cell, then this one; your bet stays open."
STARTED = Blank(
    "started",
    Count(0, lambda parameters: int(parameters["tasks"]), "hashes"),
    lambda answer: f"{answer} started",
    "how many are being computed before the first one is back?",
)
TIMES = Blank("times", Times(), times, "how many times as long as one alone do all of them take? such as 2")


def _sure(scene: Scene) -> str:
    return f" ({scene.sure})" if scene.sure else ""


def _crowd(scene: Scene) -> str:
    p = scene.parameters
    slots = "size not set" if p.get("pool") is None else counted(p["pool"], "slot")
    return f"{number(p['tasks'], capital=True)} hashes are asked for at once, {slots}"


def _row(names: list[str], waiting: int) -> str:
    told = spaced(names, 8, "[{}]")
    return f"{told}  {f'{waiting} wait' if waiting > 1 else 'one waits' if waiting else 'nobody waits'}"


def slots_line(run: Run, slots: int) -> str:
    """Draw who started before the first one ended, and how many stood in line."""
    started = run.counts["started"]
    return f"{slots} slots  {_row([str(task) for task in range(1, started + 1)], run.counts['asked_first'] - started)}"


def _ratio(seen: Seen) -> str:
    if seen.value is None:
        return "not timed"
    return times(seen.value) if seen.judged else f"about {times(seen.value)}"


def _unjudged(*seen: Seen) -> Lines:
    why = next((one.why for one in seen if not one.judged), None)
    return () if why is None else (f"The times are not judged: {why}.",)


def _later(record: Record) -> str:
    """Say what to do about times that were not judged; a disturbed calibration is kept for five minutes."""
    return f'The counts stand. For the times, some minutes later when it is quieter: waves.measure("{record.measure}", again=True)'


def _said(scene: Scene, names: tuple[str, ...]) -> str:
    if not scene.answers:
        return ""
    told = [
        times(scene.answers[name]) if name in ("times", "more") else str(scene.answers[name])
        for name in names
        if name in scene.answers
    ]
    return f"you said {', '.join(told)}{_sure(scene)}"


def _head(left: str, right: str) -> str:
    return beside(left, right, 66) if len(left) + len(right) + 3 <= WIDTH else f"{left}\n{right}"


def _sound(actual: Callable[[Record], Row]) -> Callable[[Record], Row | None]:
    """Return what a record tells where its script asked for all at once and reported each; None where it did not."""
    return lambda record: actual(record) if slips.uncounted(record) is None and slips.find(record) is None else None


def _slip_lines(scene: Scene) -> Lines | None:
    assert scene.record is not None
    found = slips.find(scene.record)
    return None if found is None else (*found.lines, AGAIN)


# all at once


def _first_actual(record: Record) -> Row:
    return {
        "started": record.runs[0].counts["started"],
        "times": reading.all_over_one(record).answer,
        "more": reading.more_slots(record).answer,
    }


def _first_ask(scene: Scene) -> str:
    p = scene.parameters
    cores = counted(scene.shape.cores, "core")
    return (
        f"{_crowd(scene)}, on your {cores}, each as long as the others. Then the same with {p['more']} slots. "
        "started, times: with the size not set. more: the time of all with more slots, over that without (1 is the same, 0.5 half)."
    )


def _first_look(scene: Scene) -> Lines:
    if (lines := _slip_lines(scene)) is not None:
        return lines
    assert scene.record is not None
    record = scene.record
    run, all_, more = record.runs[0], reading.all_over_one(record), reading.more_slots(record)
    large = reading.parameter(record, "more") or 0
    left = (
        f"STARTED {run.counts['started']} of {reading.tasks_of(record)}   ALL OVER ONE {_ratio(all_)}   "
        f"{large} SLOTS OVER {reading.slots_of(record)} {_ratio(more)}"
    )
    second = slots_line(run, reading.slots_of(record))
    if len(record.runs) > 1:
        second += f"     {slots_line(record.runs[1], large)}"
    return (_head(left, _said(scene, ("started", "times", "more"))), second)


def _first_because(scene: Scene) -> Lines:
    assert scene.record is not None
    record = scene.record
    all_, more = reading.all_over_one(record), reading.more_slots(record)
    if not (all_.judged and more.judged):
        return (*_unjudged(all_, more), _later(record))
    slots, cores = reading.slots_of(record), record.machine.cores
    large = reading.parameter(record, "more") or 0
    return (_why_all(record), _why_more(record, slots, large, cores))


def _why_all(record: Record) -> str:
    tasks, cores = reading.tasks_of(record), record.machine.cores
    slots = min(reading.slots_of(record), tasks)
    done = capacity_of(record.machine).at(slots)
    if slots <= cores and done <= 0.93 * slots:  # a quota, or two threads of one core
        all_ = model.makespan(tasks, slots, "cpu", capacity_of(record.machine)).low  # the last round may have fewer
        return f"{number(slots, capital=True)} start, and get the work of {done:.2g} done together here: about {all_:.2g} times one."
    if slots <= cores:
        return f"{number(slots, capital=True)} slots, and a core for each: {counted(-(-tasks // slots), 'round')}, each as long as one."
    together = "one core does" if cores == 1 else f"{number(cores)} cores do"
    over = f"{cores}" if done > 0.93 * cores else f"{done:.2g}, which is what they get done together"
    return f"{number(slots, capital=True)} start, and {together} the work of all {number(tasks)}: about {tasks} over {over}."


def _why_more(record: Record, slots: int, large: int, cores: int) -> str:
    threads = min(large, reading.tasks_of(record))
    curve = capacity_of(record.machine)
    if threads <= cores and curve.at(threads) <= 0.93 * threads:
        return f"With {large} slots they get the work of {curve.at(threads):.2g} done together, with {slots} of {curve.at(slots):.2g}: that is what decides."
    if threads <= cores:
        return f"With {large} slots there is still a core for each, so the total falls with the rounds."
    waits = [reading.starved(run) for run in record.runs[:2]]
    if slots >= cores and len(waits) == 2 and waits[0] is not None and waits[1] is not None:
        return (
            f"With {large} slots all the waiting is for a core: workers were ready without one for {waits[1]:.2f} s, "
            f"{waits[0]:.2f} s with {slots}."
        )
    return f"With {large} slots more start than there are cores: from {cores} on, slots only move the waiting."


def _first_otherwise(scene: Scene) -> Lines:
    assert scene.record is not None
    record = scene.record
    started, node = scene.answers.get("started"), record.runs[0].counts["started"]
    if started != node:
        return (f"None of the usual stories gives this row. {_not_started(node, started)}",)
    return _first_because(scene)


def _not_started(node: int, said: Answer | None) -> str:
    return f"You said {said} start; before the first was back {node} had, as many as there are slots. What decides that number?"


ALL_AT_ONCE = Bet(
    slug="all at once",
    measure="all at once",
    blanks=(
        STARTED,
        TIMES,
        Blank(
            "more",
            Times(),
            lambda answer: f"{times(answer)} with more slots",
            "with more slots: how many times that total?",
        ),
    ),
    ask=_first_ask,
    actual=_sound(_first_actual),
    look=_first_look,
    because=_first_because,
    otherwise=_first_otherwise,
    next_step="Next: the cell below shows how we know.",
)


# other cores and own


def _actual(record: Record) -> Row:
    return {"started": record.runs[0].counts["started"], "times": reading.all_over_one(record).answer}


def _second_ask(scene: Scene) -> str:
    p, cores = scene.parameters, scene.shape.cores
    few = p.get("cores")
    if few is None:
        return f"{_crowd(scene)}, on the one core you have. How many start, and how many times one do all take?"
    where = f"on {few} of your {cores} cores"
    return (
        f"{_crowd(scene)}, as before, but now {where}: Node may not use the others. How many start, how many times one?"
    )


def _look(scene: Scene, names: tuple[str, ...]) -> Lines:
    if (lines := _slip_lines(scene)) is not None:
        return lines
    assert scene.record is not None
    record = scene.record
    run, cores = record.runs[0], record.machine.cores
    left = (
        f"STARTED {run.counts['started']} of {reading.tasks_of(record)}   ALL OVER ONE {_ratio(reading.all_over_one(record))}"
        f"   on {counted(cores, 'core')}"
    )
    return (
        _head(left, _said(scene, names)),
        f"{slots_line(run, reading.slots_of(record))}{_ended(run, reading.slots_of(record), names)}",
    )


def _ended(run: Run, slots: int, names: tuple[str, ...]) -> str:
    seen = reading.first_in_line(run, slots) if "ended" in names else None
    if seen is None:
        return ""
    return f"     {seen.name} took {seen.slot_of}'s slot{f', {listed(seen.busy)} still at work' if seen.busy else ''}"


def _because(scene: Scene) -> Lines:
    assert scene.record is not None
    record = scene.record
    seen = reading.all_over_one(record)
    if not seen.judged:
        return (*_unjudged(seen), _later(record))
    return (f"Slots: as many started as the pool has. {_why_all(record)}",)


def _otherwise(scene: Scene) -> Lines:
    assert scene.record is not None
    started, node = scene.answers.get("started"), scene.record.runs[0].counts["started"]
    if started != node:
        return (f"None of the usual stories gives this row. {_not_started(node, started)}",)
    if "ended" in scene.answers and (
        seen := reading.first_in_line(scene.record.runs[0], reading.slots_of(scene.record))
    ):
        if scene.answers["ended"] != 1:
            return (
                f"Hash {seen.name} needed one free slot, and took that of {seen.slot_of}. Whose end would it have waited for?",
            )
    return _because(scene)


OTHER_CORES = Bet(
    slug="other cores",
    measure="other cores",
    blanks=(STARTED, TIMES),
    ask=_second_ask,
    actual=_sound(_actual),
    look=lambda scene: _look(scene, ("started", "times")),
    because=_because,
    otherwise=_otherwise,
    next_step="Next: say why (the cell below).",
)


def _own_actual(record: Record) -> Row:
    slots = reading.slots_of(record)
    seen = reading.first_in_line(record.runs[0], slots)
    return {
        "started": record.runs[0].counts["started"],
        # One free slot is enough. Equal hashes may all end before the next one is seen to start: then the record does not tell.
        "ended": 1 if seen is None or seen.busy else Around(1, slots),
        "times": reading.all_over_one(record).answer,
    }


def _own_ask(scene: Scene) -> str:
    slots = scene.parameters["pool"]
    return (
        f"Your numbers: {_crowd(scene)}, on your {counted(scene.shape.cores, 'core')}. "
        f"ended: how many must have ended before hash {slots + 1} starts?"
    )


OWN = Bet(
    slug="own",
    measure="own",
    blanks=(
        STARTED,
        Blank(
            "ended",
            Count(0, lambda parameters: int(parameters["tasks"]), "hashes"),
            lambda answer: f"{answer} ended",
            "how many must have ended before the first one in line starts?",
        ),
        TIMES,
    ),
    ask=_own_ask,
    actual=_sound(_own_actual),
    look=lambda scene: _look(scene, ("started", "ended", "times")),
    because=_because,
    otherwise=_otherwise,
    next_step="Next: somebody else's code (the cell below).",
)

BETS = (ALL_AT_ONCE, OTHER_CORES, OWN)


def look_free(scene: Scene) -> Lines:
    """Answer a run for curiosity: one watched run, no times compared."""
    assert scene.record is not None
    record = scene.record
    run = record.runs[0]
    waited = reading.starved(run)
    cores = reading.parameter(record, "cores") or record.machine.cores  # an old record has the machine's here
    return (
        f"STARTED {run.counts['started']} of {reading.tasks_of(record)}   on {counted(cores, 'core')}",
        slots_line(run, expect.size(reading.parameter(record, "pool"))),
        f"Processor seconds of the workers: {reading.computed(run):.2f}"
        + (f"; ready without a core: {waited:.2f} s." if waited is not None else "."),
        "Kept with your work; it earns nothing and needs no bet.",
    )


def node_rows(scene: Scene) -> stories.Rows:
    """Return the row that Node gives, by the model."""
    return stories.node(scene)
