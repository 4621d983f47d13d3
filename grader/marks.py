"""From a learner's work to the lines of the card: one mark for each item of the lab, with its points and its reason."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from grader import policy, work
from grader.answering import asked, found, setting, solution
from grader.checks import judge_check
from grader.consistency import contradicts, has_draw
from grader.verdict import Outcome, Verdict
from grader.work import Evidence, Kept, Work
from labs.spec import Item, Lab, Scene, Shape

TRY_NAMES = ("first try", "second try", "third try")


@dataclass(frozen=True)
class Mark:
    """One line of the card.

    Attributes:
        item: The definition.
        title: The item's title, with the draw's numbers.
        state: ``3 of 3``, ``second try``, ``reached``, ``-``.
        verdict: The outcome with its points.
        note: What is open, and what opens it.
    """

    item: Item
    title: str
    state: str
    verdict: Verdict
    note: str = ""


def marks(lab: Lab, evidence: Evidence) -> tuple[Mark, ...]:
    """Return a mark for each item, in the order of the card."""
    whole = work.read(lab, evidence.entries)
    before = whole
    if whole.solution is not None:
        until = whole.solution
        before = work.read(lab, (entry for entry in evidence.entries if entry.number < until))
    return tuple(_mark(whole if item.part == "transfer" else before, item) for item in lab.items)


def _mark(done: Work, item: Item) -> Mark:
    if item.bets:
        share, state, verdict = _bets(done, item)
    elif item.question:
        share, state, verdict = _question(done, item, item.question)
    else:
        share, state, verdict = _checks(done, item)
    things = {*item.bets, item.question, *(check.measure for check, _ in item.checks)}
    note = ""
    if verdict.outcome is Outcome.NOT_ATTEMPTED:
        note = f"not yet: step {_opens(done, item)}"
    elif verdict.outcome in policy.UNJUDGED and share == 0:
        note = f"could not be judged: run step {item.step} again"
    if share == 0 and verdict.outcome is not Outcome.PASS and (code := _fault(done, things)):
        verdict = _with(verdict, outcome=Outcome.ERROR, because=f"A fault of the course is noted here: {code}.")
        state, note = "-", f"left out until our fault {code} is settled"
    scored = _with(
        verdict, check=item.grade_id, points=policy.rounded(item.points * share), max_points=item.points,
    )  # fmt: skip
    return Mark(item, _title(done, item), state, scored, note)


def _with(verdict: Verdict, **changes: object) -> Verdict:
    """Return the verdict with some fields changed."""
    import msgspec

    return msgspec.structs.replace(verdict, **changes)


def _fault(done: Work, things: set[str | None]) -> str | None:
    return next((code for name, code in done.faults.items() if name in things), None)


def _title(done: Work, item: Item) -> str:
    slug = item.question or (item.checks[0][0].measure if item.checks else item.bets[0])
    drawn = done.draws.get((work.thing(done.lab, slug), done.number(slug)))
    return item.label(Scene(drawn.parameters, drawn.shape)) if item.label and drawn else item.title


def _opens(done: Work, item: Item) -> int:
    """Return the step that opens an item: that of the first bet that is missing, else the item's own."""
    steps = done.lab.steps
    return next(
        (steps.index(f"predict {slug}") + 1 for slug in _missing(done, item) if f"predict {slug}" in steps), item.step
    )


def _missing(done: Work, item: Item) -> list[str]:
    stood_for = set(done.lab.skips) if skipped(done) else set()
    return [slug for slug in item.bets if slug not in stood_for and not _made(done, slug)]


def _bets(done: Work, item: Item) -> tuple[float, str, Verdict]:
    missing = _missing(done, item)
    made = [slug for slug in item.bets if slug not in missing]
    outcome = Outcome.PASS if not missing else Outcome.NOT_ATTEMPTED
    state = f"{len(made)} of {len(item.bets)}"
    because = (
        "Each bet was made before its measurement."
        if not missing
        else f"Not made before looking: {', '.join(missing)}."
    )
    verdict = Verdict(
        check=item.grade_id, outcome=outcome, measured=len(made), expected=len(item.bets), because=because,
        next_step="" if not missing else f"Step {_opens(done, item)} opens it.",
    )  # fmt: skip
    return len(made) / len(item.bets), state, verdict


def _made(done: Work, slug: str) -> bool:
    bet = done.lab.bet(slug)
    return any(has_draw(done, slug, number) and work.standing(done, bet, number) for number in done.numbers(slug))


def _question(done: Work, item: Item, slug: str) -> tuple[float, str, Verdict]:
    question = found(done.lab, slug)
    assert question is not None, f"item {item.grade_id} names a question that is not there"
    if slug in done.lab.skips and skipped(done):
        verdict = Verdict(check=slug, outcome=Outcome.PASS, because="Step solved at the first try instead.")
        return 1.0, "skipped", verdict
    best: tuple[float, str, Verdict] = (0.0, "-", Verdict(
        check=slug, outcome=Outcome.NOT_ATTEMPTED, because="Not answered.", next_step=f"Step {item.step} opens it.",
    ))  # fmt: skip
    stories = {story.slug for story in done.lab.stories}
    for number in done.numbers(slug):
        tries = done.tries.get((slug, number), ())
        if not tries or (slug, number) not in done.draws:
            continue
        here = setting(done, question, number)
        seen = asked(question, here, tries)
        share = policy.question_share(seen.right_at, number)
        if seen.right_at is not None:
            name = TRY_NAMES[seen.right_at] + (f", draw {number + 1}" if number else "")
            verdict = Verdict(
                check=slug, outcome=Outcome.PASS, measured=solution(question, here), because=f"Right at the {name}."
            )
        else:
            name = f"{len(seen.misses)} of 3 tries" if not seen.settled else "shown"
            last = seen.misses[-1]
            verdict = Verdict(
                check=slug, outcome=Outcome.CONTRADICTS, measured=dict(last),
                wrong_models=tuple(str(value) for value in last.values() if value in stories),
                because="None of the answers given fits the records.",
                next_step=f'{done.lab.slug}.again("{slug}") draws new numbers.' if seen.settled else f"Step {item.step} has tries left.",
            )  # fmt: skip
        if share > best[0] or best[2].outcome is not Outcome.PASS:
            best = (share, name, verdict)
    return best


