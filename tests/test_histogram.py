"""A class's bets on the projector: counted by what they mean, without names, Node's answer only where it is opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner

from course import cli
from grader import histogram, packing, report
from grader.histogram import MOST_BARS, NODE, NONE, OTHERS, Histogram
from grader.work import Evidence
from labs import acts, catalog, journal, measurement
from labs.journal import FILE_NAME
from labs.spec import Lab, Scene, Shape
from tests import bettors, classroom, handed, personas

GATES = catalog.load("gates")
LABS = [catalog.load(slug) for slug in catalog.slugs()]
#: What was recorded there is the script of somebody whose cache comes too late; the model's number is that of a sound one.
BY_SCRIPT = {("names", "cache")}
EVERY = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)


def of(lab: Lab, bet: str, *everybody: Evidence) -> Histogram:
    """Return the histogram of one bet."""
    return next(one for one in histogram.histograms(lab, everybody) if one.bet == bet)


def bars(found: Histogram, chart: int = 0) -> list[tuple[int, tuple[str, ...]]]:
    """Return counts and meanings of one chart."""
    return [(bar.count, bar.means) for bar in found.charts[chart].bars]


def shown(found: tuple[Histogram, ...], handed_in: int = 1, lab: Lab = GATES) -> tuple[BeautifulSoup, str]:
    """Return the page, and its text as it is seen before anything is opened."""
    page = BeautifulSoup(report.histogram_page(lab, found, handed_in), "html.parser")
    closed = BeautifulSoup(str(page), "html.parser")
    for details in closed.find_all("details"):
        details.decompose()
    return page, closed.get_text(" ", strip=True)


def test_one_idea_in_many_numbers_is_one_bar_in_the_commonest_numbers() -> None:
    """Everybody who waits for the whole group says so in their own numbers; it stays one thought."""
    everybody = [bettors.evidence(GATES, f"id-{number}", bettors.holds(GATES, "batches")) for number in range(12)]
    found = of(GATES, "one gate", *everybody)
    (bar,) = found.charts[0].bars
    assert (12, 12) == (bar.count, found.learners)
    assert found.draws > 1 and len(bar.typed) > 1
    assert ("batches: the next group starts when all of the group are done",) == bar.means
    pool = next(pool for pool in (3, 5, 6) if f"{pool} slots" in found.ask)
    assert f"{pool} held, none starts" == bar.text


def test_who_is_right_and_who_fits_no_idea_stand_apart() -> None:
    """Seven held is nobody's idea here; it is shown as it was typed."""
    everybody = [
        bettors.evidence(GATES, "one", bettors.node(GATES)),
        bettors.evidence(GATES, "two", bettors.node(GATES)),
        bettors.evidence(GATES, "three", bettors.says(held=7)),
    ]
    found = of(GATES, "start", *everybody)
    assert [(2, (NODE,)), (1, (NONE,))] == bars(found)
    assert ["4 held", "7 held"] == [bar.text for bar in found.charts[0].bars]


def test_answers_of_other_numbers_that_fit_nothing_are_counted_together() -> None:
    """ "6 held, 9 starts" says nothing in somebody else's numbers, so it gets no bar of its own."""
    odd = bettors.at("one gate", lambda here: {"held": here.parameters["pool"], "starts": (1,)})
    everybody = [bettors.evidence(GATES, f"id-{number}", odd) for number in range(20)]
    texts = {bar.text: bar for bar in of(GATES, "one gate", *everybody).charts[0].bars}
    assert 20 == sum(bar.count for bar in texts.values())
    assert texts[histogram.ELSEWHERE].count > 1 and texts[histogram.ELSEWHERE].quoted.startswith("as typed: ")


