"""The wrong models that people hold about hashes in good faith, what each predicts here, and what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping

from labs import model
from labs.capacity import ideal
from labs.spec import Lines, Row, Scene, Story
from labs.waves import expect, reading
from labs.waves.around import Around, times
from labs.waves.draw import OWN
from labs.words import counted, listed, number

Rows = Mapping[str, Row]


def _numbers(scene: Scene) -> tuple[int, int]:
    p = scene.parameters
    return int(p["tasks"]), expect.size(p.get("pool"))


def _cores(scene: Scene) -> int:
    """Return the cores that the scene's run has."""
    return int(scene.parameters.get("cores") or scene.shape.cores)


def bet_of(scene: Scene) -> str:
    """Return which bet these parameters belong to."""
    if "more" in scene.parameters:
        return "all at once"
    return "own" if scene.parameters.get("pool") in OWN else "other cores"


def _rows(scene: Scene, started: int, rounds: Around | float, more: Around | float, ended: int | None) -> Rows:
    """Return the rows of a story whose numbers are known; the blanks of each bet."""
    both: dict[str, int | float] = {
        "started": started,
        "times": rounds if isinstance(rounds, Around) else Around(rounds),
    }
    bet = bet_of(scene)
    if bet == "all at once":
        return {bet: {**both, "more": more if isinstance(more, Around) else Around(more)}}
    if bet == "own" and ended is not None:
        return {bet: {"started": started, "ended": ended, "times": both["times"]}}
    return {bet: dict(both)}


def node_times(scene: Scene) -> Around:
    """Return how many times one all take, by the model of this machine."""
    tasks, slots = _numbers(scene)
    span = expect.all_over_one(tasks, slots, reading.curve(scene))
    return Around(span.low, span.high)


def node_more(scene: Scene) -> Around:
    """Return the larger pool's time over the smaller one's, by the model of this machine."""
    tasks, slots = _numbers(scene)
    span = expect.more_slots(tasks, int(scene.parameters["more"]), slots, reading.curve(scene))
    return Around(span.low, span.high)


def node(scene: Scene) -> Rows:
    """Return what Node does here: slots decide how many start, slots and cores together how long all take."""
    tasks, slots = _numbers(scene)
    more = node_more(scene) if "more" in scene.parameters else 1.0
    return _rows(scene, min(tasks, slots), node_times(scene), more, 1)


def _textbook(scene: Scene) -> Rows:
    tasks, slots = _numbers(scene)
    rounds = model.waves(tasks, slots)
    more = model.waves(tasks, int(scene.parameters.get("more", slots))) / rounds
    return _rows(scene, min(tasks, slots), rounds, more, 1)


def _no_limit(scene: Scene) -> Rows:
    tasks, _ = _numbers(scene)
    return _rows(scene, tasks, 1.0, 1.0, None)


def _one_by_one(scene: Scene) -> Rows:
    tasks, _ = _numbers(scene)
    return _rows(scene, 1, float(tasks), 1.0, None)


def _core_slots(scene: Scene) -> Rows:
    tasks, _ = _numbers(scene)
    cores = _cores(scene)
    return _rows(scene, min(tasks, cores), float(model.waves(tasks, cores)), 1.0, None)


def _batches(scene: Scene) -> Rows:
    tasks, slots = _numbers(scene)
    return {"own": {"started": slots, "ended": slots}} if bet_of(scene) == "own" and tasks > slots else {}


def _faster(scene: Scene) -> Rows:
    if bet_of(scene) != "all at once":
        return {}
    tasks, slots = _numbers(scene)
    return _rows(scene, min(tasks, slots), node_times(scene), slots / int(scene.parameters["more"]), None)


def _slower(scene: Scene) -> Rows:
    if bet_of(scene) != "all at once":
        return {}
    tasks, slots = _numbers(scene)
    return _rows(scene, min(tasks, slots), node_times(scene), int(scene.parameters["more"]) / slots, None)


def _as_before(scene: Scene) -> Rows:
    """Return the slip at the second bet of who saw the first record: fewer cores change nothing."""
    tasks, slots = _numbers(scene)
    if bet_of(scene) != "other cores" or scene.parameters.get("cores") is None:
        return {}
    before = expect.all_over_one(tasks, slots, ideal(scene.shape.cores))
    return _rows(scene, min(tasks, slots), Around(before.low, before.high), 1.0, None)


# What was seen, for the sentences below.


def _started(scene: Scene) -> str:
    assert scene.record is not None
    return number(scene.record.runs[0].counts["started"])


def _pool_threads(cores: int) -> str:
    return "your one core" if cores == 1 else f"the {cores} cores of this run"


