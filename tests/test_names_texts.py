"""What ``names`` says: every answer for many draws, at most six lines of 110 characters, and none that scolds."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest

from course.reply import WIDTH, wrapped
from labs.measurement import Record
from labs.names import picture, puzzle, reading, script, tables
from labs.names.reference import trial
from labs.names.script import STARTER
from labs.request import Request
from labs.spec import Lines, Row, Scene, Shape
from tests import classroom, form, names_room
from tests.form import fits
from tests.names_room import LAB
from tests.test_names_lab import drawn

CORES = (1, 2, 4, 12, 16, 64)
SEEDS = range(8)


def measured(slug: str, scene: Scene, code: str | None = None) -> Record:
    """Return what an undisturbed machine records."""
    measure = LAB.measure(slug)
    return names_room.record(
        Request(
            lab="names",
            measure=slug,
            parameters=classroom.plain(dict(measure.parameters(scene))),
            script=code if measure.script else None,
        ),
        scene.shape.cores,
    )


def odd_rows(slug: str, scene: Scene) -> list[Row]:
    """Return rows that fit no story, Node's among them."""
    some = (0, 1, 2, 3, 5, 9)
    match slug:
        case "start":
            return [{"flying": flying, "back": back} for flying in some for back in (0, 3, 10)]
        case "own":
            return [{"alone": alone, "beside": beside} for alone in some for beside in some]
        case "second":
            return [{"names": names, "files": files} for names in (0, 1, 2) for files in (0, 5, 10)]
        case "through":
            return [{"back": back} for back in ((), (1,), (1, 2), (2, 3, 4), (1, 2, 3, 4, 5))]
    return [{"asked": asked} for asked in some]


@pytest.mark.parametrize("cores", CORES)
@pytest.mark.parametrize("slug", [bet.slug for bet in LAB.bets])
def test_every_answer_to_a_bet_is_six_lines_at_most(slug: str, cores: int) -> None:
    """Node's own row, every story in its voice, and every row that fits none."""
    bet = LAB.bet(slug)
    scripts = (names_room.SOUND, STARTER, trial.LATE, trial.MERGED, trial.FAILURES_KEPT) if slug == "cache" else (None,)
    for seed in SEEDS:
        bare = Scene(drawn(cores, seed)[slug], Shape(cores), sure="think")
        fits((bet.ask(bare),), 8 if slug == "through" else 3)
        for code in scripts:
            scene = dataclasses.replace(bare, record=measured(slug, bare, code))
            assert scene.record is not None
            actual = bet.actual(scene.record)
            assert actual is not None
            here = dataclasses.replace(scene, answers=actual)
            fits((*bet.look(here), *bet.because(here), bet.next_step))
            for story in LAB.stories:
                row = story.rows(scene).get(slug)
                if row and slug in story.voice and any(actual[blank] != value for blank, value in row.items()):
                    here = dataclasses.replace(scene, answers={**actual, **row})
                    fits((*bet.look(here), *story.voice[slug](here), bet.next_step))
            for row in odd_rows(slug, scene):
                if row != actual:
                    here = dataclasses.replace(scene, answers=row)
                    fits((*bet.look(here), *bet.otherwise(here), bet.next_step))


def test_two_names_still_fit_at_the_first_bet_on_four_cores() -> None:
    """Where two stories are named, the sentence that says so is a sixth line."""
    bet, bare = LAB.bet("start"), Scene(drawn(4, 1)["start"], Shape(4), sure="think")
    here = dataclasses.replace(bare, record=measured("start", bare), answers={"flying": 4, "back": 0})
    both = 'On this machine "one line: names wait like files" and "a slot a core" give the same numbers.'
    for story in ("one-line", "a-slot-a-core"):
        voice = next(one for one in LAB.stories if one.slug == story).voice["start"]
        fits((*bet.look(here), *voice(here), both, bet.next_step))


