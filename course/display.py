"""Showing a reply: as text and HTML with the evidence in a notebook, as plain text elsewhere. Nothing goes to standard error."""

from __future__ import annotations

import base64
import html
import sys
from typing import Any

import msgspec

from course.reply import Reply
from labs.journal import MEDIA_TYPE


def shell() -> Any:
    """Return the running IPython shell, None outside one; IPython is not imported for the answer."""
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython

    return get_ipython()


def bundle(reply: Reply) -> dict[str, Any]:
    """Return the reply as a display bundle; texts are escaped, the entries ride along under our own media type."""
    text = reply.text
    data: dict[str, Any] = {
        "text/plain": text,
        "text/html": f'<pre class="fourthreads" style="white-space:pre-wrap">{html.escape(text)}</pre>',
    }
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
