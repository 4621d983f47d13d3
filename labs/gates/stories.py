"""The wrong models that people hold in good faith, what each predicts, and what speaks against it.

Every number comes from a formula over pool size, gates, the gate that is opened and the cores: the table in `README.md`
is what comes out for one draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from labs.gates import drawing as see
from labs.gates.draw import DEFAULT_POOL, START_GATES, gates
from labs.model import canary_returns
from labs.spec import Lines, Row, Scene, Story
from labs.words import counted, listed, number, ordinal

Rows = Mapping[str, Row]


def started_gates(scene: Scene) -> int:
    """Return the number of gates in ``start``, which depends on the cores alone."""
    return gates(START_GATES, scene.shape.cores)


def _pool_of(slots: int, scene: Scene) -> Rows:
    """Return what one line before so many slots predicts, whatever size was asked for."""
    rows: dict[str, Row] = {"start": {"held": min(slots, started_gates(scene))}}
    p = scene.parameters
    if p.get("pool") is not None:
        held = min(slots, p["tasks"])
        rows["canary"] = {"openings": canary_returns(p["tasks"], slots)}
        if "first" in p:
            comes = p["first"] <= held < p["tasks"]  # the gate's task runs, and somebody waits
            rows["one gate"] = {"held": held, "starts": (held + 1,) if comes else ()}
    return rows


def _slots(scene: Scene) -> int:
    return int(scene.parameters.get("pool") or DEFAULT_POOL)


def node(scene: Scene) -> Rows:
    """Return what Node does: the size that was asked for, or four."""
    given, unset = _pool_of(_slots(scene), scene), _pool_of(DEFAULT_POOL, scene)
    return {**given, "start": unset["start"]}


def _no_limit(scene: Scene) -> Rows:
    tasks = scene.parameters["tasks"]
    return {
        "start": {"held": started_gates(scene)},
        "one gate": {"held": tasks, "starts": ()},
        "canary": {"openings": 0},
    }


def _core(scene: Scene) -> Rows:
    return _pool_of(scene.shape.cores, scene)


def _batches(scene: Scene) -> Rows:
    pool, tasks = _slots(scene), scene.parameters["tasks"]
    return {
        "start": {"held": DEFAULT_POOL},
        "one gate": {"held": pool, "starts": ()},
        "canary": {"openings": tasks // pool * pool},  # every full group before the canary's must be done
    }


def _own_line(scene: Scene) -> Rows:
    pool = _slots(scene)
    rows: dict[str, Row] = {"start": {"held": DEFAULT_POOL}}
    if "first" in scene.parameters:
        rows["one gate"] = {"held": pool, "starts": (scene.parameters["first"] + pool,)}
    return rows


def _one_by_one(scene: Scene) -> Rows:
    return _pool_of(1, scene)


def _kernel(scene: Scene) -> Rows:
    return {"start": {"held": 0}, "one gate": {"held": 0, "starts": ()}, "canary": {"openings": 0}}


def _four(scene: Scene) -> Rows:
    return _pool_of(DEFAULT_POOL, scene)


def _canary(openings: Callable[[int, int], int]) -> Callable[[Scene], Rows]:
    return lambda scene: {"canary": {"openings": openings(_slots(scene), scene.parameters["tasks"])}}


# What was seen, for the sentences below.


def _held_now(scene: Scene) -> tuple[int, ...]:
    return see.held(see.run_of(scene).steps[0])


def _next(scene: Scene) -> str:
    steps = see.run_of(scene).steps
    return listed(see.new_in(steps[0], steps[-1])) or "none"


def _still(scene: Scene) -> str:
    """Name the slots that did not move while the gate was opened."""
    steps = see.run_of(scene).steps
    both = sorted({*see.held(steps[0])} & {*see.held(steps[-1])})
    return f"{listed(both)} {'is' if len(both) == 1 else 'are'}"


def _left(scene: Scene) -> str:
    waiting = see.run_of(scene).steps[-1].waiting
    return f"{waiting[0]} to {waiting[-1]}" if len(waiting) > 1 else "".join(waiting)


def _start_no_limit(scene: Scene) -> Lines:
    step = see.run_of(scene).steps[0]
    held, first, last = len(_held_now(scene)), step.waiting[0], step.waiting[-1]
    return (
        f"{number(started_gates(scene), capital=True)} is what you get if every asynchronous call receives a thread of its own.",
        f"But nobody is in {first} to {last}: no thread, no error, no callback. They wait for one of {number(held)}.",
    )


def _start_core(scene: Scene) -> Lines:
    cores, run = scene.shape.cores, see.run_of(scene)
    of_them = "your one core" if cores == 1 else f"each of your {cores} cores"
    return (
        f"{number(cores, capital=True)} is one slot for {of_them}.",
        f"But {number(len(_held_now(scene)))} threads are held, and together they used {see.cpu_of_workers(run):.2f} s of CPU. "
        "Waiting needs no core.",
    )


def _start_one(scene: Scene) -> Lines:
    run = see.run_of(scene)
    return (
        "One is what you get if Node does one thing at a time. For your JavaScript that is so.",
        f"But {number(len(_held_now(scene)))} opens are inside the operating system at this moment, "
        f"and {see.ticks(run)} timer ticks arrived.",
    )


def _start_kernel(scene: Scene) -> Lines:
    held = number(len(_held_now(scene)), capital=True)
    return (
        "Zero is what you get if no thread has to stay in a call: the kernel says when. For sockets you will see that.",
        f"Opening a file is different: somebody has to make the call and stay in it. {held} threads do: see below.",
    )


def _gate_no_limit(scene: Scene) -> Lines:
    return (
        f"You expected all {number(scene.parameters['tasks'])} to be running already, so that opening a gate starts nothing.",
        f"But {_next(scene)} had no thread until gate {scene.parameters['first']} was opened, and {_left(scene)} have none now.",
    )


def _gate_core(scene: Scene) -> Lines:
    cores, held = scene.shape.cores, number(len(_held_now(scene)))
    return (
        f"You expected one slot for {'your one core' if cores == 1 else f'each of your {cores} cores'}.",
        f"But {held} were held before the gate was opened: the size given was {scene.parameters['pool']}, and it was obeyed.",
    )


def _gate_batches(scene: Scene) -> Lines:
    group = listed(_held_now(scene))
    return (
        f'You expected the next group to wait for all of {group}. Some articles say "two batches of four".',
        f"But {_next(scene)} is running while {_still(scene)} still held.",
    )


def _gate_own_line(scene: Scene) -> Lines:
    pool, gate = scene.parameters["pool"], scene.parameters["first"]
    return (
        f"You expected tasks to be dealt out in advance: slot {gate} gets {gate}, then {gate + pool}, then {gate + 2 * pool}.",
        f"But the slot that finished {gate} went on with {_next(scene)}, and {gate + pool} is still waiting.",
    )


def _gate_one(scene: Scene) -> Lines:
    return (
        "One is what you get if Node does one thing at a time. For your JavaScript that is so.",
        f"But {number(len(_held_now(scene)))} opens were inside the operating system at once, before gate "
        f"{scene.parameters['first']} was opened.",
    )


def _gate_kernel(scene: Scene) -> Lines:
    return (
        "None is what you get if the kernel takes the requests and calls back.",
        f"But {number(len(_held_now(scene)))} threads stood inside an open, and the one that came out of "
        f"{scene.parameters['first']} went into {_next(scene)}.",
    )


def _gate_four(scene: Scene) -> Lines:
    return (
        "You expected four slots whatever size is given.",
        f"But {number(len(_held_now(scene)))} were held: the size was set before the first request, and that counts.",
    )


def _back(scene: Scene) -> int:
    assert scene.record is not None
    return see.openings_until_canary(scene.record) or 0


def _canary_no_limit(scene: Scene) -> Lines:
    return (
        "With a thread for every call nobody would stand before your stat.",
        f"But {counted(scene.parameters['tasks'], 'gate')} stood there, and it came when {_back(scene)} had been opened.",
    )


def _canary_core(scene: Scene) -> Lines:
    cores, pool = scene.shape.cores, scene.parameters["pool"]
    return (
        f"That is the number for {counted(cores, 'slot')}, one a core.",
        f"But {pool} requests were held at once all the time: the stat's turn came when {_back(scene)} were through.",
    )


def _canary_batches(scene: Scene) -> Lines:
    left = scene.parameters["tasks"] - _back(scene)
    return (
        "In groups, every group before the stat's would have to be done to the last of it.",
        f"But {counted(left, 'gate')} {'was' if left == 1 else 'were'} still shut when the stat came back.",
    )


def _canary_one(scene: Scene) -> Lines:
    return (
        f"One after the other, all {scene.parameters['tasks']} gates would have to be opened first.",
        f"But {scene.parameters['pool']} stood in slots at once, and some of them were still shut when the stat came back.",
    )


def _canary_kernel(scene: Scene) -> Lines:
    return (
        "If the kernel took the requests, nothing would stand before your stat.",
        f"But somebody has to make the call, and every thread that could was inside a gate until opening {_back(scene)}.",
    )


def _canary_four(scene: Scene) -> Lines:
    pool = scene.parameters["pool"]
    return (
        "That is the number for four slots.",
        f"But this pool has {pool}: of {scene.parameters['tasks']} gates all but {pool - 1} had to be opened.",
    )


def canary_overtakes(scene: Scene) -> Lines:
    """Answer 0: small requests overtake."""
    place = ordinal(scene.parameters["tasks"] + 1)
    return (f"A stat is quick, but the line does not know that. It was {place}, and {place} it stayed.",)


def canary_next(scene: Scene) -> Lines:
    """Answer 1: the next free slot is mine."""
    return (f"The first free slot took task {scene.parameters['pool'] + 1}: it had asked before your stat.",)


def canary_group(scene: Scene) -> Lines:
    """Answer P: one group later."""
    pool, tasks = scene.parameters["pool"], scene.parameters["tasks"]
    inside = ", ".join(str(task) for task in range(pool + 1, 2 * pool + 1))
    before = list(range(2 * pool + 1, tasks + 1))
    ahead = ", ".join(map(str, before)) if len(before) < 6 else f"{before[0]} to {before[-1]}"
    return (f"After {pool} openings the slots hold {inside}. Your stat is still behind {ahead}.",)


def canary_fence(scene: Scene) -> Lines:
    """Answer N - P: one off at the fence."""
    pool, tasks = scene.parameters["pool"], scene.parameters["tasks"]
    first = tasks - pool + 1
    inside = f"{first}, {first + 1}, {tasks}" if pool == 3 else f"{first} to {tasks}"
    return (
        f"After {tasks - pool} openings the slots hold {inside}: everybody before you is inside, and nobody is out yet.",
        "One more.",
    )


def canary_all(scene: Scene) -> Lines:
    """Answer N: all gates first."""
    left = scene.parameters["tasks"] - _back(scene)
    shut = f"{number(left, capital=True)} {'gate was' if left == 1 else 'gates were'}"
    return (f"{shut} still shut when it came back. It needs a slot, not an empty pool.",)


STORIES = (
    Story(
        "no-limit",
        "no limit: every async call gets a thread",
        _no_limit,
        {"start": _start_no_limit, "one gate": _gate_no_limit, "canary": _canary_no_limit},
    ),
    Story(
        "a-slot-a-core", "a slot a core", _core, {"start": _start_core, "one gate": _gate_core, "canary": _canary_core}
    ),
    Story(
        "batches",
        "batches: the next group starts when all of the group are done",
        _batches,
        {"one gate": _gate_batches, "canary": _canary_batches},
    ),
    Story("own-line", "own line: tasks are dealt out to slots in advance", _own_line, {"one gate": _gate_own_line}),
    Story(
        "one-at-a-time",
        "one at a time",
        _one_by_one,
        {"start": _start_one, "one gate": _gate_one, "canary": _canary_one},
    ),
    Story(
        "nobody-waits",
        "nobody waits: the kernel does it",
        _kernel,
        {"start": _start_kernel, "one gate": _gate_kernel, "canary": _canary_kernel},
    ),
    Story(
        "always-four", "always four: the size is only a wish", _four, {"one gate": _gate_four, "canary": _canary_four}
    ),
    # Slips inside the third bet, by people whose second row was Node's.
    Story("overtake", "small requests overtake", _canary(lambda p, n: 0), {"canary": canary_overtakes}, local=True),
    Story("next-is-mine", "the next free slot is mine", _canary(lambda p, n: 1), {"canary": canary_next}, local=True),
    Story("one-group-later", "one group later", _canary(lambda p, n: p), {"canary": canary_group}, local=True),
    Story("fence", "off by one at the fence", _canary(lambda p, n: n - p), {"canary": canary_fence}, local=True),
    Story("all-gates-first", "all gates first", _canary(lambda p, n: n), {"canary": canary_all}, local=True),
)
