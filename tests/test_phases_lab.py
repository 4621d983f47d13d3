"""The lab ``phases``: every draw, every story, every text."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import pytest

from course.reply import WIDTH, wrapped
from grader import answering
from labs import catalog
from labs.acts import freeze
from labs.measurement import Record
from labs.phases import curious, loop, parts, picture, programs, reading, stories
from labs.phases.bets import BETS
from labs.phases.draw import KINDS, TAKEN, draw, kinds, nested, reachable
from labs.request import Request
from labs.spec import Row, Scene, Shape
from tests import form, personas, phases_room
from tests.form import fits

LAB = catalog.load("phases")
CORES = (1, 2, 4, 12, 16)
DRAWS = range(60)
ROW = ("four", "two", "between", "modules", "starve")


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
    return phases_room.record(Request(lab="phases", measure=slug, parameters=plain, script=script))


def scene(slug: str, seed: int, **changes: Any) -> Scene:
    """Return a thing's scene with its record."""
    whole = {"record": measured(slug, drawn(seed)[slug]), **changes}
    return Scene(drawn(seed)[slug], Shape(2), **whole)


def whole_row(name: str, seed: int) -> dict[str, Row]:
    """Return all that a story (or Node) predicts at one draw."""
    return {
        bet: dict(row) for slug in ROW for bet, row in stories.rows(name, Scene(drawn(seed)[slug], Shape(2))).items()
    }


# numbers


@pytest.mark.parametrize("seed", DRAWS)
def test_a_draw_keeps_to_its_rules(seed: int) -> None:
    """The lines stand in an order that no other story predicts; part B has both pairs the other way round than A."""
    numbers = drawn(seed)
    a, b = numbers["A"]["target"], numbers["B"]["target"]

    assert numbers["four"]["lines"] not in TAKEN
    assert sorted(KINDS) == sorted(numbers["four"]["lines"]) == sorted(a) == sorted(b)
    assert {a, b} <= {*reachable()}
    for pair in (("tick", "promise"), ("timeout", "immediate")):
        assert [name for name in a if name in pair] == [name for name in b if name in pair][::-1]


@pytest.mark.parametrize("cores", CORES)
def test_nothing_depends_on_the_machine(cores: int) -> None:
    """The order of callbacks does not know how many cores there are."""
    assert [drawn(seed) for seed in DRAWS] == [drawn(seed, cores) for seed in DRAWS]


def test_no_story_agrees_with_node_in_its_whole_row_and_no_two_with_each_other() -> None:
    """Wherever both say something, they differ somewhere; each differs from Node somewhere."""
    for seed in DRAWS:
        node = whole_row("node", seed)
        found = {story.slug: whole_row(story.slug, seed) for story in LAB.stories}

        assert [] == [slug for slug, row in found.items() if all(row[bet] == node[bet] for bet in row)]
        for one, other in combinations(found, 2):
            common = found[one].keys() & found[other].keys()
            assert not common or any(found[one][bet] != found[other][bet] for bet in common), (one, other)


def test_where_a_story_first_differs_from_node_no_other_says_the_same() -> None:
    """So it is named alone where a learner meets it first, given that all earlier bets were as the story has them."""
    for seed in DRAWS:
        node = whole_row("node", seed)
        first: dict[tuple[str, str], list[str]] = {}
        for story in LAB.stories:
            row = whole_row(story.slug, seed)
            bet = next(name for name in ROW if name in row and row[name] != node[name])
            first.setdefault((bet, str(sorted(row[bet].items()))), []).append(story.slug)

        assert [] == [names for names in first.values() if len(names) > 1]


@pytest.mark.parametrize("seed", DRAWS)
def test_one_of_three_orders_can_never_come_of_one_callback(seed: int) -> None:
    """Brute force over every source, every order of the lines, plain or inside a promise's callback."""
    numbers = drawn(seed)["cannot"]
    seen = set()
    for source, lines in product(("file", "timer", "immediate", "close", "cjs", "mjs"), permutations(KINDS)):
        plain = programs.four(source, kinds(lines))  # type: ignore[arg-type]  # a source
        seen.add(loop.order(plain))
        seen.add(loop.order(loop.Program(plain.source, (loop.Ask("promise", "outer", plain.asks),)))[1:])

    assert seen == {*reachable()}
    assert {numbers["plain"], numbers["odd"]} <= seen
    assert numbers["never"] not in seen
    assert 3 == len({numbers["plain"], numbers["odd"], numbers["never"]})


# texts


def odd_rows(slug: str) -> Iterator[Row]:
    """Yield every answer to a bet, for the small ones; for the others a selection of all."""
    if slug == "four":
        for one in permutations(KINDS):
            yield {"file": one, "timer": KINDS}
            yield {"file": ("tick", "promise", "immediate", "timeout"), "timer": one}
    elif slug == "two":
        for two in permutations(("timeout", "immediate")):
            yield from ({"immediate": two, "close": other} for other in permutations(two))
    elif slug == "between":
        yield from ({"order": all_five} for all_five in permutations(("A", "tickA", "B", "tickB", "C")))
    elif slug == "modules":
        for two in permutations(("tick", "promise")):
            yield from ({"cjs": two, "mjs": other} for other in permutations(two))
    else:
        for most in range(5):
            yield from ({"which": tuple(some)} for some in combinations(KINDS, most))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bet", BETS, ids=lambda bet: bet.slug)
