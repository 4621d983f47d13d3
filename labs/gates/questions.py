"""The three questions that earn points: why, what cannot be, and a service without any gates in it."""

from __future__ import annotations

from labs.answers import Count
from labs.gates.draw import DEFAULT_POOL, START_GATES, gates, needed
from labs.spec import Blank, Lines, Option, Question, Scene
from labs.words import listed, number

# why


def _seen(scene: Scene) -> tuple[int, int, int]:
    """Return pool, gates and first gate of the record that the question is about; of the draw where there is none yet."""
    p = scene.record.parameters if scene.record else scene.parameters
    return p["pool"], p["tasks"], p["first"]  # type: ignore[return-value]  # this lab's own parameters are whole numbers


def _why_options(scene: Scene) -> tuple[Option, ...]:
    pool, tasks, gate = _seen(scene)
    start = gates(START_GATES, scene.shape.cores)
    others = [task for task in range(1, pool + 1) if task != gate]
    still = f"{listed(others)} {'is' if len(others) == 1 else 'are'}"
    return (
        Option(
            "a-thread-each",
            "Each request gets a thread; the kernel wakes them in turn.",
            f"Then task {pool + 1} would have had a thread before gate {gate} was opened. Look at BEFORE in your second record.",
            "Count the numbers in square brackets in BEFORE. How many requests have no bracket around them?",
        ),
        Option(
            "a-slot-a-core",
            "There is one slot a core, and a line for the rest.",
            f"Then your second run would have held {min(scene.shape.cores, tasks)}. How many does BEFORE show?",
            "The size was set for the second run and not for the first. Which number followed it, and which stayed?",
        ),
        Option(
            "groups",
            "A fixed number of slots takes requests in groups; the next group starts when the last of the group is done.",
            f"Then {pool + 1} would have had to wait for {listed(others)}. "
            f"{'Is' if len(others) == 1 else 'Are'} {listed(others)} done in the line GATE {gate}?",
            'Put your finger on "waiting" in both lines: who left it, and who was still in a slot at that moment?',
        ),
        Option(
            "one-line",
            "A fixed number of slots shares one line; a slot that comes free takes the first request in it.",
            f'Yes. That is the sentence that fits {DEFAULT_POOL} of {start} and also "{pool + 1} starts while {still} held".',
        ),
        Option(
            "dealt-out",
            "Requests are dealt out to the slots when they are asked for; each slot works off its own.",
            f"Then slot {gate} would have gone on with {gate + pool}. Which task is in it in the line GATE {gate}?",
            'Put your finger on "waiting" in both lines: who left it, and from which end?',
        ),
    )


def _why_because(scene: Scene) -> Lines:
    pool, tasks, gate = _seen(scene)
    return (
        "A fixed number of slots shares one line; a slot that comes free takes the first request in it.",
        f"{pool} were held, not {tasks}: the number of slots is fixed. {pool + 1} was the first in the line, "
        f"and gate {gate} only decided which slot came free for it.",
    )


WHY = Question(
    slug="why",
    ask=lambda scene: "Which sentence fits both your records?",
    options=_why_options,
    right="one-line",
    because=_why_because,
    hint=lambda scene: 'Put your finger on "waiting" in both lines: who left it, and from which end?',
    needs=("start", "one gate"),
)


# cannot


def _cannot_options(scene: Scene) -> tuple[Option, ...]:
    p = scene.parameters
    odd, target, never = p["odd"], p["target"], p["never"]
    full = ", ".join(str(task) for task in range(1, p["pool"] + 1))
    return (
        Option(
            "high-beside-low",
            f"held {', '.join(map(str, odd))}",
            f'Try it: gates.measure("state", open=[...]) with everything up to {max(odd)} that is not in it. What do you see?',
            "A set can look odd and still be reached. Is there a task in it that could not have started?",
        ),
        Option(
            "like-yours",
            f"held {', '.join(map(str, target))}",
            "You made one like it in the step before.",
            "Look at your own openings in the step before: which of these lines could be such a record?",
        ),
        Option(
            "done-before-started",
            f"held {full}, and {never} done",
            f"Right: opening gate {never} does not help. To be done a task must have started, and with {full} held no slot was "
            "ever free.",
        ),
    )


