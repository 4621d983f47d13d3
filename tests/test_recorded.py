"""Recorded runs: they stand in for a measurement, and hold no script that earns points."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from course import cli, lint, recorded
from labs import catalog, measurement
from labs.spec import Lab

LABS = [catalog.load(slug) for slug in catalog.slugs()]
GATES = catalog.load("gates")


def bare(script: str) -> set[str]:
    """Return the lines of a script that do something."""
    lines = (line.strip() for line in script.splitlines())
    return {line for line in lines if len(line) > 12 and not line.startswith("//")}


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_no_recorded_run_of_a_learners_script_says_how(lab: Lab) -> None:
    """Searched as text: no line of a reference solution stands in it, beyond those of the starter."""
    reference = Path(recorded.LABS, lab.slug, "reference")
    given = bare(lab.script.starter) if lab.script else set()
    lines = {line for path in reference.glob("*.*js") for line in bare(path.read_text("utf-8"))} - given
    assert lines
    for measure in lab.measures:
        if measure.script and (path := recorded.path(lab, measure)) is not None:
            text = measurement.decode(path.read_bytes()).script.text
            assert set() == {line for line in lines if line in text}, path.name


@pytest.fixture
def leaky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The labs' recorded runs, one of which was just recorded with a solution."""
    for lab in LABS:
        shutil.copytree(recorded.LABS / lab.slug / "replay", tmp_path / lab.slug / "replay")
    path = tmp_path / "gates" / "replay" / "canary.json"
    record = measurement.decode(path.read_bytes())
    script = measurement.script_of("fs.stat('.', () => done('stat'));")
    path.write_bytes(measurement.encode(msgspec.structs.replace(record, script=script)))
    monkeypatch.setattr(recorded, "LABS", tmp_path)
    return path


def test_the_lint_finds_a_solution_in_a_recorded_run(leaky: Path) -> None:
    """With the file and the command that takes it out."""
    (found,) = [finding for finding in lint.lint(GATES, None) if "replay/canary.json" in finding]
    assert "holds the text of a script that earns points; run: fourthreads build" in found


def test_taking_a_script_out_changes_nothing_else(leaky: Path) -> None:
    """Text and digest agree as the record's rules want it; every count stays. A second time there is nothing to do."""
    before = measurement.decode(leaky.read_bytes())
    assert [leaky] == recorded.silence()
    after = measurement.decode(leaky.read_bytes())
    assert msgspec.structs.replace(before, script=after.script) == after
    assert recorded.SCRIPT == after.script.text
    assert [] == recorded.silence()


def test_build_takes_it_out_and_check_reports_it(leaky: Path) -> None:
    """An author who has recorded anew runs what is run anyway; CI finds what was forgotten."""
    seen = CliRunner().invoke(cli.main, ["build", "--check"])
    assert (1, True) == (seen.exit_code, "canary.json holds the text of a script that earns points" in seen.stdout)
    assert [leaky] == [path for lab in LABS for path in recorded.telling(lab)]
