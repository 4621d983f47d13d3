"""Set the course up: the virtual environment, the locked packages, the command, the built notebooks.

Runs before anything is installed, so it uses the standard library only: ``python3 -m course.install LEVEL``.
Each level contains the one before: ``room`` (what measures: enough for ``fourthreads try``), ``course`` (what a learner
and an instructor use), ``test`` (what ``make test`` needs). Packages come from the level's lock file, by hash, as wheels;
nothing is built but the project's own metadata. A second run that finds nothing changed ends at once.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {"room": "containers/room.lock", "course": "requirements.lock", "test": "requirements-test.lock"}
LEVELS = tuple(LOCKS)
OLDEST = (3, 11)
#: What the virtual environment needs at each level (bytes), with room to spare; measured on x86-64 with Python 3.11.
NEEDS_SPACE = {"room": 400 << 20, "course": 1200 << 20, "test": 1800 << 20}
#: Other names under which a Python that is new enough may be installed.
OTHER_PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")
#: Tool -> Debian package, for the tests that are otherwise reported as not run.
TEST_TOOLS = {"chromium": "chromium", "podman": "podman", "runc": "runc", "mmdebstrap": "mmdebstrap"}


class SetupFailed(Exception):
    """The set-up cannot go on; the text says what is missing and what to do."""

    @property
    def short(self) -> str:
        """Return the first line as a sentence."""
        return str(self).splitlines()[0].rstrip(":.") + "."


def say(text: str) -> None:
    """Print one line of progress at once, also into a pipe."""
    print(text, flush=True)


def run(argv: list[str], what: str, advice: str) -> None:
    """Run a tool of the set-up and keep its output back unless it fails.

    Raises:
        SetupFailed: It ended with an error; the end of what it printed is in the text.
    """
    done = subprocess.run(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        said = done.stdout.decode(errors="replace").strip().splitlines()
        tail = [line for line in said if not line.startswith("WARNING: Retrying") or line == said[-1]][-12:]
        raise SetupFailed("\n".join([f"{what} did not succeed (exit code {done.returncode}):", *tail, "", advice]))


def digest() -> str:
    """Return a digest of everything the environment is made from: the locks and the project's own description."""
    import tomllib  # here, so that an older Python gets as far as the message that names it

    with open(ROOT / "pyproject.toml", "rb") as file:
        described = tomllib.load(file)
    seen = hashlib.sha256(
        json.dumps([sys.version, str(ROOT), described["project"], described["build-system"]]).encode()
    )
    for lock in LOCKS.values():
        seen.update((ROOT / lock).read_bytes())
    return seen.hexdigest()


def build_digest() -> str:
    """Return a digest of what the notebooks are built from and of the built notebooks themselves."""
    folders = (ROOT / "course", ROOT / "labs")
    kept = (".py", ".mjs", ".cjs", ".json", ".ipynb", ".md")
    seen = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in kept):
        seen.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return seen.hexdigest()


def check_python() -> None:
    """Go on under a Python that is new enough and able to make virtual environments.

    Raises:
        SetupFailed: There is none; the text names the Debian package.
    """
    if sys.version_info < OLDEST:
        for name in OTHER_PYTHONS:
            found = shutil.which(name)
            if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
                say(f"python3 is {sys.version.split()[0]}, older than needed; going on with {found}")
                os.execv(found, [found, "-m", "course.install", *sys.argv[1:]])
        raise SetupFailed(
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed; python3 here is {sys.version.split()[0]}.\n"
            "Looked for "
            + ", ".join(OTHER_PYTHONS)
            + " too.\nInstall one, for example: sudo apt install python3.11 python3.11-venv"
        )
    probe = subprocess.run([sys.executable, "-c", "import venv, ensurepip"], capture_output=True)
    if probe.returncode:
        own = "python3" if sys.executable == "/usr/bin/python3" else "python{}.{}".format(*sys.version_info[:2])
        raise SetupFailed(
            f"{sys.executable} cannot make virtual environments: its venv or ensurepip module is missing.\n"
            f"Install the Debian package: sudo apt install {own}-venv"
        )


def check_space(level: str) -> None:
    """Refuse to begin what the disk cannot hold.

    Raises:
        SetupFailed: With what is free and what is needed.
    """
    free = shutil.disk_usage(ROOT).free
    if free < NEEDS_SPACE[level]:
        raise SetupFailed(
            f"The disk has {free >> 20} MB free; the set-up needs about {NEEDS_SPACE[level] >> 20} MB. Make room, then run it again."
        )


