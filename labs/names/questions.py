"""The questions that earn points: why, the line in libuv, what cannot be, somebody's code, and a service."""

from __future__ import annotations

from labs.answers import Count
from labs.model import slots
from labs.names import drawing as see
from labs.spec import Blank, Lines, Option, Question, Scene
from labs.words import number, ordinal

# why


def _seen(scene: Scene) -> tuple[int, int, int, int]:
    """Return pool, gates, and names in flight alone and behind the gates: of the record, else of the draw by the rule."""
    p = scene.parameters
    pool, held = int(p["pool"]), int(p["held"])
    if scene.record is not None and len(runs := see.runs_of(scene.record, 2)) == 2:
        pool, held = int(scene.record.parameters["pool"]), int(scene.record.parameters["held"])  # type: ignore[arg-type]
        return pool, held, see.flying(runs[0]), see.flying(runs[1])
    return pool, held, slots(pool, "name"), pool - held


def _why_options(scene: Scene) -> tuple[Option, ...]:
    pool, held, alone, crowded = _seen(scene)
    return (
        Option(
            "one-line",
            "Names stand in the one line; a slot that comes free takes the first of it.",
            f"Then alone all {pool} slots would have had a name. How many brackets are empty in the line ALONE?",
            "Somebody kept a free thread from taking the next name. Which of these sentences speaks of such a thing?",
        ),
        Option(
            "reserved",
            "Half of the slots, rounded up, are kept for names; other work has the rest.",
            f"Then {held} gates could not all have been held at once. Count the gates in the second line.",
            "Look at the second line: whose was the slot that gate number one more than half has?",
        ),
        Option(
            "ceiling",
            "Names may have half of the slots, rounded up, and no more; other work may have all of them.",
            f"Yes. That fits {alone} of {pool} alone, and {crowded} where {held} gates were first: a ceiling, and no reservation.",
        ),
        Option(
            "two",
            "Two slots are for names, whatever the size is.",
            f"That fits your first record. How many were in flight alone, with {pool} slots?",
            "Hold the number in flight against the size, in both of your records.",
        ),
        Option(
            "server",
            "The name server answers a few names at a time; the slots have no part in it.",
            f"Our name server holds everything that arrives. Behind the gates {crowded} arrived, and alone {alone}: what had changed?",
            "The same server saw both runs. What was different between them?",
        ),
    )


def _why_because(scene: Scene) -> Lines:
    pool, held, alone, crowded = _seen(scene)
    return (
        "Names may have half of the slots, rounded up, and no more; other work may have all of them.",
        f"Alone {alone} of {pool}: that is the ceiling. Behind {held} gates {crowded}: what was left, since nothing is kept for names.",
    )


WHY = Question(
    slug="why",
    ask=lambda scene: "Which sentence fits both your records?",
    options=_why_options,
    right="ceiling",
    because=_why_because,
    hint=lambda scene: "The first record has a limit in it, the second shows that the limit is no promise.",
    needs=("start", "own"),
)


# source

_SOURCE = (
    Option(
        "half", "return (nthreads + 1) / 2;", "Yes: whole numbers, so 1 thread gives 1, and 2 threads give 1 as well."
    ),
    Option(
        "compare",
        "if (slow_io_work_running >= slow_work_thread_threshold()) {",
        "This one compares what runs with the limit, for any size. Where does the limit itself come from?",
        "The comparison is the same for 2 and for 3 threads; yet 3 threads are worth something to names.",
    ),
    Option(
        "behind",
        "uv__queue_insert_tail(&wq, q);",
        "This one puts the names' place behind all other work: the small requests owe it their way past. It counts nothing.",
        "You are looking for a number that is the same for 1 and 2.",
    ),
    Option(
        "running",
        "slow_io_work_running++;",
        "This one counts a name that goes into a slot. What is that count held against?",
        "You are looking for a number that is the same for 1 and 2.",
    ),
)

