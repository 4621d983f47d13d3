"""How verbs speak: JSON for programs, a bar for whoever waits longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

#: Seconds before a bar appears.
PATIENCE = 2.0

#: The option that every verb has which a program may read.
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def say_json(value: Any) -> None:
    """Print a value of ours (records, plain data) as one line of JSON."""
    import msgspec

    click.echo(msgspec.json.encode(value).decode())


@contextmanager
def progress(what: str) -> Iterator[Callable[..., None]]:
    """Give a function to call with (done, total); from two seconds on, in a terminal, it draws a bar on standard error."""
    began = time.monotonic()
    shown: dict[str, Any] = {}

    def advance(done: float, total: float, text: str = "") -> None:
        if not shown:
            if time.monotonic() - began < PATIENCE or not sys.stderr.isatty():
                return
            from rich.console import Console
            from rich.progress import Progress

            shown["bar"] = Progress(console=Console(stderr=True), transient=True)
            shown["bar"].start()
            shown["task"] = shown["bar"].add_task(what)
        shown["bar"].update(shown["task"], description=text or what, completed=done, total=total)

    try:
        yield advance
    finally:
        if shown:
            shown["bar"].stop()
