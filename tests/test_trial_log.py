"""A trial's file: lines are kept whole, old ones stay readable, and it is known which code made them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest

from grader import revision, trial_log
from grader.shapes import MachineShape
from grader.trial_log import Head, Judged, Live
from grader.verdict import Outcome
from labs.errors import RecordError

IDLE = MachineShape(2)
HEAD = Head(1, "2026-11-30", "a processor", 2, "24.19.0 (libuv 1.52.1)")


def test_results_are_read_back_and_a_cut_last_line_is_made_again(tmp_path: Path) -> None:
    """A trial that was ended by force loses the line it was writing, and no other."""
    path, live = tmp_path / "trial.jsonl", Live("u1", "gates", IDLE, (Judged("gates-state", True, Outcome.PASS),))
    trial_log.append(path, HEAD)
    trial_log.append(path, live)
    with path.open("ab") as file:
        file.write(b'{"type":"live","un')

    assert (HEAD, live) == trial_log.read(path)
    trial_log.append(path, msgspec.structs.replace(live, unit="u2"))
    assert ["u1", "u2"] == [line.unit for line in trial_log.read(path) if isinstance(line, Live)]


@pytest.mark.parametrize("text", ["nonsense\n", '{"type":"live","unit":"u"}\n', "[]\n"])
def test_a_file_that_is_no_trials_is_refused(text: str, tmp_path: Path) -> None:
    """With the line."""
    (tmp_path / "x").write_text(text)

    with pytest.raises(RecordError, match="x:1"):
        trial_log.read(tmp_path / "x")


def test_nothing_was_found_yet_where_there_is_no_file(tmp_path: Path) -> None:
    """A trial begins."""
    assert () == trial_log.read(tmp_path / "none")


def test_lines_of_before_do_not_say_what_was_not_noted_then(tmp_path: Path) -> None:
    """They are read and counted; what nobody looked at is unknown, not none."""
    trial_log.append(tmp_path / "t", HEAD)
    with (tmp_path / "t").open("ab") as file:
        file.write(
            b'{"type":"live","unit":"u","lab":"gates","shape":{"cores":2,"busy":true,"quota":null},"judged":[{"check":"bet start",'
            b'"right":false,"outcome":"CONTRADICTS","named":[],"wanted":[],"because":""}],"beside":3.0}\n'
        )

    (_, live) = trial_log.read(tmp_path / "t")
    assert isinstance(live, Live)
    assert (None, None, None) == (live.load, live.loads, live.judged[0].extra)


def test_a_revision_is_our_own_or_none(tmp_path: Path) -> None:
    """A folder that is no checkout has none; nor does one inside somebody else's checkout."""
    assert "" == revision.ours(tmp_path)
    assert "" == revision.ours(Path(revision.__file__).parent)


def test_a_revision_is_the_commit_and_says_what_was_changed_since(tmp_path: Path) -> None:
    """Twelve digits of it; a plus once a tracked file differs; new files are nothing that runs."""

    def git(*words: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e")
        return subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    (tmp_path / "code").write_text("1")
    git("add", "code")
    git("commit", "-qm", "one")
    commit = git("rev-parse", "HEAD")[:12]
    (tmp_path / "new").write_text("1")
    assert commit == revision.ours(tmp_path)
    (tmp_path / "code").write_text("2")
    assert f"{commit}+" == revision.ours(tmp_path)
