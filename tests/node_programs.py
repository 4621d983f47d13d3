"""Runs random programs on real Node: one program a line on stdin, what was seen at each rest on stdout.

Started by :class:`Runner` as a process of its own, which watches Node as a measurement does (`labs.supervise`). Inside a room
of its own (`python -m tests.node_programs names`) it answers names too, with the holding name server.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import msgspec

from labs.helper import stage_for
from labs.observe import Look
from labs.request import Request
from labs.resolver import HoldingServer
from labs.supervise import NodeRun, Stage
from tests.programs import Program, Rest

#: Turns each step that the watcher allows (a file that appears) into requests, in one turn of the loop.
SCRIPT = """
import fs from 'node:fs';
import dns from 'node:dns';
import { pbkdf2 } from 'node:crypto';
const { steps, gates, domain } = parameters;
const ended = new Set();
const followers = new Map();
function ask(job) {
  const back = () => {
    done(job.name);
    ended.add(job.name);
    for (const next of followers.get(job.name) ?? []) ask(next);
  };
  if (job.kind === 'name') dns.lookup(`${job.name}.${domain}`, { family: 4 }, back);
  else if (job.kind === 'cpu') pbkdf2('x', 'y', 200, 32, 'sha512', back);
  else if (job.name in gates) fs.open(gate(gates[job.name]), 'r', back);
  else fs.readFile('readme', back);
}
let at = 0;
setInterval(() => {
  if (at === steps.length || !fs.existsSync(`step-${at}`)) return;
  for (const job of steps[at]) {
    if (job.after === null || ended.has(job.after)) ask(job);
    else followers.set(job.after, [...(followers.get(job.after) ?? []), job]);
  }
  report(at);
  at += 1;
}, 1);
"""
#: How long the name server may take to see a query that is out (seconds).
PATIENCE = 10.0


def play(program: Program, stage: Stage, server: HoldingServer | None) -> tuple[Rest, ...]:
    """Run one program and return what was seen after every step."""
    jobs = [job for step in program.steps for job in step.submit]
    gates = {job.name: number for number, job in enumerate((job for job in jobs if job.name.startswith("g")), 1)}
    bursts = [[msgspec.to_builtins(job) for job in step.submit] for step in program.steps if step.submit]
    parameters = {"tasks": len(gates), "gates": gates, "steps": bursts, "domain": "held.fourthreads.test"}
    seen = []
    with stage.launch(
        SCRIPT, name="program", parameters=parameters, pool=program.pool, gates=len(gates), keep=True, tick=0.05
    ) as run:
        (run.experiment.folder / "readme").write_text("a file of one read")
        asked = 0
        for step in program.steps:
            if step.submit:
                (run.experiment.folder / f"step-{asked}").touch()
                _wait_asked(run, asked)
                asked += 1
            elif step.release in gates:
                run.open_gate(gates[step.release])
            elif server is not None:
                server.release(f"{step.release}.held.fourthreads.test")
            seen.append(_rest(run, run.settle(), {number: name for name, number in gates.items()}, server))
    if server is not None:
        server.reset()
    return tuple(seen)


def _wait_asked(run: NodeRun, step: int) -> None:
    def asked() -> bool:
        return any(claim.kind == "report" and claim.value == step for claim in run.claims())

    assert run.wait_until(asked, PATIENCE), f"step {step} was not asked for"


def _rest(run: NodeRun, look: Look, names: dict[int, str], server: HoldingServer | None) -> Rest:
    held = [names[int(slot)] for slot in run.slots(look) if slot is not None]
    inside = sum(worker.held for worker in look.workers)
    if server is not None:
        state = server.wait_until(lambda state: len(state.names) == inside - len(held), PATIENCE)
        held += [name.split(".")[0] for name in state.names]
    assert len(held) == inside, f"{inside} workers are held, by {held} as far as can be seen"
    finished = [str(claim.value) for claim in run.claims() if claim.kind == "done"]
    return Rest(tuple(sorted(held)), tuple(sorted(finished)))


def serve(names: bool) -> None:
    """Answer programs until there are no more."""
    asked = Request(lab="programs", measure="program", parameters={}, seed=0, draw=0, room="here")
    with HoldingServer() if names else nullcontext() as server, stage_for(asked, None) as stage:
        for line in sys.stdin.buffer:
            seen = play(msgspec.json.decode(line, type=Program), stage, server)
            sys.stdout.buffer.write(msgspec.json.encode(seen) + b"\n")
            sys.stdout.buffer.flush()


class Runner:
    """A process that runs programs."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def run(self, program: Program) -> tuple[Rest, ...]:
        """Return what real Node shows after every step."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(program) + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"the runner ended with {self._process.wait()} on {program}"
        return msgspec.json.decode(answer, type=tuple[Rest, ...])


@contextmanager
def runner(argv: Sequence[str]) -> Iterator[Runner]:
    """Start a process that runs programs; it ends with the block."""
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[1]
    ) as process:
        yield Runner(process)


if __name__ == "__main__":
    serve("names" in sys.argv[1:])