SOURCE = Question(
    slug="source",
    ask=lambda scene: (
        "Four lines of libuv's pool (src/threadpool.c, v1.52.1). Which one makes the second thread worth nothing to names?"
    ),
    options=_SOURCE,
    right="half",
    because=lambda scene: (
        "`return (nthreads + 1) / 2;` in slow_work_thread_threshold, line 46. In whole numbers 2k - 1 and 2k threads give the same k,",
        "so every second thread that is added is worth nothing to names. The other lines hold names against this limit.",
    ),
    hint=lambda scene: "Put 1 and then 2 where each line has a variable.",
    needs=("second",),
)


# cannot


def _cannot_options(scene: Scene) -> tuple[Option, ...]:
    p = scene.parameters
    pool, half, few = p["pool"], p["half"], p["few"]
    return (
        Option(
            "free-at-ceiling",
            f"no gate held, {half} names in flight, {pool - half} slots free, names in line",
            "Look at your record ALONE: slots were free there, and names were in line.",
            "It is the ceiling, seen on an idle machine. What would have to be so for the next name to start?",
        ),
        Option(
            "free-below",
            f"{few} {'gate' if few == 1 else 'gates'} held, {half - 1} names in flight, {pool - half + 1 - few} slots free, names in line",
            f"Right: below the ceiling of {half} a thread that is free takes the next name, so this cannot stay.",
        ),
        Option(
            "one-left",
            f"{pool - 1} gates held, 1 name in flight, no slot free, names in line",
            "Look at your record behind the gates: names had what was left.",
            "Nothing is kept for names. How few slots can be left for them?",
        ),
        Option(
            "none-left",
            f"{pool} gates held, no name in flight, names in line",
            "All slots to other work: what would have kept the last gate out?",
            "A ceiling for names is none for gates. How many gates can be held?",
        ),
    )


CANNOT = Question(
    slug="cannot",
    ask=lambda scene: (
        f"{scene.parameters['pool']} slots; gates were asked for first, then many names; nothing is answered. One of these can never be "
        "seen at rest. Which?"
    ),
    options=_cannot_options,
    right="free-below",
    because=lambda scene: (
        f"With fewer than {scene.parameters['half']} in flight, a free thread takes the next name. So free slots and names in line mean that "
        f"{scene.parameters['half']} are in flight.",
        "The other three are seen: the first alone, the last two where gates were first.",
    ),
    hint=lambda scene: "For each line ask: why does a free thread not take the next name?",
)


# code

CODE = """const cache = {};
async function addressOf(host) {
  if (!cache[host]) {
    const [first] = await dns.promises.resolve4(host);
    cache[host] = first;
  }
  return cache[host];
}"""

_CODE = (
    Option("hosts", "a host that stands only in /etc/hosts", ""),
    Option(
        "twice", "a host that was asked for before", "", "What does the third line do where the host is in the cache?"
    ),
    Option("two", "a host with two addresses", "", "resolve4 gives a list. What does [first] make of it?"),
    Option(
        "slow",
        "a host whose name server takes its time",
        "",
        "Who waits meanwhile: your loop, a thread, or only whoever awaits?",
    ),
)


def _code_ask(scene: Scene) -> str:
    return (
        f"An assistant wrote this for a service, and calls it for each connection:\n{CODE}\n"
        f"At the start {scene.parameters['users']} users come at once, all for one host. asked: how many questions reach the name server? "
        "lost: which host did dns.lookup find, and this does not?"
    )


def _code_reply(scene: Scene) -> Lines:
    users, asked, lost = scene.parameters["users"], scene.answers.get("asked"), scene.answers.get("lost")
    lines = []
    if asked == 1:
        lines.append("The cache is filled when the answer is in. How many have looked into it by then?")
    elif asked == 2:
        lines.append("Two is what lookup would have in flight with four threads. On which thread does resolve4 ask?")
    elif asked == 2 * users:
        lines.append("resolve4 asks for A alone: one question each.")
    elif asked != users:
        lines.append("Each of them runs to the await before any answer is in. What does each of them do there?")
    about: dict[object, str] = {
        "twice": "Who was asked for before is in the cache, and is returned from it.",
        "two": "Of two addresses it takes the first; it finds the host.",
        "slow": "Both wait for a slow answer, and each gives up in its own time.",
    }
    if lost in about:
        lines.append(about[lost])
    return tuple(lines) or _code_because(scene)


