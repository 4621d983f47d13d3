"""A bar for what takes longer than two seconds: one line that is rewritten, gone at the end."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from course.display import shell

#: Seconds before a bar appears; shorter work shows none.
PATIENCE = 2.0
WIDTH = 24


def line(done: int, total: int, what: str) -> str:
    """Return the bar as text; without a total only what is going on."""
    if total <= 0:
        return what
    full = min(WIDTH, WIDTH * done // total)
    return f"[{'#' * full}{'.' * (WIDTH - full)}] {done} of {total}  {what}"


class Bar:
    """Receives progress and shows it once it has taken long enough: in the notebook's output, or on the terminal."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._handle: Any = None
        self._width = 0

    def __call__(self, done: int, total: int, what: str) -> None:
        """Show how far it is."""
        if time.monotonic() - self._began < PATIENCE:
            return
        text = line(done, total, what)
        if shell() is not None:
            self._in_notebook(text)
        elif sys.stdout.isatty():
            self._width = max(self._width, len(text))
            print(f"\r{text:<{self._width}}", end="", flush=True)

    def _in_notebook(self, text: str) -> None:
        from IPython.display import display

        data = {"text/plain": text}
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)  # type: ignore[no-untyped-call]  # untyped in IPython
        else:
            self._handle.update(data, raw=True)

    def __enter__(self) -> Bar:
        """Start counting."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._handle is not None:
            self._in_notebook("")
        elif self._width:
            print(f"\r{'':<{self._width}}\r", end="", flush=True)