def test_every_answer_to_a_bet_is_six_lines_at_most(bet: Any, seed: int) -> None:
    """Node's own row, every story in its voice, and every row that fits none."""
    here = scene(bet.slug, seed, sure="think")
    assert here.record is not None
    actual = bet.actual(here.record)
    assert actual == stories.node(here)[bet.slug]
    fits((*bet.look(dataclasses.replace(here, answers=actual)), *bet.because(here), bet.next_step))
    assert max(map(len, wrapped((bet.ask(here),)))) <= WIDTH and [] == form.banned(bet.ask(here))
    for story in LAB.stories:
        row = story.rows(here).get(bet.slug)
        if row and row != actual:
            said = dataclasses.replace(here, answers={**actual, **row})
            fits((*bet.look(said), *story.voice[bet.slug](said), bet.next_step))
    for row in odd_rows(bet.slug):
        said = dataclasses.replace(here, answers=row)
        if row != actual:
            fits((*bet.look(said), *bet.otherwise(said), bet.next_step))


@pytest.mark.parametrize("seed", range(20))
def test_questions_speak_in_form_and_do_not_give_the_answer_away(seed: int) -> None:
    """One right option, different sentences; the reply to a miss never holds the right one."""
    for question in LAB.questions:
        here = Scene(drawn(seed)[question.slug], Shape(2))
        if question.slug == "why":
            here = dataclasses.replace(here, record=measured("between", drawn(seed)["between"]))
        form.asks_fairly(question, here, 14)


@pytest.mark.parametrize(
    ("sent", "fix", "expected"),
    [
        (600, "immediate", "All 600: the ticks are emptied"),
        (1, "immediate", "But who lets it in"),
        (599, "immediate", "a queue is emptied to its end"),
        (77, "immediate", "Count what is emptied before"),
        (600, "microtask", "how many steps did the promise make"),
        (600, "await", "goes on as a promise does"),
        (600, "pool", "The pool is idle here"),
    ],
)
def test_the_machines_code_is_answered_by_what_was_said(sent: int, fix: str, expected: str) -> None:
    """The count first, then the proposal; what is right is not commented."""
    question = LAB.question("service")
    assert question.reply is not None
    said = question.reply(Scene({"items": 600}, Shape(2), answers={"sent": sent, "fix": fix}))

    assert expected in said[0]
    fits(said)


@pytest.mark.parametrize("seed", DRAWS)
def test_what_the_questions_say_of_an_order_is_what_the_model_has(seed: int) -> None:
    """Whether it was seen, and which place brings it about; the reply to the right "why" names the phase that came next."""
    numbers = drawn(seed)
    cannot, why = LAB.question("cannot"), LAB.question("why")
    here = Scene(numbers["cannot"], Shape(2))
    plain, odd = numbers["cannot"]["plain"], numbers["cannot"]["odd"]
    replies = {option.slug: option.reply for option in answering.options(cannot, here)}
    settled = cannot.because(here)[1]

    assert (plain == loop.order(programs.four("file", KINDS))) == ("You have seen this one" in replies["plain"])
    assert (odd == loop.order(programs.four("mjs", KINDS))) == ("an ES module's body" in settled)
    assert (odd == loop.order(nested("immediate"))[1:]) == ("an immediate began" in settled)
    assert (odd == loop.order(nested("file"))[1:] == loop.order(nested("timer"))[1:]) == (
        "a file or a timer" in settled
    )
    between = measured("between", numbers["between"])
    (right,) = [one for one in answering.options(why, Scene({}, Shape(2), record=between)) if one.slug == why.right]
    phase = between.runs[0].callbacks[0].phase
    assert {"check": "check came next", "timers": "the timers came next"}[phase] in right.reply


def test_a_count_of_one_is_one_step() -> None:
    """A timer may let the file in after one step."""
    here = scene("starve", 3)
    for slug, expected in (("timeout-starves", "after 1 timer:"), ("all-starve", "timers after 1 step:")):
        assert expected in next(one for one in LAB.stories if one.slug == slug).voice["starve"](here)[1]


