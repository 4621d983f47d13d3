"""The course checks itself: what every lab must keep, found before a learner finds it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from course import build, recorded, warming
from grader import answering, policy
from grader import work as works
from grader.judge import judge
from grader.verdict import Outcome
from grader.work import Evidence, draw
from labs import catalog
from labs.answers import Answer, Choice, Count, Ratio, Refusal
from labs.errors import RecordError
from labs.spec import Lab, Question, Scene, Shape
from labs.warmup import WarmUp

MOST_WORDS = 900
MOST_WORDS_BETWEEN = 100
MOST_BETS = 5
MOST_NEW_VERBS = 2
MOST_MINUTES = 30
#: A learner who presses every button with constant answers earns less than this share in the mean.
ASLEEP = 0.30
CORES = (1, 2, 4, 12, 16)
DRAWS = 60
#: Shares of the total by part, and how far a lab may differ.
PARTS = {"bets": 0.20, "artefact": 0.45, "explanation": 0.15, "transfer": 0.20}
PARTS_TOLERANCE = 0.051
NEVER_SAID = re.compile(r"\b(wrong|incorrect|oops|traceback)\b|!(?![=\[(])", re.IGNORECASE)
_VERB = re.compile(r"^\w+\.(\w+)\(|^%%(\w+)", re.MULTILINE)
_FURTHER = re.compile(r"^#+ .*\bfurther\b", re.IGNORECASE | re.MULTILINE)


def lint(lab: Lab, master: Path | None, known_verbs: set[str] | None = None) -> Iterator[str]:
    """Yield every finding about one lab, a sentence each. ``known_verbs`` are those of earlier labs; None for the first."""
    yield from _definition(lab)
    yield from _starter(lab)
    yield from _leaks(lab)
    yield from stories(lab)
    yield from warm_ups(lab)
    if (share := asleep(lab)) >= ASLEEP:
        yield f"constant answers earn {share:.0%} in the mean over draws; less than {ASLEEP:.0%} is allowed"
    if master is None:
        yield "has no master in course/notebooks"
        return
    yield from _texts(master)
    code = _code(master)
    for warm in lab.warm_ups:
        if f'{lab.slug}.recall("{warm.lab}", ...)' not in code:
            yield f"the warm-up about {warm.lab} has no cell in its master"
    if known_verbs is not None and len(new := verbs(master) - known_verbs) > MOST_NEW_VERBS:
        yield f"brings {len(new)} new verbs ({', '.join(sorted(new))}); at most {MOST_NEW_VERBS}"


def course() -> Iterator[tuple[str, str]]:
    """Yield (lab, finding) for the whole course: every lab, and notebooks that are not what their masters say."""
    masters = {build.slug_of(master): master for master in build.masters()}
    known: set[str] | None = None
    for slug in catalog.slugs():
        master = masters.get(slug)
        for finding in lint(catalog.load(slug), master, known):
            yield slug, finding
        if master is not None:
            known = (known or set()) | verbs(master)
    for path in build.stale():
        yield path.stem, "the notebook is not what its master says; run: fourthreads build"


def words(text: str) -> int:
    """Count the words of a text as a reader does: headings, code, links and marks are none."""
    text = re.sub(r"^#+ .*$", " ", text, flags=re.MULTILINE)
    text = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|<[^>]*>", " ", text, flags=re.DOTALL)
    return len(re.findall(r"[\w'’]+", text))


def verbs(master: Path) -> set[str]:
    """Return the verbs of the learner's API that a master's code uses."""
    return {one or other for one, other in _VERB.findall(_code(master))}


def _code(master: Path) -> str:
    return "\n".join(cell.source for cell in build.cells(master) if cell.kind != "text")


def _definition(lab: Lab) -> Iterator[str]:
    if len(lab.bets) > MOST_BETS:
        yield f"has {len(lab.bets)} bets; at most {MOST_BETS}"
    if lab.minutes > MOST_MINUTES:
        yield f"takes {lab.minutes} minutes; at most {MOST_MINUTES}"
    for part, share in PARTS.items():
        has = sum(item.points for item in lab.items if item.part == part) / lab.max_points
        if abs(has - share) > PARTS_TOLERANCE:
            yield f"gives {has:.0%} of its points for {part}; {share:.0%} is the rule"
    for item in lab.items:
        if not 1 <= item.step <= len(lab.steps):
            yield f"the item {item.grade_id} is opened by step {item.step}; there are {len(lab.steps)}"
        if item.checks and abs(sum(weight for _, weight in item.checks) - 1) > 1e-9:
            yield f"the weights of {item.grade_id} do not sum to 1"
        if not (item.bets or item.question or item.checks):
            yield f"nothing earns the item {item.grade_id}"
    slugs = {check.slug for item in lab.items for check, _ in item.checks}
    for item in lab.items:
        for check, _ in item.checks:
            if (heir := getattr(check, "moves_to", None)) is not None and heir not in slugs:
                yield f"the weight of {check.slug} moves to {heir!r}, which is no check of this lab"
    for question in lab.questions:
        if question.hint is None and question.slug not in lab.hints and not callable(question.options):
            if not all(option.hint for option in question.options):
                yield f"the question {question.slug} has no hint"
    reference = build.ROOT.parent / "labs" / lab.slug / "reference"
    if not reference.is_dir() or not any(reference.iterdir()):
        yield "has no reference solution"


def _starter(lab: Lab) -> Iterator[str]:
    for verdict in judge(lab, Evidence(lab.slug, ())):
        if verdict.outcome is not Outcome.NOT_ATTEMPTED or verdict.points:
            yield f"an untouched notebook gets {verdict.outcome} and {verdict.points} points in {verdict.check}"


def _leaks(lab: Lab) -> Iterator[str]:
    """Yield recorded runs that hold a solution: every learner has them, the reference folder not all."""
    for path in recorded.telling(lab):
        yield f"replay/{path.name} holds the text of a script that earns points; run: fourthreads build"


def _texts(master: Path) -> Iterator[str]:
    found = build.cells(master)
    total = since = 0
    last = ""
    for cell in found:
        if cell.kind == "text":
            if _FURTHER.search(cell.source):
                break
            total, since, last = total + words(cell.source), since + words(cell.source), last or cell.name
            if said := NEVER_SAID.search(cell.source):
                yield f"the text {cell.name} says {said.group()!r}"
        else:
            if since > MOST_WORDS_BETWEEN:
                yield f"{since} words stand from {last} to the next thing to do; at most {MOST_WORDS_BETWEEN}"
            since, last = 0, ""
    if total > MOST_WORDS:
        yield f"has {total} words in its core path; at most {MOST_WORDS}"


def warm_ups(lab: Lab) -> Iterator[str]:
    """Yield what is amiss with what a lab asks about earlier ones, read from the recorded runs that stand in."""
    if not lab.warm_ups:
        if lab.number:
            yield "asks nothing about an earlier lab; every lab but the first begins with a warm-up"
        return
    step = warming.step(lab)
    if "ready?" not in lab.steps or lab.steps[lab.steps.index("ready?") + 1 :][:1] != (step,):
        yield f"has warm-ups, so the step {step!r} stands right after 'ready?'"
    about = [warm.lab for warm in lab.warm_ups]
    if len({*about}) < len(about):
        yield "has two warm-ups about one lab; they could not be told apart"
    for warm in lab.warm_ups:
        for finding in _warm_up(lab, warm):
            yield f"the warm-up about {warm.lab} {finding}"


def _warm_up(lab: Lab, warm: WarmUp) -> Iterator[str]:
    if warm.lab not in catalog.slugs() or (earlier := catalog.load(warm.lab)).number >= lab.number:
        yield "does not speak of an earlier lab of the course"
        return
    if warm.measure not in {measure.slug for measure in earlier.measures}:
        yield f"speaks of the measure {warm.measure!r}, which that lab does not have"
        return
    try:
        here = works.alone(warming.recorded(warm))
    except (OSError, RecordError) as problem:
        yield f"has no recorded run that can be read: {problem}"
        return
    if here.record is not None and here.record.measure != warm.measure:
        yield f"has a recorded run of {here.record.measure!r}, not of {warm.measure!r}"
    try:
        ask, answer, because = warm.ask(here), warm.solve(here), warm.because(here)
        read = warm.blank.kind.read(answer, here.parameters)
    except (Refusal, ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as problem:
        yield f"cannot be solved on its recorded run: {type(problem).__name__} {problem}"
        return
    if read != answer:
        yield f"is answered by {answer!r}, which is read as {read!r} when it is typed"
    if states(ask, warm, answer):
        yield f"states its answer in the question: {warm.blank.kind.say(answer)}"
    if said := NEVER_SAID.search("\n".join((ask, *because))):
        yield f"says {said.group()!r}"


def states(ask: str, warm: WarmUp, answer: Answer) -> bool:
    """Return whether a question gives its answer away; one that lists its choices gives none of them away."""
    if isinstance(warm.blank.kind, Choice):
        return False
    said = {warm.blank.kind.say(answer), warm.blank.say(answer)}
    return any(re.search(rf"(?<![\w.]){re.escape(text)}(?![\w]|\.\d)", ask) for text in said)


def scenes(lab: Lab, slug: str, cores: int, draws: int = DRAWS) -> Iterator[tuple[Scene, int]]:
    """Yield (scene, seed) of a thing for many draws on a machine with so many cores."""
    for seed in range(draws):
        shape = Shape(cores, _capacity(cores))
        yield Scene(draw(lab, slug, seed, shape), shape), seed


def _capacity(cores: int) -> tuple[float, ...]:
    return tuple(float(min(k, cores)) for k in range(1, 2 * cores + 9))


def stories(lab: Lab) -> Iterator[str]:
    """Yield pairs of stories that one draw lets agree in their whole row where another draw would tell them apart."""
    whole = [story for story in lab.stories if not story.local]
    for cores in CORES:
        same: dict[tuple[str, str], int] = {}
        for seed in range(DRAWS):
            shape = Shape(cores, _capacity(cores))
            rows: dict[str, dict[str, Any]] = {story.slug: {} for story in whole}
            for bet in lab.bets:
                here = Scene(draw(lab, bet.measure, seed, shape), shape)
                for story in whole:
                    if bet.slug in (predicted := story.rows(here)):
                        rows[story.slug][bet.slug] = dict(predicted[bet.slug])
            for one, other in itertools.combinations(rows, 2):
                common = rows[one].keys() & rows[other].keys()
                same[one, other] = same.get((one, other), 0) + all(rows[one][bet] == rows[other][bet] for bet in common)
        for (one, other), count in same.items():
            if 0 < count < DRAWS:
                yield f"on {cores} cores {count} of {DRAWS} draws let {one} and {other} agree; other draws would not"


def asleep(lab: Lab) -> float:
    """Return the share of the points that constant answers earn in the mean: all bets, the first letter, the number one."""
    means = []
    for cores in CORES:
        earned = sum(item.points for item in lab.items if item.bets)
        for item in lab.items:
            question = answering.found(lab, item.question) if item.question else None
            if question is not None:
                right = [_lucky(question, here, seed) for here, seed in scenes(lab, question.slug, cores)]
                earned += item.points * policy.TRIES[0] * sum(right) / len(right)
        means.append(earned / lab.max_points)
    return max(means)


def _lucky(question: Question, here: Scene, seed: int) -> bool:
    right = answering.solution(question, here)
    constant: dict[str, Answer] = {}
    if question.right is not None:
        constant[question.choice] = answering.lettered(question, here, seed)["a"].slug
    for blank in question.blanks:
        for typed in _constants(blank.kind):
            try:
                constant[blank.name] = blank.kind.read(typed, here.parameters)
                break
            except Refusal:
                continue
    return constant == right


def _constants(kind: Any) -> tuple[object, ...]:
    if isinstance(kind, Choice):
        return (kind.options[0],)
    if isinstance(kind, Count | Ratio):
        return (1, 2)
    return (1, [1], "a", *([" ".join(kind.labels)] if hasattr(kind, "labels") else []))


def live(lab: Lab, on_progress: Callable[[str], None] = lambda what: None) -> Iterator[str]:
    """Measure every measure once with the reference script, and yield what does not answer its bet or contradicts itself."""
    import msgspec

    from grader.judge import judge_record
    from labs import fitting, machine, rooms
    from labs.request import Request

    solution = next(iter(sorted((build.ROOT.parent / "labs" / lab.slug / "reference").glob("*.[mc]js"))), None)
    here = machine.plain()
    if any(measure.calibrated for measure in lab.measures):
        here = machine.calibrated().machine
    for measure in lab.measures:
        if measure.typed:
            continue
        on_progress(f"{lab.slug} {measure.slug}")
        scene = Scene(draw(lab, measure.slug, 1, Shape(here.cores, here.capacity)), Shape(here.cores, here.capacity))
        request = Request(
            lab=lab.slug, measure=measure.slug, parameters=msgspec.to_builtins(dict(measure.parameters(scene))), seed=1,
            script=solution.read_text("utf-8") if measure.script and solution else None,
        )  # fmt: skip
        where = rooms.choose(lab.rooms)
        record = rooms.measure(fitting.fitted(request, where) if measure.calibrated else request, where)
        bet = next((bet for bet in lab.bets if bet.measure == measure.slug), None)
        if bet is not None and bet.actual(record) is None:
            yield f"the record of {measure.slug} does not answer its bet"
        for verdict in judge_record(lab, record):
            if verdict.outcome in (Outcome.CONTRADICTS, Outcome.ERROR):
                yield f"the reference solution gets {verdict.outcome} in {verdict.check}: {verdict.because}"
