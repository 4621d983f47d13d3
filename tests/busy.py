"""Load: processes that do nothing but compute."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Says that it runs, then never yields its core; ends when we do, because its standard input ends.
_LOOP = """
import os, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(0)), daemon=True).start()
print("on", flush=True)
while True:
    pass
"""


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep so many processes computing for the duration of the block."""
    started = [
        subprocess.Popen([sys.executable, "-c", _LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(processes)
    ]
    try:
        for process in started:
            assert process.stdout is not None
            assert b"on\n" == process.stdout.readline()
        yield
    finally:
        for process in started:
            process.kill()
            process.communicate()
