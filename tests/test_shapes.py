"""Machine shapes: cores by affinity, load that can stand still, a quota where the kernel lets us."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course.commands import trial as verb
from grader import shapes
from grader.shapes import MachineShape
from labs import affinity, cgroup
from labs.errors import SetupError


def test_shapes_are_cores_times_load_and_a_quota_on_the_most_cores() -> None:
    """As the command line says them."""
    found = verb.shapes("1,2", "idle,busy", (0.5,))

    assert ["1 core, idle", "1 core, busy", "2 cores, idle", "2 cores, busy", "2 cores, idle, quota of 0.5 CPU"] == [
        str(shape) for shape in found
    ]


def test_a_shape_narrows_the_cores_and_gives_them_back() -> None:
    """By affinity, for this process and what it starts."""
    before = affinity.mask()

    with shapes.on(MachineShape(1)):
        assert 1 == len(affinity.mask())

    assert before == affinity.mask()


def test_load_stands_still_while_a_machine_is_calibrated_and_ends_with_its_block() -> None:
    """Stopped processes use no core; afterwards none is left."""
    with shapes.busy(2) as load:
        with load.paused():
            assert ["T", "T"] == [state(process.pid) for process in load.processes]
        assert "T" not in [state(process.pid) for process in load.processes]

    assert [-9, -9] == [process.returncode for process in load.processes]


def test_load_is_counted_whosever_it_is() -> None:
    """Each trial knows its own processes; another trial's beside it are seen all the same."""
    theirs = "import sys; from grader import shapes\nwith shapes.busy(2):\n    print(flush=True)\n    sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", theirs], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as other:
        assert other.stdout is not None and other.stdin is not None
        assert b"\n" == other.stdout.readline()
        with shapes.busy(1):
            found = shapes.loads()
        other.stdin.close()

    assert found is not None and found >= 3


def state(pid: int) -> str:
    """Return the letter that the kernel gives a process's state."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize(
    ("version", "files"),
    [(1, {"cpu.cfs_quota_us": "50000", "cpu.cfs_period_us": "100000"}), (2, {"cpu.max": "50000 100000"})],
)
def test_a_quota_is_written_as_each_version_of_control_groups_wants_it(
    version: int, files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a group of its own below ours, into which the process goes and from which it comes back."""
    (tmp_path / "cgroup.subtree_control").write_text("cpu memory")
    monkeypatch.setattr(cgroup, "folders", lambda: iter([(tmp_path, version)]))

    with shapes.limited(0.5):
        (made,) = tmp_path.glob("fourthreads-trial-*")
        found = {path.name: path.read_text() for path in made.iterdir()}

    assert {**files, "cgroup.procs": str(os.getpid())} == found
    assert str(os.getpid()) == (tmp_path / "cgroup.procs").read_text()


def test_where_no_quota_can_be_set_it_is_said_who_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what to do: the other shapes need none."""
    monkeypatch.setattr(cgroup, "folders", lambda: iter([(tmp_path / "nowhere", 2)]))

    with pytest.raises(SetupError, match="nowhere.*leave --quota out"), shapes.limited(0.5):
        pass


@pytest.mark.root
def test_a_quota_is_in_force_inside_the_block_only() -> None:
    """The kernel says so; where it lets nobody set one (a container), the message says what refused."""
    before, groups = cgroup.quota(), own_groups()
    try:
        with shapes.limited(0.5):
            inside = cgroup.quota()
    except SetupError as problem:
        assert "--quota" in str(problem)
    else:
        assert inside is not None
        assert min(0.5, before.cores if before else 0.5) == inside.cores
    assert (before, groups) == (cgroup.quota(), own_groups())


def own_groups() -> str:
    """Return which control groups this process is in."""
    return Path("/proc/self/cgroup").read_text()
