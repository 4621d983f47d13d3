"""One file for any platform: the notebook and the journal of one lab in a plain zip, read back as strictly as anything."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from grader.files import LARGEST
from grader.work import Finding
from labs.errors import RecordError

#: How packed files and hand-made zips are named.
SUFFIXES = (".fourthreads", ".zip")
#: A zip with more files than this is no lab's folder.
MOST_FILES = 200
_EPOCH = (2026, 1, 1, 0, 0, 0)
_ENTRY = b"PK\x01\x02"


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the files; the same files give the same bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            packed.writestr(entry, data)
    return whole.getvalue()


def unpack(
    data: bytes, largest: int = LARGEST, wanted: Callable[[str], bool] = lambda name: True
) -> tuple[dict[str, bytes], tuple[Finding, ...]]:
    """Return what a zip holds, path -> content, and what was left out of it. Nothing is written anywhere.

    Args:
        data: The zip.
        largest: More bytes than this in all are not unpacked, whatever the zip says about itself.
        wanted: File names -> whether such a file is unpacked at all.

    Raises:
        RecordError: It is no zip, or has more files than a lab's folder can have.
    """
    if data.count(_ENTRY) > MOST_FILES:
        raise RecordError("$", f"has more than {MOST_FILES} files; one lab's folder was expected")
    found: dict[str, bytes] = {}
    findings: list[Finding] = []
    left = largest
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for entry in packed.infolist():
                path = PurePosixPath(entry.filename)
                kind = stat.S_IFMT(entry.external_attr >> 16)
                if entry.is_dir() or "__MACOSX" in path.parts or not wanted(path.name):
                    continue
                if kind not in (0, stat.S_IFREG) or entry.flag_bits & 1:
                    findings.append(
                        Finding("no-plain-file", f"{path.name!r} is a link, a special file or locked; it is left out")
                    )
                elif entry.filename in found:
                    findings.append(Finding("twice", f"{path.name!r} stands there twice; the first counts"))
                elif entry.file_size > left:  # of an entry never more is unpacked than it says of itself
                    findings.append(
                        Finding("too-large", f"{path.name!r} unpacks to more than {largest} bytes; it is left out")
                    )
                else:
                    with packed.open(entry) as file:
                        found[entry.filename] = file.read(left + 1)
                    left -= len(found[entry.filename])
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        EOFError,
        ValueError,
        OSError,
        RuntimeError,
    ) as problem:
        raise RecordError("$", f"is no zip that can be read: {problem}") from problem
    return found, tuple(findings)
