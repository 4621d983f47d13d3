"""The numbers of ``places``: every draw, every story, every text in its form."""

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

import labs.places
from course import lint
from course.reply import WIDTH, wrapped
from grader.judge import judge_record
from grader.verdict import Outcome
from labs import catalog, plots
from labs.acts import freeze
from labs.measurement import Record, decode
from labs.places import drawing, lines, paths, picture, questions, reading, stories
from labs.places.draw import ELSEWHERE, LINES, POOLED, STOPS, TABLE, draw
from labs.places.facts import CALLS, KIND, SIX, SIX_MORE, path
from labs.request import Request
from labs.spec import Row, Scene, Shape
from tests import classroom, form, places_room
from tests.form import fits

LAB = catalog.load("places")
CORES = (1, 2, 4, 12, 16)
SEEDS = range(40)
WHOLE = tuple(story for story in LAB.stories if not story.local)


@cache
def drawn(seed: int, cores: int = 2) -> Mapping[str, Any]:
    """Return one draw as the journal holds it."""
    numbers: Mapping[str, Any] = freeze(
        {name: dict(part) for name, part in draw(random.Random(seed), Shape(cores)).items()}
    )
    return numbers


def measured(slug: str, scene: Scene, code: str = places_room.SOUND) -> Record:
    """Return what an undisturbed machine records."""
    measure = LAB.measure(slug)
    parameters = classroom.plain(dict(measure.parameters(scene)))
    return places_room.record(
        Request(lab="places", measure=slug, parameters=parameters, script=code if measure.script else None)
    )


def scenes(slug: str) -> Iterator[Scene]:
    """Yield a bet's scene with its record, for many draws."""
    for seed in SEEDS:
        scene = Scene(drawn(seed)[slug], Shape(2), sure="think")
        yield dataclasses.replace(scene, record=measured(slug, scene))


def rows_of(seed: int, cores: int) -> dict[str, dict[str, Row]]:
    """Return story -> its whole row in one draw, Node's among them."""
    found: dict[str, dict[str, Row]] = {}
    for bet in LAB.bets:
        scene = Scene(drawn(seed, cores)[bet.slug], Shape(cores))
        for slug, rows in [("node", stories.node), *((story.slug, story.rows) for story in LAB.stories)]:
            if bet.slug in (here := rows(scene)):
                found.setdefault(slug, {})[bet.slug] = here[bet.slug]
    return found


def agree(one: Mapping[str, Row], other: Mapping[str, Row]) -> bool:
    """Return whether two whole rows say the same wherever both say something."""
    return all(one[bet] == other[bet] for bet in one.keys() & other.keys())


@pytest.mark.parametrize("cores", CORES)
def test_no_story_agrees_with_node_and_no_two_with_each_other(cores: int) -> None:
    """In whole rows; and no two differ from Node in one bet by the same row, so that one name at most is said there."""
    for seed in SEEDS:
        rows = rows_of(seed, cores)
        node = rows.pop("node")

        assert [] == [slug for slug, row in rows.items() if agree(row, node)]
        for one, other in combinations([story.slug for story in WHOLE], 2):
            assert not agree(rows[one], rows[other]) or not rows[one].keys() & rows[other].keys(), (one, other)
        first = [tuple(row["six"]["paths"]) for row in rows.values() if "six" in row]  # type: ignore[arg-type]  # texts
        assert len(first) == len({*first})


@pytest.mark.parametrize("kinds", (SIX, SIX_MORE))
def test_calls_of_one_kind_split_the_stories_alike(kinds: Mapping[str, tuple[str, ...]]) -> None:
    """Every call of a kind has one path, so whichever is drawn, the stories are told apart as well."""
    for slugs in kinds.values():
        assert 1 == len({path(slug) for slug in slugs})
        assert {*slugs} <= CALLS.keys()


def test_neighbours_have_other_calls_in_another_order() -> None:
    """Answers cannot be copied: over forty draws few rows are alike."""
    rows = [stories.node(Scene(drawn(seed)["six"], Shape(2)))["six"]["paths"] for seed in SEEDS]
    calls = {drawn(seed)["six"]["calls"] for seed in SEEDS}

    assert len({*rows}) > 20
    assert len(calls) > 30


