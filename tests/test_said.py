"""labs.said: what the learner reads when a script ends a measurement."""

from __future__ import annotations

import resource

import pytest

from labs import launch, said
from labs.errors import NoisyError, ScriptError, SetupError
from labs.launch import Bounds
from labs.measurement import Ending
from labs.observe import Look, Seen

THROWN = """file:///tmp/f/script.mjs:4
throw new Error('hm')
      ^

Error: hm
    at mine (file:///tmp/f/script.mjs:4:7)
    at ModuleJob.run (node:internal/modules/esm/module_job:439:25)
    at Object.<anonymous> (/x/labs/node/harness.cjs:3:1)

Node.js v24.19.0
"""


def test_our_frames_and_folders_are_left_out() -> None:
    """What stays is the script's."""
    expected = "script.mjs:4\nthrow new Error('hm')\n      ^\n\nError: hm\n    at mine (script.mjs:4:7)"
    assert expected == said.clean(THROWN, "/tmp/f")


def test_a_line_of_nodes_own_at_the_top_is_left_out() -> None:
    """Node shows where it threw; the learner is told what."""
    text = "node:fs:978\n  handle(ctx);\n  ^\n\nError: EFBIG: file too large, write\n    at script.mjs:2:9\n"
    assert "Error: EFBIG: file too large, write\n    at script.mjs:2:9" == said.clean(text, "/tmp/f")


def test_a_heap_that_is_full_says_so_and_nothing_more() -> None:
    """V8 prints pages when it gives up."""
    text = "<--- Last few GCs --->\n[1:0x2] 5 ms\nFATAL ERROR: heap out of memory\n----- Native stack trace -----\n 1: 0x9\n"
    assert "FATAL ERROR: heap out of memory" == said.clean(text, "/tmp/f")


@pytest.mark.parametrize("ending", ["time", "output", "memory", "processes", "file-size", "exited", "died"])
def test_every_ending_has_a_sentence_of_its_own(ending: Ending) -> None:
    """And all but an end of its own say that the next run is not affected."""
    problem = said.ended(ending, 0, "", Bounds(), 4)
    assert isinstance(problem, ScriptError)
    assert ending in ("exited", "died") or "The next run is not affected." in str(problem)


def test_its_message_is_quoted_up_to_eight_lines() -> None:
    """A long one is cut."""
    text = str(said.ended("exited", 1, "\n".join(map(str, range(20))), Bounds(), 4))
    assert "Its message:\n0\n1\n" in text and text.endswith("7\n...")


def test_a_limit_on_processes_is_told_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Node gave up by signal, and the user may not start as many threads as it needs: that is the machine's, not the script's."""
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (64, 64))
    monkeypatch.setattr(launch, "threads_of_user", lambda: 60)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    problem = said.ended("died", -6, "", Bounds(), 4)
    assert isinstance(problem, SetupError)
    assert "the limit is 64 processes for you and 60 are in use" in str(problem)


def test_a_busy_machine_is_told_with_what_was_seen() -> None:
    """Load, cores, and what moved."""
    look = Look(0.0, (Seen(2, "openat"), Seen(3, None)), Seen(1, "epoll_pwait"))
    problem = said.restless(look)
    assert isinstance(problem, NoisyError)
    assert str(problem).endswith("What we saw: 1 held and 1 still moving.")


@pytest.mark.parametrize(
    "place",
    ["/x/labs/node/harness.cjs:36", "file:///x/entry.mjs:1", "/x/recorder.cjs:22", "node:internal/run_main:107"],
)
def test_a_line_of_ours_that_threw_is_not_shown(place: str) -> None:
    """A helper called with something odd throws in our file; the learner reads what it says, and where they called it."""
    text = f"\n{place}\n      throw new RangeError();\n      ^\n\nRangeError: gate(0): there are gates 1 to 3\n    at gate ({place}:1)\n"
    said_so = said.clean(f"{text}    at file:///run/script.mjs:1:9\n\nNode.js v24.19.0\n", "/run")
    assert "RangeError: gate(0): there are gates 1 to 3\n    at script.mjs:1:9" == said_so


def test_what_has_no_place_is_shown_as_it_is() -> None:
    """Node says so little about `throw null`."""
    text = "\nnode:internal/modules/run_main:107\n    triggerUncaughtException(\n    ^\nnull\n(Use `node --trace-uncaught ...`)\n\nNode.js v24.19.0\n"
    assert "null\n(Use `node --trace-uncaught ...`)" == said.clean(text, "/run")
