"""The set-up: what it does, what it leaves alone, and what it says where something is lacking."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from course import install

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Set up a copy of what the set-up reads, in a folder of its own; note the tools it calls instead of running them."""
    for lock in install.LOCKS.values():
        (tmp_path / lock).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / lock, tmp_path / lock)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "course" / "commands").mkdir(parents=True)
    (tmp_path / "course" / "commands" / "build.py").write_text("")
    made: list[list[str]] = []

    def note(argv: list[str], what: str, advice: str) -> None:
        made.append(argv)
        if argv[1:3] == ["-m", "venv"]:  # an environment whose Python starts is all that is looked for
            folder = tmp_path / ".venv" / "bin"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "python").unlink(missing_ok=True)
            (folder / "python").symlink_to(sys.executable)

    monkeypatch.setattr(install, "ROOT", tmp_path)
    monkeypatch.setattr(install, "run", note)
    return made


def words(calls: list[list[str]]) -> list[str]:
    """Return what each call was for: its most telling words."""
    kinds = {"venv": "venv", "--require-hashes": "locked", "-e": "project", "build": "build"}
    return [next(name for word, name in kinds.items() if word in argv) for argv in calls]


def test_first_run_makes_everything(calls: list[list[str]]) -> None:
    """Environment, uv and the packages by hash, the project, the notebooks: in this order."""
    assert 0 == install.main(["course"])
    assert ["venv", "locked", "locked", "project", "build"] == words(calls)
    assert all("--no-deps" in argv for argv in calls if "--require-hashes" in argv)


