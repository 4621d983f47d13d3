"""The trial of ``waves``: the solution, the slips in a script, and pairs that show what each wrong model predicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labs.measurement import Machine, Parameters
from labs.spec import Scene
from labs.trials import Case, Series, Trials
from labs.waves import expect, stories
from labs.waves.checks import RATIO
from labs.waves.conduct import SMOKE

_PRELUDE = """import { pbkdf2, pbkdf2Sync } from 'node:crypto';
import { promisify } from 'node:util';
const hash = (back) => pbkdf2('a', 'b', parameters.rounds, 64, 'sha512', back);
const later = () => promisify(pbkdf2)('a', 'b', parameters.rounds, 64, 'sha512');
"""
#: What people write instead, in good faith -> the slip's name, none where it has none.
SLIPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "awaits in turn": ("for (let i = 1; i <= n; i++) { await later(); done(i); }", ("awaits-in-turn",)),
    "one by one": ("const next = (i) => i <= n && hash(() => { done(i); next(i + 1); }); next(1);", ("one-by-one",)),
    "on the loop": (
        "for (let i = 1; i <= n; i++) { pbkdf2Sync('a', 'b', parameters.rounds, 64, 'sha512'); done(i); }", ("on-the-loop",)
    ),
    "no report": ("for (let i = 1; i <= n; i++) hash(() => {});", ("no-report",)),
    "reports too early": ("for (let i = 1; i <= n; i++) { hash(() => {}); done(i); }", ("early-report",)),
    "two at a time": (
        "for (let i = 1; i <= n; i += 2) { await Promise.all([later(), later()]); done(i); done(i + 1); }",
        ("a-few-at-a-time", "another-number"),  # an odd n: one more than it
    ),
    "one too few": ("for (let i = 1; i < n; i++) hash(() => done(i));", ("another-number",)),
    "one report too few": ("for (let i = 1; i <= n; i++) hash(() => i < n && done(i));", ("missing-report",)),
    "a smaller pool": (
        "process.env.UV_THREADPOOL_SIZE = 2; for (let i = 1; i <= n; i++) hash(() => done(i));", ("own-size",)
    ),
    "nothing": ("", ("nothing",)),
}  # fmt: skip
_BY_PROMISES = "await Promise.all(Array.from({ length: n }, async (_, i) => { await later(); done(i + 1); }));"
_SOLUTION = Path(__file__).with_name("solution.mjs").read_text("utf-8")


def _live(measure: str, check: str) -> tuple[Case, ...]:
    return (
        Case("solution", measure, script=_SOLUTION),
        Case("by promises", measure, script=_PRELUDE + _BY_PROMISES),
        *(
            Case(slug, measure, script=_PRELUDE + script, contradicts={check: names})
            for slug, (script, names) in SLIPS.items()
        ),
    )


def _right(scene: Scene, machine: Machine) -> Parameters:
    p = scene.parameters
    return _side(scene, p["tasks"], expect.size(p.get("pool")), expect.size(p.get("pool")))


def _wrong(story: str) -> Any:
    """Return parameters whose true ratio is what the story predicts: k hashes in turn, on one slot, over one."""

    def parameters(scene: Scene, machine: Machine) -> Parameters | None:
        low, high = RATIO.wrong(scene, machine)[story]
        return _side(scene, round(low), 1, 1) if low == high == round(low) else None

    return parameters


def _side(scene: Scene, tasks: int, pool: int, than: int) -> Parameters:
    return {
        "tasks": tasks, "pool": pool, "over": 1, "than": than, "threads": RATIO.threads(scene), "pair": RATIO.pair,
        "cores": scene.parameters.get("cores"),
    }  # fmt: skip


TRIALS = Trials(
    cases=(*_live("all at once", "waves-line"), *_live("own", "waves-script-counts")),
    series=(
        Series("solution", RATIO.slug, "series", _right),
        *(
            Series(story, RATIO.slug, "series", _wrong(story), story)
            for story in ("core-a-slot", "no-limit", "one-by-one")
        ),
    ),
    # Live records of a trial hold no times, and what they do not tell equals every number: of a row, the counts are compared.
    node=stories.node,
    notes=(
        f"one hash takes {1000 * SMOKE:.0f} ms of processor time in live runs, which is what counts need; a learner's takes longer.",
        "live runs of `all at once` end with the first of its two pools: nothing that is judged reads the counts of the larger one.",
        "the slip `unlimited` (hashes in processes or threads of one's own) is not tried.",
    ),
)
