"""What ``gates`` says: every answer for every draw, at most six lines of 110 characters, and none that scolds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from course.reply import WIDTH
from labs.gates import picture, puzzle, reading, script
from labs.gates.draw import needed
from labs.measurement import Record, Step, Thread
from labs.rehearsal import Asked, Findings
from labs.request import Request
from labs.spec import Lines, Row, Scene, Shape
from tests import classroom, form
from tests.form import fits
from tests.test_gates_lab import CORES, LAB, drawn, draws


def measured(slug: str, scene: Scene, code: str | None = classroom.SOUND) -> Record:
    """Return what an undisturbed machine records."""
    measure = LAB.measure(slug)
    parameters = classroom.plain(dict(measure.parameters(scene)))
    request = Request(lab="gates", measure=slug, parameters=parameters, script=code if measure.script else None)
    return classroom.gates_record(request, scene.shape.cores)


def scenes(slug: str, cores: int) -> Iterator[Scene]:
    """Yield a bet's scene with its record, for every draw."""
    for numbers in draws(cores):
        scene = Scene(numbers[slug], Shape(cores), sure="think")
        yield dataclasses.replace(scene, record=measured(slug, scene))


def odd_rows(slug: str, scene: Scene) -> list[Row]:
    """Return rows that fit no story, and Node's own."""
    tasks = scene.parameters["tasks"]
    if slug == "start":
        return [{"held": held} for held in range(tasks + 1)]
    if slug == "canary":
        return [{"openings": openings} for openings in range(tasks + 1)]
    starts: list[tuple[int, ...]] = [(), (1,), (tasks,), tuple(range(1, tasks + 1))]
    return [{"held": held, "starts": some} for held in (0, 2, 3, 4, tasks) for some in starts]


@pytest.mark.parametrize("cores", CORES)
@pytest.mark.parametrize("slug", [bet.slug for bet in LAB.bets])
def test_every_answer_to_a_bet_is_six_lines_at_most(slug: str, cores: int) -> None:
    """Node's own row, every story in its voice (with its twin's name), and every row that fits none."""
    bet = LAB.bet(slug)
    for scene in scenes(slug, cores):
        assert scene.record is not None
        actual = bet.actual(scene.record)
        assert actual is not None
        here = dataclasses.replace(scene, answers=actual)
        fits((*bet.look(here), *bet.because(here), bet.next_step))
        fits((bet.ask(scene),), 3)
        for story in LAB.stories:
            row = story.rows(scene).get(slug)
            if row and row != actual and slug in story.voice:
                here = dataclasses.replace(scene, answers={**actual, **row})
                fits((*bet.look(here), *story.voice[slug](here), bet.next_step))
        for row in odd_rows(slug, scene):
            here = dataclasses.replace(scene, answers=row)
            fits((*bet.look(here), *bet.otherwise(here), bet.next_step))


@pytest.mark.parametrize("cores", (1, 4, 39))
def test_two_names_still_fit(cores: int) -> None:
    """Where two stories are named, the sentence that says so is a sixth line."""
    bet = LAB.bet("one gate")
    for scene in scenes("one gate", cores):
        here = dataclasses.replace(scene, answers=LAB.stories[1].rows(scene)["one gate"])
        both = 'On this machine "no limit: every async call gets a thread" and "a slot a core" give the same numbers.'
        fits((*bet.look(here), *LAB.stories[1].voice["one gate"](here), both, bet.next_step))


@pytest.mark.parametrize("cores", CORES)
def test_questions_speak_in_form_and_do_not_give_the_answer_away(cores: int) -> None:
    """Every option's reply and hint, with the record of the second bet; the reply to a miss never states the right sentence."""
    for numbers in draws(cores):
        for question in LAB.questions:
            scene = Scene(numbers[question.slug], Shape(cores))
            if question.slug == "why":
                one = Scene(numbers["one gate"], Shape(cores))
                scene = dataclasses.replace(scene, record=measured("one gate", one))
            form.asks_fairly(question, scene)