def test_what_node_did_is_seen_only_where_it_is_opened() -> None:
    """No idea's name, no mark on a bar and no answer stand outside the disclosure, which is shut."""
    everybody = bettors.room_of(GATES, 30)
    page, seen = shown(histogram.histograms(GATES, everybody), 30)
    assert 3 == len(page.find_all("details")) and not page.find_all("details", open=True)
    assert all(details.select("tr.node") for details in page.find_all("details"))
    assert [] == [row for row in page.select("tr.node") if row.find_parent("details") is None]
    assert "Node" not in seen.replace("Show what Node did", "")
    assert [] == [story.title for story in GATES.stories if len(story.title) > 20 and story.title in seen]


def test_a_changed_bet_counts_once_as_it_stands() -> None:
    """Neighbours talked, and one changed: the last word before looking counts, and the change is told."""
    talked = bettors.evidence(GATES, "one", bettors.says(held=12), bettors.says(held=4))
    firm = bettors.evidence(GATES, "two", bettors.says(held=12), bettors.says(held=12))
    found = of(GATES, "start", talked, firm)
    assert (2, 1) == (found.learners, found.changed)
    assert {"4 held": 1, "12 held": 1} == {bar.text: bar.count for bar in found.charts[0].bars}
    assert "1 changed it before looking" in shown((found,), 2)[1]


def test_a_bet_after_looking_is_not_counted(tmp_path: Path) -> None:
    """Who measured first has no bet left to make."""
    it = classroom.session(tmp_path)
    personas.bet(it, "start", {"held": 12})
    personas.look(it, "start")
    before = it.journal().entries()
    assert 1 == of(GATES, "start", Evidence("gates", before)).learners
    kinds = {entry.kind: entry for entry in before}
    late = replaced(kinds["draw"], kinds["record"], kinds["bet"])
    assert 0 == of(GATES, "start", Evidence("gates", late)).learners


def replaced(*entries: journal.Entry) -> tuple[journal.Entry, ...]:
    """Return the entries as a journal in this order."""
    made: list[journal.Entry] = []
    for entry in entries:
        previous = made[-1].digest if made else journal.START
        made.append(journal.make(len(made), entry.kind, entry.lab, entry.body, previous, entry.clock))
    return tuple(made)


def test_the_same_learners_work_found_twice_counts_once() -> None:
    """A browser's second download lies beside the first; the longer one is taken."""
    early = Evidence("gates", bettors.entries(GATES, "one", [bettors.says(held=12)], bets=["start"]))
    later = Evidence("gates", bettors.entries(GATES, "one", [bettors.says(held=12), bettors.says(held=4)]))
    found = of(GATES, "start", early, later, early)
    assert [(1, "4 held")] == [(bar.count, bar.text) for bar in found.charts[0].bars]


@pytest.mark.parametrize(
    "forged", [{"held": "Anna loves Ben"}, {"held": 10**9}, {"held": "<b>four</b>"}, {}, {"held": {"a": 1}}]
)
def test_nothing_but_an_answer_reaches_the_projector(forged: dict[str, Any]) -> None:
    """A journal can be written by hand; what its blank would not take is not shown, and stops nothing."""
    write = bettors.at("start", lambda here: forged)
    found = of(
        GATES, "start", bettors.evidence(GATES, "one", write), bettors.evidence(GATES, "two", bettors.says(held=4))
    )
    assert (1, ["4 held"]) == (found.learners, [bar.text for bar in found.charts[0].bars])


def test_forged_numbers_stop_nothing() -> None:
    """A draw without the numbers of its lab is left out."""
    opened, drawn, bet, *_ = bettors.entries(GATES, "one", [bettors.says(held=4)])
    empty = journal.make(1, "draw", "gates", {**drawn.body, "parameters": {}}, opened.digest, drawn.clock)
    evidence = Evidence("gates", replaced(opened, empty, bet))
    assert 0 == of(GATES, "start", evidence).learners


@EVERY
@pytest.mark.parametrize("learners", [1, 3, 60])
def test_every_answer_of_every_lab_is_in_one_bar(lab: Lab, learners: int) -> None:
    """Sums are right, charts stay readable, and each bet says which step it is."""
    for found in histogram.histograms(lab, bettors.room_of(lab, learners)):
        assert learners == found.learners and found.step > 0 and found.ask
        assert found.charts
        for chart in found.charts:
            assert chart.learners == sum(bar.count for bar in chart.bars) <= learners
            assert len(chart.bars) <= MOST_BARS + 1
            assert len({bar.text for bar in chart.bars}) == len(chart.bars)
            assert chart.node


