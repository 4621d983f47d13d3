"""Records that earn nothing are held against the model all the same: `fourthreads check` says whether libuv's rules hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from course import cli
from course.commands import check
from grader.judge import judge_record
from grader.verdict import Outcome, Verdict
from labs import catalog, measurement
from labs.measurement import Record, Run
from labs.places import facts

LABS = Path(measurement.__file__).parent
#: Of these nothing has one expected value: times, trips that differ between releases, ways that the learner chooses.
WITHOUT = {("waves", "knee"), ("waves", "loop"), ("places", "trips"), ("names", "ways")}


def recorded() -> Iterator[tuple[str, Record]]:
    """Yield every recorded run that a law is about, with its name."""
    for slug in catalog.slugs():
        laws = {law.measure for law in catalog.load(slug).law}
        for path in sorted((LABS / slug / "replay").glob("*.json")):
            record = measurement.decode(path.read_bytes())
            if record.measure in laws:
                yield f"{slug} {record.measure}", record


RECORDED = dict(recorded())
EVERY = pytest.mark.parametrize("record", RECORDED.values(), ids=RECORDED)


def judged(record: Record) -> tuple[Verdict, ...]:
    """Return the verdicts of the lab's laws on a record."""
    laws = {law.slug for law in catalog.load(record.lab).law}
    return tuple(verdict for verdict in judge_record(catalog.load(record.lab), record) if verdict.check in laws)


def changed(run: Run, place: int = 0) -> Run:
    """Return a run in which every count is another one, and everything came in another order."""
    counts = {name: count + 1 + number for number, (name, count) in enumerate(run.counts.items())}
    if "stall_us" in counts:  # a time is judged by its share of another: it is halved
        counts["stall_us"] //= 2
    return msgspec.structs.replace(run, counts=counts, callbacks=tuple(reversed(run.callbacks)))


@pytest.mark.parametrize("slug", catalog.slugs())
def test_every_measure_is_judged_or_known_to_have_nothing_to_judge(slug: str) -> None:
    """A new measure needs a check, a law, or a reason to have neither."""
    lab = catalog.load(slug)
    about = {check.measure for item in lab.items for check, _ in item.checks} | {law.measure for law in lab.law}
    assert {measure for name, measure in WITHOUT if name == slug} == {one.slug for one in lab.measures} - about


@EVERY
def test_what_node_did_keeps_the_law(record: Record) -> None:
    """Each recorded run of the pinned Node passes; it earns nothing."""
    verdicts = judged(record)
    assert verdicts
    assert {(Outcome.PASS, 0.0)} == {(verdict.outcome, verdict.points) for verdict in verdicts}


@EVERY
def test_another_count_breaks_the_law(record: Record) -> None:
    """No law passes whatever was counted."""
    other = msgspec.structs.replace(record, runs=tuple(changed(run) for run in record.runs))
    assert Outcome.PASS not in {verdict.outcome for verdict in judged(other)}


@EVERY
def test_a_record_without_runs_is_no_pass(record: Record) -> None:
    """Nor does it stop the command."""
    empty = msgspec.structs.replace(record, runs=())
    assert Outcome.PASS not in {verdict.outcome for verdict in judged(empty)}


def test_a_story_that_gives_the_count_is_named() -> None:
    """Four names in flight on four slots: that is one line for everything."""
    record = RECORDED["names start"]
    (run,) = record.runs
    four = msgspec.structs.replace(
        record, runs=(msgspec.structs.replace(run, counts={**run.counts, "names_in_flight": 4}),)
    )
    (verdict,) = judged(four)
    assert (Outcome.CONTRADICTS, ("one-line",), 4, 2) == (
        verdict.outcome, verdict.wrong_models, verdict.measured, verdict.expected,
    )  # fmt: skip


