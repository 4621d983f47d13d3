"""Programs that real Node ran, with what it did: kept, so that a broken model is found without Node.

python -m tests.traces        records them anew (needs the room `namespace`)
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, Phase, given, settings

from labs import node_binary, room_namespace
from tests.mutants import EVERY_MUTANT
from tests.node_programs import Runner, runner
from tests.programs import Program, Rest, predicted, programs

PATH = Path(__file__).parent / "data" / "traces.json"
#: Programs of each kind that are kept as they come; then only those of a pool size that is rare so far, and those that tell
#: a broken model that few have told.
KEPT, FEW = 20, 5


class Trace(msgspec.Struct, frozen=True):
    """A program and what Node showed after every step."""

    program: Program
    seen: tuple[Rest, ...]


class Traces(msgspec.Struct, frozen=True):
    """What was recorded with one Node."""

    node: str
    uv: str
    traces: tuple[Trace, ...]


def recorded() -> Traces:
    """Return what is kept."""
    return msgspec.json.decode(PATH.read_bytes(), type=Traces)


def record() -> None:
    """Run programs of many steps on the pinned Node and keep them."""
    command = room_namespace.command([sys.executable, "-m", "tests.node_programs", "names"])
    with runner(command) as node:
        found = [*_some(node, names=False), *_some(node, names=True)]
    said = subprocess.run(
        [node_binary.pinned(), "-p", "JSON.stringify(process.versions)"], capture_output=True, check=True
    )
    versions = msgspec.json.decode(said.stdout, type=dict[str, str])
    # A trace a line: a change can be read.
    lines = b",\n".join(msgspec.json.encode(trace) for trace in found)
    head = f'{{"node":"{versions["node"]}","uv":"{versions["uv"]}","traces":[\n'.encode()
    PATH.write_bytes(head + lines + b"\n]}\n")


def _some(node: Runner, *, names: bool) -> list[Trace]:
    kept: dict[Program, Trace] = {}
    told: Counter[str] = Counter()

    @settings(
        max_examples=1500, deadline=None, database=None, derandomize=True,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(programs(names=names))
    def each(program: Program) -> None:
        if len(program.steps) < 6 or program in kept:
            return
        right = predicted(program)
        broken = [mutant.__name__ for mutant in EVERY_MUTANT if predicted(program, mutant) != right]
        told_more = any(told[name] < FEW for name in broken)
        if len(kept) < KEPT or told_more or sum(other.pool == program.pool for other in kept) < 2:
            kept[program] = Trace(program, node.run(program))
            told.update(broken)

    each()
    return list(kept.values())


if __name__ == "__main__":
    record()
