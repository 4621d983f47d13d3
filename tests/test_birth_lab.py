"""The lab ``birth``: every draw, every story, every text."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from course.reply import MOST_LINES, WIDTH
from labs import catalog, poolsize
from labs.acts import freeze
from labs.birth import expect, further, parts, picture, reading, situations, stories
from labs.birth.bets import BETS
from labs.birth.draw import draw
from labs.measurement import Record, decode
from labs.request import Request
from labs.spec import Row, Scene, Shape
from tests import birth_room, form
from tests.form import fits

LAB = catalog.load("birth")
CORES = (1, 2, 4, 12, 16)
DRAWS = range(60)
REPLAY = Path(further.__file__).with_name("replay")
ROW = ("first", "line", "value", "bill", "exit")


@cache
def drawn(seed: int, cores: int = 2) -> Mapping[str, Any]:
    """Return one draw as the journal holds it."""
    numbers: Mapping[str, Any] = freeze(
        {name: dict(part) for name, part in draw(random.Random(seed), Shape(cores)).items()}
    )
    return numbers


def measured(slug: str, parameters: Mapping[str, Any], script: str | None = None) -> Record:
    """Return what an undisturbed machine records."""
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in parameters.items()}
    return birth_room.record(Request(lab="birth", measure=slug, parameters=plain, script=script))


def scene(slug: str, seed: int, cores: int = 2, **changes: Any) -> Scene:
    """Return a thing's scene with its record."""
    numbers = drawn(seed, cores)[slug]
    return Scene(numbers, Shape(cores), **{"record": measured(slug, numbers), **changes})


def whole_row(story: Any, seed: int, cores: int) -> dict[str, Row]:
    """Return all that a story (or Node, None) predicts at one draw."""
    rows = story.rows if story else stories.node
    return {bet: dict(row) for slug in ROW for bet, row in rows(Scene(drawn(seed, cores)[slug], Shape(cores))).items()}


@pytest.mark.parametrize("cores", CORES)
def test_no_size_is_the_default_or_the_number_of_cores(cores: int) -> None:
    """So that neither "always four" nor "one a core" can be right by luck; and the two numbers of the program differ."""
    for seed in DRAWS:
        numbers = drawn(seed, cores)
        sizes = [numbers[slug]["size"] for slug in ("first", "line", "unset", "both")] + [numbers["both"]["given"]]
        assert not {4, cores} & {*sizes}
        assert numbers["unset"] == numbers["both"]
        assert numbers["both"]["size"] != numbers["both"]["given"]


@pytest.mark.parametrize("cores", CORES)
def test_no_story_agrees_with_node_in_its_whole_row_and_no_two_with_each_other(cores: int) -> None:
    """Wherever both say something, they differ somewhere; each differs from Node somewhere."""
    for seed in DRAWS:
        node = whole_row(None, seed, cores)
        found = {story.slug: whole_row(story, seed, cores) for story in LAB.stories}

        assert [] == [slug for slug, row in found.items() if all({**node[bet], **row[bet]} == node[bet] for bet in row)]
        for one, other in combinations(found, 2):
            common = found[one].keys() & found[other].keys()
            assert not common or any(found[one][bet] != found[other][bet] for bet in common), (cores, one, other)


@pytest.mark.parametrize("cores", CORES)
def test_each_story_speaks_of_the_bets_it_has_a_row_for(cores: int) -> None:
    """A voice for each row, and no voice without one."""
    for story in LAB.stories:
        assert {*story.voice} == {*whole_row(story, 3, cores)}


def test_the_values_are_read_as_the_rule_of_libuv_reads_them() -> None:
    """A word 1, digits and more the digits, 1e2 its first digit, -1 all that can be."""
    for seed in DRAWS:
        word, tail, power, minus = drawn(seed)["value"]["values"]
        expected = (1, int(re.match(r"\d+", tail)[0]), int(power[0]), 1024)  # type: ignore[index]  # a tail begins with digits
        assert expected == tuple(poolsize.in_force(value, expect.UV) for value in (word, tail, power, minus))


