"""The tether of one container: finds or builds its image, starts it, and removes it however this ends.

``python -m labs.container_tether NAME VERB FACTS``: what the container says goes straight to our stdout and stderr, and what
we are told goes straight to it. When the other end of our stdin is gone, whatever ended it, the container gets a few seconds to
clean up, as the room `here` does, and is then removed by force.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time

import msgspec

from labs import container_image, container_sweep
from labs.container_engine import Engine
from labs.errors import FourThreadsError
from labs.room_container import Limits, command

#: Seconds for cleaning up inside; less than our caller allows us (labs.rooms).
_CLEANING = 6.0
#: What the engines' clients answer where the main process was killed (128 + SIGKILL).
_KILLED = 137


def main(name: str, verb: str, facts: str) -> int:
    """Run one container to its end and return its exit code (2 where it could not be started; told on stdout)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    engine, limits = msgspec.json.decode(facts, type=tuple[Engine, Limits])
    try:
        image = container_image.find(engine)
        if image is None:
            _tell("building the room's image (once, about a minute)")
            image = container_image.build(engine)
        container_sweep.sweep(engine)
    except FourThreadsError as problem:
        sys.stdout.buffer.write(msgspec.json.encode({"error": problem.code, "message": str(problem)}) + b"\n")
        return 2
    argv = command(engine, image, verb, name=name, owner=container_sweep.owner(), limits=limits)
    client = subprocess.Popen(argv)
    try:
        wanted = _wait(client, limits.wall)
    finally:
        if client.poll() != 0:
            # Also where it ended by itself: with an error of the engine's the container may be left half made.
            container_sweep.remove(engine, name)
            client.kill()
    code = client.wait()
    if code == _KILLED and wanted:
        sys.stderr.write(
            f"The container was ended at one of its limits: {limits.memory >> 20} MiB of memory, {limits.wall:.0f} s.\n"
        )
    return code if code >= 0 else 128 - code


def _tell(what: str) -> None:
    sys.stderr.buffer.write(msgspec.json.encode({"progress": [0, 0], "what": what}) + b"\n")
    sys.stderr.flush()


def _wait(client: subprocess.Popen[bytes], wall: float) -> bool:
    """Wait for the client's end, without waking up meanwhile; return whether the answer was wanted to the end."""
    ended, end = os.pipe()

    def watch() -> None:
        client.wait()
        os.close(end)

    threading.Thread(target=watch, daemon=True).start()
    if not hasattr(select, "poll"):  # Windows: then the container itself notices that its stdin is gone
        client.wait()
        return True
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(0, 0)  # tells nothing but that the other end is gone; what is sent is the container's
    deadline = time.monotonic() + wall
    wanted = True
    while (left := deadline - time.monotonic()) > 0:
        seen = {descriptor for descriptor, _ in poll.poll(left * 1000)}
        if ended in seen:
            break
        if 0 in seen:
            wanted = False
            poll.unregister(0)
            deadline = min(deadline, time.monotonic() + _CLEANING)
    return wanted


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
