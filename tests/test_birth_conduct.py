"""The lab ``birth`` on real Node: every bet, the trial's programs, the dry run, what is refused."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from grader.checks import judge_check
from grader.verdict import Outcome
from labs import catalog, node_binary, rooms
from labs.acts import freeze
from labs.birth import conduct, stories
from labs.birth.draw import draw
from labs.birth.reference import trial
from labs.birth.rehearse import STARTER
from labs.errors import SetupError
from labs.request import Request
from labs.spec import Scene, Shape
from labs.trials import Case
from tests.room import stage

pytestmark = pytest.mark.node
LAB = catalog.load("birth")
SHAPE = Shape(2)


def scene(slug: str, seed: int) -> Scene:
    """Return a thing's scene at one draw."""
    return Scene(freeze(dict(draw(random.Random(seed), SHAPE)[slug])), SHAPE)


def request(slug: str, seed: int = 0, script: str | None = None, **more: Any) -> Request:
    """Return a request for a measure with the numbers of a draw."""
    numbers = msgspec.to_builtins(dict(LAB.measure(slug).parameters(scene(slug, seed))))
    return Request(lab="birth", measure=slug, parameters={**numbers, **more}, script=script)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("slug", [bet.slug for bet in LAB.bets])
def test_node_does_what_the_rules_say(slug: str, seed: int) -> None:
    """Every bet, at two draws."""
    record = rooms.measure(request(slug, seed))

    assert stories.node(scene(slug, seed))[slug] == LAB.bet(slug).actual(record)


def test_the_worked_record_shows_the_threads_after_one_job() -> None:
    """One was needed, all are there, and all are back in the pool's own wait."""
    (run,) = rooms.measure(request("first", 1)).runs
    workers = [one for one in run.threads if one.role == "worker"]

    assert (run.counts["after"], {"parked"}) == (len(workers), {one.state for one in workers})


@pytest.mark.parametrize("case", trial.TRIALS.cases, ids=lambda case: f"{case.measure} {case.slug}")
def test_the_solution_passes_and_every_other_way_contradicts_under_its_name(case: Case) -> None:
    """The reference, and what people write instead, with the story it comes from or none."""
    record = rooms.measure(request(case.measure, 3, case.script))
    checks = [check for item in LAB.items for check, _ in item.checks if check.measure == case.measure]
    (verdict,) = [judge_check(check, Scene(scene(case.measure, 3).parameters, SHAPE, record)) for check in checks]

    if case.contradicts is None:
        assert Outcome.PASS == verdict.outcome, verdict.because
        return
    assert Outcome.CONTRADICTS == verdict.outcome, verdict.because
    assert case.contradicts[verdict.check] == verdict.wrong_models


def test_a_pool_without_a_name_is_counted_by_what_is_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on an older Node, whose workers are called like the program: with the pinned one in its place both formats have the size."""
    asked = request("ways", 0)
    with stage(asked) as here:
        monkeypatch.setattr(conduct, "older", lambda: None)
        assert [] == conduct.on_older(here, 9)
        monkeypatch.setattr(conduct, "older", node_binary.pinned)
        runs = conduct.on_older(here, 9)

    assert [("older first", 9), ("older mjs", 9)] == [(run.name, run.counts["pool_threads"]) for run in runs]


def test_the_dry_run_sees_what_the_program_did() -> None:
    """The starter is whole, but shows no count; a throw and a syntax error are told as such; silence is seen."""
    found = {}
    for name, script in {
        "starter": STARTER, "silent": trial.SILENT, "without": trial.WITHOUT, "throws": "throw new Error('x')", "syntax": "const (",
        "endless": "for (;;);",
    }.items():  # fmt: skip
        asked = request("unset", 0, script)
        with stage(asked) as here:
            found[name] = conduct.rehearse(asked, here)

    assert (None, True, True, "16") == (
        found["starter"].problem,
        found["starter"].loaded,
        found["starter"].ready,
        found["starter"].shown,
    )
    assert [False, True] == [found[name].changed for name in ("starter", "silent")]
    assert (None, True, False) == (found["silent"].problem, found["silent"].loaded, found["silent"].ready)
    assert (None, False, True) == (found["without"].problem, found["without"].loaded, found["without"].ready)
    assert ("error", "error", "endless") == tuple(found[name].problem for name in ("throws", "syntax", "endless"))
    assert "SyntaxError" in found["syntax"].text


@pytest.mark.parametrize(
    ("slug", "parameters"),
    [("first", {"size": 0, "jobs": 3}), ("bill", {"size": 2000}), ("value", {"values": []}), ("value", {"values": [3]}), ("nothing", {}), ("unset", {"size": 5, "given": 3})],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused(slug: str, parameters: dict[str, Any]) -> None:
    """With a sentence that says what can; the last one lacks its script."""
    asked = Request(lab="birth", measure=slug, parameters=parameters)
    with stage(asked) as here, pytest.raises(SetupError):
        conduct.conduct(asked, here)


@pytest.mark.parametrize("slug", [measure.slug for measure in LAB.measures])
def test_every_measure_has_a_small_form(slug: str) -> None:
    """In smoke mode each brings at least one run home."""
    asked = request(slug, 1, trial.LOUD if LAB.measure(slug).script else None)
    asked = msgspec.structs.replace(asked, smoke=True)
    with stage(asked) as here:
        assert conduct.conduct(asked, here).runs