def _code_because(scene: Scene) -> Lines:
    users = scene.parameters["users"]
    return (
        f"{users}: each of the {users} looks into an empty cache and goes on to the await, and resolve4 sends each question.",
        "And resolve4 speaks with the name server alone: it reads no /etc/hosts and adds no search domain.",
    )


ASSISTANT = Question(
    slug="code",
    ask=_code_ask,
    options=_CODE,
    right="hosts",
    blanks=(
        Blank(
            "asked", Count(0, 10_000), lambda answer: f"{answer} questions", "how many questions reach the name server?"
        ),
    ),
    solve=lambda scene: {"asked": scene.parameters["users"]},
    reply=_code_reply,
    because=_code_because,
    hint=lambda scene: (
        "Play it through for the second user: what is in the cache when that one looks? Then look at your table of ways."
    ),
    choice="lost",
)


# service


def _service_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"A service calls many partners by name, with a new connection each time; pool size {p['pool']}. One partner's name server dies: a "
        f"lookup of its name now takes {p['seconds']} s and fails. File reads stay quick, CPU is near 0. Somebody proposes to race each "
        "lookup against a timer of one second. dead: from how many lookups of the dead name at once on does every partner wait? "
        "after: what will the proposal do?"
    )


_SERVICE = (
    Option("cure", "cure it: a slot is free after one second", "", "Who ends the lookup when the timer wins the race?"),
    Option("callers", "free the callers after one second, and no slot any sooner", ""),
    Option("files", "hurt file reads, which share the slots", "", "Who may have the other half of the slots?"),
    Option("nothing", "nothing at all: the race is lost every time", "", "What does a caller get after one second?"),
)


def _service_because(scene: Scene) -> Lines:
    p = scene.parameters
    half = slots(p["pool"], "name")
    return (
        f"{number(half, capital=True)} lookups hold all slots that names may have, each for {p['seconds']} s; a lookup that was started cannot "
        "be cancelled.",
        "The race gives each caller its error sooner, and the next caller asks again, for the same slots. What helps: fewer lookups (kept "
        "connections, a cache),",
        "resolve4 for that partner, or the resolver's own timeout.",
    )


def _service_reply(scene: Scene) -> Lines:
    p, dead, after = scene.parameters, scene.answers.get("dead"), scene.answers.get("after")
    pool, half = p["pool"], slots(p["pool"], "name")
    lines = []
    if dead == pool:
        lines.append(f"{pool} is the whole pool. How many of them may sit in a lookup?")
    elif dead == half + 1:
        lines.append(f"The {ordinal(half + 1)} is the first that waits in line itself. When did the last name slot go?")
    elif dead == pool // 2 != half:
        lines.append(f"Half of {pool}, rounded down: one slot is left for names.")
    elif dead == 2 != half:
        lines.append(f"Two is right for a pool of four; this one has {pool}.")
    elif dead != half:
        lines.append("Each of them holds one slot that names may have. How many are there?")
    about: dict[object, str] = {
        "cure": "The timer ends the waiting of the caller. Who ends the call that the thread is in?",
        "files": "File reads were quick with every name slot taken. What does the race change for them?",
        "nothing": "The timer is quicker than the lookup, so the caller does notice something.",
    }
    if after in about:
        lines.append(about[after])
    return tuple(lines) or _service_because(scene)


SERVICE = Question(
    slug="service",
    ask=_service_ask,
    options=_SERVICE,
    right="callers",
    blanks=(
        Blank(
            "dead", Count(0, 10_000), lambda answer: f"{answer} lookups", "how many lookups of the dead name at once?"
        ),
    ),
    solve=lambda scene: {"dead": slots(scene.parameters["pool"], "name")},
    reply=_service_reply,
    because=_service_because,
    hint=lambda scene: "Draw the slots, and cross out those that a dead lookup holds. Which of them may a name have?",
    choice="after",
)

QUESTIONS = (WHY, SOURCE, CANNOT, ASSISTANT, SERVICE)