HUNG = Scene({"pool": 8, "proposed": 64}, Shape(2))


@pytest.mark.parametrize(
    ("hour", "after", "expected"),
    [
        (8, "postpone", "Eight hung opens hold eight slots; with 64 it takes 64."),
        (4, "postpone", "Four is the default; this one set 8."),
        (9, "postpone", "The 9th is the first that never starts. But when did the last free slot go?"),
        (20, "postpone", "One slot goes each hour and none comes back. After how many hours is none left?"),
        (8, "kernel", "Then /health and the reads would fare alike. In cell 6, who stood in openat?"),
        (8, "worse", "Threads that wait cost little. What would you measure to call it worse?"),
        (8, "cure", "What frees the 8 that hang?"),
    ],
)
def test_the_service_answers_the_hour_and_the_proposal(hour: int, after: str, expected: str) -> None:
    """The hour first; what is right is not commented."""
    reply = LAB.question("service").reply
    assert reply is not None
    said = reply(dataclasses.replace(HUNG, answers={"hour": hour, "after": after}))

    assert expected == said[0]


def puzzled(opened: tuple[int, ...], target: tuple[int, ...] = (1, 5, 7)) -> Lines:
    """Return the answer to these openings, with 3 slots and 9 gates."""
    scene = Scene({"pool": 3, "tasks": 9, "target": target}, Shape(2), answers={"open": opened})
    return puzzle.look(dataclasses.replace(scene, record=measured("state", scene)))


@pytest.mark.parametrize(
    ("opened", "expected"),
    [
        ((2, 3, 4, 6), "7 runs while 1 has not moved"),
        ((6, 2, 3, 4), "You opened 6 while it was still waiting: nothing happened then."),
        ((2, 3, 4, 6, 8), "You opened 8 too, behind 7 in the line"),
        ((2, 3, 4), "Slots hold 1 5 6. One of these should not be there. Which gate keeps it?"),
        ((2, 3), "Slots hold 1 4 5. One of these should not be there."),
        ((2, 3, 4, 6, 1), "1 was meant to stay. Its gate was your fifth opening."),
        ((1, 5, 7), "You opened the gates of the tasks you want to keep."),
        ((9, 8), "Nothing moved: those two were still in the line."),
        ((9,), "Nothing moved: that one was still in the line."),
        ((), "Slots hold 1 2 3."),
        (tuple(range(1, 10)), "1 was meant to stay. Its gate was your first opening."),
    ],
)
def test_the_puzzle_answers_by_what_is_there(opened: tuple[int, ...], expected: str) -> None:
    """Each way to miss has its own sentence, and each way to reach the target too."""
    said = puzzled(opened)

    assert expected in "\n".join(said)
    fits(said)


def test_the_early_opening_names_who_took_the_place() -> None:
    """Opening 6 first: 7 comes to its place when 6 has gone straight through."""
    assert "through, and 7 took its place. One opening, two done." in puzzled((6, 2, 3, 4))


@pytest.mark.parametrize("cores", CORES)
def test_the_puzzle_fits_on_every_draw(cores: int) -> None:
    """Reached in order, reached early, stopped short, gone too far: six lines at most."""
    for numbers in draws(cores):
        p = numbers["state"]
        opened = needed(p["target"])
        for way in (
            opened,
            opened[::-1],
            opened[:-1],
            (*opened, p["target"][0]),
            (p["tasks"],),
            tuple(range(1, p["tasks"])),
        ):
            scene = Scene(p, Shape(cores), answers={"open": way})
            fits(puzzle.look(dataclasses.replace(scene, record=measured("state", scene))))
        fits((puzzle.ask(Scene(p, Shape(cores))),), 2)