def test_twelve_calls_and_the_table_are_all_calls_and_the_table_has_thirty_and_more() -> None:
    """Nothing is tried twice; nothing is left out."""
    assert len(TABLE) >= 30
    assert {*TABLE} | {*KIND} == {*CALLS}
    assert not {*TABLE} & {*KIND}


def test_lines_of_the_puzzle_are_what_their_lists_say() -> None:
    """Three or four of eight are the loop's; none of those has Sync in its name."""
    assert {"L"} == {path(call) for call in STOPS}
    assert {"K"} == {path(call) for call in ELSEWHERE}
    assert all("P" in path(call) for call in POOLED)
    assert not any("Sync" in CALLS[call].code for call in (*STOPS, *POOLED, *ELSEWHERE))
    for seed in SEEDS:
        scene = Scene(drawn(seed)["lines"], Shape(2))

        assert LINES == len({*scene.parameters["lines"]})
        assert 3 <= len(lines.right(scene)) <= 4
        assert lines.right(scene) != (1,)


@pytest.mark.parametrize("slug", [bet.slug for bet in LAB.bets])
def test_every_answer_to_a_bet_is_six_lines_at_most(slug: str) -> None:
    """Node's own row, every story in its voice, and rows that fit none."""
    bet = LAB.bet(slug)
    for scene in scenes(slug):
        assert scene.record is not None
        actual = bet.actual(scene.record)
        assert actual == stories.node(scene)[slug]
        here = dataclasses.replace(scene, answers=actual)
        fits((*bet.look(here), *bet.because(here), bet.next_step))
        fits((bet.ask(scene),), 4)
        for story in LAB.stories:
            if (row := story.rows(scene).get(slug)) and row != actual:
                here = dataclasses.replace(scene, answers={**actual, **row})
                fits((*bet.look(here), *story.voice[slug](here), bet.next_step))
                assert all(story.voice[slug](here))
        for row in odd_rows(slug):
            here = dataclasses.replace(scene, answers=row)
            fits((*bet.look(here), *bet.otherwise(here), bet.next_step))


def odd_rows(slug: str) -> list[Row]:
    """Return many rows, whatever they fit."""
    if slug == "victim":
        return [{"sync": one, "callback": other} for one, other in product(("timer", "stat", "both", "none"), repeat=2)]
    if slug == "own":
        return [{"early": one, "health": other} for one, other in product(range(4), repeat=2)]
    chance = random.Random(7)
    kinds = ("L", "P", "K", "PK", "LK", "KP", "LPK")
    return [{"paths": tuple(chance.choice(kinds) for _ in range(6))} for _ in range(30)]


def test_questions_speak_in_form_and_do_not_give_the_answer_away() -> None:
    """Every option's reply and hint, with the record of the second bet."""
    for seed in SEEDS:
        numbers = drawn(seed)
        for question in LAB.questions:
            scene = Scene(numbers[question.slug], Shape(2))
            if question.slug == "why":
                scene = dataclasses.replace(scene, record=measured("six more", Scene(numbers["six more"], Shape(2))))
            form.asks_fairly(question, scene)


def test_the_limit_is_the_budget_over_what_a_megabyte_takes() -> None:
    """By brute force: the largest whole megabyte whose parse keeps to the budget; it divides without a rest."""
    for seed in SEEDS:
        p = drawn(seed)["service"]
        fitting = [size for size in range(p["size"] + 1) if size * p["stall"] <= p["budget"] * p["size"]]

        assert max(fitting) == questions.limit(Scene(p, Shape(2)))
        assert p["budget"] * p["size"] % p["stall"] == 0


