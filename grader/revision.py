"""Which commit of ours runs, where it is a git checkout that runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

_HOME = Path(__file__).resolve().parent.parent


def ours(folder: Path = _HOME) -> str:
    """Return the commit, with ``+`` where tracked files were changed since; empty where the folder is no git checkout."""

    def git(*words: str) -> str:
        said = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True, timeout=60
        )
        return said.stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != folder.resolve():
            return ""  # somebody else's, around ours
        return git("rev-parse", "--short=12", "HEAD") + (
            "+" if git("status", "--porcelain", "--untracked-files=no") else ""
        )
    except (OSError, subprocess.SubprocessError):
        return ""
