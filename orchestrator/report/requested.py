"""Report files as users ask for them: `FORMAT=FILE`, with `-` for standard output."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.report.errors import ReportRequestError
from orchestrator.report.formats import FILE_FORMATS, FileFormat, listed_file_formats
from simulator.printable import one_line, shown_path

STDOUT = "-"


@dataclass(frozen=True, slots=True)
class ReportFile:
    """One report to write. `path` is None for standard output."""

    format: FileFormat
    path: Path | None


def read_requests(texts: Sequence[str], *, stdout_taken_by: str = "") -> tuple[ReportFile, ...]:
    """The report files of these texts. `stdout_taken_by` says what else is written to standard output.

    Raises `ReportRequestError`, before anything runs, for what could not be written at the end.
    """
    found: list[ReportFile] = []
    for text in texts:
        each = _read(text)
        if each.path is None and stdout_taken_by:
            raise ReportRequestError(
                f"--report {one_line(text)}: standard output already takes {stdout_taken_by}; name a file"
            )
        if each.path in [other.path for other in found]:
            raise ReportRequestError(f"--report {one_line(text)}: another report goes to the same place")
        found.append(each)
    return tuple(found)


def _read(text: str) -> ReportFile:
    name, separator, place = text.partition("=")
    if not separator or not place:
        raise ReportRequestError(f"--report {one_line(text)}: expected FORMAT=FILE, such as sarif=report.sarif")
    form = FILE_FORMATS.get(name)
    if form is None:
        raise ReportRequestError(f"--report {one_line(text)}: the format is none of {listed_file_formats()}")
    if place == STDOUT:
        if form.is_folder:
            raise ReportRequestError(f"--report {text}: {name} is a folder of files; name one")
        return ReportFile(form, None)
    return ReportFile(form, _writable(text, Path(place), form))


def _writable(text: str, path: Path, form: FileFormat) -> Path:
    """The path, whole, where a file can be put. Folders on the way are made when it is written."""
    if "\0" in text:
        # `Path.exists` takes such a name for one that is free.
        raise ReportRequestError(f"--report {one_line(text)}: no file can have this name")
    try:
        whole = Path(os.path.abspath(path))
        mode = whole.stat().st_mode if whole.exists() else None
        parent = next(each for each in whole.parents if each.exists())
        is_folder = parent.is_dir()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ReportRequestError(f"--report {one_line(text)}: no file can have this name: {reason}") from error
    if mode is not None and not (stat.S_ISDIR(mode) if form.is_folder else stat.S_ISREG(mode)):
        kind = "a folder" if form.is_folder else "a regular file; - is standard output"
        raise ReportRequestError(f"--report {one_line(text)}: {shown_path(path)} is not {kind}")
    if not is_folder:
        raise ReportRequestError(f"--report {one_line(text)}: {shown_path(parent)} is not a folder")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ReportRequestError(f"--report {one_line(text)}: {shown_path(parent)} cannot be written")
    return whole