def _cannot_because(scene: Scene) -> Lines:
    p = scene.parameters
    full = ", ".join(str(task) for task in range(1, p["pool"] + 1))
    opened = ", ".join(map(str, needed(p["odd"])))
    return (
        f"Held {full}, and {p['never']} done, can never be: {p['never']} needed a slot to be done, and no slot was ever free.",
        f"The other two are made by openings: {opened} for the first, for instance.",
    )


CANNOT = Question(
    slug="cannot",
    ask=lambda scene: (
        f"{scene.parameters['pool']} slots, {scene.parameters['tasks']} gates. "
        "One of these can never be seen, whatever you open. Which?"
    ),
    options=_cannot_options,
    right="done-before-started",
    because=_cannot_because,
    hint=lambda scene: "For each line ask: how did the last one get in? Somebody must have come out before.",
)


# service


def _service_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        "A service reads customers' files from network mounts. Some mounts hang: an open on them never returns. "
        f"Pool size {p['pool']}, about one new hung open an hour. `/health` answers in 2 ms, CPU is near 0. At some hour every "
        f"file read stops. Somebody proposes UV_THREADPOOL_SIZE={p['proposed']}. "
        "hour: when does it stop? after: what will the proposal do?"
    )


def _service_because(scene: Scene) -> Lines:
    p = scene.parameters
    return (
        f"{number(p['pool'], capital=True)} hung opens hold {number(p['pool'])} slots; with {p['proposed']} it takes "
        f"{p['proposed']}.",
        "What helps is not to let a request wait without end on a shared slot: fewer at a time than slots, or a process of "
        "its own.",
    )


_SERVICE = (
    Option(
        "cure", "cure it", "", "An open on a mount that hangs never returns. Which of the two numbers changes that?"
    ),
    Option("postpone", "move the day", ""),
    Option(
        "worse",
        "make it worse at once",
        "",
        "A thread that waits uses no core and little memory. Which of them is short here?",
    ),
    Option(
        "kernel", "nothing, since reads use the kernel", "", "In your first record: how many threads stood in openat?"
    ),
)


def _service_reply(scene: Scene) -> Lines:
    """Speak to the hour first: who has that right knows what fills up, and the rest follows from it."""
    p, hour, after = scene.parameters, scene.answers.get("hour"), scene.answers.get("after")
    pool = p["pool"]
    lines = []
    if hour == pool + 1:
        lines.append(f"The {pool + 1}th is the first that never starts. But when did the last free slot go?")
    elif hour == DEFAULT_POOL:
        lines.append(f"Four is the default; this one set {pool}.")
    elif hour != pool:
        lines.append("One slot goes each hour and none comes back. After how many hours is none left?")
    about: dict[object, str] = {
        "cure": f"What frees the {pool} that hang?",
        "worse": "Threads that wait cost little. What would you measure to call it worse?",
        "kernel": "Then /health and the reads would fare alike. In cell 6, who stood in openat?",
    }
    if after in about:
        lines.append(about[after])
    return tuple(lines) or _service_because(scene)


SERVICE = Question(
    slug="service",
    ask=_service_ask,
    options=_SERVICE,
    right="postpone",
    blanks=(Blank("hour", Count(0, 10_000), lambda answer: f"hour {answer}", "when does it stop?"),),
    solve=lambda scene: {"hour": scene.parameters["pool"]},
    reply=_service_reply,
    because=_service_because,
    hint=lambda scene: "Draw the slots, and cross one out for each hour. Then draw them again with the other size.",
    choice="after",
)

QUESTIONS = (WHY, CANNOT, SERVICE)
