"""Packed files and folders are read strictly, and a release gives nothing away."""

from __future__ import annotations

import io
import json
import os
import stat
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from course import build, cardpage, classroom, cli, handout, lint, workspace
from course import folder as folders
from grader import answering, handin, packing
from labs import catalog
from labs.errors import RecordError
from tests import classroom as model
from tests import gates_people, handed, personas

KNOWN = frozenset(cell["metadata"]["nbgrader"]["grade_id"] for cell in handed.release()["cells"])


def zipped(*entries: tuple[zipfile.ZipInfo | str, bytes]) -> bytes:
    """Return a zip of these."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries:
            packed.writestr(name, data)
    return file.getvalue()


def test_packing_is_the_same_every_time_and_comes_back() -> None:
    """Same files, same bytes."""
    files = {"gates.ipynb": b"{}", "journal.jsonl": b""}
    assert packing.pack(files) == packing.pack(dict(reversed(files.items())))
    assert (files, ()) == packing.unpack(packing.pack(files))


def test_a_zip_cannot_claim_to_be_small() -> None:
    """What is unpacked is counted, whatever the zip says."""
    data = zipped(("a", b" " * 5000), ("b", b"x"))
    found, odd = packing.unpack(data, largest=1000)
    assert ({"b": b"x"}, ["too-large"]) == (found, [one.code for one in odd])


def test_links_and_doubles_in_a_zip_are_left_out() -> None:
    """A link is a file with the link's mode; a second entry of a name never counts."""
    link = zipfile.ZipInfo("gates.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.warns(UserWarning, match="Duplicate"):
        data = zipped((link, b"/etc/passwd"), ("a/journal.jsonl", b"1"), ("a/journal.jsonl", b"2"), ("__MACOSX/x", b""))
    found, odd = packing.unpack(data)
    assert {"a/journal.jsonl": b"1"} == found
    assert ["no-plain-file", "twice"] == [one.code for one in odd]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"PK\x03\x04" + b"\x00" * 100,
        zipped(("a", b"x"))[:-10],
        packing.pack({str(n): b"" for n in range(201)}),
    ],
    ids=["nothing", "two bytes", "no entries", "cut short", "too many entries"],  # the bytes hold the time
)
def test_what_is_no_zip_is_refused(data: bytes) -> None:
    """Or has more files than a lab's folder."""
    with pytest.raises(RecordError):
        packing.unpack(data)


def test_every_damaged_zip_is_refused_or_read(tmp_path: Path) -> None:
    """One byte changed anywhere: never another error."""
    whole = packing.pack({"gates.ipynb": b"{}" * 40, "journal.jsonl": b"x"})
    for place in range(len(whole)):
        damaged = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        try:
            packing.unpack(damaged)
        except RecordError:
            continue


def test_pack_makes_one_file_that_gives_the_same_marks(tmp_path: Path) -> None:
    """The verb, then what grading sees in it."""
    handed.learner(tmp_path / "ws" / "gates", folders.Course(), "mira")
    target = tmp_path / "submitted" / "mira" / "anything.zip"
    target.parent.mkdir(parents=True)
    said = CliRunner().invoke(cli.main, ["pack", "gates", "--workspace", str(tmp_path / "ws"), "--output", str(target)])
    assert 0 == said.exit_code, said.output
    found = handin.look(tmp_path / "submitted", "mira", "gates", KNOWN)
    assert (tmp_path / "ws" / "gates" / "journal.jsonl").read_bytes() == found.journal
    assert found.notebook is not None and () == found.remarks
    said = CliRunner().invoke(cli.main, ["pack", "gates", "--workspace", str(tmp_path / "nowhere")])
    assert (2, True) == (said.exit_code, "were looked for" in said.output)


