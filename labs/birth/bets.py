"""The five bets: what is asked, what Node did beside it, and why it is so."""

from __future__ import annotations

from collections.abc import Callable

from labs.answers import Choice, Count
from labs.birth import drawing as see
from labs.birth.draw import BLANKS
from labs.measurement import Record
from labs.spec import Bet, Blank, Lines, Row, Scene

_MOST = 5000


def _count(name: str, ask: str, unit: str = "") -> Blank:
    kind = Count(0, _MOST)
    return Blank(name, kind, lambda answer: f"{name} {answer}{f' {unit}' if unit else ''}", ask)


# first


def _first_ask(scene: Scene) -> str:
    p = scene.parameters
    return (
        f"UV_THREADPOOL_SIZE={p['size']} stands in the environment. We count the pool's threads three times: at the program's first "
        f"line, after one file request is back, and after {p['jobs']} more."
    )


_FIRST = ("before", "after", "more")


def _first_actual(record: Record) -> Row | None:
    found = see.run(record, "first")
    return {name: found.counts[name] for name in _FIRST} if found and {*_FIRST} <= found.counts.keys() else None


def _first_look(scene: Scene) -> Lines:
    c = (see.run(see.record_of(scene), "first") or see.record_of(scene).runs[0]).counts
    told = ", ".join(str(scene.answers[name]) for name in _FIRST) if {*_FIRST} <= scene.answers.keys() else None
    return (
        see.said(f"POOL     first line {c['before']}   after one job {c['after']}   after many {c['more']}", told),
        f"PROCESS  first line {c['before_all']}   after one job {c['after_all']}   after many {c['more_all']}   (all threads)",
    )


def _first_because(scene: Scene) -> Lines:
    return (
        "Nobody makes a pool until somebody needs one. The first job makes all of it, at once, for good.",
        "The threads that were there before are Node's own: your JavaScript's, V8's helpers, the inspector's, a clock for delayed tasks.",
    )


def _first_otherwise(scene: Scene) -> Lines:
    return (
        "None of the usual stories gives these three. Compare them pairwise: what changed with the first job, what with the rest?",
    )


# line


def _line_ask(scene: Scene) -> str:
    return (
        "Nothing is set outside. A CommonJS program has the line\n"
        f"    process.env.UV_THREADPOOL_SIZE = '{scene.parameters['size']}';\n"
        "once as its first line, once inside a file's callback, once after each of two modules: quick.cjs takes\n"
        "crypto.randomBytes(8), token.cjs calls crypto.randomBytes(8, callback). Then a file is asked for. How many threads?"
    )


_LINES = ("first", "late", "quick", "token")


def _line_actual(record: Record) -> Row | None:
    found = {name: see.run(record, name) for name in _LINES}
    sizes = {name: one.counts["pool_threads"] for name, one in found.items() if one and "pool_threads" in one.counts}
    return {**sizes} if len(sizes) == len(_LINES) else None


def _line_look(scene: Scene) -> Lines:
    row = _line_actual(see.record_of(scene)) or {}
    told = ", ".join(str(scene.answers[name]) for name in _LINES) if {*_LINES} <= scene.answers.keys() else None
    shown = "   ".join(
        f"{name} {one.claims.get('shown') if (one := see.run(see.record_of(scene), name)) else '-'}" for name in _LINES
    )
    return (
        see.said(f"POOL   {'   '.join(f'{name} {row.get(name)}' for name in _LINES)}", told),
        f"SHOWN  {shown}   (process.env, afterwards)",
    )


def _line_because(scene: Scene) -> Lines:
    return (
        "The variable is read once, when the first job is handed in. Before that your line counts, after it not.",
        "Eight random bytes taken at once are no job. With a callback they are one, however few they are.",
    )


def _line_otherwise(scene: Scene) -> Lines:
    row = _line_actual(see.record_of(scene)) or {}
    name = next((name for name in _LINES if scene.answers.get(name) != row.get(name)), "first")
    what = {
        "first": "the first line: had anybody handed in a job by then?",
        "late": "the line in a file's callback: who had brought the file?",
        "quick": "quick.cjs: its bytes were there at the end of the line. Did anybody else do the work?",
        "token": "token.cjs: its bytes come later. Who fetches them meanwhile?",
    }[name]
    return (f"Look at {what}",)


# value


def _value_ask(scene: Scene) -> str:
    shown = "   ".join(f"{name}: {value!r}" for name, value in zip(BLANKS, scene.parameters["values"], strict=False))
    return f"Four values of UV_THREADPOOL_SIZE, all of them set outside:\n    {shown}\nHow many threads does each give?"


def _value_actual(record: Record) -> Row | None:
    sizes = [run.counts.get("pool_threads") for run in record.runs]
    if len(sizes) != len(BLANKS) or None in sizes:
        return None
    return {name: size for name, size in zip(BLANKS, sizes, strict=True) if size is not None}


def _value_look(scene: Scene) -> Lines:
    told = ", ".join(str(scene.answers[name]) for name in BLANKS) if {*BLANKS} <= scene.answers.keys() else None
    return (see.said(f"POOL   {see.values(scene)}", told),)


def _value_because(scene: Scene) -> Lines:
    return (
        "C's atoi reads it: the digits it begins with, and 0 where there are none. Then 0 becomes 1, and more",
        "than 1,024 becomes 1,024; the number has no sign, so -1 is the largest there is. Nobody warns you.",
    )


