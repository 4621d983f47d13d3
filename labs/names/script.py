"""The learner's own lookup: what the dry run saw, and what to say about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs.rehearsed import broken, kept
from labs.spec import Rehearsed, Scene, ScriptTask
from labs.words import counted, listed

STARTER = """import dns from 'node:dns';

const kept = new Map();   // name -> what you have of it

// Called for each new connection. With options.all (net sets it, from Node 20 on) the callback
// wants a list of { address, family }, else one address: answer(list) does both.
function lookup(name, options, callback) {
  const answer = (list) =>
    options.all ? callback(null, list) : callback(null, list[0].address, list[0].family);
  // your cache here; without one, every visit asks:
  dns.lookup(name, { all: true }, (problem, list) => problem ? callback(problem) : answer(list));
}

visit(lookup);   // ours: the visits
"""
#: What net says where it was called back with something else than a list.
_NO_LIST = {"ERR_INVALID_IP_ADDRESS", "ERR_INVALID_ADDRESS_FAMILY", "ERR_INVALID_ARG_TYPE"}


def rehearse(findings: Mapping[str, Any], scene: Scene) -> Rehearsed:
    """Say what the dry run saw, the first thing that matters first."""
    if (problem := findings.get("problem")) is not None:
        return broken(str(problem), str(findings["message"]), str(findings["text"]))
    counts: Mapping[str, int] = findings["counts"]
    if not findings.get("visiting"):
        return kept("Kept, but nobody is visited: leave visit(lookup) as the last line.")
    if findings["rounds"] < 2:
        return kept(
            "Kept. A visit never got its answer, so the visits stopped. Call callback once for each call of lookup, also where the name is "
            "known already."
        )
    failures: list[tuple[str, str]] = [(str(host), str(code)) for host, code in findings["failures"]]
    if failures:
        return _failed(failures)
    if counts["misdirected"]:
        return kept(
            f"Kept. {counted(counts['misdirected'], 'visit')} went to another host's address. Keep what you know by name."
        )
    if counts["most_lookups"] > 1:
        return kept("Kept. Two hosts were visited twice each, and asked for twice each: nothing is remembered yet.")
    if counts["least_lookups"] == 0:
        return kept("Kept. A host was visited and never asked for. Where does its address come from?")
    return Rehearsed(
        "Kept. Two hosts were visited twice each, never at the same moment, and asked for once each. Next: your bet, with many visits at "
        "one moment.",
        kept=True,
        complete=True,
    )


def _failed(failures: list[tuple[str, str]]) -> Rehearsed:
    codes = sorted({code for _, code in failures})
    if {*codes} & _NO_LIST:
        return kept(
            f"Kept. The visits failed with {listed(codes)}: with options.all the callback wants a list, callback(null, [{{ address, family }}])."
        )
    hosts = sorted({host for host, _ in failures})
    if hosts == ["late.test"]:
        return kept(
            f"Kept. late.test exists since the second round, and its visit failed with {listed(codes)}: what failed before is kept like an answer."
        )
    return kept(f"Kept. The visits of {listed(hosts)} failed with {listed(codes)}.")


HINTS = (
    "In kept, look under the name first. What can you put there at the moment when you ask, before anything is known?",
    "A promise of the answer: dns.promises.lookup(name, { all: true }) gives one at once. Keep it, and let each visit wait for it.",
    "promise.then(answer, callback); and where it fails, kept.delete(name), so that the next visit asks again.",
)

TASK = ScriptTask(starter=STARTER, rehearse=rehearse)
