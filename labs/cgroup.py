"""What the control group allows: CPU quota and throttling, version 1 and 2, every ancestor that is visible.

Formats: kernel documentation, ``scheduler/sched-bwc.rst`` (v1: ``cpu.cfs_quota_us``, ``cpu.stat`` in nanoseconds) and
``admin-guide/cgroup-v2.rst`` (v2: ``cpu.max``, ``cpu.stat`` in microseconds); ``/proc/self/mountinfo`` in proc(5).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple


class Quota(NamedTuple):
    """What binds first: ``cores`` cores' worth of time on the average, handed out every ``period`` seconds."""

    cores: float
    period: float


class _Mount(NamedTuple):
    root: PurePosixPath
    point: Path
    version: int


def quota(root: Path = Path("/")) -> Quota | None:
    """Return the smallest quota among this process's group and its ancestors; None without a limit.

    Args:
        root: Where ``proc`` and the mounted hierarchies are looked for (tests lay out a tree of their own).
    """
    found = [limit for folder, version in folders(root) if (limit := _limit(folder, version)) is not None]
    return min(found, key=lambda limit: limit.cores, default=None)


def throttled(root: Path = Path("/")) -> float:
    """Return the seconds for which runnable threads of this group and its ancestors were stopped so far.

    A sum over processors and over nested groups: it can run faster than the clock. Only whether it grew has a meaning.
    """
    return sum(_throttled(folder) for folder, _ in folders(root))


def folders(root: Path = Path("/")) -> Iterator[tuple[Path, int]]:
    """Yield the folders that can hold a limit for this process, own group first, in every hierarchy with ``cpu``: (folder, version)."""
    mounts = list(_mounts(_lines(root / "proc/self/mountinfo"), root))
    for line in _lines(root / "proc/self/cgroup"):
        number, controllers, group = line.split(":", 2)
        version = 2 if number == "0" and not controllers else 1
        if version == 1 and "cpu" not in controllers.split(","):
            continue
        for mount in mounts:
            if mount.version == version:
                for folder in _up(mount, PurePosixPath(group)):
                    yield folder, version


def _up(mount: _Mount, group: PurePosixPath) -> Iterator[Path]:
    # In a container the group may be named from the host's root, or lie outside of what is mounted ("/../.."): the
    # mount point then stands for our own group.
    inside = (
        group.relative_to(mount.root)
        if group.is_relative_to(mount.root) and ".." not in group.parts
        else PurePosixPath()
    )
    folder = mount.point / inside
    while True:
        yield folder
        if folder == mount.point:
            return
        folder = folder.parent


def _mounts(lines: list[str], root: Path) -> Iterator[_Mount]:
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or len(kind) < 3:
            continue
        point = root / _plain(fields[4]).lstrip("/")
        if kind[0] == "cgroup2":
            yield _Mount(PurePosixPath(_plain(fields[3])), point, 2)
        elif kind[0] == "cgroup" and "cpu" in kind[2].split(","):
            yield _Mount(PurePosixPath(_plain(fields[3])), point, 1)


def _plain(text: str) -> str:
    """Undo the octal escapes of mountinfo."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def _limit(folder: Path, version: int) -> Quota | None:
    if version == 2:
        words = " ".join(_lines(folder / "cpu.max")).split()
    else:
        words = _lines(folder / "cpu.cfs_quota_us")[:1] + _lines(folder / "cpu.cfs_period_us")[:1]
    if len(words) != 2 or words[0] in ("max", "-1"):
        return None
    allowed, period = int(words[0]), int(words[1])
    return Quota(allowed / period, period / 1e6) if allowed > 0 and period > 0 else None


def _throttled(folder: Path) -> float:
    for line in _lines(folder / "cpu.stat"):
        name, _, value = line.partition(" ")
        if name == "throttled_usec":
            return int(value) / 1e6
        if name == "throttled_time":
            return int(value) / 1e9
    return 0.0


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