@pytest.mark.parametrize(("value", "expected"), [("abc", 4), ("7x", 4), ("1e2", 100), ("2e1", 20), ("-1", 1), ("6", 6)])
def test_a_reader_in_javascript(value: str, expected: int) -> None:
    """What Number makes of it; the default where that is none."""
    assert expected == stories.javascript(value)


# texts


def odd_rows(slug: str) -> Iterator[Row]:
    """Yield many answers to a bet."""
    blanks = [blank.name for blank in LAB.bet(slug).blanks]
    for row in product((0, 1, 4, 77, 1024), repeat=len(blanks)):
        yield {name: "half" if name == "used" else value for name, value in zip(blanks, row, strict=True)}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bet", BETS, ids=lambda bet: bet.slug)
def test_every_answer_to_a_bet_is_six_lines_at_most(bet: Any, seed: int) -> None:
    """Node's own row, every story in its voice, and every row that fits none."""
    here = scene(bet.slug, seed, sure="think")
    assert here.record is not None
    actual = bet.actual(here.record)
    assert stories.node(here)[bet.slug] == actual
    fits((*bet.look(dataclasses.replace(here, answers=actual)), *bet.because(here), bet.next_step))
    fits((bet.ask(here),), 7)
    for story in LAB.stories:
        row = story.rows(here).get(bet.slug)
        if row:
            said = dataclasses.replace(here, answers={**actual, **row})
            fits((*bet.look(said), *story.voice[bet.slug](said), bet.next_step))
    for row in odd_rows(bet.slug):
        said = dataclasses.replace(here, answers=row)
        fits((*bet.look(said), *bet.otherwise(said), bet.next_step))


@pytest.mark.parametrize("seed", range(20))
def test_questions_speak_in_form_and_do_not_give_the_answer_away(seed: int) -> None:
    """One right option, different sentences; the reply to a miss never holds the right one."""
    for question in LAB.questions:
        here = Scene(drawn(seed)[question.slug], Shape(2))
        form.asks_fairly(question, here, 14)


@pytest.mark.parametrize(
    ("threads", "fix", "expected"),
    [
        (4, "outside", "had handed in a job before"),
        (16, "outside", "what is printed"),
        (0, "outside", "Who fetches them"),
        (7, "outside", "where nobody has set one in time"),
        (4, "top", "imports run before the first line"),
        (4, "replaced", "stays as it was"),
        (4, "again", "later than the first job"),
    ],
)
def test_the_machines_code_is_answered_by_what_was_said(threads: int, fix: str, expected: str) -> None:
    """The count first, then the proposal; what is right is not commented."""
    question = LAB.question("service")
    assert question.reply is not None
    said = question.reply(Scene({"wanted": 16}, Shape(2), answers={"threads": threads, "fix": fix}))

    assert expected in said[0]
    fits(said)


@pytest.mark.parametrize(
    ("script", "unset", "both"),
    [
        (birth_room.SOUND, "before the first job", "the operator's where somebody has"),
        (birth_room.LATE, "at the first job C saw no", "at the first job C saw no"),
        (birth_room.DELETED, "Nobody has set it; then it is 4.", "Nobody has set it; then it is 4."),
        (
            birth_room.NONSENSE,
            "shows 'undefined', and libuv makes 1 of it",
            "shows 'undefined', and libuv makes 1 of it",
        ),
        (birth_room.LOUD, "before the first job", "may know its machine better"),
        (birth_room.WITHOUT, "was not loaded", "was not loaded"),
        (birth_room.SILENT, "was not called", "was not called"),
        (birth_room.EARLY, "No pool yet", "No pool yet"),
    ],
)
def test_the_program_is_answered_by_what_was_counted(script: str, unset: str, both: str) -> None:
    """What came, what was wanted, what is the matter, and which cell is next."""
    for seed in range(8):
        for slug, expected in (("unset", unset), ("both", both)):
            here = Scene(drawn(seed)[slug], Shape(2), record=measured(slug, drawn(seed)[slug], script))
            told = parts.look(slug, here)

            assert expected in "\n".join(told)
            assert "None" not in "\n".join(told)
            fits(told)