def test_second_run_does_nothing(calls: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    """A second run that finds nothing changed calls no tool and says so."""
    install.main(["course"])
    calls.clear()
    capsys.readouterr()
    assert 0 == install.main(["course"])
    assert [] == calls
    assert "Set-up: nothing has changed since the last time.\n" == capsys.readouterr().out


def test_a_smaller_level_is_contained_in_a_larger(calls: list[list[str]]) -> None:
    """Who can run the tests can open the course and try it."""
    install.main(["test"])
    calls.clear()
    assert [0, 0] == [install.main(["course"]), install.main(["room"])]
    assert [] == calls


def test_the_smallest_level_needs_no_notebooks(calls: list[list[str]]) -> None:
    """For ``try`` the packages of a room are enough; neither the project nor a notebook is built."""
    install.main(["room"])
    assert ["venv", "locked", "locked"] == words(calls)
    assert calls[-1][-1].endswith("containers/room.lock")


def test_a_changed_lock_is_installed_into_the_same_environment(calls: list[list[str]], tmp_path: Path) -> None:
    """A newer lock is installed; the environment is not made anew."""
    install.main(["course"])
    calls.clear()
    lock = tmp_path / "requirements.lock"
    lock.write_text(lock.read_text() + "# changed\n")
    install.main(["course"])
    assert "venv" not in words(calls)
    assert "locked" in words(calls)


def test_a_moved_folder_gets_a_new_environment(calls: list[list[str]], tmp_path: Path) -> None:
    """The scripts of an environment name its folder, so one that was moved is made anew."""
    install.main(["course"])
    noted = tmp_path / ".venv" / "set-up.json"
    noted.write_text(json.dumps({**json.loads(noted.read_text()), "root": "/elsewhere", "digest": ""}))
    calls.clear()
    install.main(["course"])
    assert "venv" == words(calls)[0]


def test_a_changed_master_is_built_again(calls: list[list[str]], tmp_path: Path) -> None:
    """A change in what notebooks are built from builds them, and only that."""
    install.main(["course"])
    calls.clear()
    (tmp_path / "course" / "master.py").write_text("# %% [markdown]\n")
    install.main(["course"])
    assert ["build"] == words(calls)


def test_pip_takes_over_where_uv_cannot(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No wheel of uv for this machine, or no way for it to the packages: pip installs the same lock."""
    note = install.run

    def no_uv(argv: list[str], what: str, advice: str) -> None:
        if "uv" in what.split():
            raise install.SetupFailed("Installing uv did not succeed (exit code 1):\nno such wheel")
        note(argv, what, advice)

    monkeypatch.setattr(install, "run", no_uv)
    assert 0 == install.main(["room"])
    assert ["venv", "locked"] == words(calls)
    assert "Going on with pip, which is slower" in capsys.readouterr().out


def test_uv_is_bootstrapped_by_hash() -> None:
    """The part of the lock that pins uv is whole: the pin and its hashes, nothing else."""
    lines = install.pinned(ROOT / install.LOCKS["test"], "uv").splitlines()
    assert re.match(r"uv==\d", lines[0])
    assert [lines[0]] == [line for line in lines if "==" in line]
    assert any("--hash=sha256:" in line for line in lines)


def test_an_old_python_is_refused_by_name(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Python that is too old, and no other at hand: the message names the Debian packages; exit code 2."""
    monkeypatch.setattr("course.install.sys.version_info", (3, 9, 2))
    monkeypatch.setattr("course.install.shutil.which", lambda name: None)
    assert 2 == install.main(["course"])
    assert "sudo apt install python3.11 python3.11-venv" in capsys.readouterr().err
    assert [] == calls


def test_a_newer_python_beside_an_old_one_is_taken(calls: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where python3 is too old and python3.12 exists and starts, the set-up goes on with that."""
    taken: list[list[str]] = []

    def become(program: str, argv: list[str]) -> None:
        taken.append(argv)
        raise SystemExit(0)

    monkeypatch.setattr("course.install.sys.version_info", (3, 9, 2))
    monkeypatch.setattr("course.install.shutil.which", lambda name: "/opt/py/" + name if name == "python3.12" else None)
    monkeypatch.setattr("course.install.subprocess.run", lambda *words, **more: SimpleNamespace(returncode=0))
    monkeypatch.setattr("course.install.os.execv", become)
    with pytest.raises(SystemExit):
        install.main(["course"])
    assert ["/opt/py/python3.12", "-m", "course.install"] == taken[0][:3]


def test_a_python_without_venv_is_refused_by_package(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Debian's python3 comes without venv; the message names the package; exit code 2."""
    monkeypatch.setattr("course.install.sys.executable", "/usr/bin/python3")
    monkeypatch.setattr("course.install.subprocess.run", lambda *words, **more: SimpleNamespace(returncode=1))
    assert 2 == install.main(["course"])
    assert "sudo apt install python3-venv" in capsys.readouterr().err


def test_a_full_disk_is_named_before_anything_is_made(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is free and what is needed, in megabytes; nothing was begun."""
    monkeypatch.setattr("course.install.shutil.disk_usage", lambda path: SimpleNamespace(free=10 << 20))
    assert 2 == install.main(["course"])
    assert "10 MB free" in capsys.readouterr().err
    assert [] == calls


def test_a_failing_tool_is_shown_with_its_last_words(tmp_path: Path) -> None:
    """What failed, the end of what it said, what to do; no traceback."""
    with pytest.raises(install.SetupFailed) as caught:
        install.run([sys.executable, "-c", "print('no route'); exit(3)"], "Installing", "Check the network.")
    assert ["Installing did not succeed (exit code 3):", "no route", "", "Check the network."] == str(
        caught.value
    ).splitlines()


def test_an_unknown_level_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The message lists the levels; exit code 2."""
    assert 2 == install.main(["everything"])
    assert "room, course, test" in capsys.readouterr().err


def test_the_set_up_runs_before_anything_is_installed() -> None:
    """It imports the standard library only, also under ``-S`` (no site-packages)."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "course.install", "none"], cwd=ROOT, capture_output=True, text=True
    )
    assert (2, "") == (done.returncode, done.stdout)
    assert "There is no level" in done.stderr


def test_make_without_python_names_the_package() -> None:
    """``make setup`` where there is no Python: the Debian package, exit code 2."""
    done = subprocess.run(["make", "setup", "PYTHON=no-such-python"], cwd=ROOT, capture_output=True, text=True)
    assert 2 == done.returncode
    assert "sudo apt install python3 python3-venv" in done.stderr


def test_make_says_what_there_is() -> None:
    """``make`` alone lists the targets a person uses."""
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    named = re.findall(r"(?m)^make (\S+)", done.stdout)
    assert set() == {"setup", "start", "try", "test", "test-fast", "proof", "lock", "clean"} - {*named}


def test_ci_calls_exactly_make_test() -> None:
    """Everything CI runs, a person runs with one command."""
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert ["exec make test </dev/null"] == [
        line for line in lines if re.search(r"\bmake (?!git)", line) and "#" not in line
    ]