@pytest.mark.parametrize("place", ["", "gates", "waves/notes"])
def test_pack_takes_the_work_of_the_workspace_one_is_in(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `report` does; the default workspace is for who is in none."""
    for name in ("default", "mine"):
        handed.learner(tmp_path / name / "gates", folders.Course(), name, does=lambda it: None)
        folders.make_identity(tmp_path / name)
    monkeypatch.setenv("FOURTHREADS_WORKSPACE", str(tmp_path / "default"))
    here, away = tmp_path / "mine" / place, tmp_path / "away"
    for folder, expected in ((here, "mine"), (away, "default")):
        folder.mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(folder)
        said = CliRunner().invoke(cli.main, ["pack", "gates", "--output", str(tmp_path / "gates.zip")])
        assert 0 == said.exit_code and str(tmp_path / expected / "gates") in said.output, said.output
        files, _ = packing.unpack((tmp_path / "gates.zip").read_bytes())
        assert (tmp_path / expected / "gates" / "journal.jsonl").read_bytes() == files["journal.jsonl"]


def test_pack_takes_a_lone_assignments_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its identity lies beside the notebook, as nbgrader's fetch leaves it."""
    handed.learner(tmp_path / "gates", folders.Course(), does=lambda it: None)
    folders.make_identity(tmp_path / "gates")
    monkeypatch.setenv("FOURTHREADS_WORKSPACE", str(tmp_path / "default"))
    monkeypatch.chdir(tmp_path / "gates")
    said = CliRunner().invoke(cli.main, ["pack", "gates"])
    assert 0 == said.exit_code and f"of {tmp_path / 'gates'}" in said.output, said.output


def test_no_card_is_written_where_nothing_was_begun(tmp_path: Path) -> None:
    """Somebody may be in another folder than they think: a sentence, exit code 2, and nothing is left there."""
    said = CliRunner().invoke(cli.main, ["report", str(tmp_path)])
    assert (2, []) == (said.exit_code, [*tmp_path.iterdir()])
    assert f"No lab was begun in {tmp_path}" in said.output


def test_cells_that_are_gone_are_counted_and_not_all_listed(tmp_path: Path) -> None:
    """A notebook stripped of its metadata has lost the names of all of them."""
    it = handed.learner(tmp_path / "mira" / "gates", folders.Course())
    whole = json.loads((it.folder / "gates.ipynb").read_text("utf-8"))
    for cell in whole["cells"]:
        cell["metadata"] = {}
    handed.save(it.folder, whole)
    (remark,) = handin.look(tmp_path, "mira", "gates", KNOWN).remarks
    count = len(KNOWN)
    assert remark.text.startswith(f"{count} of {count} cells are gone or lost their names; the master's stand in: ")
    assert remark.text.endswith(f" and {count - 4} more")


def test_a_packed_journal_without_its_notebook_is_read(tmp_path: Path) -> None:
    """`pack` takes what there is; the journal says which lab it is of, and no other lab gets it."""
    personas.bet(model.session(tmp_path / "gates"), "start", {"held": 4})
    journal = (tmp_path / "gates" / "journal.jsonl").read_bytes()
    (tmp_path / "mira.zip").write_bytes(packing.pack({"journal.jsonl": journal}))
    assert journal == handin.look(tmp_path, "mira", "gates", KNOWN).journal
    assert handin.look(tmp_path, "mira", "waves", KNOWN).empty


def test_a_journal_in_the_students_own_folder_is_read(tmp_path: Path) -> None:
    """Beside a notebook whose outputs are cleared, or alone: it is all there is, and no other lab gets it."""
    personas.bet(model.session(tmp_path / "mira"), "start", {"held": 4})
    journal = (tmp_path / "mira" / "journal.jsonl").read_bytes()
    assert journal == handin.look(tmp_path, "mira", "gates", KNOWN).journal
    handed.save(tmp_path / "mira", handed.release())
    found = handin.look(tmp_path, "mira", "gates", KNOWN)
    assert journal == found.journal and found.notebook is not None
    assert handin.look(tmp_path, "mira", "waves", KNOWN).journal is None


def test_other_labs_and_other_peoples_notebooks_are_not_taken(tmp_path: Path) -> None:
    """A notebook about something else, a folder of another lab, checkpoints."""
    mine = tmp_path / "mira"
    handed.save(mine / "waves", handed.release())
    handed.save(mine / ".ipynb_checkpoints", handed.release())
    handed.save(mine, {"cells": [handed.text("my holidays")]}, "holidays.ipynb")
    assert handin.look(tmp_path, "mira", "gates", KNOWN).empty


def test_special_files_do_not_hang_the_doctor(tmp_path: Path) -> None:
    """A FIFO under the notebook's name would be waited for; a folder under it is none."""
    (tmp_path / "mira" / "gates").mkdir(parents=True)
    os.mkfifo(tmp_path / "mira" / "gates" / "gates.ipynb")
    found = handin.look(tmp_path, "mira", "gates", KNOWN)
    assert found.empty and "not-read" in {one.code for one in found.remarks}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mira", True),
        ("Mira Meier_12", True),
        ("ä@x.org", True),
        ("", False),
        (".x", False),
        ("a*", False),
        ("<b>", False),
        ("a\n", False),
    ],
)
def test_which_folders_can_be_students(name: str, expected: bool) -> None:
    """Nothing that means something to a shell, a path or a page."""
    assert expected is handin.is_name(name)


