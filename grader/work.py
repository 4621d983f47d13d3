"""A learner's work in one lab, read from journal entries: what was drawn, bet, measured, answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from labs import acts
from labs.errors import RecordError
from labs.journal import Entry
from labs.measurement import Clock, Record
from labs.spec import Bet, Lab, Parameters, Row, Scene, Shape

Key = tuple[str, int]


@dataclass(frozen=True)
class Finding:
    """Something in the evidence that an instructor may want to look at; never an automatic zero.

    Attributes:
        code: A permanent short name.
        text: One sentence.
        entry: The number of the entry it is about, None where it is about the whole.
    """

    code: str
    text: str
    entry: int | None = None


@dataclass(frozen=True)
class Evidence:
    """What was handed in for one lab, after the strict reading: entries in order, and what is odd about them."""

    lab: str
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """The findings as sentences, for pages and gradebooks."""
        return tuple(f"{one.code}: {one.text}" for one in self.findings)


@dataclass(frozen=True)
class Draw:
    """The numbers of one thing."""

    thing: str
    number: int
    seed: int
    shape: Shape
    parameters: Parameters
    entry: Entry


@dataclass(frozen=True)
class Placed:
    """A bet as it was made."""

    answers: Row
    sure: str | None
    entry: Entry


@dataclass(frozen=True)
class Kept:
    """A record as it was kept."""

    record: Record
    typed: Row
    entry: Entry

    @property
    def clock(self) -> Clock:
        """When it was kept."""
        return self.entry.clock


@dataclass(frozen=True)
class Try:
    """One answer to a question."""

    answers: Row
    entry: Entry


@dataclass(frozen=True)
class Work:
    """All of it, by (thing, draw). Lists are in the order of the journal."""

    lab: Lab
    draws: Mapping[Key, Draw] = field(default_factory=dict)
    bets: Mapping[Key, tuple[Placed, ...]] = field(default_factory=dict)
    records: Mapping[Key, tuple[Kept, ...]] = field(default_factory=dict)
    tries: Mapping[Key, tuple[Try, ...]] = field(default_factory=dict)
    scripts: tuple[tuple[acts.Scripted, Entry], ...] = ()
    hints: Mapping[str, int] = field(default_factory=dict)
    looked: frozenset[str] = frozenset()
    skip: int | None = None
    solution: int | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    opened: acts.Opened | None = None
    last: Clock | None = None
    findings: tuple[Finding, ...] = ()

    def number(self, slug: str) -> int:
        """Return the draw that is in force for a thing: the last one made, 0 where none was."""
        name = thing(self.lab, slug)
        return max((number for drawn, number in self.draws if drawn == name), default=0)

    def numbers(self, slug: str) -> tuple[int, ...]:
        """Return every draw of a thing, in order; (0,) where none was noted."""
        name = thing(self.lab, slug)
        return tuple(sorted(number for drawn, number in self.draws if drawn == name)) or (0,)

    def latest(self, measure: str) -> Kept | None:
        """Return the newest record of a measure, whatever its draw."""
        found = [kept[-1] for (name, _), kept in self.records.items() if name == measure]
        return max(found, key=lambda kept: kept.entry.number, default=None)

    def script(self) -> str | None:
        """Return the last version of the script that was kept."""
        return next((made.text for made, _ in reversed(self.scripts) if made.kept), None)


def thing(lab: Lab, slug: str) -> str:
    """Return the name under which numbers are drawn: a bet shares those of its measure."""
    bet = next((bet for bet in lab.bets if bet.slug == slug), None)
    return bet.measure if bet else slug


def draw(lab: Lab, slug: str, seed: int, shape: Shape) -> Parameters:
    """Return the numbers that a seed gives to one thing on one machine, as the journal would hold them."""
    import random

    drawn = lab.draw(random.Random(seed), shape)
    name = thing(lab, slug)
    for key in (name, slug, *(bet.slug for bet in lab.bets if bet.measure == name)):
        if key in drawn:
            frozen: Parameters = acts.freeze(dict(drawn[key]))
            return frozen
    return {}


def read(lab: Lab, entries: Iterable[Entry]) -> Work:
    """Sort entries by what they are about. What cannot be read is left out and stands in ``findings``.

    Labs that are opened in one folder share its journal, so entries of other labs are nothing to look at; only where there is
    nothing of this one, somebody may have handed in the wrong file.
    """
    draws: dict[Key, Draw] = {}
    bets: dict[Key, list[Placed]] = {}
    records: dict[Key, list[Kept]] = {}
    tries: dict[Key, list[Try]] = {}
    scripts: list[tuple[acts.Scripted, Entry]] = []
    findings: list[Finding] = []
    rest: dict[str, Any] = {"hints": {}, "looked": set(), "faults": {}}
    entries = tuple(entries)
    if entries and not any(entry.lab == lab.slug for entry in entries):
        others = ", ".join(sorted({repr(entry.lab) for entry in entries}))
        findings.append(Finding("other-lab", f"nothing of this lab lies here, only of {others}"))
    for entry in entries:
        if entry.lab != lab.slug:
            continue
        try:
            body = acts.body(entry)
            if entry.kind in {"bet", "record", "answer", "script"}:
                # It works now: what failed there before is settled.
                for about in {getattr(body, name, "script") for name in ("thing", "bet", "question")}:
                    rest["faults"].pop(about, None)
            match body:
                case acts.Opened():
                    rest["opened"] = body
                case acts.Drawn():
                    key = (body.thing, body.draw)
                    if key in draws and draws[key].entry.body != entry.body:
                        findings.append(
                            Finding("two-draws", f"draw {body.draw} of {body.thing} was made twice", entry.number)
                        )
                        continue
                    shape = Shape(body.cores, body.capacity)
                    draws[key] = Draw(body.thing, body.draw, body.seed, shape, acts.freeze(body.parameters), entry)
                case acts.Betted():
                    bets.setdefault((body.bet, body.draw), []).append(Placed(acts.row(body.answers), body.sure, entry))
                case acts.Recorded():
                    kept = Kept(acts.record(body), acts.row(body.typed), entry)
                    records.setdefault((body.thing, body.draw), []).append(kept)
                case acts.Scripted():
                    scripts.append((body, entry))
                case acts.Answered():
                    tries.setdefault((body.question, body.draw), []).append(Try(acts.row(body.answers), entry))
                case acts.Hinted():
                    rest["hints"][body.thing] = max(body.level, rest["hints"].get(body.thing, 0))
                case acts.Looked():
                    rest["looked"].add(body.thing)
                case acts.Faulted():
                    rest["faults"][body.thing] = body.code
                case acts.Nothing():
                    rest.setdefault(entry.kind, entry.number)
        except RecordError as problem:
            findings.append(Finding("unreadable", f"a {entry.kind} cannot be read: {problem}", entry.number))
            continue
        rest["last"] = entry.clock
    return Work(
        lab=lab,
        draws=draws,
        bets={key: tuple(found) for key, found in bets.items()},
        records={key: tuple(found) for key, found in records.items()},
        tries={key: tuple(found) for key, found in tries.items()},
        scripts=tuple(scripts),
        findings=tuple(findings),
        **{**rest, "looked": frozenset(rest["looked"])},
    )


def scene(
    work: Work, slug: str, number: int, record: Record | None = None, answers: Row | None = None,
) -> Scene:  # fmt: skip
    """Return what texts and expectations of one thing at one draw are computed from.

    Raises:
        KeyError: This draw was never made.
    """
    drawn = work.draws[thing(work.lab, slug), number]
    return Scene(drawn.parameters, drawn.shape, record, answers or {}, earlier(work, slug, number))


def alone(record: Record) -> Scene:
    """Return the scene of a record that comes by itself: its numbers are those it was made with."""
    return Scene(acts.freeze(record.parameters), Shape(record.machine.cores, record.machine.capacity), record)


def telling(bet: Bet, kept: Iterable[Kept]) -> Kept | None:
    """Return the first record that tells what the bet was about."""
    return next((one for one in kept if bet.actual(one.record) is not None), None)


def standing(work: Work, bet: Bet, number: int) -> Placed | None:
    """Return the bet as it stood when it was looked at: the last version before the first telling record."""
    seen = telling(bet, work.records.get((bet.measure, number), ()))
    placed = [
        one for one in work.bets.get((bet.slug, number), ())
        if seen is None or one.entry.number < seen.entry.number
    ]  # fmt: skip
    return placed[-1] if placed else None


def group(lab: Lab, slug: str) -> tuple[str, ...]:
    """Return the bets that are compared together with this one, in order."""
    return next((row for row in lab.rows if slug in row), (slug,))


def earlier(work: Work, slug: str, number: int) -> dict[str, Row]:
    """Return what was said in the earlier bets of the row (for other things: in all bets), nearest draw up to this one."""
    row = group(work.lab, slug)
    names = (
        row[: row.index(slug)]
        if any(bet.slug == slug for bet in work.lab.bets)
        else [bet.slug for bet in work.lab.bets]
    )
    found: dict[str, Row] = {}
    for name in names:
        near = nearest(work, work.lab.bet(name), number)
        if near is not None:
            found[name] = near[1].answers
    return found


def nearest(work: Work, bet: Bet, number: int) -> tuple[int, Placed, Kept] | None:
    """Return the measured bet at this draw, or at the nearest draw before it: draw, what was said, the telling record."""
    drawn = {at for name, at in work.bets if name == bet.slug and at <= number}
    for at in sorted(drawn, reverse=True):
        placed, kept = standing(work, bet, at), telling(bet, work.records.get((bet.measure, at), ()))
        if placed is not None and kept is not None:
            return at, placed, kept
    return None
