"""`make proof`: what takes long and wants a quiet machine, each part dated, all in ``course/docs/proof.md``.

python -m tests.proof                      all parts (hours: stop whenever you like, what was done is kept)
python -m tests.proof model bench          some of them; the page keeps what others found before
python -m tests.proof trial --runs 20      fewer runs; the page says so

Parts: ``model`` (random programs on real Node beside the model), ``bench`` (the simulation beside SimPy and Ciw), ``slow`` (all
other tests of the full tier), ``trial`` and ``labs`` (how often checks err), ``machines`` (one script on four machines; ``--kept``
takes what ``python -m tests.machine_story record`` recorded last).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import msgspec
from msgspec import Struct

from grader import trial, trial_gaps, trial_log, trial_page, trial_short, trial_table
from labs.errors import NoisyError
from tests import bench_simulate, machine_story

ROOT = Path(__file__).resolve().parent.parent
DOCS, KEPT = ROOT / "course" / "docs", ROOT / "artefacts"
DIFFERENTIAL = "tests/test_differential.py"
#: What the tables are asked to rest on, and the shapes they are made on.
PROGRAMS, RUNS, PAIRS = 5000, 250, 400
TRIAL = ("gates", "waves", "--cores", "2,1", "--load", "idle,busy", "--quota", "0.5")
LABS, RUNS_OF_LABS = ("phases", "places", "birth", "names", "--cores", "2", "--load", "idle,busy"), 150


class Figure(Struct, frozen=True):
    """One figure: what it is, what is asked for, what was found, and whether that will do."""

    what: str
    asked: str
    found: str
    reached: bool


class Part(Struct, frozen=True):
    """One part of the proof, as it was found.

    Attributes:
        name: Its heading.
        date: Day (UTC).
        command: How it was made.
        figures: What came out.
        text: More lines.
        erred: Whether something is broken (a goal that is only not reached yet is not).
    """

    name: str
    date: str
    command: str
    figures: tuple[Figure, ...]
    text: str = ""
    erred: bool = False


def model(options: argparse.Namespace) -> Part:
    """Run random programs on real Node, half without names and half with, new ones in every run."""
    ran, failed, skipped = _pytest(DIFFERENTIAL, environment={"FOURTHREADS_PROGRAMS": str(options.programs)})
    agreed = 0 if ran != 2 or failed or skipped else options.programs // 2 * 2
    found = (
        f"{agreed:,} agree"
        if agreed
        else f"{ran} runs, failed: {', '.join(failed) or 'none'}, not run: {', '.join(skipped) or 'none'}"
    )
    figure = Figure("random programs that agree with the model exactly", f"{PROGRAMS:,}", found, agreed >= PROGRAMS)
    return Part(
        "The model beside real Node", _today(), f"FOURTHREADS_PROGRAMS={options.programs} pytest -m slow {DIFFERENTIAL}", (figure,),
        "Held slots, finished tasks and names in flight after every step; files, names and hashes; several pool sizes.",
        bool(failed),
    )  # fmt: skip


def bench(options: argparse.Namespace) -> Part:
    """Time the simulation beside SimPy and Ciw on the same plain queue."""
    small, large = bench_simulate.compare(10_000, with_ciw=True), bench_simulate.compare(100_000, with_ciw=False)
    assert small.ciw is not None
    simpy, ciw = min(small.simpy / small.ours, large.simpy / large.ours), small.ciw / small.ours
    memory = bench_simulate.memory(100_000)
    figures = (
        Figure("times as fast as SimPy", f"{bench_simulate.FASTER_THAN_SIMPY:g}", f"{simpy:.2f}", simpy >= bench_simulate.FASTER_THAN_SIMPY),
        Figure("times as fast as Ciw", f"{bench_simulate.FASTER_THAN_CIW:g}", f"{ciw:.1f}", ciw >= bench_simulate.FASTER_THAN_CIW),
        Figure("memory, 100,000 jobs", f"{bench_simulate.MEMORY >> 20} MiB", f"{memory / 2**20:.0f} MiB", memory < bench_simulate.MEMORY),
    )  # fmt: skip
    text = (
        f"Processor seconds, 64 workers, equal jobs. 10,000: ours {small.ours:.3f}, SimPy {small.simpy:.3f}, Ciw {small.ciw:.3f}. "
        f"100,000: ours {large.ours:.3f}, SimPy {large.simpy:.3f}."
    )
    return Part("The simulation beside others", _today(), "python -m tests.bench_simulate", figures, text)


def slow(options: argparse.Namespace) -> Part:
    """Run the other tests of the full tier."""
    ran, failed, skipped = _pytest(deselect=(DIFFERENTIAL, "tests/test_simulate_speed.py"))
    passed = ran - len(failed) - len(skipped)
    found = f"{passed} of {ran} pass" + (f"; not run here: {', '.join(skipped)}" if skipped else "")
    text = f"Failed: {', '.join(failed)}" if failed else ""
    figure = Figure("other tests of the full tier", "all", found, not failed and not skipped)
    return Part("The full tier", _today(), "pytest -m slow", (figure,), text, bool(failed))


def tried(options: argparse.Namespace) -> Part:
    """Make the table of the labs whose checks the others share, going on with what was found before."""
    words = (*TRIAL, "--runs", str(options.runs), "--pairs", str(options.pairs))
    return _tried("How often the checks err", words, "trial")


def labs(options: argparse.Namespace) -> Part:
    """Make the same table of the other labs: counts only."""
    words = (*LABS, "--runs", str(min(options.runs, RUNS_OF_LABS)), "--pairs", "0")
    return _tried("How often the checks of the other labs err", words, "trial-labs")


def _tried(name: str, words: tuple[str, ...], file: str) -> Part:
    path = KEPT / f"{file}.jsonl"
    more = ("--resume", str(path), "--page", str(DOCS / f"{file}.md"))
    code = subprocess.run([sys.executable, "-m", "course", "trial", *words, *more], cwd=ROOT).returncode
    return tables(name, words, file, erred=code != 0)


def tables(name: str, words: tuple[str, ...], file: str, erred: bool) -> Part:
    """Return a trial's part from what its file holds by now, which may be a part of what was asked for."""
    lines = trial_log.read(KEPT / f"{file}.jsonl")
    rows = trial_table.rows(lines)
    figures = [
        Figure(
            f"{trial_short.name(row)}, {row.shape}", asked(row), found(row), not trial_short.short_of((row,)),
        )
        for row in rows
    ]  # fmt: skip
    figures += [Figure(said, "every check and bet", "nothing was tried", False) for said in trial_gaps.missing(rows)]
    return Part(
        name, _today(), " ".join(("fourthreads trial", *words)), tuple(figures),
        f"The calls that made the results, as they were noted: {'; '.join(trial_page.calls(lines))}. "
        f"The whole table, and where it falls short: [{file}.md]({file}.md).", erred,
    )  # fmt: skip