def test_what_is_rare_is_counted_as_others() -> None:
    """Thirteen different numbers: eight bars, the rest in one, and nothing is lost."""
    everybody = [bettors.evidence(GATES, f"id-{held}", bettors.says(held=held)) for held in range(13)]
    chart = of(GATES, "start", *everybody).charts[0]
    assert (MOST_BARS + 1, OTHERS, 13) == (len(chart.bars), chart.bars[-1].text, sum(bar.count for bar in chart.bars))


def test_places_counts_each_call_wherever_it_was_asked() -> None:
    """The README shows spawn and fs.watchFile: everybody has them, each at another letter."""
    places = catalog.load("places")
    found = of(places, "six more", *bettors.room_of(places, 20))
    asked = {chart.about: chart.learners for chart in found.charts}
    assert (20, 20) == (asked["spawn('/bin/cat').on('exit', cb)"], asked["fs.watchFile(none, cb)"])


@EVERY
def test_what_the_model_says_is_what_node_did(lab: Lab) -> None:
    """For each recorded run of a bet: the answer behind the disclosure is the one that was measured."""
    told = 0
    for bet in lab.bets:
        if (lab.slug, bet.slug) in BY_SCRIPT:
            continue
        name = lab.measure(bet.measure).replay
        path = Path(report.__file__).parent.parent / "labs" / lab.slug / "replay" / f"{name}.json"
        record = measurement.decode(path.read_bytes())
        actual = bet.actual(record)
        here = Scene(acts.freeze(record.parameters), Shape(record.machine.cores, record.machine.capacity))
        predicted = histogram.predictions(lab, bet, here)[NODE]
        assert actual is not None
        assert predicted.keys() == actual.keys()
        for blank, value in predicted.items():
            assert value == actual[blank], (bet.slug, blank)
            told += 1
    assert told >= 3


@EVERY
def test_an_answer_read_again_is_the_same(lab: Lab) -> None:
    """What stands in a journal passes its own blank, so no honest bet is lost on the way to the projector."""
    for evidence in bettors.room_of(lab, 12):
        for entry in evidence.entries:
            if entry.kind == "bet":
                made = acts.body(entry)
                drawn = next(acts.body(one) for one in evidence.entries if one.kind == "draw"
                             and one.body["thing"] == lab.bet(made.bet).measure)  # fmt: skip
                for blank in lab.bet(made.bet).blanks:
                    value = acts.freeze(made.answers[blank.name])
                    assert value == blank.kind.read(value, acts.freeze(drawn.parameters))


def test_the_page_needs_no_script_and_no_network() -> None:
    """It opens from a stick on the lectern's computer."""
    text = report.histogram_page(GATES, histogram.histograms(GATES, bettors.room_of(GATES, 5)), 5)
    assert "<script" not in text and "://" not in text
    assert "Nobody has made this bet yet." in report.histogram_page(GATES, histogram.histograms(GATES, ()), 0)


