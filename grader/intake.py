"""From the bytes that were handed in to evidence. Everything is read as data, strictly; what is odd becomes a finding.

Entries come from the journal in the folder, from the outputs of the notebook, or both; the same entry found twice is one. A
part that cannot be read is left out and named: absence of evidence is never a pass.
"""

from __future__ import annotations

import codecs
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from grader import consistency
from grader.work import Evidence, Finding
from labs.errors import RecordError
from labs.journal import LARGEST_JOURNAL, MEDIA_TYPE, START, Entry, decode_entry, merge
from labs.spec import Lab

#: A notebook larger than this is not read (bytes); every cell carries a few records.
LARGEST_NOTEBOOK = 100 * 1024 * 1024
#: More entries than this are no learner's work; what stands behind them is not even read.
MOST_ENTRIES = 20_000
#: A file with more lists and objects than this is not taken apart: in memory it would be twenty times as large.
MOST_VALUES = 1_000_000
DENSE = f"holds more than {MOST_VALUES:,} lists and objects, which no learner's work does; it was left alone"
#: Findings of one kind that are listed; the others are counted.
MOST_FINDINGS = 20


def evidence_of(lab: Lab, files: Mapping[str, bytes], course: str | None = None) -> Evidence:
    """Return the evidence in a lab's files.

    Args:
        lab: Which lab it should be about.
        files: Name -> content: notebooks (``*.ipynb``) and journals (``*.jsonl``); other files are no evidence.
        course: What goes into the class's seeds; None where that is not known: then seeds are not held against it.
    """
    entries: list[Entry] = []
    findings: list[Finding] = []
    for name, data in sorted(files.items()):
        if name.endswith(".ipynb"):
            found, odd = of_notebook(data)
        elif name.endswith(".jsonl"):
            found, odd = of_journal(data)
        else:
            continue
        entries += found
        findings += [Finding(one.code, f"{name}: {one.text}", one.entry) for one in odd]
    if len(entries) > MOST_ENTRIES:
        findings.append(
            Finding("too-many", f"{len(entries)} entries were handed in; the first {MOST_ENTRIES} are read")
        )
        entries = entries[:MOST_ENTRIES]
    whole = merge(entries)
    findings += consistency.findings(lab, whole)
    if course is not None:
        learner = next((str(entry.body.get("learner", "")) for entry in whole if entry.kind == "open"), "")
        findings += consistency.foreign(lab, whole, course, learner)
    return Evidence(lab.slug, whole, few(findings))


def few(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with at most :data:`MOST_FINDINGS` of a code; how many more there are stands behind them."""
    counts: Counter[str] = Counter()
    kept = []
    for one in findings:
        counts[one.code] += 1
        if counts[one.code] <= MOST_FINDINGS:
            kept.append(one)
    more = {code: count - MOST_FINDINGS for code, count in counts.items() if count > MOST_FINDINGS}
    return (*kept, *(Finding(code, f"and {count} more") for code, count in more.items()))


def is_dense(data: bytes) -> bool:
    """Return whether JSON holds more lists and objects than :data:`MOST_VALUES`, without taking it apart."""
    return data.count(b"[") + data.count(b"{") > MOST_VALUES


def of_journal(data: bytes) -> tuple[list[Entry], list[Finding]]:
    """Return the entries of a journal that can be trusted to be whole, and what is odd about the others."""
    if len(data) > LARGEST_JOURNAL:
        return [], [Finding("too-large", f"is {len(data)} bytes long; at most {LARGEST_JOURNAL} are read")]
    if is_dense(data):
        return [], [Finding("too-large", DENSE)]
    data = data.removeprefix(codecs.BOM_UTF8)  # an editor puts it there
    if (whole := data.rfind(b"\n") + 1) and not _is_json(data[whole:]):
        data = data[:whole]  # a crash in the middle of writing leaves the rest
    lines = io.BytesIO(data)
    entries, findings = _decoded(
        (f"line {number}", line) for number, line in enumerate(islice(lines, MOST_ENTRIES), 1) if line.strip()
    )
    if lines.read(1):
        findings.append(Finding("too-many", f"has more than {MOST_ENTRIES} lines; the others are not read"))
    previous, expected = START, 0
    for entry in entries:
        if entry.number != expected or entry.previous != previous:
            text = f"entry {entry.number} does not follow entry {expected - 1}: something is missing or moved"
            findings.append(Finding("gap", text, entry.number))
        previous, expected = entry.digest, entry.number + 1
    return entries, findings


def of_notebook(data: bytes) -> tuple[list[Entry], list[Finding]]:
    """Return the entries that a notebook's outputs carry, and what is odd about them."""
    if len(data) > LARGEST_NOTEBOOK:
        return [], [Finding("too-large", f"is {len(data)} bytes long; at most {LARGEST_NOTEBOOK} are read")]
    if is_dense(data):
        return [], [Finding("too-large", DENSE)]
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as problem:
        return [], [Finding("no-notebook", f"is no notebook: {type(problem).__name__}")]
    try:
        parts = _carried(notebook)
        entries, findings = _decoded(islice(parts, MOST_ENTRIES))
        if next(parts, None) is not None:
            findings.append(Finding("too-many", f"has more than {MOST_ENTRIES} entries; the others are not read"))
    except RecursionError:
        return [], [Finding("no-notebook", "is nested too deeply to be a notebook")]
    return entries, findings


def _carried(notebook: Any) -> Iterator[tuple[str, bytes]]:
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    for place, cell in enumerate(cells if isinstance(cells, list) else (), 1):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        for output in outputs if isinstance(outputs, list) else ():
            data = output.get("data") if isinstance(output, dict) else None
            carried = data.get(MEDIA_TYPE) if isinstance(data, dict) else None
            if carried is None:
                continue
            for entry in carried if isinstance(carried, list) else [carried]:
                yield f"cell {place}", json.dumps(entry).encode()


def _decoded(parts: Iterable[tuple[str, bytes]]) -> tuple[list[Entry], list[Finding]]:
    entries: list[Entry] = []
    findings: list[Finding] = []
    for place, data in parts:
        try:
            entries.append(decode_entry(data))
        except RecordError as problem:
            findings.append(Finding("damaged" if _is_json(data) else "unreadable", f"{place}: {problem}"))
    return entries, findings


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True