@pytest.mark.parametrize("cores", (1, 2, 16))
def test_questions_speak_in_form_and_do_not_give_the_answer_away(cores: int) -> None:
    """Every option's reply and hint; the reply to a miss never states the right sentence."""
    for seed in SEEDS:
        for question in LAB.questions:
            scene = Scene(drawn(cores, seed)[question.slug], Shape(cores))
            if question.slug == "why":
                scene = dataclasses.replace(scene, record=measured("own", scene))
            form.asks_fairly(question, scene, 15 if question.slug == "code" else 10)


@pytest.mark.parametrize(
    ("asked", "lost", "expected"),
    [
        (20, "hosts", "20: each of the 20 looks into an empty cache"),
        (1, "hosts", "The cache is filled when the answer is in."),
        (2, "hosts", "On which thread does resolve4 ask?"),
        (40, "hosts", "resolve4 asks for A alone"),
        (7, "hosts", "Each of them runs to the await"),
        (20, "twice", "is in the cache, and is returned from it"),
        (20, "two", "it finds the host"),
        (20, "slow", "each gives up in its own time"),
    ],
)
def test_the_code_answers_the_number_and_the_host(asked: int, lost: str, expected: str) -> None:
    """The number first; what is right is not commented."""
    reply = LAB.question("code").reply
    assert reply is not None
    said = reply(Scene({"users": 20}, Shape(2), answers={"asked": asked, "lost": lost}))
    assert expected in said[0]
    fits(said)


@pytest.mark.parametrize(
    ("dead", "after", "expected"),
    [
        (5, "callers", "Five lookups hold all slots that names may have, each for 15 s"),
        (9, "callers", "9 is the whole pool."),
        (6, "callers", "The sixth is the first that waits in line itself."),
        (4, "callers", "Half of 9, rounded down"),
        (2, "callers", "Two is right for a pool of four; this one has 9."),
        (40, "callers", "Each of them holds one slot that names may have."),
        (5, "cure", "Who ends the call that the thread is in?"),
        (5, "files", "File reads were quick"),
        (5, "nothing", "the caller does notice something"),
    ],
)
def test_the_service_answers_the_number_and_the_proposal(dead: int, after: str, expected: str) -> None:
    """The number first; what is right is not commented."""
    reply = LAB.question("service").reply
    assert reply is not None
    said = reply(Scene({"pool": 9, "seconds": 15}, Shape(2), answers={"dead": dead, "after": after}))
    assert expected in said[0]
    fits(said)


@pytest.mark.parametrize("slug", ["code", "service"])
def test_a_right_answer_is_told_its_reason_on_every_draw(slug: str) -> None:
    """No remark that belongs to a miss."""
    question = LAB.question(slug)
    assert question.reply is not None and question.solve is not None
    for seed in range(40):
        bare = Scene(drawn(2, seed)[slug], Shape(2))
        right = dataclasses.replace(bare, answers={**question.solve(bare), question.choice: str(question.right)})
        assert question.because(bare) == question.reply(right)


def puzzled(pool: int, held: int) -> Lines:
    """Return the answer to these numbers; wanted are three in flight and one free."""
    scene = Scene({"names": 24, "flying": 3, "idle": 1}, Shape(2), answers={"pool": pool, "held": held})
    return puzzle.look(dataclasses.replace(scene, record=measured("state", scene)))


@pytest.mark.parametrize(
    ("pool", "held", "expected"),
    [
        (6, 2, "Somebody who believes in one line would call this impossible: one slot is free, and 21 names wait."),
        (5, 1, "would call this impossible"),
        (4, 0, "With 4 slots the names stop at two. Which size stops them at three?"),
        (8, 2, "With 8 slots the names stop at four."),
        (6, 0, "more slots are free than should be. What takes a slot and is no name?"),
        (6, 3, "In flight as wanted, and fewer slots are free than should be."),
        (6, 5, "The gates left one slot for the names, fewer than they might have."),
        (6, 6, "The gates left no slots for the names"),
        (4, 9, "Four slots hold four gates; the others wait in line, and every name behind them."),
        (16, 0, "With 16 slots the names stop at eight."),
    ],
)
def test_the_puzzle_answers_by_what_is_there(pool: int, held: int, expected: str) -> None:
    """Each way to miss has its own sentence."""
    said = puzzled(pool, held)
    assert expected in "\n".join(said)
    fits(said)


