"""What does measuring cost beside the bare script? One parameter set from Python, and `node script`, in turn::

    python -m tests.bench_measure

The best of each is compared, so that a busy moment does not speak for one of them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from labs import node_binary, rooms
from tests.room import gates

#: Asked of us: at most so many times the bare script, plus so many seconds.
TIMES, PLUS = 1.15, 0.150
_SCRIPT = "const fs = require('node:fs');\nfor (let i = 1; i <= 9; i++) fs.open(__filename, 'r', () => {});\n"


def compare(rounds: int = 9) -> tuple[float, float]:
    """Return the seconds of the bare script and of measuring one parameter set, best of so many rounds each."""
    bare, measured = [], []
    with TemporaryDirectory() as folder:
        script = Path(folder) / "script.cjs"
        script.write_text(_SCRIPT)
        for _ in range(rounds):
            began = time.perf_counter()
            subprocess.run([node_binary.pinned(), script], check=True)
            bare.append(time.perf_counter() - began)
            began = time.perf_counter()
            rooms.measure(gates())
            measured.append(time.perf_counter() - began)
    return min(bare), min(measured)


def main() -> int:
    """Print both and whether the promise is kept."""
    bare, measured = compare()
    allowed = TIMES * bare + PLUS
    sys.stdout.write(f"node script {bare:.3f} s, measured {measured:.3f} s, allowed {allowed:.3f} s\n")
    return 0 if measured <= allowed else 1


if __name__ == "__main__":
    sys.exit(main())