@pytest.mark.parametrize(
    ("limit", "after", "expected"),
    [
        (3, "nothing", "48 ms for 12 MB is 4 ms a megabyte; 12 ms are 3 MB."),
        (48, "nothing", "12 MB take 48 ms. How many megabytes go into 12 ms?"),
        (12, "nothing", "That is the budget in milliseconds. How many milliseconds does one megabyte take?"),
        (5, "nothing", "12 MB take 48 ms. How many megabytes go into 12 ms?"),
        (3, "faster", "It would be shorter if several threads shared it. Who parses?"),
        (3, "off", "What moves a call is its own code. Does JSON.parse have a form that hands over?"),
        (3, "worse", "What would the new threads do while nobody asks for a slot?"),
    ],
)
def test_the_service_answers_the_limit_and_the_proposal(limit: int, after: str, expected: str) -> None:
    """The limit first; what is right is not commented."""
    reply = LAB.question("service").reply
    assert reply is not None
    scene = Scene(
        {"size": 12, "stall": 48, "budget": 12, "proposed": 32}, Shape(2), answers={"limit": limit, "after": after}
    )

    assert expected == reply(scene)[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_puzzle_answers_in_form_and_never_names_a_line_that_was_not_named(seed: int) -> None:
    """All, one less, nothing, everything, one that waits: six lines at most."""
    p = drawn(seed)["lines"]
    whole = lines.right(Scene(p, Shape(2)))
    for stop in (
        whole,
        whole[:-1],
        (),
        tuple(range(1, LINES + 1)),
        (*whole, *(n for n in lines.NUMBERS if n not in whole))[:-1],
    ):
        scene = Scene(p, Shape(2), answers={"stop": tuple(sorted(stop))})
        record = measured("lines", scene)
        said = lines.look(dataclasses.replace(scene, record=record))
        fits(said)
        spoken = [
            number
            for text in said
            for group in re.findall(r"\b[Ll]ines? (\d(?:(?:, | and )\d)*)", text)
            for number in group
        ]
        named = {int(number) for number in spoken if number.isdigit()}
        assert (lines.NEXT in said) == (stop == whole)
        assert (not stop) == said[0].startswith("You named none")
        assert named <= {*stop}
        assert lines.unlike_facts(record) is None
    fits((lines.ask(Scene(p, Shape(2))),), 5)


def test_the_lab_keeps_the_limits_of_the_course() -> None:
    """The lint finds nothing in it, and constant answers earn little."""
    master = Path(__file__).parent.parent / "course" / "notebooks" / "02_places.py"
    gates = lint.verbs(master.with_name("00_gates.py"))

    assert [] == list(lint.lint(LAB, master, gates))


def test_recall_is_answered_by_the_table() -> None:
    """And its blank takes that answer."""
    assert LAB.recall is not None
    for seed in SEEDS:
        scene = Scene(drawn(seed)["recall"], Shape(2))

        assert path(scene.parameters["call"]) == LAB.recall.solve(scene)
        assert LAB.recall.solve(scene) == LAB.recall.blank.kind.read(LAB.recall.solve(scene), {})


@pytest.mark.parametrize("measure", [measure for measure in LAB.measures if measure.replay], ids=lambda one: one.slug)
def test_recorded_runs_are_sound(measure: Any) -> None:
    """Each decodes strictly, belongs to its measure, answers its bet and follows the table."""
    record = decode((Path(labs.places.__path__[0]) / "replay" / f"{measure.replay}.json").read_bytes())
    scene = Scene(freeze(dict(record.parameters)), Shape(2), record)

    assert ("places", measure.slug) == (record.lab, record.measure)
    assert lines.unlike_facts(record) is None
    if measure.bet:
        assert stories.node(scene)[measure.bet] == LAB.bet(measure.bet).actual(record)
    if measure.free:
        assert all(len(line) <= WIDTH for line in wrapped(LAB.evidence[measure.slug](scene)))


def test_a_recorded_puzzle_answers_for_the_learners_lines() -> None:
    """What was typed is looked up in the table, and the record says that it was."""
    measure = LAB.measure("lines")
    scene = Scene(drawn(1)["lines"], Shape(2), answers={"stop": (2, 5)})
    record = measured("lines", scene)
    assert measure.replayed is not None
    other = measure.replayed(record, classroom.plain(dict(measure.parameters(scene))))

    assert tuple(path(scene.parameters["lines"][place]) for place in (1, 4)) == paths.all_seen(other)
    assert "looked up" in other.warnings[-1]
    assert {"claimed"} == {source for run in other.runs for source in run.sources.values()}


def test_a_record_unlike_the_table_is_not_judged() -> None:
    """A pooled call that came back with every slot held: somebody interfered; the reason names it."""
    scene = Scene(drawn(1)["lines"], Shape(2), answers={"stop": (1, 2, 3, 4, 5, 6, 7, 8)})
    record = measured("lines", scene)
    full = next(run for run in record.runs if run.name == paths.FULL)
    odd = replace(full, claims={"back": list(paths.calls(record))})
    moved = replace(record, runs=tuple(odd if run is full else run for run in record.runs))

    assert "Run the cell again" in (lines.unlike_facts(moved) or "")


def test_a_record_without_its_counts_is_not_judged() -> None:
    """It contradicts nothing: whether a call was done before the loop turned is not in it."""
    record = measured("six", Scene(drawn(1)["six"], Shape(2)))
    bare = replace(record, runs=tuple(replace(run, counts={}, sources={}) for run in record.runs))
    (sound,), (without,) = judge_record(LAB, record), judge_record(LAB, bare)
    assert (Outcome.PASS, Outcome.INCONCLUSIVE) == (sound.outcome, without.outcome)


def test_the_worked_record_has_a_line_for_each_call() -> None:
    """Six calls, what each did in three runs, and so; indented below it what else is known of it, and where that is written."""
    for seed in SEEDS:
        for slug in ("six", "six more"):
            scene = Scene(drawn(seed)[slug], Shape(2))
            record = measured(slug, scene)
            told = reading.evidence(dataclasses.replace(scene, record=record))
            rows = [line for line in told[1:-1] if not line.startswith(" ")]

            assert list(paths.all_seen(record) or ()) == [line.split()[-1] for line in rows]
            assert max(map(len, told)) <= WIDTH
            for call in paths.calls(record):
                assert any(CALLS[call].source in line and CALLS[call].note in line for line in told)


def test_hints_and_law_leave_room_for_what_goes_against_its_family() -> None:
    """A stream of gzip leaves and one of crypto stays; crc32 is in zlib, and the loop's."""
    told = " ".join(lines.HINTS)
    law = reading.five_lines(Scene(drawn(1)["why"], Shape(2)))

    assert "a stream tells nothing" in told
    assert "Everything else is the loop's" in lines.HINTS[-1]
    assert "zlib" not in told + " ".join(law[:4])
    fits(lines.HINTS)


def test_the_picture_shows_every_call_and_its_text_says_the_same() -> None:
    """As wide as a notebook's output, a row a call; the places of a path are numbered in their order."""
    numbers = drawn(3)
    records = {
        name: measured(name, Scene(numbers[name], Shape(2), answers={"stop": (1, 2)}))
        for name in ("six", "six more", "lines")
    }
    figure: Any = picture.draw(records)
    text = picture.text(records)
    known = {drawing.code(call): path(call) for call in CALLS}

    assert round(plots.WIDTH * plots.DPI) == round(figure.get_size_inches()[0] * figure.dpi)
    assert len(picture.rows(records)) + 1 == len(text)
    assert all(known[code] == found for code, found in picture.rows(records))


def test_closing_speaks_only_of_a_service_that_left_the_loop() -> None:
    """In the learner's own numbers; nothing where there is none."""
    scene = Scene(drawn(1)["own"], Shape(2))

    assert () == reading.closing({})
    assert () == reading.closing({"own": measured("own", scene, "as given")})
    fits(reading.closing({"own": measured("own", scene)}))


def test_the_law_fits_and_names_its_lines() -> None:
    """Five lines, and the place in Node and libuv with its version."""
    told = reading.five_lines(Scene(drawn(1)["why"], Shape(2)))

    assert 5 == len(told)
    assert "v24.19.0" in told[-1] and "v1.52.1" in told[-1]
    assert [] == form.banned(" ".join(told))
