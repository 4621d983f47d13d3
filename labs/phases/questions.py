"""The three questions that earn points: why, what cannot be, and a machine's code on a service."""

from __future__ import annotations

from labs.answers import Count
from labs.spec import Blank, Lines, Option, Question, Scene

# why


def _pair(scene: Scene) -> str:
    parameters = scene.record.parameters if scene.record else scene.parameters
    return str(parameters.get("pair", "timers"))


def _first_phase(scene: Scene) -> str:
    """Name the phase in which A ran, in the record at hand."""
    runs = scene.record.runs if scene.record else ()
    return runs[0].callbacks[0].phase if runs and runs[0].callbacks else "the first phase"


def _why_options(scene: Scene) -> tuple[Option, ...]:
    went = (
        "From the poll check came next, and C's timers behind it"
        if _pair(scene) == "immediates"
        else "From check the timers came next, and C's check behind them"
    )
    return (
        Option(
            "timers-before",
            "A timer that is due runs before anything that is only next, wherever it was asked for.",
            "Then FILE would show [timers] before [check]. Which of the two stands first in your first record?",
            "The timer was due in all your records. In which of them did an immediate run before it, and from which phase?",
        ),
        Option(
            "immediates-before",
            "An immediate runs before any timer; that is what its name says.",
            "Then IMMEDIATE would begin with [check]. What does it begin with in your second record?",
            "Read the first phase of each line: after which callbacks is it timers, after which is it check?",
        ),
        Option(
            "from-the-top",
            "There are six phases in one order, and whatever wakes the loop starts it at the first: timers.",
            "Then a file's callback, which woke the loop in its poll, would be followed by [timers]. What follows it in FILE?",
            "FILE and TIMER: write down where the callback ran and which phase came next. Does the loop jump anywhere?",
        ),
        Option(
            "ring",
            "The loop goes on round its phases from where it stands; ticks, then promises, are emptied after each callback.",
            f"Yes. {went}; and tickA ran before B, in the middle of one phase.",
        ),
        Option(
            "after-phase",
            "The loop goes on round its phases from where it stands; ticks, then promises, are emptied when a phase is over.",
            f"Then B would have run before tickA: both A and B are in [{_first_phase(scene)}]. What stands between them in ORDER?",
            "ORDER has two callbacks of one phase. Put your finger on the first and go right: what comes next?",
        ),
    )


def _why_because(scene: Scene) -> Lines:
    return (
        "The loop goes on round its phases from where it stands; ticks, then promises, are emptied after each callback.",
        "From the poll check is next, from check and closing it is the timers: FILE and IMMEDIATE. And tickA ran before B.",
    )


WHY = Question(
    slug="why",
    ask=lambda scene: "Which sentence fits all three of your records?",
    options=_why_options,
    right="ring",
    because=_why_because,
    hint=lambda scene: "Take one line at a time: where did the callback stand, and which phase comes next in its line?",
    needs=("four", "two", "between"),
)


# cannot


def _order(scene: Scene, name: str) -> str:
    return " ".join(scene.parameters[name])


def _timers_first(scene: Scene, name: str) -> bool:
    """Say whether the timer comes before the immediate in one of the orders."""
    order = scene.parameters[name]
    return bool(order.index("timeout") < order.index("immediate"))


def _cannot_options(scene: Scene) -> tuple[Option, ...]:
    never = scene.parameters["never"]
    late = "promise" if never[0] == "tick" else "tick"
    before = next(name for name in never if name in ("timeout", "immediate"))
    return (
        Option(
            "plain",
            _order(scene, "plain"),
            "Put your first two records together: behind which callbacks do the timers come next?"
            if _timers_first(scene, "plain")
            else "You have seen this one: look at your first record, and at where its callbacks stood.",
            "Which of the sources of your first two bets gives this one?",
        ),
        Option(
            "odd",
            _order(scene, "odd"),
            "It looks odd, and it is what MJS began with. Where would the four lines have to stand for it?",
            "Is there a callback that runs inside one of the two queues that are emptied?",
        ),
        Option(
            "never",
            _order(scene, "never"),
            f"Right: {late} and {never[0]} were asked for together, and both queues are empty before the loop goes on to the "
            f"{before}.",
        ),
    )


