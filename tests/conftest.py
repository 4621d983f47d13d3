"""What every test shares."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.needs import pytest_runtest_setup as pytest_runtest_setup  # a hook: absent tools are reported, or fail on CI

# No test depends on how fast the machine is: by itself an example has 200 ms, which a busy one takes.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture(autouse=True)
def own_runtime_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a measurement lock and a calibration cache of its own, so that none waits for the developer's."""
    monkeypatch.setenv("FOURTHREADS_RUNTIME_DIR", str(tmp_path / "runtime"))