def asked(row: trial_table.Row) -> str:
    """Return what a row is asked for."""
    if row.kind == "windows":
        return f"no false FAIL, no false PASS; false FAIL at most {trial_short.GOAL:g}, by the weaker bound"
    goal = trial_short.goal(row)
    if trial_short.is_bet(row):
        return f"no false FAIL, no wrong name; {goal} records"
    return f"no false FAIL, no false PASS, no wrong name; {goal} live runs of right ways and {goal} of wrong ones"


def found(row: trial_table.Row) -> str:
    """Return what was found, without what was never tried."""
    rates = [("false FAIL", row.false_fail, row.right_series), ("false PASS", row.false_pass, row.wrong_series)]
    said = [
        f"{name} {rate.errors} of {rate.tries} (at most {rate.at_most:.2g})"
        + (
            f" and in {series.erred.errors} of {series.erred.tries} series (at most {series.erred.at_most:.2g})"
            if series
            else ""
        )
        for name, rate, series in (*rates, ("wrong name", row.wrong_name, None))
        if rate.tries
    ]
    return ", ".join(said) or "nothing was tried"


def machines(options: argparse.Namespace) -> Part:
    """Record one script on four machines and write its page; a machine that is too busy writes none."""
    command = "python -m tests.machine_story record"
    try:
        story = machine_story.recorded() if options.kept else machine_story.record()
    except NoisyError as problem:
        figure = Figure("one script on four machines", "recorded", str(problem), False)
        return Part("One script on four machines", _today(), command, (figure,))
    machine_story.keep(story)
    machine_story.write(story)
    figures = []
    for told in story.told:
        seen = machine_story.verdict(told)
        wanted = "INCONCLUSIVE" if told.shape.busy else "PASS"
        figures.append(
            Figure(
                f"8 hashes over one, {told.shape}", wanted, f"{seen.outcome}: {seen.because}", wanted == seen.outcome
            )
        )
    return Part(
        "One script on four machines",
        story.head.began,
        command,
        tuple(figures),
        "The page: [machines.md](machines.md).",
    )


