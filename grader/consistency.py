"""Cheap looks for careless forgeries and honest accidents. A finding is for a person to look at; it changes no mark by itself.

The learner owns the machine: a consistent forgery passes here, and the pages say so (``evidence: recorded``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader import work as works
from grader.work import Finding, Kept, Work
from labs import draws, shipped
from labs.acts import freeze
from labs.journal import Entry
from labs.spec import Lab, Scene
from labs.words import counted, some

#: Clocks are set by hand and by the network; going back further than this is worth a look (seconds).
BACKWARDS = 120.0
#: Processor time beyond wall time x cores that ticks of accounting explain (seconds).
ACCOUNTING = 0.5
#: libuv of the Node lines that the course runs.
KNOWN_UV = {"24.19.0": "1.52.1", "20.20.2": "1.46.0"}


def findings(lab: Lab, entries: Sequence[Entry]) -> tuple[Finding, ...]:
    """Return everything that is odd about a lab's entries."""
    done = works.read(lab, entries)
    return (*done.findings, *_order(entries), *_draws(done), *_undrawn(done), *_records(done))


def foreign(lab: Lab, entries: Sequence[Entry], course: str, learner: str) -> tuple[Finding, ...]:
    """Return one finding about all draws of somebody else's seed; listed, never accused (a shared machine, a copied folder).

    Args:
        lab: The lab.
        entries: What was handed in.
        course: What goes into the class's seeds.
        learner: The id this work is handed in under.
    """
    done = works.read(lab, entries)
    other = [
        drawn for drawn in done.draws.values() if drawn.seed != draws.seed(course, learner, lab.slug, drawn.number)
    ]
    if not other:
        return ()
    of = some([*dict.fromkeys(drawn.thing for drawn in other)])
    text = f"{len(other)} of {counted(len(done.draws), 'draw')} have another learner's or class's seed: {of}"
    return (Finding("foreign-seed", text, other[0].entry.number),)


def _order(entries: Sequence[Entry]) -> Iterator[Finding]:
    numbers: dict[int, Entry] = {}
    before: Entry | None = None
    for entry in entries:
        if entry.number in numbers:
            yield Finding("fork", f"two different entries have the number {entry.number}", entry.number)
        numbers[entry.number] = entry
        if before is not None:
            if entry.clock.wall < before.clock.wall - BACKWARDS:
                yield Finding("clock", f"entry {entry.number} is dated before entry {before.number}", entry.number)
            elif entry.clock.boot == before.clock.boot and entry.clock.monotonic < before.clock.monotonic:
                yield Finding("clock", f"entry {entry.number} was written before entry {before.number}", entry.number)
        before = entry
    people = {str(entry.body.get("learner")) for entry in entries if entry.kind == "open"}
    if len(people) > 1:
        yield Finding("two-learners", f"{len(people)} learners' entries lie here")


def _draws(done: Work) -> Iterator[Finding]:
    for drawn in done.draws.values():
        expected = works.draw(done.lab, drawn.thing, drawn.seed, drawn.shape)
        run = shipped.fixed(done.lab, drawn.thing)  # in the room replay its numbers are everybody's
        if drawn.parameters not in (expected, shipped.over(run, expected) if run else expected):
            text = f"the numbers of {drawn.thing}, draw {drawn.number}, are not those of their seed"
            yield Finding("numbers", text, drawn.entry.number)


def _undrawn(done: Work) -> Iterator[Finding]:
    """Yield one finding about what lies there without its numbers; a cell of the course always carries both."""
    missing = [name for name, number in (*done.bets, *done.records) if not has_draw(done, name, number)]
    if missing:
        what = counted(len(missing), "bet or record", "bets and records")
        yield Finding("no-draw", f"{what} without the numbers that were drawn: {some([*dict.fromkeys(missing)])}")


def has_draw(done: Work, name: str, number: int) -> bool:
    """Return whether the numbers of a bet or a record are there; what was made without them earns nothing."""
    return (works.thing(done.lab, name), number) in done.draws


def _records(done: Work) -> Iterator[Finding]:
    stamps: dict[tuple[float, float, str], int] = {}
    for (name, number), records in done.records.items():
        for kept in records:
            place = f"the record of {name}, entry {kept.entry.number},"
            clock = kept.record.clock
            stamp = (clock.wall, clock.monotonic, clock.boot)
            if stamp in stamps and kept.record.room != "replay":  # a recorded run is looked at as often as one likes
                yield Finding("copied", f"{place} has the clocks of entry {stamps[stamp]}", kept.entry.number)
            stamps[stamp] = kept.entry.number
            for code, text in _of_record(done, name, number, kept):
                yield Finding(code, f"{place} {text}", kept.entry.number)


def _of_record(done: Work, name: str, number: int, kept: Kept) -> Iterator[tuple[str, str]]:
    record, replayed = kept.record, kept.record.room == "replay"
    if record.measure != name or record.lab != done.lab.slug:
        yield "misplaced", f"is of {record.lab} {record.measure}"
    if contradicts(done, name, number, kept):
        yield "numbers", "was made with other numbers than were drawn and typed"
    if not replayed and record.clock.boot == kept.clock.boot and record.clock.monotonic > kept.clock.monotonic + 1:
        yield "clock", "was made after it was written down"
    for run in record.runs:
        if run.cpu > run.wall * record.machine.cores + ACCOUNTING:
            yield "cpu", f"used {run.cpu:.2f} s of CPU in {run.wall:.2f} s on {record.machine.cores} cores"
    known = KNOWN_UV.get(record.node.version)
    if known is not None and record.node.uv != known:
        yield "node", f"says Node {record.node.version} has libuv {record.node.uv}; it has {known}"


def contradicts(done: Work, name: str, number: int, kept: Kept) -> bool:
    """Return whether a record was made with other numbers than its draw and what was typed give; then it earns nothing."""
    measure = next((one for one in done.lab.measures if one.slug == name), None)
    drawn = done.draws.get((name, number))
    if measure is None or drawn is None or kept.record.room == "replay":
        return False
    try:
        asked = measure.parameters(Scene(drawn.parameters, drawn.shape, answers=kept.typed))
    except Exception:  # whatever a forged draw makes of a lab's functions
        return True
    same = freeze(dict(kept.record.parameters)) == freeze(dict(asked))
    return not same or (kept.record.seed, kept.record.draw) != (drawn.seed, number)
