"""Two looks further: how often a call comes back to the line, and what a thousand sockets cost in threads."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

from labs import proc
from labs.measurement import Run
from labs.places.working import reported
from labs.supervise import Stage

#: Bytes of the file whose trips are counted.
LARGE = 2 * 1024 * 1024
SOCKETS = 1000


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def trips(stage: Stage) -> Run:
    """Count the trips of some calls on a pool of one slot; the script's own count (claimed)."""
    with stage.launch(
        _text("trips.mjs"), name="trips", parameters={"bytes": LARGE, "tasks": 1}, pool=1, tick=0.05
    ) as run:
        run.wait_exit()
        if run.exit_code != 0:
            raise run.failure()
        said = [claim.value for claim in run.claims() if claim.kind == "done"]
        return run.finish(claims={"trips": {str(one["name"]): int(one["trips"]) for one in said}})


def sockets(stage: Stage, *, smoke: bool) -> Run:
    """Count threads before and after many connections, and sockets that are open (observed)."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    many = min(50 if smoke else SOCKETS, most // 2 - 64)
    with stage.launch(
        _text("sockets.mjs"), name="sockets", parameters={"many": many}, pool=None, keep=True, tick=0.05
    ) as run:
        reported(run, 1)
        run.settle()
        before = len(proc.tids(run.pid))
        os.kill(run.pid, signal.SIGUSR2)
        reported(run, 2)
        look = run.settle()
        counts = {
            "threads_before": before, "threads_after": len(proc.tids(run.pid)), "pool_threads": len(look.workers),
            "sockets": _sockets(run.pid), "connections": many,
        }  # fmt: skip
        return run.finish(counts=counts)


def _sockets(pid: int) -> int:
    links = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            links.append(os.readlink(f"/proc/{pid}/fd/{number}"))
        except OSError:
            continue
    return sum(link.startswith("socket:") for link in links)
