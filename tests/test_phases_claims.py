"""Every sentence of ``phases`` about Node, held against the Node of the course: if Node changes it, a test here fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from labs.measurement import Run
from labs.phases import claims, conduct, further, loop, programs
from labs.request import Request
from labs.sentence import Sentence
from labs.supervise import Stage
from tests.room import stage

pytestmark = pytest.mark.node
ENDS: tuple[loop.Kind, ...] = ("timeout", "immediate")


@pytest.fixture
def here() -> Iterator[Stage]:
    """A stage of this process."""
    with stage(Request(lab="phases", measure="four", parameters={})) as made:
        yield made


def names(run: Run) -> list[str]:
    """Return what was logged, in order."""
    return [one.name for one in run.callbacks]


def program(here: Stage, source: loop.Source, *lines: loop.Kind) -> list[str]:
    """Return in which order these run, asked for in such a callback with 3 ms of work."""
    text = programs.text(programs.four(source, lines))
    return names(conduct.traced(here, text, "claim", {}, "mjs" if source == "mjs" else "cjs"))


def run(here: Stage, text: str, module: Any = "cjs") -> Run:
    """Return a run of a program."""
    return conduct.traced(here, text, "claim", {}, module)


def poll(here: Stage) -> None:
    """From a file's callback: immediate, timeout, however the lines are written."""
    assert ["immediate", "timeout"] == program(here, "file", *ENDS) == program(here, "file", *ENDS[::-1])


def timers(here: Stage) -> None:
    """From a timer's callback: immediate, timeout."""
    assert ["immediate", "timeout"] == program(here, "timer", *ENDS)


def check(here: Stage) -> None:
    """From an immediate: timeout, immediate."""
    assert ["timeout", "immediate"] == program(here, "immediate", *ENDS[::-1])


def closing(here: Stage) -> None:
    """From a close callback: timeout, immediate, and the callback itself runs in closing."""
    found = run(here, programs.text(programs.four("close", ("tick", *ENDS))))
    assert ["tick", "timeout", "immediate"] == names(found)
    assert "closing" == found.callbacks[0].phase


def each(here: Stage) -> None:
    """Two timers, two immediates: each with its ticks before the next."""
    for pair in ("timers", "immediates"):
        assert ["A", "tickA", "B", "tickB", "C"] == names(run(here, programs.text(programs.between(pair, "C"))))


def ticks_then_promises(here: Stage) -> None:
    """All ticks, all promises, and again: a promise's tick comes after all promises, a tick's promise before the timers."""
    text = (
        "setImmediate(() => { log('i'); }); Promise.resolve().then(() => { log('p1'); process.nextTick(() => log('t3')); });\n"
        "process.nextTick(() => { log('t1'); Promise.resolve().then(() => log('p3')); process.nextTick(() => log('t2')); });\n"
        "queueMicrotask(() => log('p2'));\n"
    )
    assert ["t1", "t2", "p1", "p2", "p3", "t3", "i"] == names(run(here, text))


def main(here: Stage) -> None:
    """CommonJS: tick, promise. ES module: promise, tick. In either order of the lines."""
    for lines in (("tick", "promise"), ("promise", "tick")):
        assert ["tick", "promise"] == program(here, "cjs", *lines)
        assert ["promise", "tick"] == program(here, "mjs", *lines)


def formats(here: Stage) -> None:
    """Six ways to load the two lines (facts 1.5)."""
    found = {name: names(run(here, text, module)) for name, module, text in further.formats()}
    stack = {"CommonJS, main", "ES module, require() in CommonJS"}
    assert {name: ["tick", "promise"] if name in stack else ["promise", "tick"] for name in further.FORMATS} == found