def test_what_a_script_claims_is_no_observation() -> None:
    """The same number, claimed: nothing can be said."""
    record = RECORDED["names start"]
    claims = tuple(msgspec.structs.replace(run, sources=dict.fromkeys(run.counts, "claimed")) for run in record.runs)
    (verdict,) = judged(msgspec.structs.replace(record, runs=claims))
    assert Outcome.INCONCLUSIVE is verdict.outcome


@pytest.mark.parametrize(
    ("version", "expected"),
    [("20.20.2", "INCONCLUSIVE"), ("22.17.1", "INCONCLUSIVE"), ("22.18.0", "PASS"), ("23.11.1", "INCONCLUSIVE"),
     ("24.2.0", "INCONCLUSIVE"), ("24.3.0", "PASS"), ("26.12.0", "PASS")],
)  # fmt: skip
def test_paths_are_judged_on_the_lines_they_were_measured_on(version: str, expected: str) -> None:
    """The loader of ES modules left the pool in 22.18 and 24.3; on other lines the table says nothing."""
    record = RECORDED["places six"]
    other = msgspec.structs.replace(record, node=msgspec.structs.replace(record.node, version=version))
    assert [expected] == [str(verdict.outcome) for verdict in judged(other)]


def test_luck_is_not_judged() -> None:
    """Where no millisecond has passed for sure, any share of immediates is right."""
    record = RECORDED["phases shares"]
    runs = tuple(
        msgspec.structs.replace(run, counts={"timeout": 20, "immediate": 20}) if run.parameters["busy"] == 0 else run
        for run in record.runs
    )
    assert [Outcome.PASS] == [verdict.outcome for verdict in judged(msgspec.structs.replace(record, runs=runs))]


def test_an_older_node_is_told_on_which_the_paths_were_measured() -> None:
    """The recorded run's own Node is one of them."""
    record = RECORDED["places table"]
    assert record.node.version in facts.MEASURED
    old = msgspec.structs.replace(record, node=msgspec.structs.replace(record.node, version="20.20.2"))
    (verdict,) = judged(old)
    assert Outcome.INCONCLUSIVE is verdict.outcome
    assert "measured on Node 22.23.5, 24.19.0 and 26.12.1; this record is of 20.20.2, which is older" in verdict.because


def test_a_loop_without_a_turn_is_no_contradiction() -> None:
    """A machine with more to do than it can: no tick came through beside the pool."""
    record = RECORDED["places victim"]
    runs = tuple(
        msgspec.structs.replace(run, counts={**run.counts, "ticks": 0}) if run.name == "pbkdf2" else run
        for run in record.runs
    )
    verdicts = judged(msgspec.structs.replace(record, runs=runs))
    assert {"places-waits", "places-stall"} == {verdict.check for verdict in verdicts}
    assert all(Outcome.INCONCLUSIVE is verdict.outcome and "too busy" in verdict.because for verdict in verdicts)


@pytest.mark.parametrize(
    ("lab", "measure", "said"),
    [("names", "sizes", "2 1 1 2 2 3 4 8"), ("phases", "modules", "tick promise; promise tick")],
)
def test_the_command_shows_each_run(lab: str, measure: str, said: str) -> None:
    """Numbers stand side by side; what has blanks in it is kept apart."""
    found = CliRunner().invoke(cli.main, ["check", lab, str(LABS / lab / "replay" / f"{measure}.json")])
    assert 0 == found.exit_code
    assert f"measured {said}, expected {said}" in found.output


def test_where_nothing_is_expected_the_command_says_so_without_a_verdict() -> None:
    """As text one sentence, as JSON an empty list; neither is a failure."""
    path = str(LABS / "places" / "replay" / "trips.json")
    text, data = (CliRunner().invoke(cli.main, ["check", "places", path, *more]) for more in ([], ["--json"]))
    assert (0, f"{check.NOTHING}\n") == (text.exit_code, text.output)
    assert (0, "[]") == (data.exit_code, data.output.strip())
    assert [] == [outcome.value for outcome in Outcome if outcome.value in check.NOTHING]
