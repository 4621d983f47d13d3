"""What the tests of containers share: an engine that answers, an image, and a look at what is left."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from labs import container_engine, container_image, proc, room_container
from labs.container_engine import Engine
from labs.container_image import Image
from labs.errors import NoisyError, RoomError
from tests.needs import refuse


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Return the machine's engine."""
    try:
        return container_engine.find()
    except (RoomError, NoisyError) as problem:
        refuse(str(problem))
        raise


@pytest.fixture(scope="session")
def image(engine: Engine) -> Iterator[Image]:
    """Return the room's image, built if it is not there; all tests of a session use this one, whatever is edited meanwhile."""
    try:
        found = container_image.find(engine) or container_image.build(engine)
    except RoomError as problem:
        refuse(str(problem))
        raise
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(container_image.VARIABLE, found.name)
        yield found


#: Seconds in which an engine must have removed what ended, also one that is asked by many.
PATIENCE = 120.0


class Trace:
    """Everything on the host that has to do with one test's containers, found by a word in their names."""

    def __init__(self, engine: Engine, word: str) -> None:
        self.engine = engine
        self.word = word

    def containers(self) -> list[str]:
        """Return their ids, running or not."""
        return container_engine.ask(self.engine, "ps", "--all", "--quiet", "--filter", f"name={self.word}").split()

    def processes(self) -> list[int]:
        """Return the tethers, clients and monitors of these containers; what runs inside ends with its process 1."""
        found = []
        for pid in proc.pids():
            with suppress(OSError):
                if self.word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes() and pid != os.getpid():
                    found.append(pid)
        return found

    def gone_within(self, seconds: float) -> bool:
        """Wait until nothing is left, at most so long: a bound against waiting for ever, nothing is judged by it."""
        end = time.monotonic() + seconds
        while self.containers() or self.processes():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True


@pytest.fixture
def trace(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trace]:
    """Name this test's containers so that they can be told, and check that nothing of them is left at the end."""
    word = f"fourthreads-{secrets.token_hex(6)}"
    monkeypatch.setattr(room_container, "new_name", lambda: f"{word}-{secrets.token_hex(3)}")
    trace = Trace(engine, word)

    yield trace

    assert trace.gone_within(PATIENCE), f"left: containers {trace.containers()}, processes {trace.processes()}"