FINE: dict[str, Any] = {"problem": None, "visiting": True, "rounds": 2, "failures": [], "message": "", "text": ""}
ONCE = {"most_lookups": 1, "least_lookups": 1, "misdirected": 0}


@pytest.mark.parametrize(
    ("found", "kept", "complete", "expected"),
    [
        ({"counts": ONCE}, True, True, "asked for once each. Next: your bet"),
        ({"counts": {**ONCE, "most_lookups": 2}}, True, False, "nothing is remembered yet"),
        ({"counts": {**ONCE, "least_lookups": 0}}, True, False, "Where does its address come from?"),
        ({"counts": {**ONCE, "misdirected": 2}}, True, False, "2 visits went to another host's address"),
        ({"counts": ONCE, "visiting": False}, True, False, "leave visit(lookup) as the last line"),
        ({"counts": ONCE, "rounds": 0}, True, False, "A visit never got its answer"),
        (
            {"counts": ONCE, "failures": [["shop.test", "ERR_INVALID_IP_ADDRESS"]]},
            True,
            False,
            "the callback wants a list",
        ),
        (
            {"counts": ONCE, "failures": [["late.test", "ENOTFOUND"]]},
            True,
            False,
            "what failed before is kept like an answer",
        ),
        ({"counts": ONCE, "failures": [["shop.test", "ECONNREFUSED"]]}, True, False, "failed with ECONNREFUSED"),
        (
            {"counts": ONCE, "problem": "syntax", "text": "script.mjs:2\nvisit(\n     ^\nSyntaxError: x"},
            False,
            False,
            "SyntaxError",
        ),
        (
            {"counts": ONCE, "problem": "stopped", "message": "It never ends."},
            False,
            False,
            "The next run is not affected.",
        ),
    ],
)
def test_the_dry_run_says_what_it_saw(found: dict[str, Any], kept: bool, complete: bool, expected: str) -> None:
    """One sentence for each way to write the lookup; only what does not run is not kept."""
    said = script.rehearse({**FINE, **found}, Scene({"hosts": 3, "times": 4}, Shape(2)))
    assert (kept, complete) == (said.kept, said.complete)
    assert expected in said.text
    fits((said.text,))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (STARTER, "Every visit asked: nothing is remembered yet."),
        (trial.LATE, "No answer was in yet, so each found nothing kept."),
        (trial.MERGED, "Who came at the same moment shared a lookup; who came later found nothing kept"),
        (trial.FAILURES_KEPT, "a failure is kept."),
        (names_room.SOUND, "Who came while the first lookup was out waited for its answer"),
    ],
)
def test_what_a_cache_does_is_said_by_what_was_counted(code: str, expected: str) -> None:
    """Each way to write it has its own sentence, whatever was bet."""
    scene = Scene({"pool": None, "hosts": 3, "times": 4}, Shape(2), answers={"asked": 7})
    said = LAB.bet("cache").otherwise(dataclasses.replace(scene, record=measured("cache", scene, code)))
    assert expected in said[0]


@pytest.mark.parametrize(
    ("code", "expected"), [(trial.ONE_FOR_ALL, "ASTRAY  16 visits"), (trial.NO_LIST, "ARRIVED  0 of 24 visits.")]
)
def test_visits_that_do_not_arrive_are_said(code: str, expected: str) -> None:
    """There is no number to compare: what was seen, and what to do."""
    bet, scene = LAB.bet("cache"), Scene({"pool": None, "hosts": 3, "times": 4}, Shape(2), answers={"asked": 5})
    record = measured("cache", scene, code)
    said = bet.look(dataclasses.replace(scene, record=record))
    assert bet.actual(record) is None
    assert said[0].startswith(expected)
    fits(said)