def pinned(lock: Path, name: str) -> str:
    """Return the lines of a lock file that pin one package with its hashes, or an empty text."""
    kept: list[str] = []
    for line in lock.read_text().splitlines():
        if not line.startswith(" "):
            inside = line.startswith(f"{name}==")
        if inside:
            kept.append(line)
    return "\n".join(kept)


def install_packages(python: Path, lock: Path) -> None:
    """Install a lock file by hash: with uv, itself locked, where it can be had and succeeds; otherwise with pip.

    Raises:
        SetupFailed: Neither could.
    """
    wheels = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(lock)]
    advice = "Check the network (and a proxy, if you have one), then run it again: it goes on where it stopped."
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    uv = python.with_name("uv")
    try:
        if not uv.exists():
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(pinned(ROOT / LOCKS["test"], "uv"))
                file.flush()
                run([*pip, *wheels[:-1], file.name], "Installing uv", advice)
        run([str(uv), "pip", "install", "--quiet", "--python", str(python), *wheels], "Installing with uv", advice)
    except SetupFailed as problem:
        say(f"  {problem.short} Going on with pip, which is slower.")
        run([*pip, *wheels], "Installing with pip", advice)


def install_project(python: Path) -> None:
    """Put the project itself into the environment: its import path and the ``fourthreads`` command. No network.

    Raises:
        SetupFailed: The build tool failed.
    """
    argv = [
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "-e",
        ".",
    ]
    run([str(python), "-m", "pip", *argv], "Installing the project itself", "Remove .venv and run `make setup` again.")


def state_of(venv: Path) -> dict[str, str]:
    """Return what an earlier run left noted, or nothing where the environment is absent or cannot start."""
    try:
        noted: dict[str, str] = json.loads((venv / "set-up.json").read_text())
        subprocess.run([str(venv / "bin" / "python"), "-c", ""], check=True, capture_output=True)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return {}
    return noted


def set_up(level: str) -> None:
    """Bring ``.venv`` to a level.

    Raises:
        SetupFailed: Something is lacking; nothing that worked before was taken away.
    """
    venv = ROOT / ".venv"
    python = venv / "bin" / "python"
    noted, wanted = state_of(venv), digest()
    done = noted.get("digest") == wanted and LEVELS.index(noted["level"]) >= LEVELS.index(level)
    if not done:
        check_space(level)
        if noted.get("root") != str(ROOT) or noted.get("python") != sys.version:
            say(f"Making .venv with Python {sys.version.split()[0]}")
            run([sys.executable, "-m", "venv", "--clear", str(venv)], "Making .venv", "Remove .venv and run it again.")
        lock = ROOT / LOCKS[level]
        say(f"Installing the packages of {LOCKS[level]}, each checked by its hash; the pinned Node is one of them")
        install_packages(python, lock)
        if level != "room":
            say("Installing the fourthreads command")
            install_project(python)
        noted = {"digest": wanted, "level": level, "root": str(ROOT), "python": sys.version}
        (venv / "set-up.json").write_text(json.dumps(noted))
    if level != "room" and noted.get("built") != build_digest():
        build_notebooks(python)
        (venv / "set-up.json").write_text(json.dumps({**noted, "built": build_digest()}))
        done = False
    if done:
        say("Set-up: nothing has changed since the last time.")
    elif level != "room":
        say("Set-up is complete. The command is .venv/bin/fourthreads")


def build_notebooks(python: Path) -> None:
    """Build the notebooks from their masters.

    Raises:
        SetupFailed: A master could not be built.
    """
    if (ROOT / "course" / "commands" / "build.py").exists():
        say("Building the notebooks")
        run(
            [str(python), "-m", "course", "build"], "Building the notebooks", "The text above names the master to mend."
        )


def name_missing_tools() -> None:
    """Say which tools of the test suite are absent, and their Debian packages."""
    missing = [package for tool, package in TEST_TOOLS.items() if not shutil.which(tool)]
    if missing:
        say("Not installed, so their tests are reported as not run: " + ", ".join(missing))
        say("  To run them too: sudo apt install " + " ".join(missing))


def main(arguments: list[str]) -> int:
    """Set up one level and return the exit code: 0, or 2 where something is lacking."""
    level = arguments[0] if arguments else "course"
    if level not in LEVELS:
        print(f"There is no level {level!r}; the levels are: {', '.join(LEVELS)}", file=sys.stderr)
        return 2
    try:
        check_python()
        with open(ROOT / ".set-up.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # two `make` at once: the second waits, then finds nothing to do
            set_up(level)
        if level == "test":
            name_missing_tools()
    except SetupFailed as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