def _cannot_because(scene: Scene) -> Lines:
    odd = (
        "a promise's callback that an immediate began, or of an ES module's body"
        if _timers_first(scene, "odd")
        else "a promise's callback that a file or a timer began"
    )
    return (
        f"{_order(scene, 'never')} can never be: before the loop goes on to any phase, both queues are empty, ticks and promises.",
        f"{_order(scene, 'odd')} comes of {odd}; the third of an ordinary callback.",
    )


CANNOT = Question(
    slug="cannot",
    ask=lambda scene: (
        "All four are asked for in one and the same callback, of whatever kind, and the timer is due. "
        "One of these orders can never come of it. Which?"
    ),
    options=_cannot_options,
    right="never",
    because=_cannot_because,
    hint=lambda scene: "In each line look at tick and promise: does anything stand between them? What would that take?",
)


# service


def _service_ask(scene: Scene) -> str:
    items = scene.parameters["items"]
    return (
        f"A machine wrote this, to work off a backlog of {items:,} messages without ever blocking the loop:\n"
        "    function next() {\n"
        "      if (backlog.length === 0) return;\n"
        "      send(backlog.shift());        // done at once: it only puts the message into a buffer\n"
        "      process.nextTick(next);\n"
        "    }\n"
        "While the first message is sent, a request for /health arrives. "
        "sent: how many of them have been sent when it is answered? fix: what would let it in sooner?"
    )


_SERVICE = (
    Option("microtask", "queueMicrotask(next) in place of process.nextTick(next)", "", "Which of your recursions let a file in?"),
    Option("immediate", "setImmediate(next) in place of process.nextTick(next)", ""),
    Option(
        "await", "next as an async function, with `await null` between two messages", "",
        "What does an await of something that is there ask for: a phase, or one of the two queues?",
    ),
    Option(
        "pool", "UV_THREADPOOL_SIZE=64", "", "Who runs next()? Which thread is it that does not come to its poll?",
    ),
)  # fmt: skip


def _service_because(scene: Scene) -> Lines:
    return (
        f"All {scene.parameters['items']:,}: the ticks are emptied before the loop goes on to its poll, where requests come in.",
        "setImmediate puts one message into each turn, and a turn passes the poll. A promise or an await only changes the queue.",
    )


def _service_reply(scene: Scene) -> Lines:
    items, sent, fix = scene.parameters["items"], scene.answers.get("sent"), scene.answers.get("fix")
    lines = []
    if sent in (0, 1):
        lines.append(
            "The request is there after the first message. But who lets it in, and when does the loop come to that?"
        )
    elif sent == items - 1:
        lines.append("Nearly: the last one too asks for a tick, and a queue is emptied to its end.")
    elif sent != items:
        lines.append("When does the loop come to its poll? Count what is emptied before.")
    if fix == "microtask":
        lines.append("In your last record, how many steps did the promise make before the file came?")
    elif fix == "await":
        lines.append(
            "An await of something that is there goes on as a promise does. How did the promises of your last record fare?"
        )
    elif fix == "pool":
        lines.append("The pool is idle here: sending and asking for ticks is all on the loop's own thread.")
    return tuple(lines) or _service_because(scene)


SERVICE = Question(
    slug="service",
    ask=_service_ask,
    options=_SERVICE,
    right="immediate",
    blanks=(
        Blank("sent", Count(0, 100_000), lambda answer: f"{answer} sent", "how many messages have been sent by then?"),
    ),
    solve=lambda scene: {"sent": scene.parameters["items"]},
    reply=_service_reply,
    because=_service_because,
    hint=lambda scene: "It is your last bet once more: what of it keeps a file waiting, and what does not?",
    choice="fix",
)

QUESTIONS = (WHY, CANNOT, SERVICE)
