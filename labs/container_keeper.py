"""The keeper of one container: waits until the process that opened it lets go, or its time is over, and removes it.

``python -m labs.container_keeper ENGINE NAME SECONDS``, with a pipe on stdin that closes when that process ends, whatever
ended it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

_TRIES = 5


def main(engine: str, name: str, seconds: float) -> None:
    """Wait, then remove."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    # A thread, since no other way to wait for a pipe with a bound works on every system.
    let_go = threading.Thread(target=sys.stdin.buffer.read, daemon=True)
    let_go.start()
    let_go.join(seconds)
    # The client that was about to create the container may still be at it: look again until it is gone for good.
    for _ in range(_TRIES):
        subprocess.run([engine, "rm", "--force", "--volumes", name], stdin=subprocess.DEVNULL, capture_output=True)
        found = subprocess.run(
            [engine, "ps", "--all", "--quiet", "--filter", f"name={name}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        if found.returncode == 0 and not found.stdout.strip():
            break
        time.sleep(0.2)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
    os._exit(0)  # not through the thread that may still be reading
