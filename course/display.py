"""Showing a reply: as text and HTML with the evidence in a notebook, as plain text elsewhere. Nothing goes to standard error."""

from __future__ import annotations

import base64
import html
import logging
import sys
from typing import Any

import msgspec

from course.reply import Reply
from labs.journal import MEDIA_TYPE

# The first picture on a machine may take long to list its fonts, and matplotlib says so on standard error: nobody can act on it.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


def shell() -> Any:
    """Return the running IPython shell, None outside one; IPython is not imported for the answer."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython

    return get_ipython()


#: Jupyter's own style sheet breaks lines of ``pre`` inside words and indents them. This keeps words whole, and with a hair's
#: breadth less of a letter and the page's empty right edge 110 characters stand in a line in a window of 1280 pixels.
STYLE = (
    "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;margin:3px -20px 6px 0;padding:0;"
    "line-height:1.4;font-size:calc(var(--jp-code-font-size,13px)*.98)"
)


def page(lines: tuple[str, ...]) -> str:
    """Return lines as HTML: the page wraps them at words, a continued line keeps its line's indent."""
    shown = []
    for line in "\n".join(lines).split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        hang = f"padding-left:{indent}ch;text-indent:-{indent}ch" if indent else ""
        shown.append(f'<div style="{hang}">{html.escape(line)}\n</div>' if hang else f"{html.escape(line)}\n")
    return f'<pre class="fourthreads" style="{STYLE}">{"".join(shown)}</pre>'


def bundle(reply: Reply) -> dict[str, Any]:
    """Return the reply as a display bundle; texts are escaped, the entries ride along under our own media type."""
    text = reply.text
    data: dict[str, Any] = {"text/plain": text, "text/html": page(reply.lines)}
    if reply.picture is not None:
        picture = base64.b64encode(reply.picture).decode()
        alt = html.escape(text, quote=True)
        data["image/png"] = picture
        data["text/html"] = f'<img alt="{alt}" src="data:image/png;base64,{picture}">{data["text/html"]}'
    if reply.entries:
        data[MEDIA_TYPE] = msgspec.to_builtins(reply.entries)
    return data


def show(reply: Reply) -> None:
    """Show the reply where the learner is."""
    if shell() is None:
        print(reply.text, flush=True)
        return
    from IPython.display import display

    display(bundle(reply), raw=True)  # type: ignore[no-untyped-call]  # IPython ships it without types
