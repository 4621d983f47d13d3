"""What marked tests need of the machine: absent tools are reported, and on CI they are failures."""

from __future__ import annotations

import os
import shutil

import pytest

#: Marker -> (what is looked for, the Debian package that has it).
TOOLS = {"container": (("podman", "docker"), "podman"), "browser": (("chromium", "chromium-browser"), "chromium")}


def lacking(marker: str) -> str | None:
    """Return what a marker's tests lack here and how to get it, or None."""
    if marker == "root":
        return None if os.geteuid() == 0 else "needs root; run it as root in a machine of your own"
    names, package = TOOLS.get(marker, ((), ""))
    if not names or any(shutil.which(name) for name in names):
        return None
    return f"no {' or '.join(names)} here: sudo apt install {package}"


def refuse(why: str) -> None:
    """Report a test as not run, with the reason; on CI, where everything is set up, as failed."""
    if os.environ.get("CI"):
        pytest.fail(f"CI must have everything: {why}", pytrace=False)
    pytest.skip(why)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Report a test whose tool is absent as not run, with the reason; on CI, where all are installed, as a failure."""
    for marker in ("container", "browser", "root"):
        if item.get_closest_marker(marker) and (lack := lacking(marker)):
            refuse(lack)