def test_the_worked_record_has_a_line_for_each_thread() -> None:
    """Two in a lookup, two free, the main thread, and what the name server holds."""
    scene = Scene(drawn(2, 1)["start"], Shape(2))
    lines = reading.evidence(dataclasses.replace(scene, record=measured("start", scene)))
    assert ["poll", "poll", "futex", "futex", "epoll"] == [line[14:24].strip() for line in lines[1:6]]
    assert "for n1 and n2, and no others" in lines[6]
    assert max(map(len, lines)) <= WIDTH


def test_the_call_of_a_lookup_has_one_name_on_every_processor() -> None:
    """Where the kernel has no poll (arm64), the C library takes ppoll for it."""
    scene = Scene(drawn(2, 1)["start"], Shape(2))
    record = measured("start", scene)
    threads = tuple(
        msgspec.structs.replace(one, call="ppoll" if one.call == "poll" else one.call) for one in record.runs[0].threads
    )
    other = msgspec.structs.replace(record, runs=(msgspec.structs.replace(record.runs[0], threads=threads),))
    assert reading.evidence(dataclasses.replace(scene, record=record)) == reading.evidence(
        dataclasses.replace(scene, record=other)
    )


def test_the_table_says_where_the_search_domain_was_not_taken() -> None:
    """A C library that takes none from us (musl) finds the short name by no way; that is no loss of a way."""
    record = names_room.replay("ways")
    scene = Scene(dict(record.parameters), Shape(2), record)
    runs = tuple(
        msgspec.structs.replace(run, counts={**run.counts, "search_domain_found": 0})
        if "search_domain_found" in run.counts
        else run
        for run in record.runs
    )
    other = dataclasses.replace(scene, record=msgspec.structs.replace(record, runs=runs))
    assert [False, True] == [
        any("The last column says nothing here" in line for line in tables.ways(one)) for one in (scene, other)
    ]
    assert max(map(len, tables.ways(other))) <= WIDTH


def test_tables_fit_the_page() -> None:
    """Five ways and eight sizes, from recorded runs."""
    for slug, table, rows in (("ways", tables.ways, 5), ("sizes", tables.sizes, 8)):
        record = names_room.replay(slug)
        lines = table(Scene(dict(record.parameters), Shape(2), record))
        assert rows + 1 <= len(lines) <= rows + 6
        assert max(map(len, lines)) <= WIDTH
        assert [] == form.banned("\n".join(lines))


def test_the_five_lines_and_what_stays() -> None:
    """Five lines with the place in libuv, broken only between sentences; the card's sentences from the learner's own records."""
    records = {slug: names_room.replay(slug) for slug in ("own", "cache")}
    assert 5 == len(reading.five_lines(Scene({}, Shape(2))))
    parts = "\n".join(reading.five_lines(Scene({}, Shape(2)))).split("\n")
    assert [reading.SOURCE] == [part for part in parts if not part.endswith(".")]
    assert max(len(line) for text in reading.five_lines(Scene({}, Shape(2))) for line in wrapped((text,))) <= WIDTH
    assert 3 == len(reading.closing(records))
    assert 1 == len(reading.closing({}))


def test_the_picture_shows_every_run_and_its_text_says_the_same() -> None:
    """1280 pixels wide, a panel a run, with a text beside it for who cannot see it."""
    records = {slug: names_room.replay(slug) for slug in ("start", "own", "second", "state")}
    figure: Any = picture.draw(records)
    text = picture.text(records)
    assert 1280 >= round(figure.get_size_inches()[0] * figure.dpi)
    assert 6 == len(figure.axes)
    assert 6 == sum(line.endswith(":") for line in text)
    assert "[n1] [n2] [ ] [ ]" in "\n".join(text)
