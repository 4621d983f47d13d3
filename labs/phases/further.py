"""Programs for what is looked at without points: luck in shares, ways to load a file, two Node lines, an idle loop."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from labs import node_binary
from labs.errors import SetupError
from labs.phases.loop import Kind, Source

#: Names the program of an older Node line (the container's image sets it).
OLDER = "FOURTHREADS_OLDER_NODE"
#: libuv moved the timers' step to the end of a turn in this version.
MOVED = (1, 45)

_INSIDE: dict[str, str] = {
    "file": "fs.stat('.', ask);",
    "timer": "setTimeout(ask, 5);",
    "immediate": "setImmediate(ask);",
    "close": "const { port1 } = new MessageChannel(); port1.on('close', ask); port1.close();",
}
REPEATABLE: tuple[Source, ...] = ("file", "timer", "immediate", "close")


def repeated(source: Source, times: int, busy: int) -> str:
    """Return a program that asks for a timer and an immediate in such a callback, many times, and counts who was first."""
    return f"""const count = {{ timeout: 0, immediate: 0 }};
let left = {times};
function once() {{
  let first = null;
  const came = (name) => {{
    if (first === null) first = name;
    else {{
      count[first] += 1;
      left -= 1;
      if (left > 0) setTimeout(once, 2);
      else report(count);
    }}
  }};
  const ask = () => {{
    setTimeout(came, 0, 'timeout');
    setImmediate(came, 'immediate');
    busy({busy});
  }};
  {_INSIDE[source]}
}}
once();
"""


def alone(busy: int) -> str:
    """Return a program that asks for both in the main module, where only a new process shows it once more."""
    return f"setTimeout(() => log('timeout'), 0);\nsetImmediate(() => log('immediate'));\nbusy({busy});\n"


_LINES = "process.nextTick(() => log('tick'));\nPromise.resolve().then(() => log('promise'));\n"
#: How the two lines are loaded -> the format of the main file, and its text; ``inner`` is a second file with the two lines.
FORMATS: dict[str, tuple[str, str]] = {
    "CommonJS, main": ("cjs", _LINES),
    "CommonJS, imported by an ES module": ("mjs", "{inner.cjs}await import(`${process.cwd()}/inner.cjs`);\n"),
    "ES module, main": ("mjs", _LINES),
    "ES module, after an await": ("mjs", f"await null;\n{_LINES}"),
    "ES module, import() in CommonJS": ("cjs", "{inner.mjs}import(`${process.cwd()}/inner.mjs`);\n"),
    "ES module, require() in CommonJS": ("cjs", "{inner.mjs}require(`${process.cwd()}/inner.mjs`);\n"),
}


def formats() -> Iterator[tuple[str, str, str]]:
    """Yield (how it is loaded, format of the main file, its text)."""
    for name, (module, form) in FORMATS.items():
        text = form
        for inner in ("inner.cjs", "inner.mjs"):
            text = text.replace(f"{{{inner}}}", f"fs.writeFileSync('{inner}', {_LINES!r});\n")
        yield name, module, text


def recursion(kind: Kind) -> str:
    """Return a program that asks for the same again and again, until a file's callback has come or ``parameters.most`` is reached."""
    again = {
        "tick": "process.nextTick(again)", "promise": "Promise.resolve().then(again)", "timeout": "setTimeout(again, 0)",
        "immediate": "setImmediate(again)",
    }[kind]  # fmt: skip
    return f"""let steps = 0;
let back = false;
fs.stat('.', () => {{
  back = true;
  report({{ steps }});
}});
function again() {{
  if (back || steps === parameters.most) return;
  steps += 1;
  {again};
}}
again();
"""


def unreferenced(after: int) -> str:
    """Return the one program in which libuv's change of 1.45 can be counted: does the timer that keeps nobody alive fire?"""
    return f"setTimeout(() => log('timeout'), {after}).unref();\nsetImmediate(() => busy({after * 2}));\n"


def idle(sockets: int, rest: int) -> str:
    """Return a program that rests, opens so many sockets (half of them the other ends), says so, and rests again."""
    return f"""const net = await import('node:net');
const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount;
const resting = (what) => new Promise((resolve) => {{
  setTimeout(() => {{
    const from = turns();
    setTimeout(() => resolve(report({{ [what]: turns() - from }})), {rest});
  }}, 20);
}});
await resting('turns');
const ends = [];
const server = net.createServer((end) => ends.push(end)).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
for (let i = 0; i < {sockets // 2}; i += 1) {{
  const end = net.connect(server.address().port, '127.0.0.1');
  ends.push(end);
  await new Promise((resolve) => end.once('connect', resolve));
}}
while (ends.length < {sockets // 2 * 2}) await new Promise(setImmediate);
report({{ sockets: ends.length }});
await resting('turns_with_sockets');
setInterval(() => {{}}, 60_000);
"""


def version(uv: str) -> tuple[int, int]:
    """Return the first two numbers of a version."""
    major, minor = uv.split(".")[:2]
    return int(major), int(minor)


def older() -> Path | None:
    """Return a Node from before libuv 1.45, or None: named in the environment, or the ``node`` that PATH finds."""
    for found in (os.environ.get(OLDER), shutil.which("node")):
        if found and (path := _checked(Path(found))) is not None and version(_uv(path)) < MOVED:
            return path
    return None


def _checked(path: Path) -> Path | None:
    try:
        return node_binary.checked(path)
    except SetupError:
        return None


def _uv(path: Path) -> str:
    try:
        said = subprocess.run(
            [str(path), "-p", "process.versions.uv"], capture_output=True, text=True, timeout=20, env={}
        )
    except (OSError, subprocess.TimeoutExpired):
        return "9999.0"
    return said.stdout.strip() if said.returncode == 0 and said.stdout.count(".") >= 1 else "9999.0"
