"""The room `container` with Docker Engine, started by hand where it is installed: the same seal, the same evidence."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs import container_engine, container_image, container_sweep, rooms
from labs.container_engine import Engine
from labs.container_image import Image
from labs.errors import ScriptError
from labs.measurement import Run
from labs.request import Request
from tests.container import PATIENCE, Trace
from tests.container import engine as engine
from tests.container import image as image
from tests.container import trace as trace
from tests.hostile import SCRIPTS
from tests.needs import refuse

pytestmark = [pytest.mark.container, pytest.mark.node, pytest.mark.root, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def docker(engine: Engine, image: Image) -> Iterator[Engine]:
    """Start a Docker Engine of our own, give it the image, and end it."""
    if shutil.which("dockerd") is None or shutil.which("docker") is None:
        refuse("no Docker Engine here: sudo apt install docker.io")
    folder = Path(tempfile.mkdtemp(prefix="ft-", dir="/tmp"))  # short: the path of a socket has at most 107 bytes
    own = [
        f"--data-root={folder}/data",
        f"--exec-root={folder}/exec",
        f"--pidfile={folder}/pid",
        f"--host=unix://{folder}/s",
    ]
    # Rooms have no network; without a bridge none of the host's tables are touched.
    own += ["--bridge=none", "--iptables=false", "--ip6tables=false"]
    with (folder / "log").open("wb") as log, pytest.MonkeyPatch.context() as patch:
        daemon = subprocess.Popen(["dockerd", *own], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            patch.setenv("DOCKER_HOST", f"unix://{folder}/s")
            patch.setenv(container_engine.VARIABLE, "docker")
            end = time.monotonic() + PATIENCE
            while not (folder / "s").exists() and daemon.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            if not (folder / "s").exists():
                refuse(f"Docker Engine does not start here: {(folder / 'log').read_text()[-400:]}")
            with (folder / "image.tar").open("wb") as archive:
                subprocess.run([engine.path, "save", image.digest], check=True, stdout=archive)
            subprocess.run(["docker", "load", "--input", folder / "image.tar"], check=True, capture_output=True)
            (folder / "image.tar").unlink()
            patch.setenv(container_image.VARIABLE, image.digest)
            yield container_engine.find()
        finally:
            daemon.terminate()
            try:
                daemon.wait(60)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def here(docker: Engine, trace: Trace, monkeypatch: pytest.MonkeyPatch) -> Trace:
    """Let this test's traces be looked for in Docker."""
    trace.engine = docker
    return trace


def measure(script: str | None = None) -> Run:
    """Measure the lab ``gates`` in a container."""
    asked = Request(
        lab="gates",
        measure="start",
        parameters={"pool": 3, "tasks": 7, "secret": "?", "path": "/", "port": 9},
        script=script,
    )
    return rooms.measure(asked, "container").runs[0]


def test_the_evidence_is_the_same(here: Trace) -> None:
    """Three held, four waiting; seen by a supervisor without any capability."""
    run = measure()

    assert "docker" == here.engine.kind
    assert (3, 3) == (run.counts["held_slots"], run.counts["pool_threads"])
    assert ("4", "5", "6", "7") == run.steps[0].waiting


def test_the_room_is_sealed(here: Trace) -> None:
    """No namespace, no mount, no other process, no signal that counts."""
    run = measure(SCRIPTS["namespaces and mounts"])
    other = measure(SCRIPTS["every other process"])
    parent = measure(SCRIPTS["its parent"])

    assert [] == [line for line in run.text.splitlines() if line.startswith("TRY") and line.endswith(" 0")]
    assert "STATUS 0000000000000000 1 2" in run.text
    assert "OPEN" not in other.text and "PROC mem EACCES" in other.text
    assert 3 == parent.counts["held_slots"]


def test_its_limits_hold(here: Trace) -> None:
    """Memory, children and files end where they should."""
    for name, word in (
        ("eight gibibytes", r"of memory|of processor time|\(SIGKILL\)"),
        ("ten thousand children", "processes"),
        ("ten gibibytes in a file", "EFBIG"),
    ):
        with pytest.raises(ScriptError, match=word):
            measure(SCRIPTS[name])


def test_orphans_are_swept(here: Trace) -> None:
    """A container of a dead process is removed when the next room is opened."""
    boot = container_sweep.owner().split(".")[0]
    labels = ["--label", f"{container_sweep.LABEL}=room", "--label", f"{container_sweep.OWNER}={boot}.4194303.1"]
    image = os.environ[container_image.VARIABLE]
    container_engine.ask(here.engine, "create", "--name", f"{here.word}-orphan", "--network", "none", *labels, image)

    measure()

    assert [] == here.containers()
