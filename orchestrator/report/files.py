"""Coverage files in a folder, in Echidna's naming: `covered.<unix seconds>.txt`, `.html` and `.lcov`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, get_args

from orchestrator.report.echidna_text import render_echidna_text
from orchestrator.report.errors import ReportError
from orchestrator.report.html import render_html
from simulator.atomic_file import SHARED, write_atomically
from simulator.coverage.file_coverage import FileCoverage
from simulator.coverage.lcov import render as render_lcov
from simulator.printable import encodable, shown_path

CoverageFormat = Literal["txt", "html", "lcov"]
ALL_FORMATS: tuple[CoverageFormat, ...] = get_args(CoverageFormat)


def write_coverage_files(
    directory: Path,
    files: Sequence[FileCoverage],
    *,
    timestamp: int,
    title: str,
    root: str = "",
    formats: Sequence[CoverageFormat] = ALL_FORMATS,
) -> tuple[Path, ...]:
    """Write one file a format and give their paths; `timestamp` is in Unix seconds, `root` the folder that relative
    source paths start from. The folder is made when it is missing. A file appears whole or not at all. Blocks on the
    disk. Raises `ReportError` naming the file."""
    renderers: dict[CoverageFormat, Callable[[], str]] = {
        "txt": lambda: render_echidna_text(files, root),
        "html": lambda: render_html(files, title=title, generated=timestamp),
        "lcov": lambda: render_lcov(files, root),
    }
    paths = []
    for name in formats:
        path = directory / f"covered.{timestamp}.{name}"
        write_report(path, renderers[name]())
        paths.append(path)
    return tuple(paths)


def write_report(path: Path, text: str) -> None:
    """Put a report in place, whole and synced. Makes the folder. Raises `ReportError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, encodable(text).encode(), durable=True, mode=SHARED)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ReportError(f"cannot write {shown_path(path)}: {reason}") from error