PARTS: dict[str, Callable[[argparse.Namespace], Part]] = {
    "model": model, "bench": bench, "slow": slow, "machines": machines, "trial": tried, "labs": labs,
}  # fmt: skip


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def _pytest(
    *paths: str, deselect: tuple[str, ...] = (), environment: dict[str, str] | None = None
) -> tuple[int, list[str], list[str]]:
    """Run the slow tests; return how many ran, and the names of those that failed and that could not run here."""
    KEPT.mkdir(exist_ok=True)
    report = KEPT / "proof.xml"
    report.unlink(missing_ok=True)  # what an earlier run found is not what this one found
    argv = [sys.executable, "-m", "pytest", "-m", "slow", "--timeout=0", "-rs", f"--junitxml={report}", *paths]
    ended = subprocess.run(
        [*argv, *(f"--ignore={path}" for path in deselect)], cwd=ROOT, env={**os.environ, **(environment or {})}
    )
    if ended.returncode not in (0, 1) or not report.is_file():
        return 0, [f"the tests did not come to an end (code {ended.returncode})"], []
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    failed = [
        str(case.get("name")) for case in cases if case.find("failure") is not None or case.find("error") is not None
    ]
    return len(cases), failed, [str(case.get("name")) for case in cases if case.find("skipped") is not None]


def page(head: trial_log.Head, parts: dict[str, Part]) -> str:
    """Return the page: every part with its date and command, and first what is not reached."""
    found = [figure for part in parts.values() for figure in part.figures if not figure.reached]
    missing = [f"- {one.what}: {one.found}; asked for: {one.asked}." for one in found]
    missing += [f"- {name} was not run." for name in PARTS if name not in parts]
    lines = [
        "# What was proved, and what was not",
        "",
        "Made by `make proof` (`python -m tests.proof`); do not edit by hand.",
        "",
        f"Machine: {head.cores} cores, {head.processor}; Node {head.node}.",
        "",
        "## Not reached",
        "",
        *(missing or ["Every figure below is reached."]),
    ]
    for name in PARTS:
        if (part := parts.get(name)) is None:
            continue
        lines += ["", f"## {part.name}", "", f"{part.date}, `{part.command}`", ""]
        lines += [part.text, ""] if part.text else []
        lines += ["| figure | asked for | found | reached |", "|---|---|---|---|"]
        lines += [
            f"| {one.what} | {one.asked} | {one.found} | {'yes' if one.reached else 'NO'} |" for one in part.figures
        ]
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> int:
    """Run the parts, keep each as it ends, write the page, print what is not reached; 1 where something erred."""
    options = argparse.ArgumentParser(
        prog="python -m tests.proof", description=__doc__.partition("\n")[0] if __doc__ else ""
    )
    options.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[], metavar="PART", help=", ".join(PARTS))
    options.add_argument("--programs", type=int, default=PROGRAMS)
    options.add_argument("--runs", type=int, default=RUNS)
    options.add_argument("--pairs", type=int, default=PAIRS)
    options.add_argument("--kept", action="store_true", help="machines: from what was recorded last")
    asked = options.parse_args(words)
    KEPT.mkdir(exist_ok=True)
    DOCS.mkdir(exist_ok=True)
    kept = KEPT / "proof.json"
    parts = msgspec.json.decode(kept.read_bytes(), type=dict[str, Part]) if kept.is_file() else {}
    made = []
    for name in asked.parts or PARTS:
        sys.stdout.write(f"proof: {name}\n")
        sys.stdout.flush()
        parts[name] = PARTS[name](asked)
        made.append(parts[name])
        kept.write_bytes(msgspec.json.encode(parts))
        (DOCS / "proof.md").write_text(page(trial.head(), parts), encoding="utf-8")
    for part in made:
        for one in part.figures:
            sys.stdout.write(
                f"{'reached    ' if one.reached else 'NOT REACHED'} {one.what}: {one.found} (asked for: {one.asked})\n"
            )
    return int(any(part.erred for part in made))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
