"""What ``waves`` says: every answer for many draws, at most six lines of 110 characters, and none that scolds."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import msgspec
import pytest

from course import build, lint
from grader.answering import options, solution
from labs.measurement import Record
from labs.rehearsal import Asked, Findings
from labs.spec import Row, Scene, Shape
from labs.waves import picture, script, slips, stories, telling, whatif
from labs.waves.bets import _why_all, look_free
from tests import form
from tests.hashroom import CORES, LAB, SLIPS, SOUND, curve, draws, record, request

fits = partial(form.fits, waves=True)
BETS = ("all at once", "other cores", "own")
MASTER = build.MASTERS / "04_waves.py"


def scene(numbers: dict[str, Any], slug: str, cores: int, code: str = SOUND, busy: bool = False) -> Scene:
    """Return a bet's scene with its record."""
    made = record(request(slug, numbers[slug], code), cores, busy=busy)
    return Scene(numbers[slug], Shape(cores, curve(cores)), made, sure="think")


def typed(row: Row) -> Row:
    """Return a row as a person would type it: one number where a story has an interval."""
    return {name: float(value) if isinstance(value, float) else value for name, value in row.items()}


def said(here: Scene, slug: str, answers: Row) -> tuple[str, ...]:
    """Return the whole answer to a measured bet that no story explains, or that agrees."""
    bet = LAB.bet(slug)
    here = dataclasses.replace(here, answers=answers)
    assert here.record is not None
    actual = bet.actual(here.record)
    assert actual is not None
    told = bet.because(here) if dict(answers) == dict(actual) else bet.otherwise(here)
    return (*bet.look(here), *told, bet.next_step)


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
@pytest.mark.parametrize("cores", CORES)
@pytest.mark.parametrize("slug", BETS)
def test_answers_to_bets_fit(slug: str, cores: int, busy: bool) -> None:
    """Node's row, each number of starters, and each story's voice."""
    for numbers in draws(cores, 8):
        here = scene(numbers, slug, cores, busy=busy)
        node = typed(stories.node(here)[slug])
        fits(said(here, slug, node))
        for started in range(numbers[slug]["tasks"] + 1):
            fits(said(here, slug, {**node, "started": started}))
        for ended in range(4) if slug == "own" else ():
            fits(said(here, slug, {**node, "ended": ended}))
        for story in LAB.stories:
            row = story.rows(here).get(slug)
            if row and slug in story.voice:
                answers: Row = {**node, **typed(row)}
                spoken = dataclasses.replace(here, answers=answers)
                fits((*LAB.bet(slug).look(spoken), *story.voice[slug](spoken), LAB.bet(slug).next_step))


@pytest.mark.parametrize("slug", BETS)
@pytest.mark.parametrize("slip", SLIPS)
def test_each_slip_is_named_and_leaves_the_bet_open(slug: str, slip: str) -> None:
    """The record does not answer the bet; the look says what the script did, in counts."""
    for numbers in draws(2, 8):
        here = scene(numbers, slug, 2, SLIPS[slip][0])
        assert here.record is not None
        found = slips.find(here.record)

        assert found is not None and slip == found.slug
        assert LAB.bet(slug).actual(here.record) is None
        fits(LAB.bet(slug).look(here), 4)


def test_a_sound_script_has_no_slip() -> None:
    """On any machine, for every measure."""
    for cores in CORES:
        for numbers in draws(cores, 8):
            for slug in BETS:
                made = record(request(slug, numbers[slug]), cores)
                assert slips.find(made) is None and slips.unsound(made) is None


@pytest.mark.parametrize("cores", CORES)
def test_bets_ask_in_the_learners_numbers(cores: int) -> None:
    """Three lines at most."""
    for numbers in draws(cores, 8):
        for slug in BETS:
            fits((LAB.bet(slug).ask(Scene(numbers[slug], Shape(cores))),), 3)