@pytest.mark.parametrize(("script", "named"), [(birth_room.LATE, {"printed"}), (birth_room.DELETED, set())])
def test_what_is_printed_is_taken_for_the_size_only_where_something_is(script: str, named: set[str]) -> None:
    """Who has deleted the line has four threads too, and does not hold that the size is what process.env shows."""
    for check in (parts.CHECK_UNSET, parts.CHECK_BOTH):
        numbers = drawn(3)[check.measure]
        assert named == {*check.wrong(Scene(numbers, Shape(2), record=measured(check.measure, numbers, script)))}


def test_the_worked_record_has_a_line_for_each_kind_of_thread() -> None:
    """The pool first, then the program's own thread, then Node's."""
    here = scene("first", 3)
    lines = reading.evidence(here)

    assert ["libuv-worker", str(here.parameters["size"]), "futex"] == lines[1].split()[:3]
    assert "stands still at our gate" in lines[2]
    assert "after one job" in lines[-1]
    fits(lines, 9)


def test_the_law_and_the_last_word_are_in_form() -> None:
    """Five lines with their place in libuv and Node; one sentence from the learner's own record."""
    records = {name: measured(name, drawn(3)[name]) for name in ROW}

    fits(reading.five_lines(scene("line", 3)), 12)
    assert f"process.env showed {drawn(3)['line']['size']}, and there were 4" in reading.closing(records)[0]
    assert () == reading.closing({})


def test_the_picture_shows_three_records_and_its_text_says_the_same() -> None:
    """A panel a record, also for who cannot see it, and something for who has nothing yet."""
    records = {name: measured(name, drawn(3)[name]) for name in ROW}

    assert 3 == len(picture.draw(records).axes) == len(picture.text(records))
    assert max(map(len, picture.text(records))) <= WIDTH
    assert 1 == len(picture.draw({}).axes)


@pytest.mark.parametrize("slug", [measure.slug for measure in LAB.measures])
def test_every_measure_has_a_recorded_run_that_its_text_can_speak_about(slug: str) -> None:
    """Made by the real thing; free ones have a table of at most twenty-four lines."""
    record = decode((REPLAY / f"{slug}.json").read_bytes())
    measure = LAB.measure(slug)
    bet = next((bet for bet in LAB.bets if bet.measure == slug), None)
    here = Scene(freeze(dict(record.parameters)), Shape(2), record=record)

    assert (slug, "24.19.0") == (record.measure, record.node.version)
    if bet is not None:
        assert stories.node(here)[slug] == bet.actual(record)
    else:
        assert measure.look is not None
        fits(measure.look(here), 24 if measure.free else MOST_LINES)


@pytest.mark.parametrize(
    ("taken", "expected"), [(frozenset(), "shown 10"), (frozenset({"older first", "older mjs"}), "a recorded run")]
)
def test_the_first_line_is_shown_on_an_older_node_too(taken: frozenset[str], expected: str) -> None:
    """In CommonJS it counted there, in an ES module it did not; without such a Node the recorded runs stand in."""
    record = decode((REPLAY / "ways.json").read_bytes())
    record = replace(record, runs=tuple(run for run in record.runs if run.name not in taken))
    told = further.ways(Scene({}, Shape(2), record=record))
    first, module = (line for line in told if ", Node 20.2.0" in line)

    assert ["10", "4"] == [line.split(" threads")[0].split()[-1] for line in (first, module)]
    assert first.endswith(expected) and module.endswith(expected)


def test_situations_have_a_name_each() -> None:
    """A slug a way, and the second bet's four among them."""
    slugs = [way.slug for way in situations.WAYS]

    assert len(slugs) == len({*slugs})
    assert {*situations.LINES} <= {*slugs}
