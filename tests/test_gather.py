"""Whose a file is: packed workspaces, packs in a pack, second downloads, and files of which nothing can be read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from course import build, keeping
from course.folder import Course
from grader import handin, intake, packing
from labs import catalog
from labs.journal import FILE_NAME
from tests import classroom, handed, personas, phases_room
from tests.test_handin import KNOWN

GATES = catalog.load("gates")
BOM = b"\xef\xbb\xbf"
LABS = ("gates", "phases")


def worked(place: Path) -> dict[str, bytes]:
    """Begin two labs in a workspace and save their notebooks without outputs; return the journals."""
    for it in (classroom.session(place / "gates"), phases_room.session(place / "phases")):
        keeping.greet(it, "Node")
        personas.blank_bets(it)
    for slug in LABS:
        shutil.copy(build.SOURCE / slug / f"{slug}.ipynb", place / slug)
    return {slug: (place / slug / FILE_NAME).read_bytes() for slug in LABS}


def packed(place: Path, *below: str) -> bytes:
    """Return the files below a folder as a zip."""
    return packing.pack({
        str(path.relative_to(place)): path.read_bytes()
        for name in below for path in (place / name).rglob("*") if path.is_file() and not path.name.endswith(".lock")
    })  # fmt: skip


def journals(submitted: Path) -> dict[str, bytes | None]:
    """Return each lab's journal as it is found."""
    return {slug: handin.look(submitted, "mira", slug, frozenset(), LABS).journal for slug in LABS}


@pytest.mark.parametrize("to", ["mira.zip", "mira/all.zip", "mira/gates/all.zip"])
def test_a_packed_workspace_gives_each_lab_its_own_journal(tmp_path: Path, to: str) -> None:
    """Also where outputs were cleared, so that the journal is all there is. A lab's own folder is searched for that lab alone."""
    expected = worked(tmp_path / "four-threads")
    target = tmp_path / "submitted" / to
    target.parent.mkdir(parents=True)
    target.write_bytes(packed(tmp_path, "four-threads"))
    found = journals(tmp_path / "submitted")
    assert expected["gates"] == found["gates"]
    assert (None if "/gates/" in to else expected["phases"]) == found["phases"]


def test_packs_in_a_pack_are_opened(tmp_path: Path) -> None:
    """All labs' packed files, made into one by hand; a third layer is left alone."""
    expected = worked(tmp_path / "ws")
    inner = {f"{slug}.zip": packed(tmp_path / "ws" / slug, "") for slug in LABS}
    (tmp_path / "mira.zip").write_bytes(packing.pack(inner))
    assert expected == journals(tmp_path)
    (tmp_path / "mira.zip").write_bytes(packing.pack({"again.zip": packing.pack(inner)}))
    assert {None} == set(journals(tmp_path).values())


@pytest.mark.parametrize("place", ["mira", "mira/gates"])
def test_a_second_download_of_a_journal_is_read_and_remarked_on(tmp_path: Path, place: str) -> None:
    """A browser numbers it; it says itself whose it is."""
    expected = worked(tmp_path / "ws")
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "journal (1).jsonl").write_bytes(expected["gates"])
    found = handin.look(tmp_path, "mira", "gates", KNOWN, LABS)
    assert (expected["gates"], ["renamed"]) == (found.journal, [one.code for one in found.remarks])
    assert handin.look(tmp_path, "mira", "phases", frozenset(), LABS).empty


@pytest.mark.parametrize("name", ["homework.rar", "homework.zip", "notes.txt"])
def test_files_of_which_nothing_can_be_read_are_named_once(tmp_path: Path, name: str) -> None:
    """Somebody tried to hand in; one lab's row says so, with the files' names."""
    (tmp_path / "mira").mkdir()
    (tmp_path / "mira" / name).write_bytes(b"Rar!")
    first, second = (handin.look(tmp_path, "mira", slug, frozenset(), LABS) for slug in LABS)
    assert f"nothing was handed in that can be read: {name!r}" == first.remarks[-1].text
    assert ("nothing", ()) == (first.remarks[-1].code, second.remarks)


def test_files_that_carry_a_labs_name_are_that_labs_business(tmp_path: Path) -> None:
    """The others are not concerned."""
    (tmp_path / "mira").mkdir()
    (tmp_path / "mira" / "phases.rar").write_bytes(b"Rar!")
    first, second = (handin.look(tmp_path, "mira", slug, frozenset(), LABS) for slug in LABS)
    assert ((), "nothing was handed in that can be read: 'phases.rar'") == (first.remarks, second.remarks[-1].text)


def test_a_broken_file_beside_sound_work_is_no_failed_hand_in_of_other_labs(tmp_path: Path) -> None:
    """Its remark stands with the work that was read."""
    worked(tmp_path / "mira")
    shutil.rmtree(tmp_path / "mira" / "gates")
    (tmp_path / "mira" / "homework.zip").write_bytes(b"PK")
    first, second = (handin.look(tmp_path, "mira", slug, frozenset(), LABS) for slug in LABS)
    assert (True, ()) == (first.empty, first.remarks)
    assert "not-read" in {one.code for one in second.remarks} and not second.empty


@pytest.fixture
def journal(tmp_path: Path) -> bytes:
    """The journal of somebody who knows everything."""
    it = handed.learner(tmp_path / "ws", Course())
    return it.journal().path.read_bytes()


def test_a_last_line_that_a_crash_left_torn_is_nothing_to_look_at(journal: bytes) -> None:
    """The learner's own course cuts it off, too; everything before counts."""
    lines = journal.splitlines(keepends=True)
    found = intake.evidence_of(GATES, {FILE_NAME: journal + lines[-1][: len(lines[-1]) // 2]})
    assert (len(lines), ()) == (len(found.entries), found.findings)


def test_an_editors_mark_at_the_beginning_is_nothing_to_look_at(journal: bytes) -> None:
    """The first entry says whose it is: without it nothing would."""
    found = intake.evidence_of(GATES, {FILE_NAME: BOM + journal})
    assert (intake.evidence_of(GATES, {FILE_NAME: journal}).entries, ()) == (found.entries, found.findings)


def test_what_is_no_json_is_unreadable_and_what_was_edited_is_damaged(journal: bytes) -> None:
    """Only of an entry can be said that it was changed after it was written."""
    lines = journal.splitlines(keepends=True)
    entry = json.loads(lines[2])
    edited = json.dumps({**entry, "number": entry["number"] + 1}).encode() + b"\n"
    for line, expected in ((b"<<<<<<< mine\n", "unreadable"), (edited, "damaged")):
        found = intake.evidence_of(GATES, {FILE_NAME: b"".join([*lines[:2], line, *lines[3:]])}).findings
        assert {expected} == {one.code for one in found} & {"unreadable", "damaged"}