def test_one_row_of_the_last_bet_is_no_story_of_all_the_others() -> None:
    """Who has a timer starve the file may have had every order right."""
    for which, expected in (("timeout", "timeout-starves"), ("immediate", "immediate-starves")):
        here = scene("starve", 3)
        said = {"which": tuple(kind for kind in KINDS if kind in ("tick", "promise", which))}
        assert [expected] == [story.slug for story in LAB.stories if story.rows(here).get("starve") == said]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (phases_room.SOUND, "no luck in it"),
        (phases_room.LUCKY, "depends on whether a millisecond"),
        (phases_room.NESTED, "different callbacks"),
        (phases_room.FORGED, "callback of the kind promise"),
        (phases_room.ELSEWHERE, "Timeout and immediate are the other way round"),
        (parts.STARTER, "Nothing was logged"),
    ],
)
@pytest.mark.parametrize("part", ["A", "B"])
def test_a_part_is_answered_by_what_came_of_it(part: str, script: str, expected: str) -> None:
    """What came, what was wanted, what is the matter, and which cell is next."""
    for seed in range(8):
        here = Scene(drawn(seed)[part], Shape(2), record=measured(part, drawn(seed)[part], script))
        told = parts.look(part, here)

        assert expected in "\n".join(told)
        fits(told)


def test_a_dry_run_does_not_pass_its_list_off_as_an_order() -> None:
    """Names are sorted there; the order is for the measurement to show."""
    logged = [
        {"name": name, "kind": name, "asked_in": "file", "asked_id": 4}
        for name in ("immediate", "promise", "tick", "timeout", "timeout")
    ]
    findings = {"parts": [{"name": name, "logged": logged} for name in ("A", "B")]}
    target = {"target": ("tick", "promise", "timeout", "immediate")}
    said = parts.rehearsed(findings, Scene({}, Shape(2), scripted={"A": target, "B": target}))
    assert "Part B (tick promise timeout immediate): logs, in some order, immediate promise tick" in said.text
    assert not said.complete


@pytest.mark.parametrize(
    ("kind", "expected"), [("promise", "the module's body"), ("file", "one callback of the kind file")]
)
def test_a_dry_run_does_not_tell_the_body_of_a_module_from_a_promise(kind: str, expected: str) -> None:
    """Who asks there has written no promise, and the trace shows one."""
    logged = [{"name": name, "kind": name, "asked_in": kind, "asked_id": 4} for name in KINDS]
    numbers = {part: {"target": KINDS} for part in "AB"}
    said = parts.rehearsed(
        {"parts": [{"name": name, "logged": logged} for name in "AB"]}, Scene({}, Shape(2), scripted=numbers)
    )
    assert 2 == said.text.count(expected)


def test_the_worked_record_has_a_line_for_each_callback() -> None:
    """Who it is to Node, who asked for it, where it ran; at most a page wide."""
    lines = reading.evidence(scene("four", 3))

    assert ["tick", "promise", "immediate", "timeout"] == [line.split()[0] for line in lines[1:5]]
    assert ["poll", "poll", "check", "timers"] == [line[54:64].strip() for line in lines[1:5]]
    assert all("FSREQCALLBACK" in line or "file" in line for line in lines[1:5])
    fits(lines, 9)


def test_the_picture_shows_every_run_and_its_text_says_the_same() -> None:
    """A panel a run, and a line a run for who cannot see it."""
    records = {
        name: measured(name, drawn(3)[name], phases_room.SOUND)
        for name in ("four", "two", "between", "modules", "A", "B")
    }
    figure = picture.draw(records)
    shown = [axes for axes in figure.axes if axes.get_visible()]

    assert 9 == len(shown) == len(picture.text(records))
    assert max(map(len, picture.text(records))) <= WIDTH


def test_the_plot_says_what_its_lanes_are(tmp_path: Path) -> None:
    """In this lab they are phases; in others slots."""
    from course import betting, keeping, measuring

    it = phases_room.session(tmp_path)
    betting.predict(it, "two", personas.node_row(it, "two"))
    measuring.measure(it, "two", {})

    assert "A lane is a phase." in keeping.plot(it).text


def test_the_program_of_the_experiment_is_the_first_bets() -> None:
    """experiment.mjs holds one of the programs that are made from a draw."""
    text = Path(programs.__file__).with_name("experiment.mjs").read_text()

    assert programs.text(programs.four("file", ("timeout", "immediate", "promise", "tick"))) in text


@pytest.mark.parametrize("slug", ["shares", "formats", "lines", "idle"])
def test_what_is_shown_without_points_is_said_on_a_recorded_run(slug: str) -> None:
    """Each has a recorded run, and a text about it; of the two Node lines the older did not fire."""
    from labs.measurement import decode

    path = Path(curious.__file__).with_name("replay") / f"{slug}.json"
    look = LAB.measure(slug).look
    assert look is not None
    told = look(Scene({}, Shape(2), record=decode(path.read_bytes())))

    fits(told, 10)
    if slug == "lines":
        assert told[0].endswith("(libuv 1.44.2): the timer fired 0 times")
        assert told[1].endswith("the timer fired 1 time")


def test_without_an_older_node_the_recorded_run_stands_in() -> None:
    """The text says so."""
    from msgspec.structs import replace

    from labs.measurement import decode

    record = decode((Path(curious.__file__).with_name("replay") / "lines.json").read_bytes())
    alone = replace(record, runs=tuple(run for run in record.runs if run.name == "pinned"))

    assert "a recorded run" in curious.lines(Scene({}, Shape(2), record=alone))[0]
