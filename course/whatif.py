"""``what_if``: numbers to play with. The answer is text and a picture; sliders, where they run, redraw that same output.

What the sliders move is shown by an ordinary output, so a saved, exported or headless notebook keeps picture and text, and
nothing that is graded depends on a widget.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from course.display import bundle, shell, show
from course.keeping import newest
from course.reply import Reply, say
from course.session import Session
from labs.answers import shown
from labs.playing import WhatIf

NO_SLIDERS = "Sliders for {names}: they move while this notebook runs. This call does the same:\n{call}"


def values(session: Session, what: WhatIf, typed: Mapping[str, Any]) -> dict[str, int] | Reply:
    """Return the chosen numbers, those not typed where they stand at first; or what cannot be."""
    known = {slider.name: slider for slider in what.sliders}
    if unknown := sorted(typed.keys() - known.keys()):
        return say(f"There is no {unknown[0]!r} to change here. There is {', '.join(known)}.", state="refused")
    records, cores = newest(session.work()), session.look().cores
    found = {}
    for name, slider in known.items():
        value = typed.get(name, ...)
        value = slider.start(records, cores) if value is ... else value
        if isinstance(value, bool) or not isinstance(value, int) or not slider.low <= value <= slider.high:
            text = f"You typed {name}={shown(value)}. {name} is a whole number from {slider.low} to {slider.high} here."
            return say(text, state="refused")
        found[name] = value
    return found


def answer(session: Session, typed: Mapping[str, Any]) -> Reply:
    """Return the model's answer for the chosen numbers, as text with a picture."""
    what = session.lab.what_if
    if what is None:
        return say(f"The lab {session.lab.slug} has nothing to play with.", state="refused")
    chosen = values(session, what, typed)
    if isinstance(chosen, Reply):
        return chosen
    return _drawn(session, what, chosen)


def _drawn(session: Session, what: WhatIf, chosen: Mapping[str, int]) -> Reply:
    from io import BytesIO

    records = newest(session.work())
    file = BytesIO()
    what.picture(records, chosen).savefig(file, format="png", dpi=110, bbox_inches="tight")
    return Reply(what.text(records, chosen), picture=file.getvalue(), state="said")


def play(session: Session, reply: Reply, typed: Mapping[str, Any]) -> None:
    """Show an answer, and above it sliders that redraw it where widgets can run."""
    what = session.lab.what_if
    chosen = values(session, what, typed) if what is not None else None
    if what is None or chosen is None or isinstance(chosen, Reply) or shell() is None or session.frozen:
        show(reply)
        return
    from IPython.display import display

    try:
        import ipywidgets  # type: ignore[import-untyped]  # it carries no types
    except ImportError:
        show(reply)
        return
    moved = [
        ipywidgets.IntSlider(
            value=chosen[slider.name],
            min=slider.low,
            max=slider.high,
            description=slider.name,
            continuous_update=False,
            style={"description_width": "3em"},
            layout=ipywidgets.Layout(width="270px"),
        )
        for slider in what.sliders
    ]
    box = ipywidgets.HBox(moved, layout=ipywidgets.Layout(flex_flow="row wrap"))
    call = f"{session.name}.what_if({', '.join(f'{name}={value}' for name, value in chosen.items())})"
    told = NO_SLIDERS.format(names=", ".join(chosen), call=call)
    shown: dict[str, Any] = {**box._repr_mimebundle_(), "text/plain": told}
    display(shown, raw=True)  # type: ignore[no-untyped-call]  # IPython ships it without types
    output = display(bundle(reply), raw=True, display_id=True)  # type: ignore[no-untyped-call]  # as above

    def redraw(_change: object) -> None:
        now = {slider.name: int(widget.value) for slider, widget in zip(what.sliders, moved, strict=True)}
        output.update(bundle(_drawn(session, what, now)), raw=True)

    for widget in moved:
        widget.observe(redraw, names="value")