def answers() -> list[str]:
    """Return what a release must not hold: each reference file, and each longer line of those that is given to learners anyway."""
    found = []
    for slug in catalog.slugs():
        lab = build.ROOT.parent / "labs" / slug
        given = "".join(path.read_text("utf-8") for path in lab.glob("experiment.*"))
        task = catalog.load(slug).script
        given += task.starter if task else ""
        for path in sorted(path for path in (lab / "reference").iterdir() if path.is_file()):
            found.append(path.read_text("utf-8"))
            if path.suffix in (".mjs", ".cjs", ".md"):
                found += [
                    line for text in found[-1].splitlines() if len(line := text.strip()) > 40 and line not in given
                ]
    assert found
    return found


def right_options() -> set[str]:
    """Return the sentences of right options, over many draws: they are shown among others when a question is asked, never before."""
    found = set()
    for slug in catalog.slugs():
        lab = catalog.load(slug)
        for question in lab.questions:
            if question.right is None:
                continue
            for cores in lint.CORES:
                for here, _ in lint.scenes(lab, question.slug, cores, draws=20):
                    right = answering.solution(question, here)[question.choice]
                    found |= {option.text for option in answering.options(question, here) if option.slug == right}
    assert found
    return found


def test_the_notebooks_that_are_released_hold_no_answer() -> None:
    """Searched by content: no line of a reference solution, no right option, no output."""
    for slug in catalog.slugs():
        path = build.SOURCE / slug / f"{slug}.ipynb"
        if not path.is_file():
            continue
        whole = json.loads(path.read_text("utf-8"))
        text = "\n".join("".join(cell["source"]) for cell in whole["cells"])
        assert [] == [part for part in [*answers(), *right_options(), "=> done('stat')"] if part in text]
        assert [] == [cell["id"] for cell in whole["cells"] if cell.get("outputs")]


@pytest.mark.parametrize(
    ("solutions", "due", "expected"),
    [("never", "2020-01-01 12:00", False), ("after due", "", False), ("after due", "2999-01-01 12:00+01:00", False),
     ("after due", "2020-01-01", True), ("always", "", True)],
)  # fmt: skip
def test_the_hand_out_holds_reference_parts_only_where_the_rules_say_so(
    tmp_path: Path, solutions: str, due: str, expected: bool
) -> None:
    """Searched by content, every file of the zip; the class's rules lie in it, tests do not."""
    (tmp_path / "class.toml").write_text(f'course = "net"\nsalt = "s"\nsolutions = "{solutions}"\ndue = "{due}"\n')
    room = classroom.Classroom(tmp_path, folders.course(tmp_path), ("gates",))
    with zipfile.ZipFile(handout.write(room)) as packed:
        names = packed.namelist()
        texts = [packed.read(name).decode("utf-8", "replace") for name in names]
    has = any(part in text for part in answers() for text in texts)
    assert expected == has == any("/reference/" in name for name in names)
    assert not any(name.startswith("four-threads/tests") or "__pycache__" in name for name in names)
    assert {"four-threads/Makefile", "four-threads/course/class.toml", "four-threads/labs/gates/lab.py"} <= set(names)


