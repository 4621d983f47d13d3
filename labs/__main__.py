"""``python -m labs VERB``: the same command in every room. One request in, one answer out, both JSON.

``measure`` answers with a record, ``rehearse`` with findings, ``calibrate`` with a calibration (of all cores, or of so many
as ``{"cores": 2}`` asks for). With ``--attached`` the caller
sends one line and keeps our stdin open as long as it wants the answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

# msgspec imports typing_extensions where it is installed, for annotations that nothing here uses. That is a fifth of the
# time this command takes to start, so it is hidden for that moment.
_hidden = sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]  # None: "there is none" (importlib)
import msgspec as _msgspec  # noqa: E402, F401 - while it is hidden

if _hidden is None:
    del sys.modules["typing_extensions"]


def main(arguments: list[str]) -> int:
    """Run one verb; return the exit code (0 answered, 2 a problem that was told on stdout)."""
    attached = "--attached" in arguments
    verbs = [argument for argument in arguments if argument != "--attached"]
    verb = {"measure": _measure, "rehearse": _rehearse, "calibrate": _calibrate}.get(verbs[0] if verbs else "")
    if verb is None or len(verbs) != 1:
        sys.stderr.write("usage: python -m labs {measure|rehearse|calibrate} [--attached]\n")
        return 2
    from labs import helper

    return helper.serve(verb(), attached=attached)


def _measure() -> Callable[[bytes, int | None], bytes]:
    from labs import helper

    return helper.measure


def _rehearse() -> Callable[[bytes, int | None], bytes]:
    from labs import rehearsal

    return rehearsal.answer


def _calibrate() -> Callable[[bytes, int | None], bytes]:
    from labs import calibration

    return calibration.answer


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    # Everything is written and nothing is left: taking the interpreter down in order would only cost time.
    os._exit(code)
