"""The trial of ``phases``: the solution, and what people write instead in good faith."""

from __future__ import annotations

from pathlib import Path

from labs.phases import parts, stories
from labs.trials import Case, Trials

_FOUR = """function four() {
  setTimeout(() => log('timeout'), 0);
  setImmediate(() => log('immediate'));
  process.nextTick(() => log('tick'));
  Promise.resolve().then(() => log('promise'));
  BUSY
}
const late = parameters.target.indexOf('immediate') < parameters.target.indexOf('timeout');
const promise = parameters.target[0] === 'promise';
"""
_BUSY, _IDLE = _FOUR.replace("BUSY", "busy(3);"), _FOUR.replace("BUSY", "")


def _both(body: str) -> str:
    return f"for (const name of ['A', 'B']) part(name, () => {{ {body} }});\n"


#: Whatever the target: what keeps a part from passing.
SCRIPTS = {
    "nothing": parts.STARTER,
    "all logged at once": _both("for (const name of parameters.target) log(name);"),
    "one from the other": _both(
        "const next = [...parameters.target]; const go = () => { if (!next.length) return; const name = next.shift(); "
        "const run = () => { log(name); go(); }; if (name === 'tick') process.nextTick(run); "
        "else if (name === 'promise') Promise.resolve().then(run); else if (name === 'timeout') setTimeout(run, 0); "
        "else setImmediate(run); }; go();"
    ),
    "left to luck": _IDLE + _both("setImmediate(promise ? () => Promise.resolve().then(four) : four);"),
    "three of four": _both(
        "process.nextTick(() => log('tick')); setTimeout(() => log('timeout'), 0); setImmediate(() => log('immediate'));"
    ),
}
#: What "promises come before ticks anywhere" leads to.
PLAIN = _BUSY + _both("late ? fs.stat('.', four) : setImmediate(four);")
#: What "a timer of 0 ms (or: an immediate) comes first anywhere" leads to: the place that has it the other way round.
ELSEWHERE = _BUSY + _both(
    "const body = promise ? () => Promise.resolve().then(four) : four; late ? setImmediate(body) : fs.stat('.', body);"
)
ENDS = ("timeout-first", "starts-at-timers", "immediate-first")

_SOLUTION = Path(__file__).with_name("solution.mjs").read_text("utf-8")

TRIALS = Trials(
    cases=(
        Case("solution", "A", script=_SOLUTION),
        Case("solution", "B", script=_SOLUTION),
        *(
            Case(slug, part, script=script, contradicts={f"phases-part-{part.lower()}": ()})
            for part in "AB"
            for slug, script in SCRIPTS.items()
        ),
        Case("ends elsewhere", "A", script=ELSEWHERE, contradicts={"phases-part-a": ENDS}),
        Case("ends elsewhere", "B", script=ELSEWHERE, contradicts={"phases-part-b": ENDS}),
        Case("plain lines", "B", script=PLAIN, contradicts={"phases-part-b": ("promises-first",)}),
    ),
    node=stories.node,
)