def _checks(done: Work, item: Item) -> tuple[float, str, Verdict]:
    chosen: list[Verdict] = []
    replayed = False
    by_measure: dict[str, list[int]] = {}
    for index, (check, _) in enumerate(item.checks):
        by_measure.setdefault(check.measure, []).append(index)
    weights = {check.slug: weight for check, weight in item.checks}
    to = {check.slug: str(getattr(check, "moves_to", "")) for check, _ in item.checks}
    for measure, indices in by_measure.items():
        best: tuple[tuple[float, ...], list[Verdict]] | None = None
        for (name, number), records in done.records.items():
            for kept in records if name == measure else ():
                if not earns(done.lab, measure, kept):
                    replayed = True
                    continue
                if not has_draw(done, measure, number) or contradicts(done, measure, number, kept):
                    continue  # it belongs to no numbers, or to others; the findings say so
                verdicts = [
                    judge_check(item.checks[index][0], _scene(done, measure, number, kept)) for index in indices
                ]
                passed = sum(weights[verdict.check] for verdict in verdicts if verdict.outcome is Outcome.PASS)
                rank = (
                    passed,
                    -min(policy.BEST_FIRST.index(verdict.outcome) for verdict in verdicts),
                    kept.entry.number,
                )
                if best is None or rank > best[0]:
                    best = (rank, verdicts)
        chosen += best[1] if best else [judge_check(item.checks[index][0], Scene({}, Shape(1))) for index in indices]
    outcomes = [(verdict.check, verdict.outcome) for verdict in chosen]
    share = policy.check_share(outcomes, weights, to)
    return share, *_summary(item, chosen, share, replayed)


def earns(lab: Lab, measure: str, kept: Kept) -> bool:
    """Return whether a record counts: one that was measured, or a recorded run in which the learner decided something.

    Bets, questions and puzzles count in the room ``replay``; what somebody else measured earns nothing.
    """
    return kept.record.room != "replay" or any(one.slug == measure and one.replayed is not None for one in lab.measures)


def _scene(done: Work, measure: str, number: int, kept: Kept) -> Scene:
    """Return the scene of a record: the draw's numbers stand above what the record says it was asked for."""
    from labs.acts import freeze

    here = work.scene(done, measure, number, kept.record, kept.typed)
    return dataclasses.replace(here, parameters={**freeze(kept.record.parameters), **here.parameters})


def _summary(item: Item, chosen: list[Verdict], share: float, replayed: bool) -> tuple[str, Verdict]:
    open_ones = [verdict for verdict in chosen if verdict.outcome is not Outcome.PASS]
    if not open_ones or share >= 1.0:
        return item.done, (chosen[0] if not open_ones else next(v for v in chosen if v.outcome is Outcome.PASS))
    shown = min(open_ones, key=lambda verdict: policy.BEST_FIRST.index(verdict.outcome))
    if shown.outcome is Outcome.NOT_ATTEMPTED and replayed:
        return "recorded run", _with(shown, because="A recorded run shows what happens; it earns nothing here.")
    state = {Outcome.CONTRADICTS: "not yet", Outcome.NOT_ATTEMPTED: "-"}.get(shown.outcome, "not judged")
    return ("in part" if share > 0 else state), shown


def skipped(done: Work) -> bool:
    """Return whether ``skip`` was used and the step it leads to was solved at the first try after it."""
    lab = done.lab
    if done.skip is None or lab.skip_to is None:
        return False
    all_records = sorted(
        ((kept, number) for (name, number), found_ in done.records.items() if name == lab.skip_to for kept in found_),
        key=lambda pair: pair[0].entry.number,
    )  # fmt: skip
    if all_records:
        kept, number = all_records[0]
        if (
            kept.entry.number < done.skip
            or not has_draw(done, lab.skip_to, number)
            or not earns(lab, lab.skip_to, kept)
            or contradicts(done, lab.skip_to, number, kept)
        ):
            return False
        checks = [check for item in lab.items for check, _ in item.checks if check.measure == lab.skip_to]
        here = _scene(done, lab.skip_to, number, kept)
        outcomes = {judge_check(check, here).outcome for check in checks}
        # What could not be judged (a ratio on a busy machine) stands in nobody's way.
        return Outcome.PASS in outcomes and outcomes <= {Outcome.PASS, *policy.UNJUDGED}
    question = found(lab, lab.skip_to)
    if question is None:
        return False
    tries = done.tries.get((lab.skip_to, 0), ())
    if not tries or tries[0].entry.number < done.skip or (lab.skip_to, 0) not in done.draws:
        return False
    return asked(question, setting(done, question, 0), tries).right_at == 0