def _value_otherwise(scene: Scene) -> Lines:
    row = _value_actual(see.record_of(scene)) or {}
    name = next((name for name in BLANKS if scene.answers.get(name) != row.get(name)), "word")
    value = scene.parameters["values"][BLANKS.index(name)]
    return (
        f"Look at {value!r}: {row.get(name)} threads. C's atoi reads it: a sign, then digits, up to the first other character.",
    )


# bill


def _bill_ask(scene: Scene) -> str:
    return (
        f"A pool of {scene.parameters['size']} is born, and each of its threads only sleeps. We compare the process before and after: MiB of "
        "address space for each thread, how much of that is really in memory, and open descriptors in all."
    )


def _bill_actual(record: Record) -> Row | None:
    run = next(iter(record.runs), None)
    keys = {"pool_threads", "more_space", "more_resident", "more_files"}
    if run is None or not keys <= run.counts.keys() or not run.counts["pool_threads"]:
        return None
    c = run.counts
    share = c["more_resident"] / c["more_space"] if c["more_space"] else 0.0
    return {
        "each": round(c["more_space"] / 1024 / c["pool_threads"]),
        "used": "none" if share < 0.1 else "half" if share < 0.75 else "all",
        "files": c["more_files"],
    }


def _bill_look(scene: Scene) -> Lines:
    row, run = _bill_actual(see.record_of(scene)) or {}, see.record_of(scene).runs[0]
    names = ("each", "used", "files")
    told = ", ".join(str(scene.answers[name]) for name in names) if {*names} <= scene.answers.keys() else None
    return (
        see.said(f"EACH {row.get('each')} MiB   IN MEMORY {row.get('used')}   FILES {row.get('files')}", told),
        f"IN ALL {run.counts.get('pool_threads')} threads   {see.space(scene)} MiB of address space   {see.resident(scene)} MiB in memory",
    )


def _bill_because(scene: Scene) -> Lines:
    return (
        "8 MiB for a stack (and a page to guard it) are set aside for each thread, since libuv 1.45 (Node 20.3); before, what "
        "ulimit -s says. A page comes into memory when it is first written to.",
        "On 64 bits addresses are cheap, unless somebody limits them, as ulimit -v does.",
    )


def _bill_otherwise(scene: Scene) -> Lines:
    return (
        "Three things are counted here: addresses set aside, pages written to, descriptors opened. Only the first is large.",
    )


# exit


def _exit_ask(scene: Scene) -> str:
    jobs = scene.parameters["jobs"]
    return (
        "One thread in the pool, and this program:\n"
        f"    for (let i = 0; i < {jobs}; i++) fs.mkdir(`made-${{i}}`, () => {{ back += 1; }});\n"
        "    process.exit(0);\n"
        "made: how many folders stand there when the process is gone? back: how many of the callbacks ran?"
    )


def _exit_actual(record: Record) -> Row | None:
    found = see.run(record, "exit")
    return (
        {name: found.counts[name] for name in ("made", "back")}
        if found and {"made", "back"} <= found.counts.keys()
        else None
    )


def _exit_look(scene: Scene) -> Lines:
    c = see.record_of(scene).runs[0].counts
    told = (
        f"{scene.answers['made']} made, {scene.answers['back']} back"
        if {"made", "back"} <= scene.answers.keys()
        else None
    )
    return (see.said(f"MADE {c['made']} of {c['jobs']}   BACK {c['back']}", told),)


def _exit_because(scene: Scene) -> Lines:
    return (
        "At exit the word to end is put at the tail of the pool's line, and its threads are waited for.",
        "Your JavaScript is over by then, so nobody is told. A job that cannot finish keeps the process until SIGKILL comes, or a "
        "signal that the program does not handle.",
    )


def _exit_otherwise(scene: Scene) -> Lines:
    return (
        "Two questions: do the pool's threads see the exit before they have worked off their line? And who runs a callback?",
    )


def _bet(slug: str, blanks: tuple[Blank, ...], ask: Callable[[Scene], str], actual: Callable[[Record], Row | None],
         look: Callable[[Scene], Lines], because: Callable[[Scene], Lines], otherwise: Callable[[Scene], Lines], after: str) -> Bet:  # fmt: skip
    return Bet(slug=slug, measure=slug, blanks=blanks, ask=ask, actual=actual, look=look, because=because, otherwise=otherwise,
               next_step=f"Next: {after} (the cell below).")  # fmt: skip


_USED = Choice(("none", "half", "all"))

BETS = (
    _bet("first", tuple(_count(name, "") for name in _FIRST), _first_ask, _first_actual, _first_look, _first_because,
         _first_otherwise, "how we know"),
    _bet("line", tuple(_count(name, "") for name in _LINES), _line_ask, _line_actual, _line_look, _line_because,
         _line_otherwise, "say why"),
    _bet("value", tuple(_count(name, "") for name in BLANKS), _value_ask, _value_actual, _value_look, _value_because,
         _value_otherwise, "your fourth bet"),
    _bet("bill", (_count("each", "MiB of address space for one thread", "MiB"),
                  Blank("used", _USED, lambda answer: f"{answer} of it in memory", "in memory: (almost) none, half or all of it"),
                  _count("files", "descriptors more, in all", "descriptors")),
         _bill_ask, _bill_actual, _bill_look, _bill_because, _bill_otherwise, "your last bet"),
    _bet("exit", (_count("made", "folders that stand there", "folders"), _count("back", "callbacks that ran", "callbacks")),
         _exit_ask, _exit_actual, _exit_look, _exit_because, _exit_otherwise, "a program to mend"),
)  # fmt: skip