def starve(here: Stage) -> None:
    """5,000 ticks or promises run before a file comes; immediates and timers let it in."""
    text = "let n = 0; fs.stat('.', () => log(String(n))); const go = () => { if (n++ < 5000) ASK }; go(); n;\n"
    for ask in ("process.nextTick(go)", "Promise.resolve().then(go)", "queueMicrotask(go)"):
        assert 5001 == _count(here, text, ask)
    for ask in ("setImmediate(go)", "setTimeout(go, 0)"):
        # These go on until the file has come: there is no other end, so a slow machine only counts more.
        assert _count(here, text.replace("n++ < 5000", "n++ < 1e6 && !back").replace("log(", "back = log("), ask) < 1e6


def _count(here: Stage, text: str, ask: str) -> int:
    whole = "let back = false; const note = log; globalThis.log = (name) => { note(name); return true; };\n" + text
    done, said = conduct._launched(here, whole.replace("ASK", ask), "claim", {}, "cjs", False, None)
    done.finish()
    return int(next(claim.value["log"] for claim in said if claim.kind == "report"))


def one_millisecond(here: Stage) -> None:
    """Node gives a timer of 0 ms the delay 1: what it keeps says so."""
    text = "const t = setTimeout(() => {}, 0); log(String(t._idleTimeout)); const u = setTimeout(() => {}, 0.4); log(String(u._idleTimeout));\n"
    assert ["1", "1"] == names(run(here, text))


def unreferenced(here: Stage) -> None:
    """On libuv 1.45 and later the timer fires once (the older line: replay/lines.json, Node 20.2.0: never)."""
    assert ["timeout"] == names(run(here, further.unreferenced(100)))


def sleeps(here: Stage) -> None:
    """An idle loop turns once or twice in the quietest of three rests (V8 may wake it to collect garbage); a hundred sockets add
    no thread."""
    from msgspec.structs import replace

    here.request = replace(here.request, measure="idle", smoke=True)
    rests = [conduct.conduct(here.request, here).runs[0].counts for _ in range(3)]
    assert all(counts["threads"] == counts["threads_with_sockets"] for counts in rests)
    assert 20 <= min(counts["open_sockets"] for counts in rests)
    assert 3 >= min(max(counts["turns"], counts["turns_with_sockets"]) for counts in rests)


def await_(here: Stage) -> None:
    """5,000 awaits of null keep a file waiting, as promises do."""
    text = (
        "let n = 0; fs.stat('.', () => log(String(n))); (async () => { while (n < 5000) { n += 1; await null; } })();\n"
    )
    assert ["5000"] == names(run(here, text))


def body(here: Stage) -> None:
    """What an ES module's body asks for is asked for inside a promise; a CommonJS file's in none."""
    for module, expected in (("mjs", "promise"), ("cjs", "main")):
        assert {expected} == {
            one.asked_in for one in run(here, "process.nextTick(() => log('tick'));\n", module).callbacks
        }


def trace(here: Stage) -> None:
    """The phases of a program that passes through all of them, and one asker for all four."""
    found = run(here, programs.text(programs.four("file", ("tick", "promise", *ENDS))))
    assert ["poll", "poll", "check", "timers"] == [one.phase for one in found.callbacks]
    assert 1 == len({one.asked_id for one in found.callbacks})
    assert all(first.at <= second.at for first, second in pairwise(found.callbacks))
    turns = [one.turn for one in found.callbacks]
    assert turns == sorted(turns, key=lambda turn: turn or 0)


HELD: dict[str, Callable[[Stage], None]] = {
    one.__name__.rstrip("_").replace("_", "-"): one
    for one in (poll, timers, check, closing, each, ticks_then_promises, main, formats, starve, one_millisecond, unreferenced,
                sleeps, await_, body, trace)
}  # fmt: skip


@pytest.mark.parametrize("claim", claims.CLAIMS, ids=lambda claim: str(claim.slug))
def test_a_claim_holds_on_this_node(claim: Sentence, here: Stage) -> None:
    """What the lab says is what Node does."""
    HELD[claim.slug](here)
