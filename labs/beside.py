"""Processes of ours beside a measurement's runs: they bear its mark, so that they are known as ours and none is left."""

from __future__ import annotations

import os
import subprocess

from labs import launch, marker
from labs.supervise import Stage


def start(stage: Stage, module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a module of ours beside the runs of a stage, with pipes to and from it."""
    process = subprocess.Popen(
        launch.python("-m", module, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, marker.VARIABLE: stage.mark},
    )
    stage.beside.add(process.pid)
    return process


def end(stage: Stage, process: subprocess.Popen[bytes]) -> None:
    """End a process that was started here, and wait until it is gone."""
    process.kill()
    process.communicate()
    stage.beside.discard(process.pid)
