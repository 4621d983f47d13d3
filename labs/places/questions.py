"""The three questions that earn points: what decides, what cannot be, and a service."""

from __future__ import annotations

from labs.answers import Count
from labs.places import drawing as see
from labs.places import paths
from labs.spec import Blank, Lines, Option, Question, Scene
from labs.words import number

# why


def _example(scene: Scene, path: str, fallback: str) -> str:
    """Return a call of the last record that took a path."""
    if scene.record is not None:
        for call in paths.calls(scene.record):
            if paths.seen(scene.record, call) == path:
                return see.code(call)
    return fallback


def _why_options(scene: Scene) -> tuple[Option, ...]:
    loop = _example(scene, "L", "randomBytes(1_000_000)")
    return (
        Option(
            "the-form",
            "Its form: whatever has a callback, a promise or a stream leaves the loop.",
            "Then a stream of crypto and an async function would have left the loop. Which path have they in your first record?",
            "In your first record there is a stream, and a function with async. Which letters do they have, and which path?",
        ),
        Option(
            "the-name",
            "Its name: what ends in Sync stays on the loop, everything else leaves it.",
            f"Then {loop} would have left the loop: there is no Sync in its name. Which path has it in your second record?",
            "Count the calls with path L in both records. How many of them end in Sync?",
        ),
        Option(
            "the-code",
            "Its code: whether somebody wrote it to hand the work to the pool, or to ask the kernel to be woken.",
            "Yes. Nothing leaves the loop by itself: each call was written one way or the other, so each has to be looked up, or measured.",
        ),
        Option(
            "the-work",
            "Its work: computing goes to the pool, waiting goes to the kernel.",
            f"Then {loop} would have gone to the pool. It computes, and where did it?",
            "One call of your first record only reads a file, and one of your second only asks for its state. Do they compute?",
        ),
        Option(
            "the-size",
            "Its size: what takes long leaves the loop, what is over at once stays.",
            "Then the small one would have stayed and the large one would have left. Which of the two did in your second record?",
            "Your second record holds a small call and a large one. Look at their paths.",
        ),
    )


WHY = Question(
    slug="why",
    ask=lambda scene: "What decides on which path a call goes? One sentence fits both records.",
    options=_why_options,
    right="the-code",
    because=lambda scene: (
        "Its code decides. Node hands a call to the pool where somebody wrote that, and asks the kernel where the kernel can tell.",
        "Form, name, work and size only go along with that now and then; in your records each of them fails at least once.",
    ),
    hint=lambda scene: "For each sentence look for one call of your twelve that does not keep to it.",
    needs=("six", "six more"),
)


# cannot


def _cannot_options(scene: Scene) -> tuple[Option, ...]:
    p = scene.parameters
    return (
        Option(
            "served-behind-full-slots",
            f"All {p['pool']} slots are held for an hour, and {p['sockets']} connections to addresses are served all the time.",
            "What does a connection to an address need a slot for? You have one in your first record.",
            "Which of your twelve calls came back with every slot held, though it had to wait?",
        ),
        Option(
            "beside-the-timer",
            f"A timer of 1 ms ticks through while {see.code(str(p['never']))} is at work on a large piece.",
            "Right: that call is worked on by the thread that would have to run the timer. Until it is through, nothing ticks.",
        ),
        Option(
            "one-watcher-sees",
            f"All {p['pool']} slots are held and a file is changed: fs.watch tells of it, fs.watchFile does not.",
            "The two have different paths in your second record. What does each need in order to notice?",
            "One of the two watchers stayed away with every slot held.",
        ),
    )


CANNOT = Question(
    slug="cannot",
    ask=lambda scene: "Two of these can be seen on a real machine, one never. Which?",
    options=_cannot_options,
    right="beside-the-timer",
    because=lambda scene: (
        f"{see.code(str(scene.parameters['never']))} is worked on by the loop's own thread, and the timer needs that thread.",
        "Sockets and fs.watch are told by the kernel; fs.watchFile asks the pool for a stat, and gets none while the slots are held.",
    ),
    hint=lambda scene: (
        "For each one ask: which places take part in it, and is one of them needed twice at the same moment?"
    ),
)


# service


def _service_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"A service takes orders as JSON. Somebody sends one of {p['size']} MB, and all requests, even /health, stand still for "
        f"{p['stall']} ms: JSON.parse. Parsing takes as long as the text is. Nobody may have to wait longer than {p['budget']} ms for a "
        f"parse. Somebody proposes UV_THREADPOOL_SIZE={p['proposed']}. limit: the largest body to accept, in whole MB? after: what "
        "will the proposal do?"
    )


def limit(scene: Scene) -> int:
    """Return the largest body in whole megabytes: a budget of latency is a limit of length."""
    p = scene.parameters
    return int(p["budget"] * p["size"] // p["stall"])


def _service_because(scene: Scene) -> Lines:
    p = scene.parameters
    each = p["stall"] // p["size"]
    return (
        f"{p['stall']} ms for {p['size']} MB is {each} ms a megabyte; {p['budget']} ms are {limit(scene)} MB.",
        "The pool never sees a parse. A limit caps what one request can do to all the others; where large orders must be, a worker "
        "thread can parse them, at the price of copying.",
    )


_SERVICE = (
    Option("faster", "make the parse shorter", "", "More slots, more threads. Which of them would the parse run in?"),
    Option("nothing", "nothing for this", ""),
    Option(
        "off",
        "move the parse off the loop",
        "",
        "Which of your twelve calls had a JSON.parse in it, or something like it?",
    ),
    Option(
        "worse", "make the parse longer", "", "Idle threads wait and use no core. What would have to be full for that?"
    ),
)


def _service_reply(scene: Scene) -> Lines:
    p, said, after = scene.parameters, scene.answers.get("limit"), scene.answers.get("after")
    lines = []
    if said == p["budget"]:
        lines.append("That is the budget in milliseconds. How many milliseconds does one megabyte take?")
    elif said == p["size"]:
        lines.append(f"That is the one that stood still for {p['stall']} ms.")
    elif said != limit(scene):
        lines.append(f"{p['size']} MB take {p['stall']} ms. How many megabytes go into {p['budget']} ms?")
    about: dict[object, str] = {
        "faster": "It would be shorter if several threads shared it. Who parses?",
        "off": "What moves a call is its own code. Does JSON.parse have a form that hands over?",
        "worse": "What would the new threads do while nobody asks for a slot?",
    }
    if after in about:
        lines.append(about[after])
    return tuple(lines) or _service_because(scene)


SERVICE = Question(
    slug="service",
    ask=_service_ask,
    options=_SERVICE,
    right="nothing",
    blanks=(Blank("limit", Count(0, 1000), lambda answer: f"{answer} MB", "the largest body, in whole MB"),),
    solve=lambda scene: {"limit": limit(scene)},
    reply=_service_reply,
    because=_service_because,
    hint=lambda scene: (
        f"One megabyte takes {number(scene.parameters['stall'] // scene.parameters['size'])} milliseconds, on the loop."
    ),
    choice="after",
)

QUESTIONS = (WHY, CANNOT, SERVICE)
