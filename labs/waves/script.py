"""The learner's scripts: one line in our loop, then a whole script; what the dry run saw, and what to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from labs.rehearsal import Asked, Findings
from labs.rehearsed import KEPT_BEFORE, broken, kept, refused
from labs.spec import Rehearsed, Scene, ScriptTask
from labs.words import number

STARTER = """import { pbkdf2 } from 'node:crypto';

for (let i = 1; i <= n; i++) {
  pbkdf2('four', 'threads', parameters.rounds, 64, 'sha512', () => {
    // your line here: hash i is back
  });
}
"""
WHOLE = """// Your script. You have: n, done(i), parameters.rounds; pbkdf2 comes from 'node:crypto'.
"""
#: Hashes of the dry run.
HASHES = 3


def rehearse(findings: Mapping[str, Any], scene: Scene) -> Rehearsed:
    """Say what the dry run saw, the first thing that matters first."""
    seen = msgspec.convert(findings, Findings)
    if seen.problem is not None:
        return broken(seen.problem, seen.message, seen.text)
    work = [call for call in seen.calls if call.api.startswith("crypto.")]
    hashes = [call for call in work if not call.sync]
    done = [*seen.done_shut, *seen.done_open]
    if not work:
        nothing = "No hash is asked for yet: call pbkdf2 once for each i from 1 to n."
        return refused(f"{nothing} {KEPT_BEFORE}")
    if (text := _asking(work, hashes, seen)) is not None:
        return kept(text)
    if not done:
        return kept(
            "Kept. Three hashes were asked for, and done(i) was never called. Where would you know that hash i is back?"
        )
    if seen.done_first:
        return kept(
            f"Kept. done({seen.done_first[0]}) was called before any hash could be back. Call it inside the callback, or after the await."
        )
    missing = [str(i) for i in range(1, HASHES + 1) if str(i) not in done]
    if missing:
        return kept(f"Kept. done({missing[0]}) was never called: report each of 1 to n once, when it is back.")
    return Rehearsed(
        "Kept. Three hashes were asked for in one go, and each was reported when it was back. Next: your bet, in the cell below.",
        kept=True,
        complete=True,
    )


def _asking(work: list[Asked], hashes: list[Asked], seen: Findings) -> str | None:
    """Say what is amiss with how the hashes are asked for, or None."""
    if not hashes:
        return (
            f"Kept. Note that {work[0].api.removeprefix('crypto.')} computes before the program goes on: your loop stands still for it, "
            "and the pool never hears of it."
        )
    if len(hashes) != HASHES:
        return f"Kept. In the dry run n is {HASHES}, and your script asked for {number(len(hashes))}. Let your loop run from 1 to n."
    late = next((place for place, call in enumerate(hashes, 1) if call.after), None)
    if late is not None and not seen.done_first:
        return (
            f"Kept. Your script asks for hash {late} only when hash {late - 1} is back. We need all of them asked for at once: "
            "then see who waits."
        )
    return None


TASK = ScriptTask(starter=STARTER, rehearse=rehearse)