@pytest.mark.parametrize("cores", CORES)
def test_questions_answer_every_choice(cores: int) -> None:
    """A first miss never says the solution, and everything fits."""
    for numbers in draws(cores, 12):
        for question in LAB.questions:
            here = Scene(numbers[question.slug], Shape(cores))
            if question.needs:
                here = dataclasses.replace(here, record=record(request("other cores", numbers["other cores"]), cores))
            right = solution(question, here)
            fits(question.because(here))
            assert question.hint is not None
            fits((question.hint(here),), 2)
            for one in options(question, here):
                answers: Row = {**right, question.choice: one.slug}
                if question.reply is None:
                    assert one.reply
                    fits((one.reply,), 2)
                    continue
                told = question.reply(dataclasses.replace(here, answers=answers))
                assert told
                fits(told, 4)
                if answers != right:
                    assert not set(told) & set(question.because(here))


def test_the_service_speaks_to_each_usual_number() -> None:
    """One at a time, one hash, four without cores, one a core, and any other."""
    question = LAB.question("service")
    assert question.reply is not None
    for numbers in draws(2, 20):
        p = numbers["service"]
        here, total = Scene(p, Shape(2)), p["logins"] * p["cost"]
        right = solution(question, here)
        for last in {total, total // 4, total // p["cores"], p["cost"], 17} - {right["last"]}:
            told = question.reply(dataclasses.replace(here, answers={**right, "last": last}))
            assert 1 == len(told) and told[0].endswith("?")


def findings(**changes: Any) -> dict[str, Any]:
    """Return the findings of a dry run of a sound script, changed."""
    import msgspec

    calls = tuple(Asked(api="crypto.pbkdf2") for _ in range(3))
    sound = Findings(calls=calls, done_shut=("1", "2", "3"))
    plain: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(sound, **changes))
    return plain


@pytest.mark.parametrize(
    ("changes", "text", "kept", "complete"),
    [
        ({}, "each was reported when it was back", True, True),
        ({"calls": ()}, "No hash is asked for yet", False, False),
        ({"done_shut": ()}, "done(i) was never called", True, False),
        ({"done_first": ("1",)}, "before any hash could be back", True, False),
        ({"done_shut": ("2", "3")}, "done(1) was never called", True, False),
        ({"calls": (Asked(api="crypto.pbkdf2Sync", sync=True),)}, "the pool never hears of it", True, False),
        ({"calls": (Asked(api="crypto.pbkdf2"),) * 8}, "n is 3, and your script asked for eight", True, False),
        (
            {"calls": tuple(Asked(api="crypto.pbkdf2", after=k) for k in range(3))},
            "asks for hash 2 only when hash 1 is back",
            True,
            False,
        ),
        ({"problem": "restless", "message": "Too busy."}, "Too busy.", True, False),
        ({"problem": "syntax", "text": "script:1\nSyntaxError"}, "your last working version is kept", False, False),
        ({"problem": "endless", "message": "It never ended."}, "The next run is not affected.", False, False),
    ],
)
def test_the_dry_run_answers_each_script(changes: dict[str, Any], text: str, kept: bool, complete: bool) -> None:
    """The first thing that matters, and whether the script is kept."""
    found = script.rehearse(findings(**changes), Scene({}, Shape(2)))

    assert text in found.text
    assert (kept, complete) == (found.kept, found.complete)
    fits((found.text,), 5)


def records(cores: int, **changes: Any) -> dict[str, Record]:
    """Return the records of a whole lab."""
    numbers = next(draws(cores, 1))
    return {slug: record(request(slug, numbers[slug]), cores, **changes) for slug in BETS}


@pytest.mark.parametrize("busy", [False, True], ids=["quiet", "busy"])
@pytest.mark.parametrize("cores", CORES)
def test_evidence_closing_and_pictures_say_the_same_as_text(cores: int, busy: bool) -> None:
    """Every line fits the page and is broken only between sentences; slots beyond eight are counted."""
    made = records(cores, busy=busy)
    here = Scene(made["all at once"].parameters, Shape(cores), made["all at once"])
    fits(telling.evidence(here), 24)
    fits(telling.five_lines(here), 11)
    parts = "\n".join(telling.five_lines(here)).split("\n")
    assert [telling.SOURCE] == [part for part in parts if not part.endswith(".")]
    fits(telling.closing(made) or ("",), 2)
    fits(picture.text(made), 50)
    assert ("In one line" in " ".join(telling.closing(made))) != busy
    for values in ({"pool": 4, "tasks": 8, "cores": 8}, {"pool": 16, "tasks": 32, "cores": 1}):
        shown = whatif.text(made, values)
        fits(shown, 24)
        assert "computed from the model" in shown[0]
        assert any("measured" in line for line in shown[1:])


