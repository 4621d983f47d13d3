"""The wrong models: what each predicts, in whose words, and what in the learner's own record does not fit it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from labs.birth import drawing as see
from labs.birth import expect
from labs.birth.draw import DEFAULT
from labs.spec import Lines, Row, Scene, Story

Rows = Mapping[str, Row]


def node(scene: Scene) -> Rows:
    """Return what Node does."""
    return expect.node(scene)


def _made(bet: str, row: Callable[[Scene], Row]) -> Callable[[Scene], Rows]:
    return lambda scene: {bet: row(scene)} if bet in expect.node(scene) else {}


def _both(*makers: Callable[[Scene], Rows]) -> Callable[[Scene], Rows]:
    return lambda scene: {bet: row for maker in makers for bet, row in maker(scene).items()}


def _size(scene: Scene) -> int:
    return int(scene.parameters["size"])


def _jobs(scene: Scene) -> int:
    return int(scene.parameters["jobs"])


def _cores(scene: Scene) -> int:
    return scene.shape.cores


# first

_START_FIRST = _made("first", lambda scene: dict.fromkeys(("before", "after", "more"), _size(scene)))
_GROWS = _made("first", lambda scene: {"before": 0, "after": 1, "more": _size(scene)})
_CORES = _made("first", lambda scene: {"before": 0, "after": _cores(scene), "more": _cores(scene)})
_EACH_JOB = _made("first", lambda scene: {"before": 0, "after": 1, "more": _jobs(scene)})

# line

_START_LINE = _made("line", lambda scene: dict.fromkeys(("first", "late", "quick", "token"), DEFAULT))
_PRINTED = _made("line", lambda scene: dict.fromkeys(("first", "late", "quick", "token"), _size(scene)))
_RANDOM = _made("line", lambda scene: {"first": _size(scene), "late": DEFAULT, "quick": DEFAULT, "token": DEFAULT})
_FILES = _made(
    "line", lambda scene: {"first": _size(scene), "late": DEFAULT, "quick": _size(scene), "token": _size(scene)}
)

# value


def javascript(value: str) -> int:
    """Return the size if Node read the value with ``Number`` and took 4 where it is none: 1e2 is a hundred."""
    if re.fullmatch(r"[+-]?\d+(\.\d+)?(e\d+)?", value.strip()):
        number = int(float(value))
        return number if number > 0 else 1
    return DEFAULT


def _values(read: Callable[[str], int]) -> Callable[[Scene], Rows]:
    names = ("word", "tail", "power", "minus")
    return _made(
        "value",
        lambda scene: {name: read(value) for name, value in zip(names, scene.parameters["values"], strict=False)},
    )


def clamped(value: str) -> int:
    """Return the size if less than one became one, and all else were as it is."""
    from labs import poolsize

    return 1 if value.startswith("-") else poolsize.in_force(value, expect.UV)


# voices


def _start_first(scene: Scene) -> Lines:
    return (
        f"{_size(scene)} from the first line on: so it is if the pool is made while Node starts.",
        "But at your first line there was none: Node had read your file from disk itself, on its own thread, and asked nobody.",
    )


def _grows(scene: Scene) -> Lines:
    return (
        "One, and more as they are needed: so do the pools of many servers and databases.",
        f"But after one single job there were {see.count(scene, 'first', 'after')}. One was busy; all were made.",
    )


def _cores_voice(scene: Scene) -> Lines:
    return (
        f"{_cores(scene)} is one thread for each of your cores.",
        f"But there were {see.count(scene, 'first', 'after')}: what the variable says. The pool never asks how many cores there are.",
    )


def _each_job(scene: Scene) -> Lines:
    return (
        "A thread for each job: so it is if a thread is what a request is given.",
        f"But {_jobs(scene) + 1} jobs were done, and there were {see.count(scene, 'first', 'more')} threads at the end as after the first.",
    )


def _start_line(scene: Scene) -> Lines:
    return (
        "Four in all: a line of yours comes too late, because the pool is made while Node starts.",
        f"But the first line made it {_size(scene)}. Until a job is handed in nobody has read the variable.",
    )


def _printed(scene: Scene) -> Lines:
    return (
        f"{_size(scene)} in all: the variable says so, and process.env shows {_size(scene)} in all four.",
        "But two of them have four threads. What is printed is the variable; the pool had read it before.",
    )


def _random(scene: Scene) -> Lines:
    return (
        "Four after any random bytes: some texts say that randomBytes makes the pool.",
        f"But the module that takes its bytes at once left the pool unborn: {_size(scene)}. Only the form with a callback is a job.",
    )


def _files(scene: Scene) -> Lines:
    return (
        "Four only after the file: so it is if the pool is for files, and random bytes are computed on the spot.",
        "But the module that has its bytes called back had handed in a job: four.",
    )


def _nonsense(scene: Scene) -> Lines:
    return (
        "Four each time: what is no number is ignored, and the default stands.",
        f"But no run had four. C's atoi takes the digits it begins with, and says 0 where there are none: {see.values(scene)}.",
    )


def _javascript(scene: Scene) -> Lines:
    power = scene.parameters["values"][2]
    return (
        f"So JavaScript would read it: {power} is {javascript(power)}, and what is no number leaves four.",
        f"But no JavaScript reads it. C's atoi stops at the first letter: {see.values(scene)}.",
    )


def _clamped(scene: Scene) -> Lines:
    return (
        "One for the negative number: so it is if whatever is less than one becomes one.",
        "But it is kept in an unsigned number: -1 is 4,294,967,295 there, and more than 1,024 becomes 1,024.",
    )


def _free(scene: Scene) -> Lines:
    return (
        "Nothing at all: a thread that sleeps costs nothing.",
        f"But {_size(scene)} threads took {see.space(scene)} MiB of addresses: each has a stack set aside for it.",
    )


def _memory(scene: Scene) -> Lines:
    return (
        "All of it in memory: a stack is memory, and it is set aside when the thread is made.",
        f"But {see.resident(scene)} MiB came of {see.space(scene)}. A page of a stack is in memory once somebody has written to it.",
    )


def _descriptors(scene: Scene) -> Lines:
    return (
        "A descriptor a thread: on Linux much is a file, so why not a thread.",
        f"But the {_size(scene)} threads opened none: they share the process's own table.",
    )


def _dropped(scene: Scene) -> Lines:
    return (
        "None: process.exit() ends it all, at once.",
        f"But {see.count(scene, 'exit', 'made')} folders stand there. exit joins the pool's threads, and they work off their line first "
        "(but for names that wait: lab names).",
    )


def _queued(scene: Scene) -> Lines:
    return (
        "One: the job in a thread's hands is finished, the line behind it is dropped.",
        f"But {see.count(scene, 'exit', 'made')} folders stand there. The word to end stands in the same line, at its tail.",
    )


def _answered(scene: Scene) -> Lines:
    return (
        "All done and all answered: so it is if exit lets the loop run dry.",
        "But not one callback ran. The threads worked on; your JavaScript had ended with exit.",
    )


STORIES = (
    Story(
        "born-at-start", "the pool is made while Node starts, before any line of yours", _both(_START_FIRST, _START_LINE),
        {"first": _start_first, "line": _start_line},
    ),
    Story("grows", "threads are added as they are needed, up to the size", _GROWS, {"first": _grows}),
    Story("thread-a-core", "a thread a core, whatever is set", _CORES, {"first": _cores_voice}),
    Story("thread-a-job", "each job gets a thread of its own", _EACH_JOB, {"first": _each_job}),
    Story("printed", "the size is what process.env shows", _PRINTED, {"line": _printed}),
    Story("random-bytes", "randomBytes always makes the pool", _RANDOM, {"line": _random}),
    Story("only-files", "only files make the pool", _FILES, {"line": _files}),
    Story("ignored", "what is no plain number is ignored: four", _values(lambda value: DEFAULT), {"value": _nonsense}),
    Story("javascript", "it is read as JavaScript reads a number", _values(javascript), {"value": _javascript}),
    Story("at-least-one", "less than one becomes one", _values(clamped), {"value": _clamped}),
    Story("free", "a thread that sleeps costs nothing", _made("bill", lambda scene: {"each": 0, "used": "none", "files": 0}), {"bill": _free}),
    Story("memory", "a stack is memory from the start", _made("bill", lambda scene: {"used": "all", "files": 0}), {"bill": _memory}),
    Story("descriptors", "a thread is a descriptor more", _made("bill", lambda scene: {"files": _size(scene)}), {"bill": _descriptors}),
    Story("dropped", "exit drops all that was asked for", _made("exit", lambda scene: {"made": 0, "back": 0}), {"exit": _dropped}),
    Story("queued-dropped", "exit finishes what is under way and drops the line", _made("exit", lambda scene: {"made": 1, "back": 0}), {"exit": _queued}),
    Story("answered", "exit lets everything run dry", _made("exit", lambda scene: {"made": _jobs(scene), "back": _jobs(scene)}), {"exit": _answered}),
)  # fmt: skip