def asked(*apis: str, gates: int = 3, after: bool = True) -> tuple[Asked, ...]:
    """Return the calls of a script: gates, and further calls after them or before."""
    opens = tuple(Asked(api="fs.open", about=str(number), gate=True) for number in range(1, gates + 1))
    more = tuple(Asked(api=api, about=".", sync=api.endswith("Sync")) for api in apis)
    return (*opens, *more) if after else (*more, *opens)


STAT = ("1", "2", "3", "stat")


@pytest.mark.parametrize(
    ("seen", "kept", "complete", "expected"),
    [
        (Findings(calls=asked("fs.stat"), done_open=STAT), True, True, "With all gates open your stat came back."),
        (
            Findings(calls=asked("fs.promises.stat"), done_open=STAT),
            True,
            True,
            "With all gates open your stat came back.",
        ),
        (Findings(calls=asked()), True, False, "Kept, but nothing asks for a stat yet."),
        (Findings(calls=asked("fs.readFile"), done_open=STAT), True, False, "Kept, but nothing asks for a stat yet."),
        (Findings(calls=asked("fs.stat"), done_open=("1", "2", "3")), True, False, "done('stat') was never called"),
        (
            Findings(calls=asked("fs.statSync"), done_shut=("stat",)),
            True,
            False,
            "this one answers before the program goes on",
        ),
        (Findings(calls=asked("fs.stat", after=False), done_open=STAT), True, False, "It stands first in line there."),
        (Findings(calls=asked("fs.stat"), done_shut=("stat",)), True, False, "with all gates still shut"),
        (Findings(calls=asked(gates=1)), True, False, "asks for gate 2 only when gate 1 is open. We need all nine"),
        (Findings(calls=asked("fs.stat", gates=0)), True, False, "no gate is asked for yet"),
        (
            Findings(problem="syntax", text="script.mjs:4\nfs.stat('.'\n   ^\nSyntaxError: missing )"),
            False,
            False,
            "SyntaxError",
        ),
        (Findings(problem="endless", message="It never ends."), False, False, "The next run is not affected."),
        (Findings(problem="output", message="It floods. The next run is not affected."), False, False, "It floods."),
        (Findings(problem="restless", message="Too busy."), True, False, "Too busy."),
    ],
)
def test_the_dry_run_says_what_it_saw(seen: Findings, kept: bool, complete: bool, expected: str) -> None:
    """One sentence for each way to write the line; only what does not run is not kept."""
    said = script.rehearse(classroom.plain(seen), Scene({"pool": 3, "tasks": 9}, Shape(2)))

    assert (kept, complete) == (said.kept, said.complete)
    assert expected in said.text
    fits((said.text,))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (classroom.FIRST, "STAT BACK at opening 0: either it stood before the gates, or done('stat') did not wait"),
        (classroom.FIRST + "// not fs.statSync(\n", "STAT BACK at opening 0: either it stood before the gates"),
        (classroom.SYNC, "STAT BACK before the first gate."),
        (classroom.STARTER, "NO STAT after 9 openings"),
    ],
)
def test_another_script_is_answered_and_leaves_the_bet_open(code: str, expected: str) -> None:
    """The stat did not stand behind the gates: no number to compare, a sentence, and what to do."""
    bet, scene = LAB.bet("canary"), Scene({"pool": 3, "tasks": 9}, Shape(2), answers={"openings": 7})
    record = measured("canary", scene, code)
    said = bet.look(dataclasses.replace(scene, record=record))

    assert bet.actual(record) is None
    assert said[0].startswith(expected)
    fits(said)


def test_a_call_that_ends_in_sync_is_blamed_only_where_the_stat_was_back_before_any_opening() -> None:
    """After an opening the loop had not made the call itself, whatever else the script says."""
    scene = Scene({"pool": 3, "tasks": 9}, Shape(2), answers={"openings": 7})
    late = classroom.STARTER + "setTimeout(() => { fs.existsSync('.'); done('stat'); }, 50);\n"
    record = measured("canary", scene, late)
    run = record.runs[0]
    back = Step(action="open 1", slots=("4", "2", "3"), waiting=("5", "6", "7", "8", "9"), finished=("1", "stat"))
    record = replace(record, runs=(replace(run, steps=(run.steps[0], back)),))

    said = LAB.bet("canary").look(dataclasses.replace(scene, record=record))
    assert said[0].startswith("STAT BACK after 1 opening: it did not stand right behind the gates.")


