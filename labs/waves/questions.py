"""The three questions that earn points: why, somebody else's code, and a service that hashes passwords."""

from __future__ import annotations

from labs.answers import Count
from labs.capacity import capacity_of
from labs.spec import Blank, Lines, Option, Question, Row, Scene
from labs.waves import reading
from labs.words import counted, number

# why


def _seen(scene: Scene) -> tuple[int, int, int, int]:
    """Return slots, hashes, cores of the second record and cores of the machine; from the draw where there is no record."""
    p = scene.parameters
    slots, tasks = int(p.get("pool") or 4), int(p["tasks"])
    cores = scene.record.machine.cores if scene.record else int(p.get("cores") or scene.shape.cores)
    return slots, tasks, cores, scene.shape.cores


def _waited(scene: Scene) -> str:
    if scene.record is None or not scene.record.runs:
        return "Look who waited for a core there."
    waited = reading.starved(scene.record.runs[0])
    if waited is None:
        return "Look at the processor seconds of the workers there."
    return f"There the workers were ready without a core for {waited:.2f} s."


def _why_options(scene: Scene) -> tuple[Option, ...]:
    slots, tasks, cores, _ = _seen(scene)
    done: float = min(slots, cores)
    if scene.record is not None and scene.record.machine.capacity:
        together = capacity_of(scene.record.machine).at(slots)
        done = done if together > 0.93 * done else together  # a quota, or two threads of one core
    return (
        Option(
            "core-a-slot",
            "Each slot comes with a core of its own; so the time is the number of rounds, hashes over slots.",
            f"Then nobody with a slot would ever wait for a core. {_waited(scene)}",
            "Which number changed between your two records, and which did not: that of the slots, or that of the cores?",
        ),
        Option(
            "slots-then-cores",
            "The slots decide how many are started. Those that are started share the cores, and that decides how long it takes.",
            f"Yes. {number(slots, capital=True)} start whatever the cores are, and on {counted(cores, 'core')} they share: about "
            f"{tasks} over {done:.2g} times one.",
        ),
        Option(
            "cores-only",
            "As many hashes are started as there are cores; the pool's size is only the room in front of them.",
            f"Then {number(min(cores, tasks))} would have been started in the second record. How many does STARTED show?",
            "Put STARTED and the number of cores side by side, for both records.",
        ),
        Option(
            "one-thread",
            "JavaScript has one thread: hashes are computed one after the other, and the slots only keep their results.",
            "Then the loop's own thread would have computed. Look who used processor seconds in the worked record.",
            "In the worked record: whose lane is each hash in?",
        ),
    )


WHY = Question(
    slug="why",
    ask=lambda scene: "Which sentence fits both your records?",
    options=_why_options,
    right="slots-then-cores",
    because=lambda scene: (
        "The slots decide how many are started. Those that are started share the cores, and that decides how long it takes.",
        "The pool does not know how many cores there are; the operating system does not know which thread is a slot.",
    ),
    hint=lambda scene: "Which number changed between your two records, and which did not: STARTED, cores, or the time?",
    needs=("all at once", "other cores"),
)

# code: what an assistant wrote

CODE = """const hashes = [];
for (const user of users) {                    // %(users)d users
  hashes.push(await hash(user.password));      // hash: pbkdf2 as a promise
}"""


def _code_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f'An assistant wrote this "to hash all passwords in parallel"; it runs with 4 slots on {p["cores"]} idle cores:\n'
        f"{CODE % dict(p)}\n"
        "at_once: how many hashes are being computed at a time? times: how many times one do all take? repair: what makes it "
        "four times as fast?"
    )


_REPAIR = (
    Option("size", "UV_THREADPOOL_SIZE=8 before the start", ""),
    Option("all", "call hash for every user first, then await Promise.all of what that returned", ""),
    Option("sync", "pbkdf2Sync: no promise, no line, no waiting", ""),
    Option("loop", "for await (const user of users)", ""),
)


def _code_solve(scene: Scene) -> Row:
    return {"at_once": 1, "times": scene.parameters["users"]}


def _code_reply(scene: Scene) -> Lines:
    p, answers = scene.parameters, scene.answers
    users = p["users"]
    lines = []
    if answers.get("at_once") != 1:
        lines.append("Follow the line with await: what does the for loop do until that hash is back?")
    elif answers.get("times") != users:
        lines.append(f"One at a time, {users} of them: how often does one hash's time pass?")
    about: dict[object, str] = {
        "size": "More slots help those who stand in line. How many stand in line here?",
        "sync": "Whose thread would compute then, and how many at a time?",
        "loop": "A for await still waits inside: what is asked for while it waits?",
    }
    chosen = answers.get("repair")
    if chosen in about:
        lines.append(about[chosen])
    return tuple(lines) or _code_because(scene)


