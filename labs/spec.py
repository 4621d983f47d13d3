"""What a lab is made of: data only. Notebook, judge, lint, tests and docs all read the same definition.

A lab is a tuple of *things* with names: bets, measures, questions, one script. Every thing has draws: draw 0 comes from
the learner's seed, later ones from ``again``. Functions in a definition are pure: they get the draw's numbers
(:class:`Scene`) and return values or lines of text. They never touch the machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from labs.answers import Answer, Kind
from labs.item import CountCheck as CountCheck
from labs.item import Item as Item
from labs.item import RatioCheck as RatioCheck
from labs.measurement import Record
from labs.playing import WhatIf
from labs.warmup import WarmUp

Parameters = Mapping[str, Any]
Row = Mapping[str, Answer]
Lines = tuple[str, ...]


@dataclass(frozen=True)
class Shape:
    """What a draw may know of the machine."""

    cores: int
    capacity: tuple[float, ...] = ()


@dataclass(frozen=True)
class Scene:
    """What a text or an expectation is computed from.

    Attributes:
        parameters: The numbers of this thing's draw.
        shape: The machine, as the draw saw it.
        record: The measurement, where there is one.
        answers: What the learner answered to this thing, blank name -> value.
        earlier: Bet slug -> answers of the bets made before, in the same row group.
        sure: How sure the learner said to be of a bet: ``guess``, ``think``, ``bet``, or None.
        scripted: In a dry run, for every measure that runs the learner's script: its slug -> the numbers of its draw in force.
            ``parameters`` are those of the first.
    """

    parameters: Parameters
    shape: Shape
    record: Record | None = None
    answers: Row = field(default_factory=dict)
    earlier: Mapping[str, Row] = field(default_factory=dict)
    sure: str | None = None
    scripted: Mapping[str, Parameters] = field(default_factory=dict)


@dataclass(frozen=True)
class Blank:
    """One value to type.

    Attributes:
        name: The keyword, such as ``held``.
        kind: How it is read.
        say: The value in a sentence, such as ``"4 held"``.
        ask: The comment beside the blank in the notebook.
        each: Where the value is a tuple with a part for each of the draw's calls: parameters -> what each part is about.
    """

    name: str
    kind: Kind
    say: Callable[[Answer], str]
    ask: str = ""
    each: Callable[[Parameters], Lines] | None = None


@dataclass(frozen=True)
class Bet:
    """A prediction made before looking; making it earns its credit, being right does not.

    Attributes:
        slug: Its name in ``predict("...")``.
        measure: The measure it comes before.
        blanks: What is typed.
        ask: The question in the learner's own numbers.
        actual: What Node did, in the same blanks; None where the record does not tell (the script was not what was asked
            for): then ``look`` says so, the bet stays open, and the measure can be run again.
        look: Lines 1 and 2 of the answer: what Node did beside what was said, and its drawing.
        because: What to say where Node and the bet agree (why it is so; no praise).
        otherwise: What to say where they differ and no story fits.
        next_step: One cell, one verb.
    """

    slug: str
    measure: str
    blanks: tuple[Blank, ...]
    ask: Callable[[Scene], str]
    actual: Callable[[Record], Row | None]
    look: Callable[[Scene], Lines]
    because: Callable[[Scene], Lines]
    otherwise: Callable[[Scene], Lines]
    next_step: str


@dataclass(frozen=True)
class Story:
    """A wrong model that people hold in good faith.

    Attributes:
        slug: Its permanent name, in verdicts and tests.
        title: The name that is shown: ``no limit: every async call gets a thread``.
        rows: What it predicts: bet slug -> blank -> value. A bet or blank it says nothing about is left out.
        voice: Bet slug -> what it sounds like in the words of its holder, then the observation in *this* record that
            does not fit it.
        local: A slip inside one bet (off by one), which agrees with Node elsewhere.
    """

    slug: str
    title: str
    rows: Callable[[Scene], Mapping[str, Row]]
    voice: Mapping[str, Callable[[Scene], Lines]]
    local: bool = False


@dataclass(frozen=True)
class Measure:
    """Something that is measured by one cell.

    Attributes:
        slug: Its name in ``measure("...")``.
        bet: The bet that must be made first, or None.
        typed: What the learner may pass to ``measure``, such as ``open=[...]``.
        parameters: The room's parameters: all of the draw's (a check on a lone record has no others) and what was typed,
            which stands in ``scene.answers``.
        script: Whether the learner's script is run (else the lab's own).
        look: The answer, where no bet stands before it.
        calibrated: Whether it needs the machine's capacity curve.
        replay: Name of a recorded run in the lab's folder that can stand in, or None.
        replayed: What a recorded run shows for the parameters that were asked for, where something was typed.
        ask: What is wanted, in the learner's own numbers; printed while a typed blank is still blank.
        free: For curiosity: needs no bet, is kept, earns nothing; called without a name.
        seconds: Longest honest duration (for the progress bar).
    """

    slug: str
    parameters: Callable[[Scene], Parameters]
    bet: str | None = None
    typed: tuple[Blank, ...] = ()
    script: bool = False
    look: Callable[[Scene], Lines] | None = None
    ask: Callable[[Scene], str] | None = None
    calibrated: bool = False
    replay: str | None = None
    replayed: Callable[[Record, Parameters], Record] | None = None
    free: bool = False
    seconds: float = 5.0


@dataclass(frozen=True)
class Option:
    """One choice of a question.

    Attributes:
        slug: Its permanent name; the letter is drawn.
        text: The sentence.
        reply: What speaks against it, without the answer; for the right one, why it is right.
        hint: What to look at, after a second miss.
    """

    slug: str
    text: str
    reply: str
    hint: str = ""


@dataclass(frozen=True)
class Question:
    """A question that earns points: first try all, second half, then none for this draw.

    Either ``options`` with ``right`` (one letter is typed), or ``blanks`` with ``solve`` (values are typed), or both: then the
    letter's blank is called ``choice``.

    Attributes:
        ask: The question in the learner's numbers, without the options.
        options: Sentences to choose from; their letters are drawn.
        right: The slug of the right option.
        blanks: Further values to type.
        solve: The right values of the blanks.
        reply: What to say to given values, without the answer (None: the option's own reply).
        hint: The hint after a second miss.
        because: The answer with its reason.
        needs: Measures whose records must exist first.
        choice: The keyword of the letter's blank where there are other blanks too.
    """

    slug: str
    ask: Callable[[Scene], str]
    because: Callable[[Scene], Lines]
    options: tuple[Option, ...] | Callable[[Scene], tuple[Option, ...]] = ()
    right: str | Callable[[Scene], str] | None = None
    blanks: tuple[Blank, ...] = ()
    solve: Callable[[Scene], Row] | None = None
    reply: Callable[[Scene], Lines] | None = None
    hint: Callable[[Scene], str] | None = None
    needs: tuple[str, ...] = ()
    choice: str = "choice"


@dataclass(frozen=True)
class Rehearsed:
    """What a dry run says to the learner: the sentence, whether the script is kept, and whether it is what was asked for."""

    text: str
    kept: bool
    complete: bool


@dataclass(frozen=True)
class ScriptTask:
    """The learner's own script.

    Attributes:
        starter: The text in the cell as shipped.
        rehearse: Findings of the dry run (plain data from the room) -> what to say.
        module: ``mjs`` or ``cjs``.
    """

    starter: str
    rehearse: Callable[[Mapping[str, Any], Scene], Rehearsed]
    module: Literal["mjs", "cjs"] = "mjs"


@dataclass(frozen=True)
class Recall:
    """A question without points that comes back in later labs with other numbers.

    Attributes:
        ask: Draw -> the question.
        solve: Draw -> the answer.
    """

    ask: Callable[[Scene], str]
    blank: Blank
    solve: Callable[[Scene], Answer]


@dataclass(frozen=True)
class Lab:
    """One lab, whole.

    Attributes:
        slug: Also its folder, its notebook, its assignment.
        number: Its place in the course.
        title: The question it answers.
        minutes: Honest minutes of the core path.
        rooms: Rooms it can run in, best first.
        draw: Numbers of one draw: thing slug -> parameters. Everything that varies comes from ``random``.
        rows: Which bets are compared together as one row.
        steps: Title of each cell that is a step, in order; ``step`` numbers are 1-based indices into it. A step in which
            something is done starts with its verb and the thing: ``predict start``, ``measure start``, ``evidence start``,
            ``explain why``, ``plot``, ``node``, ``check``, ``recall gates`` (all its warm-ups, named after the first); a step that is
            read has any other title.
        skip_to: The thing whose first-try solution stands for the bets and questions before it, or None.
        skips: What it stands for.
        evidence: Bet or measure slug -> the worked record's lines.
        five_lines: The consolidation, shown when ``five_lines_after`` is settled (default: the first question).
        picture: Records -> a figure (matplotlib imported inside), see labs.plots.
        picture_text: Records -> the same as lines, for who cannot see it.
        picture_says: What a lane of the picture is.
        what_if: Numbers to play with, drawn from the model beside what was measured, or None.
        law: What a record that earns nothing is held against (``fourthreads check``): the model alone.
        warm_ups: What is asked from memory before the first bet, about labs that came before.
        node: What Node does by the model, before anybody measured: bet slug -> blank -> value (as ``Story.rows``).
    """

    slug: str
    number: int
    title: str
    minutes: int
    rooms: tuple[str, ...]
    draw: Callable[[random.Random, Shape], Mapping[str, Parameters]]
    bets: tuple[Bet, ...]
    measures: tuple[Measure, ...]
    questions: tuple[Question, ...]
    stories: tuple[Story, ...]
    items: tuple[Item, ...]
    rows: tuple[tuple[str, ...], ...]
    steps: tuple[str, ...]
    script: ScriptTask | None = None
    evidence: Mapping[str, Callable[[Scene], Lines]] = field(default_factory=dict)
    five_lines: Callable[[Scene], Lines] | None = None
    five_lines_after: str = ""
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recall: Recall | None = None
    closing: Callable[[Mapping[str, Record]], Lines] | None = None
    skip_to: str | None = None
    skips: tuple[str, ...] = ()
    picture: Callable[[Mapping[str, Record]], Any] | None = None
    picture_text: Callable[[Mapping[str, Record]], Lines] | None = None
    picture_says: str = "A lane is a slot."
    what_if: WhatIf | None = None
    next_lab: str = ""
    law: tuple[CountCheck, ...] = ()
    warm_ups: tuple[WarmUp, ...] = ()
    node: Callable[[Scene], Mapping[str, Row]] | None = None

    @property
    def max_points(self) -> float:
        """The sum of the items' points."""
        return sum(item.points for item in self.items)

    def bet(self, slug: str) -> Bet:
        """Return the bet of that name.

        Raises:
            KeyError: There is none.
        """
        return {bet.slug: bet for bet in self.bets}[slug]

    def measure(self, slug: str) -> Measure:
        """Return the measure of that name.

        Raises:
            KeyError: There is none.
        """
        return {measure.slug: measure for measure in self.measures}[slug]

    def question(self, slug: str) -> Question:
        """Return the question of that name.

        Raises:
            KeyError: There is none.
        """
        return {question.slug: question for question in self.questions}[slug]
