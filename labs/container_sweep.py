"""Containers that nobody owns any more: told by their label, and removed.

Every container is removed by the process that keeps it (labs.container_tether). What that one could not remove, because it
was killed too or the engine stopped meanwhile, is swept up when the next room is opened.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from labs import container_engine
from labs.container_engine import Engine
from labs.errors import NoisyError, RoomError

LABEL = "fourthreads"
OWNER = "fourthreads.owner"
#: Seconds after which a container of an unknown owner is nobody's: longer than any may live.
OLD = 1800.0


def owner() -> str:
    """Return who owns the containers that this process opens: boot, process namespace, process id, its start."""
    pid = os.getpid()
    return f"{_boot()}.{pid}.{_start_of(pid)}"


def _boot() -> str:
    # Where there is no /proc the label says nothing about processes; such a container is judged by its age.
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
        return f"{boot}-{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return "unknown"


def _start_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "gone"


def is_orphan(label: str, age: float) -> bool:
    """Say whether a container may be removed: its owner has ended, or (owner unknown) it is older than any may become."""
    boot, _, process = label.partition(".")
    pid, _, start = process.partition(".")
    if boot == _boot() != "unknown" and pid.isdigit():
        return _start_of(int(pid)) != start
    return age > OLD


def sweep(engine: Engine) -> tuple[str, ...]:
    """Remove containers whose owner has ended without removing them; returns their ids.

    Raises:
        RoomError, NoisyError: The engine does not answer.
    """
    listed = container_engine.ask(
        engine, "ps", "--all", "--quiet", "--no-trunc", "--filter", f"label={LABEL}=room"
    ).split()
    gone = []
    for one in listed:
        try:
            seen = json.loads(container_engine.ask(engine, "inspect", "--type", "container", one))[0]
        except (RoomError, NoisyError, ValueError, LookupError):
            continue  # it ended meanwhile, or the engine is too busy to say: the next one sweeps it
        label = (seen.get("Config", {}).get("Labels") or {}).get(OWNER, "")
        if is_orphan(label, _age(seen.get("Created", ""))):
            remove(engine, one)
            gone.append(one)
    return tuple(gone)


def _age(created: str) -> float:
    try:
        # Nanoseconds are more digits than Python reads.
        head, _, rest = created.partition(".")
        zone = rest.lstrip("0123456789") or head[19:]
        at = datetime.fromisoformat(head[:19] + ("+00:00" if zone in ("Z", "") else zone))
    except ValueError:
        return 0.0
    return (datetime.now(UTC) - at).total_seconds()


def remove(engine: Engine, name: str) -> None:
    """Remove a container, running or not; one that is gone already is fine."""
    more = ["--time", "0"] if engine.kind == "podman" else []
    try:
        container_engine.ask(engine, "rm", "--force", "--volumes", *more, name)
    except (RoomError, NoisyError):
        return
