"""What stands only in the notebook of ``names``: the ways to ask, from a recorded run."""

from __future__ import annotations

from pathlib import Path

from course import machinery
from tests import personas


def test_the_recorded_ways_say_who_reads_the_hosts_file(tmp_path: Path) -> None:
    """Also where there is no name server: the table is made of the recorded run."""
    it = machinery.session("names", tmp_path, "replay")
    assert "in the hosts file" in personas.look(it, "ways", visits=3).text