def _code_because(scene: Scene) -> Lines:
    users = scene.parameters["users"]
    return (
        f"The await stops this for loop until that hash is back: one at a time, {users} times one, three slots idle.",
        "Ask for all first, await all after: then four compute at once, and on these cores that is four times as fast.",
    )


THEIR_CODE = Question(
    slug="code",
    ask=_code_ask,
    options=_REPAIR,
    right="all",
    blanks=(
        Blank("at_once", Count(0, 64), lambda answer: f"{answer} at once", "how many at a time?"),
        Blank("times", Count(0, 1000), lambda answer: f"{answer} times one", "how many times one do all take?"),
    ),
    solve=_code_solve,
    reply=_code_reply,
    because=_code_because,
    hint=lambda scene: (
        "You have a record like it if you ever ran a script with an await inside the loop: ONE at a time."
    ),
    choice="repair",
)

# service


def _service_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"A login service hashes each password for {p['cost']} ms of processor time. Its host has {p['cores']} idle cores, and the size "
        f"of the pool was never set. {number(p['logins'], capital=True)} people log in at the same moment. last: after how many "
        f"milliseconds is the last hash done, at best? after: what does UV_THREADPOOL_SIZE={p['proposed']} do to that number?"
    )


def _last(scene: Scene) -> int:
    p = scene.parameters
    return int(p["logins"]) * int(p["cost"]) // min(4, int(p["cores"]))


def _factor(scene: Scene) -> int:
    """Return by how much the proposal shortens it: 1 where the cores were full already."""
    p = scene.parameters
    return min(int(p["proposed"]), int(p["cores"])) // min(4, int(p["cores"]))


_SERVICE = (
    Option("same", "nothing: the cores are full already", ""),
    Option("quarter", "it falls to a quarter", ""),
    Option("double", "it doubles: the threads get in each other's way", ""),
    Option("one", "it falls to the time of one hash", ""),
)


def _service_reply(scene: Scene) -> Lines:
    p, last, after = scene.parameters, scene.answers.get("last"), scene.answers.get("after")
    cores, logins, cost = int(p["cores"]), int(p["logins"]), int(p["cost"])
    right = _last(scene)
    lines = []
    if last != right:
        if last == logins * cost // 4 and cores < 4:
            lines.append("That is four at a time with a core for each. How many cores has the host?")
        elif last == logins * cost:
            lines.append("That is one at a time. How many are started at once, and how many cores work on them?")
        elif last == cost:
            lines.append("That is one hash alone. How many hashes stand in line when four have a slot?")
        elif last == logins * cost // cores and cores > 4:
            lines.append("That is one for each core. Who gave the pool that many slots?")
        else:
            lines.append("How many compute at the same time, and how much processor time is there to do?")
    if after != ("quarter" if _factor(scene) == 4 else "same"):
        match after:
            case "same":
                lines.append(f"Four slots on {cores} cores: what do the other cores do?")
            case "quarter":
                lines.append(
                    f"Two cores do the work of {number(logins)} hashes. Which of them works faster when more threads wait for it?"
                )
            case "double":
                lines.append("In your first record: what did more slots do to the total?")
            case _:
                lines.append(f"For that, all {number(logins)} would need a slot and a core each.")
    return tuple(lines) or _service_because(scene)


def _service_because(scene: Scene) -> Lines:
    p = scene.parameters
    cores = int(p["cores"])
    busy = min(4, cores)
    first = f"{p['logins']} x {p['cost']} ms of work on {number(busy)} cores at a time: {_last(scene)} ms."
    if _factor(scene) == 1:
        return (
            first,
            "Both cores are busy to the end whatever the size; more slots move the waiting from the line to the cores.",
        )
    return (
        first,
        f"Four slots leave {cores - 4} of {cores} cores idle; {p['proposed']} slots use them: a quarter. Here the size is the brake.",
    )


SERVICE = Question(
    slug="service",
    ask=_service_ask,
    options=_SERVICE,
    right=lambda scene: "quarter" if _factor(scene) == 4 else "same",
    blanks=(
        Blank(
            "last",
            Count(0, 1_000_000),
            lambda answer: f"{answer} ms",
            "after how many milliseconds is the last one done?",
        ),
    ),
    solve=lambda scene: {"last": _last(scene)},
    reply=_service_reply,
    because=_service_because,
    hint=lambda scene: (
        "Two steps: how many have a slot, and how many of those have a core? The smaller number does the work."
    ),
    choice="after",
)

QUESTIONS = (WHY, THEIR_CODE, SERVICE)
