"""The folder of one run: the script, its FIFOs, what the harness is told, and how Node is called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from labs import scratch
from labs.launch import Bounds

_HARNESS = Path(__file__).parent / "node"


class Experiment(Struct, frozen=True, kw_only=True):
    """What is run, with one parameter set.

    Attributes:
        program: Node.
        script: The JavaScript.
        name: Which part of the measure this run is.
        parameters: For the script and the record, ``pool`` among them.
        folder: Where it runs; private and empty.
        gates: How many FIFOs there are.
        keep: Keep the process alive when the script has nothing more to do.
        tick: Seconds between two ticks of the timer beside the script.
        module: How the script is read.
        node_args: Options for Node.
        environment: Further variables.
        cores: Cores it may run on, None for all.
        rehearse: Note what the script asks for.
    """

    program: Path
    script: str
    name: str
    parameters: dict[str, Any]
    folder: Path
    gates: int = 0
    keep: bool = False
    tick: float = 0.005
    module: Literal["mjs", "cjs"] = "mjs"
    node_args: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    cores: Sequence[int] | None = None
    rehearse: bool = False

    def gate(self, number: int) -> Path:
        """Return the path of gate ``number``, from 1."""
        return self.folder / f"gate-{number}"

    @property
    def claims(self) -> Path:
        """Where the harness writes what the script reports."""
        return self.folder / "claims.jsonl"

    @property
    def ticks(self) -> Path:
        """Where the harness counts its timer's ticks."""
        return self.folder / "ticks"


def prepare(experiment: Experiment) -> None:
    """Write the script, make the gates."""
    for number in range(1, experiment.gates + 1):
        scratch.make_fifo(experiment.gate(number))
    (experiment.folder / f"script.{experiment.module}").write_text(experiment.script, encoding="utf-8")
    if experiment.module == "mjs":
        begin = msgspec.json.encode((_HARNESS / "begin.mjs").as_uri()).decode()
        (experiment.folder / "entry.mjs").write_text(f"import {begin};\nimport './script.mjs';\n")
    experiment.ticks.write_bytes(bytes(24))


def setup(experiment: Experiment, *, token: str, ready: int, go: int) -> None:
    """Write what the harness reads, and removes, before the script begins (descriptors are the child's)."""
    told = {
        "token": token,
        "ready": ready,
        "go": go,
        "claims": str(experiment.claims),
        "ticks": str(experiment.ticks),
        "tick": experiment.tick,
        "keep": experiment.keep,
        "gates": [str(experiment.gate(number)) for number in range(1, experiment.gates + 1)],
        "parameters": experiment.parameters,
        "module": experiment.module,
        "rehearse": experiment.rehearse,
    }
    (experiment.folder / "setup.json").write_bytes(msgspec.json.encode(told))


def command(experiment: Experiment, bounds: Bounds) -> list[str | os.PathLike[str]]:
    """Return the command line. The script is a file of its own, so that Node names its lines."""
    entry = "entry.mjs" if experiment.module == "mjs" else "script.cjs"
    return [
        experiment.program,
        f"--max-old-space-size={bounds.heap}",
        *experiment.node_args,
        "--require",
        _HARNESS / "harness.cjs",
        experiment.folder / entry,
    ]


def environment(experiment: Experiment) -> dict[str, str]:
    """Return all of Node's environment: nothing of ours goes over by itself, and the pool's size is set or absent."""
    folder = str(experiment.folder)
    fixed = {"PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1"}
    found = {**fixed, "FOURTHREADS_SETUP": f"{folder}/setup.json", **experiment.environment}
    pool = experiment.parameters.get("pool")
    return found if pool is None else {**found, "UV_THREADPOOL_SIZE": str(pool)}