def test_the_notebook_follows_the_steps_of_the_lab() -> None:
    """Every act of a step stands in the cells of that number, and the lint has nothing to say."""
    cells = [cell for cell in build.cells(MASTER) if cell.kind in ("given", "blank")]
    for number, step in enumerate(LAB.steps, 1):
        verb, _, thing = step.partition(" ")
        names = [cell for cell in cells if cell.name.startswith(f"waves-{number:02d}-")]
        if verb in ("predict", "measure", "evidence", "explain"):
            assert any(f"waves.{verb}(" in cell.source and f'"{thing}"' in cell.source for cell in names), step
        elif verb == "node":
            assert any(cell.source.startswith("%%node waves") for cell in names)
        elif verb == "what":
            assert any("waves.what_if()" in cell.source for cell in names)
    assert [] == list(lint.lint(LAB, MASTER, {"predict", "measure", "evidence", "explain", "check", "plot", "node"}))


def test_the_cells_of_a_script_start_as_the_lab_says() -> None:
    """The loop without its report, then an empty script."""
    nodes = [cell.source for cell in build.cells(MASTER) if cell.source.startswith("%%node")]
    assert [f"%%node waves\n{script.STARTER}".strip(), f"%%node waves\n{script.WHOLE}".strip()] == [
        one.strip() for one in nodes
    ]


def test_more_slots_are_not_said_to_change_nothing_where_they_help() -> None:
    """With cores left over, the total falls; with none left over, it stays."""
    slower = next(story for story in LAB.stories if story.slug == "slower")
    for cores, expected in ((16, "the total fell"), (2, "the total is what it was")):
        here = scene(next(iter(draws(cores, 1))), "all at once", cores)
        assert expected in " ".join(slower.voice["all at once"](here))


def test_a_core_for_each_is_said_only_where_each_has_one() -> None:
    """Under a quota, or where two threads share a core, the curve decides and not the number of cores."""
    here = scene(next(iter(draws(8, 1))), "all at once", 8)
    assert here.record is not None
    told = {
        at: _why_all(
            msgspec.structs.replace(here.record, machine=msgspec.structs.replace(here.record.machine, capacity=at))
        )
        for at in ((1.0, 2.0, 3.0, 4.0), (1.0, 1.5, 2.0, 2.5))
    }
    assert ["a core for each" in text for text in told.values()] == [True, False]
    assert "about 6.4 times one" in told[(1.0, 1.5, 2.0, 2.5)]


def test_where_cores_are_shared_a_last_round_that_is_not_full_counts_as_it_is() -> None:
    """Ten hashes on three slots of eight half-shared cores: three full rounds and one alone, 4.3 times one and not 10 over 2.75."""
    made = record(request("own", {"pool": 3, "tasks": 10, "cores": None}), 8)
    shared = msgspec.structs.replace(made, machine=msgspec.structs.replace(made.machine, capacity=(1.0, 1.9, 2.75)))
    assert "about 4.3 times one" in _why_all(shared)


def test_slots_that_changed_are_not_said_to_be_the_same() -> None:
    """On one core the second measure takes another pool; elsewhere it takes other cores."""
    for cores, expected in ((1, False), (2, True)):
        numbers = next(iter(draws(cores, 1)))
        records = {slug: record(request(slug, numbers[slug]), cores) for slug in ("all at once", "other cores")}
        assert expected == ("slots never changed" in " ".join(telling.closing(records)))


def test_a_free_run_says_the_cores_that_it_had() -> None:
    """Those it was bound to, though the machine that was looked at has more."""
    asked = request("free", {"pool": 6, "tasks": 20, "cores": 1})
    made = record(asked, 2)
    made = msgspec.structs.replace(made, machine=msgspec.structs.replace(made.machine, cores=2))
    assert look_free(Scene(asked.parameters, Shape(2), made))[0].endswith("on 1 core")
