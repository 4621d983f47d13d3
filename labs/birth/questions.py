"""The three questions that earn points: why, what cannot be, and a machine's code."""

from __future__ import annotations

from labs.answers import Count
from labs.birth.draw import DEFAULT
from labs.spec import Blank, Lines, Option, Question, Scene

# why

_WHY = (
    Option(
        "at-start", "Node reads the variable when it starts and makes the pool then; a line of code comes too late.",
        "Then POOL in your first record would not begin with 0, and the first line of a program could change nothing.",
        "Compare first with late in your second record: the line is the same. What had happened meanwhile?",
    ),
    Option(
        "each-job", "The pool looks at the variable with each job and brings its size in line with it.",
        "Then late would have grown: the variable was set, and a job came after it. How many were there?",
        "After the line in late another file was asked for. Did that job change the size?",
    ),
    Option(
        "grows", "The variable is a limit: threads are added while there is more work than threads.",
        "Then after one job there would have been one thread. What does POOL say in your first record?",
        "Look at the three numbers of your first record: one job, many jobs.",
    ),
    Option(
        "first-job", "The variable is read once, when the first job is handed in by anybody; all threads are made then, for good.",
        "Yes: none before, all after one job, none more after many; and whose job it was made the difference between your four lines.",
    ),
    Option(
        "first-file", "The variable is read once, when the first file is asked for; all threads are made then, for good.",
        "Then token would be as first: no file was asked for before its line. Is it?",
        "In token somebody had handed in a job that is about no file. Which one?",
    ),
)  # fmt: skip

WHY = Question(
    slug="why",
    ask=lambda scene: "Which sentence fits both of your records?",
    options=_WHY,
    right="first-job",
    because=lambda scene: (
        "The variable is read once, when the first job is handed in by anybody; all threads are made then, for good.",
        "fs, dns.lookup, pbkdf2, zlib, random bytes, where the answer comes later (no ...Sync): whoever is first decides when.",
    ),
    hint=lambda scene: (
        "Two questions: what had happened before the line in each program? And what did the later jobs change?"
    ),
    needs=("first", "line"),
)

# cannot


def _cannot_options(scene: Scene) -> tuple[Option, ...]:
    small, large = scene.parameters["small"], scene.parameters["large"]
    return (
        Option(
            "shown", f"process.env shows {large}, and the pool has {small} threads.",
            "You have seen one of these: SHOWN and POOL in your second record.", "Was the variable ever set too late in your records?",
        ),
        Option(
            "none", "A service has answered requests from memory for an hour, and it has no pool.",
            "Who would have handed in a job? Sockets are for the loop and the kernel.", "What made the pool in your first record?",
        ),
        Option(
            "grown", f"In the morning a pool has {small} threads; at noon, under load, the same pool has {large}.",
            "Right: a pool is made once, and neither grows nor shrinks. It takes another start of Node.",
        ),
        Option(
            "child", f"A process has a pool of {small}; a process that it starts has one of {large}.",
            "A child reads its own environment, and it reads it later. What may have been set meanwhile?",
            "When is a child's environment handed to it, and when did its parent read the variable?",
        ),
    )  # fmt: skip


CANNOT = Question(
    slug="cannot",
    ask=lambda scene: "Four sentences about Node services. One of them can never be true. Which?",
    options=_cannot_options,
    right="grown",
    because=lambda scene: (
        f"From {scene.parameters['small']} to {scene.parameters['large']} no pool can go: it is made once, with all its threads.",
        "All others can: set too late, nobody handed in a job, or the child was started after the variable was set.",
    ),
    hint=lambda scene: "How often is a pool made? And who reads the variable in each of the four?",
)

# service


def _service_ask(scene: Scene) -> str:
    size = scene.parameters["wanted"]
    return (
        "A machine wrote this, the main file of a service, an ES module:\n"
        "    import { sign } from './token.mjs';    // has crypto.randomBytes(8, callback) called when it is loaded\n"
        f"    process.env.UV_THREADPOOL_SIZE = '{size}';\n"
        "    console.log(`pool: ${process.env.UV_THREADPOOL_SIZE} threads`);\n"
        f"It prints: pool: {size} threads. threads: how many are there? fix: what makes it {size}?"
    )


_SERVICE = (
    Option("top", "the same line as the first of the file, above the import", "",
           "In which order does an ES module do its imports and its own first line?"),
    Option("outside", "UV_THREADPOOL_SIZE in the unit file, the image or the shell, in place of the line", ""),
    Option("replaced", "process.env = { ...process.env, UV_THREADPOOL_SIZE: size } in place of the line", "",
           "The pool asks the system, not JavaScript. Does a new object in JavaScript change what the system holds?"),
    Option("again", "the same line once more, when the server listens", "",
           "How often does a pool read the variable?"),
)  # fmt: skip


def _service_because(scene: Scene) -> Lines:
    return (
        f"{DEFAULT}: the import had handed in a job before the line ran. Above the import it is no better: all imports run first.",
        "Set outside it is there before anybody can ask. That is where whoever runs the service looks for it, too.",
    )


def _service_reply(scene: Scene) -> Lines:
    threads, fix = scene.answers.get("threads"), scene.answers.get("fix")
    lines = []
    if threads == scene.parameters["wanted"]:
        lines.append("That is what is printed. Who had read the variable, and when?")
    elif threads == 0:
        lines.append("The import has its bytes called back. Who fetches them?")
    elif threads != DEFAULT:
        lines.append("What is the size where nobody has set one in time?")
    if fix == "top":
        lines.append("In an ES module the imports run before the first line, wherever they are written.")
    elif fix == "replaced":
        lines.append("A new object is one of JavaScript's; the environment that C reads stays as it was.")
    elif fix == "again":
        lines.append("A line that comes later still is later than the first job.")
    return tuple(lines) or _service_because(scene)


SERVICE = Question(
    slug="service",
    ask=_service_ask,
    options=_SERVICE,
    right="outside",
    blanks=(Blank("threads", Count(0, 5000), lambda answer: f"{answer} threads", "threads in the pool"),),
    solve=lambda scene: {"threads": DEFAULT},
    reply=_service_reply,
    because=_service_because,
    hint=lambda scene: (
        "Write down in which order these run: the import, what the import calls, the line. Who hands in the first job?"
    ),
    choice="fix",
)

QUESTIONS = (WHY, CANNOT, SERVICE)