def test_hand_ins_of_any_form_are_counted_and_nobody_is_named(tmp_path: Path) -> None:
    """A folder, a packed journal and a lone notebook, in a plain folder; no grading was run, no name is on the page."""
    bettors.hand_in(tmp_path / "Anna", bettors.evidence(GATES, "one", bettors.says(held=12)))
    second = bettors.evidence(GATES, "two", bettors.says(held=4))
    lines = b"".join(json.dumps(classroom.plain(entry)).encode() + b"\n" for entry in second.entries)
    starter = json.dumps(handed.release()).encode()
    (tmp_path / "Ben.zip").write_bytes(packing.pack({FILE_NAME: lines, "gates.ipynb": starter}))
    third = bettors.entries(GATES, "three", [bettors.says(held=4)])
    whole = handed.release()
    whole["cells"][0] |= {"cell_type": "code", "outputs": [handed.output(third)]}
    handed.save(tmp_path, whole, "Cleo.ipynb")
    said = CliRunner().invoke(cli.main, ["report", str(tmp_path), "--bets", "gates", "--json"])
    assert 0 == said.exit_code, said.output
    told = json.loads(said.output)
    assert (3, 3) == (told["handed_in"], told["bets"][0]["learners"])
    assert {"4 held": 2, "12 held": 1} == {bar["text"]: bar["count"] for bar in told["bets"][0]["charts"][0]["bars"]}
    text = (tmp_path / "histograms-gates.html").read_text("utf-8")
    assert [] == [name for name in ("Anna", "Ben", "Cleo", "three") if name in text]


def test_bets_come_in_as_packed_files_while_the_class_runs(tmp_path: Path) -> None:
    """The way of the docs: bet, pack into a shared folder under any name, bet again after talking, pack again."""
    shared, runner = tmp_path / "shared", CliRunner()
    shared.mkdir()
    it = classroom.session(tmp_path / "ws" / "gates")
    handed.opened(it)
    handed.save(tmp_path / "ws" / "gates", handed.release())
    counted = []
    for held in (12, 4):
        personas.bet(it, "start", {"held": held})
        packing_up = ["pack", "gates", "--workspace", str(tmp_path / "ws"), "--output", str(shared / "any name.zip")]
        assert 0 == runner.invoke(cli.main, packing_up).exit_code
        said = json.loads(runner.invoke(cli.main, ["report", str(shared), "--bets", "gates", "--json"]).output)["bets"][
            0
        ]
        counted.append((said["learners"], said["changed"], said["charts"][0]["bars"][0]["text"]))
    assert [(1, 0, "12 held"), (1, 1, "4 held")] == counted


def test_a_class_finds_the_page_in_its_report(tmp_path: Path) -> None:
    """In a class's folder what lies in submitted/ is counted; a second run reads it anew."""
    (tmp_path / "class.toml").write_text('course = "net"\nsalt = "s"\n')
    bettors.hand_in(tmp_path / "submitted" / "Anna", bettors.evidence(GATES, "one", bettors.says(held=12)))
    runner = CliRunner()
    first = runner.invoke(cli.main, ["report", str(tmp_path), "--bets", "gates"])
    bettors.hand_in(tmp_path / "submitted" / "Ben", bettors.evidence(GATES, "two", bettors.says(held=4)))
    second = runner.invoke(cli.main, ["report", str(tmp_path), "--bets", "gates"])
    assert "1 of 1" in first.output and "2 of 2" in second.output
    assert (tmp_path / "report" / "histograms-gates.html").is_file()


def test_nothing_handed_in_is_said_in_one_sentence(tmp_path: Path) -> None:
    """Exit code 2, and what to put there."""
    said = CliRunner().invoke(cli.main, ["report", str(tmp_path), "--bets", "gates"])
    assert 2 == said.exit_code
    assert "Nothing of the lab 'gates' lies in" in said.output and "fourthreads pack gates" in said.output


def test_a_chart_without_the_commonest_numbers_part_is_told_in_somebody_elses() -> None:
    """A call that the commonest draw lacks still says what Node does."""
    places = catalog.load("places")
    found = of(places, "six", *bettors.room_of(places, 40))
    assert all(chart.node for chart in found.charts)
    assert len(found.charts) > 6 and found.only_parts


def test_who_handed_in_and_made_no_bet_is_counted_as_handed_in(tmp_path: Path) -> None:
    """As the page that grading writes counts them: the notebook as it was released is a hand-in too."""
    handed.save(tmp_path, handed.release(), "aylin.ipynb")
    personas.bet(classroom.session(tmp_path / "mira"), "start", {"held": 4})
    said = CliRunner().invoke(cli.main, ["report", str(tmp_path), "--bets", "gates"])
    assert said.output.startswith("step 4   start           1 of 2\n")