def test_the_loop_is_said_to_have_ticked_as_it_did() -> None:
    """Free all the time is said only where every tick came and no two lay far apart; else the ticks, and the gap where it is known."""
    scene = Scene({"pool": 3, "tasks": 9}, Shape(2))
    record = measured("canary", scene)
    slow = replace(record, runs=(replace(record.runs[0], claims={"longest_gap": 1.9}),))
    bare = replace(record, runs=(replace(record.runs[0], claims={}),))

    told = [LAB.bet("canary").because(dataclasses.replace(scene, record=one))[1] for one in (record, slow, bare)]
    assert [
        "Your loop was free all the time (20 of 20 ticks)",
        "Your loop: 20 of 20 ticks, the longest gap 1900 ms",
        "Your loop: 20 of 20 ticks",
    ] == [one.partition(".")[0] for one in told]


def test_the_worked_record_has_a_line_for_each_thread() -> None:
    """Four held workers in order, then the main thread; without names the column says so and a sentence why."""
    scene = Scene({"pool": None, "tasks": 12}, Shape(2))
    record = measured("start", scene)
    lines = reading.evidence(dataclasses.replace(scene, record=record))

    assert ["gate 1", "gate 2", "gate 3", "gate 4"] == [line[24:47].strip() for line in lines[1:5]]
    assert lines[5].startswith("MainThread    epoll     nothing to do")
    assert lines[5].endswith("<- your JavaScript: free")
    assert max(map(len, lines)) <= WIDTH

    run = record.runs[0]
    bare = tuple(replace(one, name="new thread") if one.role == "worker" else one for one in run.threads)
    older = replace(
        record, runs=(replace(run, threads=(*bare, Thread(name="x", role="other", state="asleep", call=""))),)
    )
    told = reading.evidence(dataclasses.replace(scene, record=older))

    assert told[1].startswith("new thread")
    assert "does not name its workers" in "\n".join(told)


def test_the_picture_shows_every_record_and_its_text_says_the_same() -> None:
    """As wide as a cell in a window of 1280 pixels, a panel a record, with a text beside it for who cannot see it."""
    numbers = drawn(2, 3)
    records = {
        name: measured(name, Scene(numbers[name], Shape(2), answers={"open": needed(numbers["state"]["target"])}))
        for name in ("start", "one gate", "canary", "state")
    }
    figure: Any = picture.draw(records)
    text = picture.text(records)

    assert 825 == round(figure.get_size_inches()[0] * figure.dpi)
    assert 4 == len(figure.axes)
    assert sum(len(record.runs[0].steps) for record in records.values()) + 4 == len(text)
    assert "open 7   " in "\n".join(text) or numbers["canary"]["tasks"] < 8


@pytest.mark.parametrize("bet", LAB.bets, ids=lambda bet: bet.slug)
def test_a_record_of_another_form_tells_no_bet(bet: Any) -> None:
    """No run, no step, odd names, no numbers: nothing is known of the bet, and nothing breaks."""
    scene = Scene({"pool": 3, "tasks": 9, "first": 2}, Shape(2))
    record = measured(bet.slug, scene)
    run = record.runs[0]
    odd = replace(run.steps[0], action="open sesame", slots=("x", None), waiting=(), finished=("y",))

    assert bet.actual(replace(record, runs=())) is None
    assert bet.actual(replace(record, runs=(replace(run, steps=()),))) is None
    assert bet.actual(replace(record, parameters={}, runs=(replace(run, steps=(odd, odd)),))) in (
        None,
        {"held": 0},
        {"held": 0, "starts": ()},
    )
