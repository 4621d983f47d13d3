"""What a learner types into the cells of ``gates``, and what comes back; a model answers in the place of Node."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course import asking, betting, folder, keeping, magic, measuring, steps
from course.display import bundle
from course.folder import Course
from course.learner import GradingError, Learner, answer, open_lab
from course.reply import MOST_LINES, WIDTH, say, wrapped
from course.session import Session
from grader.verdict import Outcome
from labs import catalog
from labs.errors import RoomError, ScriptError
from labs.journal import MEDIA_TYPE
from tests import classroom, gates_people, personas, phases_room, places_room

GATES = catalog.load("gates")


@pytest.fixture
def room() -> classroom.FakeRoom:
    """A room on two cores."""
    return classroom.FakeRoom(2)


@pytest.fixture
def it(tmp_path: Path, room: classroom.FakeRoom) -> Session:
    """A fresh session."""
    return classroom.session(tmp_path, room=room)


def predict(it: Session, held: Any, **more: Any) -> str:
    """Bet on ``start``."""
    return betting.predict(it, "start", {"held": held, **more}).text


@pytest.mark.parametrize("typed", [4, 4.0, "4", "four", [1, 2, 3, 4]])
def test_a_number_is_taken_however_it_is_written(it: Session, typed: Any) -> None:
    """Whole numbers, floats, texts, words; a list counts and is kept."""
    assert predict(it, typed).startswith("Noted: 4 held")


def test_a_list_is_kept_beside_its_number(it: Session) -> None:
    """Whoever names tasks is told so."""
    assert "Noted: 4 held (you named tasks 1, 2, 3, 4; we keep that too)." == predict(it, [1, 2, 3, 4])


def test_a_bet_says_that_it_can_be_changed(it: Session) -> None:
    """The sentence of the model lab, to the letter."""
    assert "Noted: 4 held. You can run the next cell. A bet can be changed until then." == predict(it, 4)


@pytest.mark.parametrize("typed", [13, -1, "many", None])
def test_what_cannot_be_is_refused_kindly(it: Session, typed: Any) -> None:
    """Which blank, what stood there, bounds in the learner's numbers; nothing is noted."""
    expected = f"You typed held={typed!r}. Between 0 and 12, please: there are only 12 requests."
    assert expected == predict(it, typed).replace("\n", " ")
    assert {} == dict(it.work().bets)


def test_a_blank_is_never_a_mistake(it: Session) -> None:
    """It prints the question in the learner's numbers, and the state stays NOT_ATTEMPTED."""
    said = predict(it, ...)
    assert "all 12 gates are shut" in said
    assert "No number yet. Any honest guess will do; only making one counts." in said
    assert Outcome.NOT_ATTEMPTED is personas.card(it)["gates-bets"].verdict.outcome


def test_what_is_still_blank_is_named_as_what_it_is(tmp_path: Path) -> None:
    """Orders and paths are no numbers; of six paths the letters that are blank are named."""
    phases, places = phases_room.session(tmp_path / "p"), places_room.session(tmp_path / "q")
    guess = "Any honest guess will do; only making one counts."
    assert f"No order yet. {guess}" in betting.predict(phases, "four", {"file": ..., "timer": ...}).text
    assert f"Still blank: timer. {guess}" in betting.predict(phases, "four", {"file": "x", "timer": ...}).text
    assert f"No path yet. {guess}" in betting.predict(places, "six", {"paths": [...] * 6}).text
    some = ["P", ..., "L", "K", ..., ...]
    assert f"Still blank: paths b, e and f. {guess}" in betting.predict(places, "six", {"paths": some}).text
    assert f"No answer yet. {guess}" in betting.predict(places, "victim", {}).text


def test_a_command_in_a_sentence_is_not_broken() -> None:
    """Wherever the line ends, the call stands on one line, and the sentence is the same but for its line breaks."""
    for call in ('waves.measure("all at once", again=True)', "%%node waves", "fourthreads pack waves"):
        for before in range(60, WIDTH):
            text = (
                f"{'x' * before} then {call} measures again, as often as you like, and keeps what there was before it."
            )
            lines = wrapped([text])
            assert 1 == sum(call in line for line in lines), before
            assert text == " ".join(lines) and WIDTH >= max(map(len, lines))


