"""Quota and throttling, from trees laid out like the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs import cgroup
from labs.cgroup import Quota

V2 = "29 23 0:26 {root} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
V1 = "31 24 0:27 {root} /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:11 - cgroup cgroup rw,cpu,cpuacct"


def lay_out(root: Path, mounts: list[str], group: str, files: dict[str, str]) -> Path:
    """Write ``proc/self`` and the given files below a root of our own."""
    own = root / "proc/self"
    own.mkdir(parents=True)
    (own / "mountinfo").write_text("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" + "\n".join(mounts) + "\n")
    (own / "cgroup").write_text(group)
    for name, text in files.items():
        path = root / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_no_control_groups_means_no_quota(tmp_path: Path) -> None:
    """An empty system has no limit and was never throttled."""
    assert cgroup.quota(tmp_path) is None
    assert cgroup.throttled(tmp_path) == 0.0


def test_v2_quota_of_the_own_group(tmp_path: Path) -> None:
    """50,000 of every 100,000 microseconds are half a core."""
    root = lay_out(tmp_path, [V2.format(root="/")], "0::/user/me\n", {"user/me/cpu.max": "50000 100000\n"})

    assert Quota(0.5, 0.1) == cgroup.quota(root)


def test_v2_takes_the_smallest_over_all_ancestors(tmp_path: Path) -> None:
    """A limit set further up binds, however generous our own group is."""
    files = {"a/cpu.max": "150000 100000\n", "a/b/cpu.max": "max 100000\n", "a/b/c/cpu.max": "400000 50000\n"}
    root = lay_out(tmp_path, [V2.format(root="/")], "0::/a/b/c\n", files)

    assert Quota(1.5, 0.1) == cgroup.quota(root)


def test_v2_without_a_limit(tmp_path: Path) -> None:
    """``max`` is no limit."""
    root = lay_out(tmp_path, [V2.format(root="/")], "0::/a\n", {"a/cpu.max": "max 100000\n"})

    assert cgroup.quota(root) is None


def test_v1_quota_and_its_ancestors(tmp_path: Path) -> None:
    """The same for version 1, where -1 is no limit."""
    files = {
        "cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
        "cpu,cpuacct/cpu.cfs_period_us": "100000\n",
        "cpu,cpuacct/pod/cpu.cfs_quota_us": "20000\n",
        "cpu,cpuacct/pod/cpu.cfs_period_us": "10000\n",
        "cpu,cpuacct/pod/one/cpu.cfs_quota_us": "300000\n",
        "cpu,cpuacct/pod/one/cpu.cfs_period_us": "100000\n",
    }
    root = lay_out(tmp_path, [V1.format(root="/")], "5:cpu,cpuacct:/pod/one\n2:memory:/elsewhere\n0::/\n", files)

    assert Quota(2.0, 0.01) == cgroup.quota(root)


def test_hybrid_hierarchies_are_both_looked_at(tmp_path: Path) -> None:
    """A version 2 tree without the cpu controller hides no limit of version 1."""
    unified = "30 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"
    files = {"cpu,cpuacct/cpu.cfs_quota_us": "100000\n", "cpu,cpuacct/cpu.cfs_period_us": "100000\n"}
    root = lay_out(tmp_path, [V1.format(root="/"), unified], "5:cpu,cpuacct:/\n0::/\n", files)

    assert Quota(1.0, 0.1) == cgroup.quota(root)


@pytest.mark.parametrize(
    ("mounted", "group"), [("/docker/abc", "/docker/abc"), ("/docker/abc", "/"), ("/", "/../../docker/abc")]
)
def test_in_a_container_the_mount_point_stands_for_our_group(tmp_path: Path, mounted: str, group: str) -> None:
    """The group is named from the host's root, from ours, or lies outside of what we see: the limit is found anyway."""
    root = lay_out(tmp_path, [V2.format(root=mounted)], f"0::{group}\n", {"cpu.max": "25000 100000\n"})

    assert Quota(0.25, 0.1) == cgroup.quota(root)


def test_throttling_is_added_up_in_seconds(tmp_path: Path) -> None:
    """Microseconds in version 2; own group and ancestors."""
    files = {
        "a/cpu.stat": "usage_usec 9\nnr_throttled 3\nthrottled_usec 1500000\n",
        "a/b/cpu.stat": "throttled_usec 500000\n",
    }
    root = lay_out(tmp_path, [V2.format(root="/")], "0::/a/b\n", files)

    assert pytest.approx(2.0) == cgroup.throttled(root)


def test_v1_throttling_is_in_nanoseconds(tmp_path: Path) -> None:
    """Version 1 counts in nanoseconds."""
    root = lay_out(
        tmp_path, [V1.format(root="/")], "5:cpu,cpuacct:/\n", {"cpu,cpuacct/cpu.stat": "throttled_time 2000000000\n"}
    )

    assert pytest.approx(2.0) == cgroup.throttled(root)


def test_this_machine_can_be_asked() -> None:
    """Whatever stands here, the answer has the right form."""
    found = cgroup.quota()

    assert found is None or (found.cores > 0 and found.period > 0)
    assert cgroup.throttled() >= 0