def test_a_workspace_made_from_a_hand_out_is_the_classs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`start` puts the class's rules beside the labs, once; seeds come from them."""
    source = tmp_path / "course" / "source"
    source.mkdir(parents=True)
    (tmp_path / "course" / "class.toml").write_text('course = "net"\nsalt = "s"\n')
    monkeypatch.setattr(workspace, "SOURCE", source)
    workspace.update(tmp_path / "ws", source)
    assert "net/s" == folders.course(tmp_path / "ws" / "gates").key


def test_the_card_page_of_a_workspace_explains_every_lost_point(tmp_path: Path) -> None:
    """`fourthreads report` for somebody learning alone: each open line says why and what opens it; no script."""
    gates_people.asleep(model.session(tmp_path / "gates"))
    said = CliRunner().invoke(cli.main, ["report", str(tmp_path)])
    assert 0 == said.exit_code, said.output
    text = (tmp_path / "card.html").read_text("utf-8")
    from bs4 import BeautifulSoup

    rows = [
        [cell.get_text(" ", strip=True) for cell in row.find_all(["th", "td"])]
        for row in BeautifulSoup(text, "html.parser").select("tbody tr")
    ]
    assert 6 == len(rows)
    for _, state, points, why in rows:
        earned, most = (float(part) for part in points.split(" of "))
        assert earned == most or (why and state), points
    assert "<script" not in text and "://" not in text


def test_the_card_is_the_workspaces_from_whichever_folder_it_is_asked_for(tmp_path: Path) -> None:
    """A terminal opened in JupyterLab stands in the lab's own folder; one card, in one place."""
    workspace.update(tmp_path / "ws")
    gates_people.asleep(model.session(tmp_path / "ws" / "gates"))
    for folder in (tmp_path / "ws", tmp_path / "ws" / "gates"):
        said = CliRunner().invoke(cli.main, ["report", str(folder)])
        assert (0, True) == (said.exit_code, str(tmp_path / "ws" / "card.html") in said.output)
        (tmp_path / "ws" / "card.html").unlink()
    assert not (tmp_path / "ws" / "gates" / "card.html").exists()


def test_the_page_does_not_tell_the_answer_of_an_open_draw(tmp_path: Path) -> None:
    """After one miss two tries are left: the right option stands nowhere on the page."""
    it = model.session(tmp_path / "gates")
    personas.bet(it, "start", {"held": 1})
    personas.look(it, "start")
    personas.bet(it, "one gate", {"held": 1, "starts": []})
    personas.look(it, "one gate")
    question = answering.found(it.lab, "why")
    assert question is not None
    here = answering.setting(it.work(), question, 0) if it.work().draws.get(("why", 0)) else it.scene(it.work(), "why")
    right = answering.solution(question, here)[question.choice]
    other = next(option.slug for option in answering.options(question, here) if option.slug != right)
    assert "missed" == personas.choose(it, "why", other).state
    text = cardpage.write(tmp_path).read_text("utf-8")
    assert "tries left" in text
    assert [] == [option for option in right_options() if option in text]
    assert str(right) not in text


@pytest.mark.parametrize("mode", ["autograde", "validate"])
def test_while_nbgrader_runs_a_notebook_nothing_is_measured_or_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """Validate runs all cells inside the Jupyter server: it is through at once, and leaves no trace."""
    monkeypatch.setenv("NBGRADER_EXECUTION", mode)
    room = model.FakeRoom(2)
    it = model.session(tmp_path / "gates", room=room)
    gates_people.asleep(it)
    assert ([], ()) == (room.asked, it.journal().entries())
