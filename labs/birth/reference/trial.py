"""The trial of ``birth``: the solution, and what people write instead in good faith."""

from __future__ import annotations

from pathlib import Path

from labs.birth import stories
from labs.birth.rehearse import STARTER
from labs.trials import Case, Trials

_SOLUTION = Path(__file__).with_name("solution.cjs").read_text("utf-8")
_SET = "process.env.UV_THREADPOOL_SIZE = String(parameters.size);\n"
_TOKEN, _END = "const token = require('./token.cjs');\n", "fs.stat('.', () => ready());\n"

#: The right number in the wrong place: what is printed is taken for the size.
LATE = _TOKEN + _SET + _END
#: In time, and over the operator's head.
LOUD = _SET + _TOKEN + _END
#: A new object in JavaScript, which C does not see.
REPLACED = "process.env = { ...process.env, UV_THREADPOOL_SIZE: String(parameters.size) };\n" + _TOKEN + _END
WITHOUT = _SET + _END
SILENT = _SET + _TOKEN
EARLY = _SET + "ready();\n" + _TOKEN

TRIALS = Trials(
    cases=(
        Case("solution", "unset", script=_SOLUTION),
        Case("solution", "both", script=_SOLUTION),
        Case("in time", "unset", script=LOUD),
        Case("as given", "unset", script=STARTER, contradicts={"birth-unset": ("printed",)}),
        Case("as given", "both", script=STARTER, contradicts={"birth-both": ("printed",)}),
        Case("late", "unset", script=LATE, contradicts={"birth-unset": ("printed",)}),
        Case("replaced", "unset", script=REPLACED, contradicts={"birth-unset": ("printed",)}),
        Case("over the operator", "both", script=LOUD, contradicts={"birth-both": ()}),
        *(
            Case(slug, measure, script=script, contradicts={f"birth-{measure}": ()})
            for measure in ("unset", "both")
            for slug, script in {"without the token": WITHOUT, "never ready": SILENT, "ready too early": EARLY}.items()
        ),
    ),
    node=stories.node,
)  # fmt: skip
