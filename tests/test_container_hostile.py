"""Scripts that mean harm, in the room `container`: each ends within the limits with a clear word, and nothing is left.

What each script does stands in tests/hostile.py. Those that can go on say what they got; a room is right when that is nothing
and the count of held slots is still the true one.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from labs import rooms
from labs.container_image import Image
from labs.errors import FourThreadsError, ScriptError
from labs.measurement import Run, Value
from labs.request import Request
from tests.container import Trace
from tests.container import engine as engine
from tests.container import image as image
from tests.container import trace as trace
from tests.hostile import SCRIPTS

pytestmark = [pytest.mark.container, pytest.mark.node, pytest.mark.timeout(300)]

Measure = Callable[..., Run]


@pytest.fixture
def measure(image: Image, trace: Trace) -> Measure:
    """Return a function that measures a hostile script by name, with parameters."""

    def run(name: str, **parameters: Value) -> Run:
        asked = Request(
            lab="gates", measure="start", parameters={"pool": None, "tasks": 7, **parameters}, script=SCRIPTS[name]
        )
        return rooms.measure(asked, "container").runs[0]

    return run


def said(run: Run, word: str) -> dict[str, str]:
    """Return what a script printed in lines ``WORD what answer``."""
    rows = [line.removeprefix(f"{word} ") for line in run.text.splitlines() if line.startswith(f"{word} ")]
    return dict(row.rpartition(" ")[::2] for row in rows)


def test_endless_loop(measure: Measure) -> None:
    """A loop that never ends is stopped, and said to be one."""
    with pytest.raises(ScriptError, match="never to end"):
        measure("endless loop")


def test_ten_thousand_children(measure: Measure) -> None:
    """Children that detach themselves end with the run, long before there are ten thousand."""
    with pytest.raises(ScriptError, match=r"processes and was stopped, with all of them"):
        measure("ten thousand children")


def test_eight_gibibytes(measure: Measure) -> None:
    """Memory ends at the bound, not at the machine's; where taking it is slow, at the bound of processor time; where looking
    is slow, at the container's limit."""
    with pytest.raises(ScriptError, match=r"of memory|of processor time|\(SIGKILL\)"):
        measure("eight gibibytes")


def test_ten_gibibytes_in_a_file(measure: Measure) -> None:
    """A file ends at the limit, and the script is told."""
    with pytest.raises(ScriptError, match="EFBIG"):
        measure("ten gibibytes in a file")


def test_many_large_files(measure: Measure) -> None:
    """Ten gibibytes in many files end where the scratch folder is full; the measurement goes on."""
    run = measure("many large files")

    assert "FILES ENOSPC" == run.text.strip()
    assert 4 == run.counts["held_slots"]


@pytest.mark.parametrize("name", ["a flood of lines", "a flood without lines"])
def test_a_flood_of_output(measure: Measure, name: str) -> None:
    """Output ends at its bound, with and without ends of lines."""
    with pytest.raises(ScriptError, match="printed more than"):
        measure(name)


def test_reading_other_peoples_files(measure: Measure, tmp_path: Path) -> None:
    """Neither the grader's files, nor another learner's, nor answer keys are there; nothing but the scratch folder is writable."""
    secret = tmp_path / "gradebook-of-the-class.db"
    secret.write_text("marks")
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        os.chmod(folder, 0o755)

    run = measure("other people's files", secret=secret.name, path=str(secret))

    assert [] == [
        line for line in run.text.splitlines() if line.startswith(("FOUND", "KEYS")) and "site-packages" not in line
    ]
    assert "OPEN" not in said(run, "READ").values()
    assert "OPEN" not in said(run, "WRITE").values()
    assert {"secret", "/etc/shadow"} <= said(run, "READ").keys()
    assert "TRIED true" in run.text


def test_other_processes(measure: Measure) -> None:
    """No process but the supervisor and the script's own is to be seen, and nothing of the supervisor's can be opened."""
    run = measure("every other process")

    assert 2 == len(said(run, "PROCESSES").popitem()[1].split(","))
    assert {"EACCES"} == set(said(run, "PROC").values())
    assert {"environ", "mem", "fd", "fd/1", "syscall"} <= said(run, "PROC").keys()


def test_any_network_but_its_own_loopback(measure: Measure) -> None:
    """There is one interface, no route, and the host's loopback is not the room's."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        run = measure("the network", port=server.getsockname()[1])

    assert 'INTERFACES ["lo"]' in run.text
    assert "ROUTES 0" in run.text
    assert "CONNECT ECONNREFUSED" in run.text


@pytest.mark.parametrize("name", ["result early", "result twice"])
def test_writing_the_result_oneself(measure: Measure, name: str) -> None:
    """A report that the harness did not write is refused."""
    with pytest.raises(ScriptError, match="result file itself"):
        measure(name)


def test_the_result_as_a_link(measure: Measure) -> None:
    """A link in the result's place is not followed."""
    with pytest.raises(ScriptError, match="replaced the file"):
        measure("result as a link")


def test_threads_named_like_workers(measure: Measure) -> None:
    """More threads with the pool's name than the pool has are refused, at the first look that sees one too many."""
    with pytest.raises(ScriptError, match=r"beside [5-8] threads named like workers"):
        measure("threads named like workers")


def test_namespaces_and_mounts(measure: Measure) -> None:
    """No new namespace, no mount, no other user: every program that tries ends with an error."""
    run = measure("namespaces and mounts")
    tried = said(run, "TRY")

    assert "0" not in tried.values()
    assert len(tried) >= 8
    assert "STATUS 0000000000000000 1 2" in run.text
    assert 4 == run.counts["held_slots"]


def test_killing_its_parent(measure: Measure) -> None:
    """Signals to the supervisor, which is process 1, change nothing."""
    run = measure("its parent")

    assert "KILL SIGKILL sent" in run.text
    assert 4 == run.counts["held_slots"]
    assert "stopped" == run.ended


def test_all_slots_and_an_exit(measure: Measure) -> None:
    """process.exit hangs on a held slot; the run ends all the same, and says that the script ended it."""
    with pytest.raises(FourThreadsError, match="ended itself"):
        measure("all slots and an exit")