def test_a_command_too_long_for_a_line_is_broken_at_a_blank() -> None:
    """Rather than in the middle of a word."""
    text = f"Then waves.measure({', '.join(['pool=4'] * 30)}) does it."
    assert text == " ".join(wrapped([text]))


@pytest.mark.parametrize("cell", ["%%node gates", "\n%%node gates\n\n", "%node gates", "%%node gates\n  \n"])
def test_node_without_a_script_is_answered_by_us(tmp_path: Path, cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by IPython's red UsageError; nothing is kept. Opening a lab twice changes nothing about that."""
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    running: Any = InteractiveShell()  # type: ignore[no-untyped-call]  # IPython ships it without types
    monkeypatch.setattr("course.display.shell", lambda: running)
    session = classroom.session(tmp_path)
    said: list[str] = []

    def find(slug: str) -> Callable[[str], None]:
        return lambda text: said.append(f"{slug}: {magic.node(session, text).text}")

    for _ in range(2):
        magic.register(find)
    running.run_cell(cell).raise_error()
    told = "Write your script below the line %%node gates, in the same cell, and run it. Nothing was changed."
    assert [f"gates: {told}"] == said
    assert () == session.work().scripts
    running.run_cell(f"%%node gates\n{classroom.SOUND}").raise_error()
    assert classroom.SOUND == session.work().script()


def test_a_bet_can_be_changed_before_looking(it: Session) -> None:
    """Both stay in the journal; the last one counts."""
    predict(it, 4)
    assert predict(it, 12).startswith("Changed: 4 -> 12.")
    assert 2 == len(it.work().bets["start", 0])
    assert "no limit" not in personas.look(it, "start").text
    assert ("no-limit",) == personas.look(it, "start").stories


def test_after_looking_a_bet_is_closed(it: Session) -> None:
    """It says what was bet, and how to open a new one."""
    predict(it, 4)
    personas.look(it, "start")
    assert 'This bet is closed: you said 4 held. gates.again("start") opens a new one.' == predict(it, 5)


def test_looking_needs_a_bet(it: Session, room: classroom.FakeRoom) -> None:
    """Without one nothing is measured."""
    assert "First your bet (the cell above). Looking first takes the surprise away." == personas.look(it, "start").text
    assert [] == room.asked


def test_what_was_measured_is_shown_again_and_not_measured_again(it: Session, room: classroom.FakeRoom) -> None:
    """Run All on a finished notebook asks no room; ``again=True`` does."""
    predict(it, 4)
    personas.look(it, "start")
    kept = personas.look(it, "start")
    assert ("kept", 1) == (kept.state, len(room.asked))
    assert "nothing was measured now" in kept.text
    measuring.measure(it, "start", {}, again=True)
    assert 2 == len(room.asked)
    assert 2 == len(it.work().records["start", 0])


def test_a_finished_notebook_run_again_asks_no_room_and_writes_nothing(it: Session, room: classroom.FakeRoom) -> None:
    """Every act of a finished notebook, twice."""
    gates_people.knows(it)
    before, asked = it.journal().entries(), len(room.asked)
    gates_people.knows(it)
    assert (before, asked) == (it.journal().entries(), len(room.asked))


def test_every_answer_fits_six_lines_of_110(it: Session) -> None:
    """Bets, looks and attempts; questions and cards are longer."""
    for reply in (*gates_people.knows(it), *gates_people.asleep(it)):
        if reply.state in {"noted", "measured", "kept", "missed", "closed"}:
            assert MOST_LINES >= len(wrapped(reply.lines)), reply.text
            assert WIDTH >= max(map(len, wrapped(reply.lines)))


def test_no_answer_scolds_or_cheers(it: Session) -> None:
    """Words that the model lab never says."""
    said = " ".join(
        reply.text.lower() for reply in (*gates_people.asleep(it), *gates_people.knows(it), *gates_people.blanks(it))
    )
    for word in ("wrong", "incorrect", "oops", "!", "traceback", "well done"):
        assert word not in said


def test_again_draws_new_numbers_and_keeps_the_old_record(it: Session) -> None:
    """A used bet is opened with a new draw; an unused one is not drawn again."""
    predict(it, 4)
    assert "still open" in keeping.again(it, "start").text
    personas.look(it, "start")
    keeping.again(it, "start")
    assert 1 == it.work().number("start")
    assert predict(it, 5).startswith("Noted: 5 held")


def test_the_puzzle_asks_in_the_learners_numbers(it: Session) -> None:
    """``open=[...]`` is a blank and prints the target."""
    target = classroom.numbers(it, "state")["target"]
    said = personas.look(it, "state", open=[...]).text
    assert all(str(task) in said for task in target)


def test_other_sizes_need_no_bet_and_earn_nothing(it: Session) -> None:
    """``gates.measure(pool=7, tasks=20)``."""
    said = measuring.measure(it, None, {"pool": 7, "tasks": 20})
    assert "HELD  7 of 20" in said.text
    assert 0.0 == personas.points(it)


def test_misspelled_things_are_answered_with_what_there_is(it: Session) -> None:
    """Names of bets, questions, measures and blanks."""
    assert '"one gate"' in betting.predict(it, "on gate", {}).text
    assert '"cannot"' in asking.explain(it, "can", ("a",), {}).text
    assert '"canary"' in measuring.measure(it, "canery", {}).text
    assert "held" in betting.predict(it, "start", {"hold": 3}).text


@pytest.mark.parametrize("text", ["// " + "x" * 300_000, None, 4])
def test_a_script_that_cannot_be_kept_is_said(it: Session, text: Any) -> None:
    """Too long, or no text at all; nothing is run and nothing written."""
    before = it.journal().entries()
    assert "at most 262,144 bytes are kept" in magic.node(it, text).text
    assert before == it.journal().entries()


def test_a_script_that_ends_the_run_is_no_verdict_on_the_bet(it: Session, room: classroom.FakeRoom) -> None:
    """The room's sentence, and the bet stays open."""
    magic.node(it, classroom.SOUND)
    personas.bet(it, "canary", {"openings": 3})
    room.fails.append(
        ScriptError("Your script ended itself (exit 1) before all gates were asked for. Its message: boom")
    )
    assert "Your script ended itself" in personas.look(it, "canary").text
    assert "noted" == personas.bet(it, "canary", {"openings": 4}).state


def test_a_fault_of_ours_is_noted_and_costs_nothing_until_settled(it: Session, room: classroom.FakeRoom) -> None:
    """A code, a sentence, an ERROR; when the cell works again it is settled."""
    said = answer(it, "state", lambda it: 1 / 0)  # type: ignore[arg-type,return-value]
    assert "This is a fault of the course, not yours." in said.text
    assert Outcome.ERROR is personas.card(it)["gates-state"].verdict.outcome
    personas.look(it, "state", open=[1])
    assert Outcome.CONTRADICTS is personas.card(it)["gates-state"].verdict.outcome


def test_hints_come_one_by_one_and_cost_nothing(it: Session) -> None:
    """Three for the puzzle."""
    said = [asking.hint(it, "state").text for _ in range(4)]
    assert ["1 of 3", "2 of 3", "3 of 3", "3 of 3"] == [text[:6] for text in said]


def test_the_greeting_knows_where_the_learner_is(it: Session) -> None:
    """Step 3 at first; after the first look, the step after it, and what was measured last."""
    first = keeping.greet(it, "Node 24.19.0 (libuv 1.52.1)").lines
    assert "gates · Node 24.19.0 (libuv 1.52.1) · runs here · 2 cores" == first[0]
    assert "You are at step 3 of 17. Nothing measured yet." == first[1]
    assert "After a restart of the kernel, run this cell first." == first[2]
    predict(it, 4)
    personas.look(it, "start")
    assert "You are at step 6 of 17. Last time:" in keeping.greet(it, "Node").text
    gates_people.knows(it)
    assert 17 == steps.position(it.work())


def test_the_card_sums_its_rows(it: Session) -> None:
    """The total is computed; what is open says which step opens it."""
    predict(it, 4)
    lines = keeping.check(it).lines
    assert lines[0].endswith("0.67 of 10")
    assert any("not yet: step 15" in line for line in lines)


def test_the_card_sends_to_a_lab_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one of this release, whatever the curriculum still holds; nowhere after the last."""
    for there in (("gates", "phases"), ("gates", "places")):
        monkeypatch.setattr(catalog, "slugs", lambda there=there: there)
        assert keeping.next_lab(GATES).startswith(f"{there[1]}, 30 min, ")
    monkeypatch.setattr(catalog, "slugs", lambda: ("gates",))
    assert "" == keeping.next_lab(GATES)


def test_opening_the_solution_is_asked_back_noted_and_leaves_transfer(it: Session) -> None:
    """What was earned stays; afterwards only transfer questions count."""
    predict(it, 4)
    personas.look(it, "start")
    assert "asked" == keeping.solution(it).state
    keeping.solution(it, really=True)
    gates_people.knows(it)
    card = personas.card(it)
    assert 0.0 == card["gates-why"].verdict.points == card["gates-state"].verdict.points
    assert 1.0 == card["gates-service"].verdict.points
    assert 0.0 < card["gates-bets"].verdict.points < 2.0


def test_an_output_carries_its_evidence_and_escapes_its_text(it: Session) -> None:
    """Plain text, HTML without anything that runs, and entries under our own media type."""
    reply = say("<script>alert(1)</script>", entries=it.about("start"))
    assert "&lt;script&gt;" in bundle(reply)["text/html"]
    predict(it, 4)
    carried = bundle(personas.look(it, "start"))[MEDIA_TYPE]
    assert {"draw", "bet", "record"} == {entry["kind"] for entry in carried}
    json.dumps(carried)


def test_nbgrader_measures_nothing_and_check_stops_its_stock_autograde(
    it: Session, room: classroom.FakeRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a stock autograde no mark may come from the notebook."""
    predict(it, 4)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert "refused" == personas.look(it, "start").state
    with pytest.raises(GradingError):
        Learner(it, "gates").check()
    assert [] == room.asked


def test_importing_the_api_is_cheap() -> None:
    """No IPython, no matplotlib: nothing heavy until it is used."""
    code = "import sys, course, course.learner; print([m for m in ('IPython', 'matplotlib', 'jupytext', 'rich') if m in sys.modules])"
    assert (
        "[]" == subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    )


def test_a_damaged_journal_is_a_sentence(it: Session, capsys: pytest.CaptureFixture[str]) -> None:
    """Every cell says what is damaged; nothing is raised."""
    (it.folder / "journal.jsonl").write_text("{}\n")
    Learner(it, "gates").predict("start", held=4)
    assert "line 1" in capsys.readouterr().out


@pytest.mark.parametrize("what", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_a_folder_that_cannot_be_written_is_a_sentence(
    what: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the first cell on, with what to do; nothing is raised, and no fault of ours is noted."""

    def refuse(folder: Path) -> None:
        raise OSError(what, os.strerror(what), str(folder))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(folder, "identity", refuse)
    gates = open_lab("gates")
    gates.predict("start", held=4)
    said = capsys.readouterr().out
    assert 2 == said.count(f"The system refused: {os.strerror(what)}") and "nothing is lost" in said.replace("\n", " ")


def test_what_keeps_a_lab_from_running_is_said_in_the_first_cell(tmp_path: Path) -> None:
    """Before any work, with what to do instead."""

    def place() -> str:
        raise RoomError('This lab watches threads through Linux. room="container" or room="replay".')

    said = keeping.greet(classroom.session(tmp_path, place=place), "Node").text
    assert "cannot run here" in said and 'room="replay"' in said


def test_a_class_version_is_held_against_the_installed_one(tmp_path: Path) -> None:
    """Numbers and texts belong to a release."""
    it = classroom.session(tmp_path, course=Course(course="net", version="99.0"))
    assert "Your class uses version 99.0" in keeping.greet(it, "Node").text
