"""What lies in a learner's folder under a name of ours and is no plain file: refused in words, and never waited for."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from course import cardpage, cli, folder, homepage, jupyter, learner, workspace
from labs import plain
from labs.errors import SetupError
from labs.journal import FILE_NAME, Journal
from tests import classroom, personas


def linked(path: Path) -> None:
    """Put a link to a FIFO there."""
    os.mkfifo(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def bound(path: Path) -> None:
    """Put a socket there."""
    with socket.socket(socket.AF_UNIX) as one:
        os.chdir(path.parent)  # the whole path may be too long for a socket
        one.bind(path.name)


ODD: dict[str, Callable[[Path], None]] = {
    "a FIFO": os.mkfifo,
    "a folder": Path.mkdir,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a socket": bound,
    "a link to a FIFO": linked,
}
KINDS = pytest.mark.parametrize("kind", ODD)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(kind: str, path: Path) -> str:
    """Put something there instead of a file; return the words that name it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ODD[kind](path)
    return kind.removeprefix("a link to ")


@KINDS
def test_what_is_no_plain_file_is_refused_by_its_kind(here: Path, kind: str) -> None:
    """With its path, and what to do."""
    named = put(kind, here / "it")
    with pytest.raises(plain.NotPlain, match=f"it is {named}.*Move it away.*nothing is lost"):
        plain.read(here / "it")


def test_a_plain_file_is_read_also_through_a_link(here: Path) -> None:
    """Some keep their work elsewhere and link to it."""
    (here / "there").write_bytes(b"text")
    (here / "it").symlink_to("there")
    assert b"text" == plain.read(here / "it")
    assert None is plain.read_if_there(here / "nothing")


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind != "a folder"])
def test_a_file_is_written_whatever_stood_there(here: Path, kind: str) -> None:
    """Beside it too, where the new one is made."""
    put(kind, here / "it")
    (here / "elsewhere").unlink(missing_ok=True)
    put(kind, here / ".it.new")
    plain.write(here / "it", b"text")
    assert b"text" == (here / "it").read_bytes()


@KINDS
def test_a_journal_is_refused_reading_and_writing(here: Path, kind: str) -> None:
    """It says what becomes of the work; what stands there stays."""
    named = put(kind, here / FILE_NAME)
    it, expected = Journal(here, "gates"), f"{FILE_NAME} is {named}.*the outputs in your notebook still count"
    with pytest.raises(SetupError, match=expected):
        it.entries()
    with pytest.raises(SetupError, match=expected):
        it.append("skip", {})
    assert os.path.lexists(here / FILE_NAME) and not (here / FILE_NAME).is_file()


@KINDS
def test_opening_a_lab_beside_an_odd_journal_says_so(here: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The first cell answers, in words."""
    named = put(kind, here / FILE_NAME)
    learner.open_lab("gates")
    assert f"{FILE_NAME} is {named}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", [folder.CLASS_FILE, f"{folder.HIDDEN}/identity.json"])
@KINDS
def test_class_file_and_identity_are_refused(
    here: Path, kind: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rules and the learner's numbers come from them: nothing is made up in their place."""
    named = put(kind, here / name)
    learner.open_lab("gates")
    assert f"{Path(name).name} is {named}" in " ".join(capsys.readouterr().out.split())


@KINDS
def test_a_lock_that_is_none_keeps_nobody_waiting(here: Path, kind: str) -> None:
    """The entry is written, or it is said why not."""
    put(kind, here / f".{FILE_NAME}.lock")
    try:
        Journal(here, "gates").append("skip", {})
    except SetupError as problem:
        assert "What was there stays as it was" in str(problem)
    else:
        assert 1 == len(Journal(here, "gates").entries())


@KINDS
def test_a_workspace_is_set_up_beside_odd_files(here: Path, kind: str) -> None:
    """One lab's journal is odd: the home says so and shows the others; what we only wrote ourselves is written anew."""
    workspace.update(here)
    named = put(kind, here / "gates" / FILE_NAME)
    if kind != "a folder":
        for path in (here / folder.HIDDEN / workspace.RELEASES, jupyter.configure(here) / "jupyter_server_config.json"):
            path.unlink()
            (path.parent / "elsewhere").unlink(missing_ok=True)
            put(kind, path)
        jupyter.configure(here)
    workspace.update(here)
    rows = homepage.rows(here)
    assert f"is {named}" in next(row.next_step for row in rows if row.slug == "gates")
    assert "not started" == next(row.state for row in rows if row.slug == "phases")


@KINDS
def test_a_home_or_a_notebook_that_is_none_stays(here: Path, kind: str) -> None:
    """A home is somebody's own then; a notebook is refused."""
    workspace.update(here)
    (here / homepage.NOTEBOOK).unlink()
    put(kind, here / homepage.NOTEBOOK)
    homepage.refresh(here)
    assert not (here / homepage.NOTEBOOK).is_file()
    (here / "gates" / "gates.ipynb").unlink()
    named = put(kind, here / "gates" / "gates.ipynb")
    (here / folder.HIDDEN / workspace.RELEASES).unlink()
    with pytest.raises(SetupError, match=f"gates.ipynb is {named}"):
        workspace.update(here)


def test_a_card_is_written_over_a_fifo(here: Path) -> None:
    """It is ours; nobody waits for a reader."""
    personas.bet(classroom.session(here / "gates"), "start", {"held": 4})
    os.mkfifo(here / cardpage.NAME)
    assert cardpage.write(here).is_file()


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind != "a folder"])
def test_a_script_for_the_command_is_refused(here: Path, kind: str) -> None:
    """Exit code 2, with the reason."""
    named = put(kind, here / "script.mjs")
    seen = CliRunner().invoke(cli.main, ["measure", "gates", "--script", "script.mjs"])
    assert 2 == seen.exit_code
    assert f"script.mjs is {named}, where a plain file was expected. Nothing was run.\n" == seen.stderr


def test_a_script_that_is_no_text_is_refused(here: Path) -> None:
    """Not a fault of ours."""
    (here / "script.mjs").write_bytes(b"\xff\xfe")
    seen = CliRunner().invoke(cli.main, ["measure", "gates", "--script", "script.mjs"])
    assert (2, True) == (seen.exit_code, "is not UTF-8 text" in seen.stderr)