def _shared(scene: Scene) -> str:
    """Say how the workers shared the cores, in seconds of the watched run."""
    assert scene.record is not None
    run = scene.record.runs[0]
    text = f"together they got {reading.computed(run):.2f} s of processor time"
    waited = reading.starved(run)
    return text + (f" and were ready without a core for {waited:.2f} s" if waited is not None else "")


def _textbook_voice(scene: Scene) -> Lines:
    _, slots = _numbers(scene)
    return (
        f"{times(float(model.waves(*_numbers(scene))))} is the textbook: a core for every slot, so {number(slots)} at a time, round after "
        "round. Some articles print it.",
        f"But {_started(scene)} workers shared {_pool_threads(_cores(scene))}: {_shared(scene)}.",
    )


def _no_limit_voice(scene: Scene) -> Lines:
    tasks, _ = _numbers(scene)
    return (
        f"{number(tasks, capital=True)} is what you get if every asynchronous call receives a thread of its own.",
        f"But {_started(scene)} had started before the first was back; the others stood in line, without a thread.",
    )


def _one_voice(scene: Scene) -> Lines:
    assert scene.record is not None
    run = scene.record.runs[0]
    main = "the loop's own thread computed none of it"
    return (
        "One at a time is what you get if Node computes on its one thread. For your JavaScript that is so.",
        f"But {_started(scene)} hashes were at work at once, each on a thread of the pool ({counted(len(run.threads), 'worker')}); {main}.",
    )


def _core_voice(scene: Scene) -> Lines:
    cores = _cores(scene)
    return (
        f"You expected one slot for {'your one core' if cores == 1 else f'each of the {cores} cores'}.",
        f"{_started(scene).capitalize()} had started before the first was back: slots are threads, and threads share cores.",
    )


def _batches_voice(scene: Scene) -> Lines:
    assert scene.record is not None
    _, slots = _numbers(scene)
    seen = reading.first_in_line(scene.record.runs[0], slots)
    assert seen is not None  # named only where the record tells
    return (
        f"You expected hash {seen.name} to wait until the first {number(slots)} are all back: a group, then the next group.",
        f"But it took the slot of {seen.slot_of} with {listed(seen.busy)} still at work. The pattern is no mechanism.",
    )


def _faster_voice(scene: Scene) -> Lines:
    more = int(scene.parameters["more"])
    return (
        f"More threads, faster: with {number(more)} slots you expected a smaller total.",
        f"{number(more, capital=True)} did start at once. But the cores were as many as before: workers {_more_waits(scene)}",
    )


def _slower_voice(scene: Scene) -> Lines:
    more = int(scene.parameters["more"])
    if node_more(scene).high < 0.95:  # cores were left over
        return (
            f"You expected {number(more)} threads to get in each other's way.",
            f"But with the smaller pool some of the {scene.shape.cores} cores had nothing to do. More slots put them to work, and the total fell.",
        )
    return (
        f"You expected {number(more)} threads on few cores to get in each other's way.",
        f"They take turns, and a turn costs next to nothing beside its length: the total is what it was; workers {_more_waits(scene)}",
    )


def _more_waits(scene: Scene) -> str:
    """Say where the waiting went."""
    assert scene.record is not None
    waits = [reading.starved(run) for run in scene.record.runs[:2]]
    if len(waits) < 2 or waits[0] is None or waits[1] is None:
        return "now wait for a core instead of standing in line."
    return f"were ready without a core for {waits[0]:.2f} s with the smaller pool, {waits[1]:.2f} s with the larger."


def _as_before_voice(scene: Scene) -> Lines:
    return (
        "You expected the time of your first record: the same slots, so the same time.",
        f"The slots are the same and {_started(scene)} started again. But they shared {_pool_threads(_cores(scene))}: {_shared(scene)}.",
    )


STORIES = (
    Story(
        "core-a-slot", "textbook: a core for every slot", _textbook,
        {"all at once": _textbook_voice, "other cores": _textbook_voice, "own": _textbook_voice},
    ),
    Story(
        "no-limit", "no limit: every async call gets a thread", _no_limit,
        {"all at once": _no_limit_voice, "other cores": _no_limit_voice, "own": _no_limit_voice},
    ),
    Story(
        "one-by-one", "one by one: Node computes on one thread", _one_by_one,
        {"all at once": _one_voice, "other cores": _one_voice, "own": _one_voice},
    ),
    Story(
        "a-slot-a-core", "a slot a core", _core_slots,
        {"all at once": _core_voice, "other cores": _core_voice, "own": _core_voice},
    ),
    Story("batches", "batches: the next group starts when all of the group are back", _batches, {"own": _batches_voice}),
    Story("always-faster", "more threads = faster", _faster, {"all at once": _faster_voice}),
    Story("slower", "more threads = slower", _slower, {"all at once": _slower_voice}),
    Story("as-before", "cores do not matter", _as_before, {"other cores": _as_before_voice}, local=True),
)  # fmt: skip
