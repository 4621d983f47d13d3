"""The programs that are counted: in each the size is asked for in another way, or the pool is born at another moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

_SET = "process.env.UV_THREADPOOL_SIZE = String(parameters.size);\n"
_JOB = "fs.stat('.', () => look('end'));\n"
_KEEP = "setInterval(() => {}, 1000);\n"


@dataclass(frozen=True)
class Situation:
    """One program, and how it is started.

    Attributes:
        slug: Its name in records.
        title: In a table.
        text: The program.
        module: How it is read.
        outside: Whether the variable is in its environment from the start; a number stands for itself.
        options: Options for Node; ``ENV_FILE`` stands for the path of a file that has the size in it.
        child: Whether a child of it is counted, not itself.
    """

    slug: str
    title: str
    text: str
    module: Literal["cjs", "mjs"] = "cjs"
    outside: bool | int = False
    options: tuple[str, ...] = ()
    child: bool = False


#: The four of the second bet.
LINES: Mapping[str, Situation] = {
    "first": Situation("first", "first line of a CommonJS file", _SET + _JOB),
    "late": Situation("late", "after one file read", f"fs.stat('.', () => {{\n  {_SET}  {_JOB}}});\n"),
    "quick": Situation("quick", "after a module that takes 8 random bytes at once", f"require('./quick.cjs');\n{_SET}{_JOB}"),
    "token": Situation("token", "after a module that has 8 random bytes called back", f"require('./token.cjs');\n{_SET}{_JOB}"),
}  # fmt: skip

_WORKER = "new Worker(`{}`, {{ eval: true{} }}).on('message', () => look('end'));\n"
_IN_WORKER = "process.env.UV_THREADPOOL_SIZE = '${parameters.size}'; require('fs').stat('.', () => require('worker_threads').parentPort.postMessage(1));"
_ONLY_JOB = "require('fs').stat('.', () => require('worker_threads').parentPort.postMessage(1));"
_THREADS = "const { Worker, SHARE_ENV } = require('node:worker_threads');\n"
_CHILD = "fs.stat('.', () => { process.send('there'); }); setInterval(() => {}, 1000);"

#: All ways that are counted without points. Sources: facts on environment plumbing, measured on four Node lines.
WAYS: tuple[Situation, ...] = (
    Situation("nothing", "nothing is set", _JOB),
    LINES["first"],
    Situation("mjs", "first line of an ES module", "import fs from 'node:fs';\n" + _SET + _JOB, module="mjs"),
    Situation("mjs token", "the same, with an import that has random bytes called back",
              _SET + "import './token.mjs';\n" + _JOB, module="mjs"),
    Situation("mjs size", "an import of its own before that import",
              "import './size.mjs';\nimport './token.mjs';\n" + _JOB, module="mjs"),
    LINES["late"],
    LINES["quick"],
    LINES["token"],
    Situation("shell", "in the environment, before Node starts", _JOB, outside=True),
    Situation("env-file", "--env-file", _JOB, options=("--env-file=ENV_FILE",)),
    Situation("env-file shell", "--env-file, and 3 in the environment", _JOB, outside=3, options=("--env-file=ENV_FILE",)),
    Situation("load", "process.loadEnvFile(), first line", "process.loadEnvFile(parameters.file);\n" + _JOB),
    Situation("import", "--import of a line that sets it", _JOB,
              options=("--import", "data:text/javascript,process.env.UV_THREADPOOL_SIZE='NUMBER'")),
    Situation("worker", "inside a Worker", _THREADS + _WORKER.format(_IN_WORKER, "")),
    Situation("worker shared", "inside a Worker with SHARE_ENV", _THREADS + _WORKER.format(_IN_WORKER, ", env: SHARE_ENV")),
    Situation("worker job", "main sets it, a Worker asks first", _THREADS + _SET + _WORKER.format(_ONLY_JOB, "")),
    Situation("replaced", "process.env = {...}",
              "process.env = { ...process.env, UV_THREADPOOL_SIZE: String(parameters.size) };\n" + _JOB),
    Situation("child", "set too late: in a child of that process",
              "fs.stat('.', () => {\n  " + _SET + "  const child = require('node:child_process').fork('child.cjs', { execArgv: [] });\n"
              "  child.on('message', () => look('end'));\n});\n" + f"fs.writeFileSync('child.cjs', {_CHILD!r}.replace('fs', \"require('fs')\"));\n",
              child=True),
)  # fmt: skip

#: The first line on a Node from before libuv 1.45: first a program that asks for nothing, so that what is more can be counted.
OLDER: tuple[Situation, ...] = (
    Situation("older nothing", "no job", "look('end');\n"),
    replace(LINES["first"], slug="older first"),
    replace(next(way for way in WAYS if way.slug == "mjs"), slug="older mjs"),
)

#: The bill: before the pool, and with it.
BILL = "look('before');\n" + _JOB

#: Work in the line at exit: folders that somebody else counts afterwards.
EXIT = """const many = parameters.jobs;
let back = 0;
for (let i = 0; i < many; i++) fs.mkdir(`made-${i}`, () => { back += 1; });
process.on('exit', () => report({ back }));
process.exit(0);
"""
