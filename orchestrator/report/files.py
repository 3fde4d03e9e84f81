"""Reports in a folder, in Echidna's naming of coverage files: `covered.<unix seconds>.<format>`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from orchestrator.report.errors import ReportError
from orchestrator.report.formats import COVERAGE_FORMATS
from simulator.coverage.file_coverage import FileCoverage
from simulator.files.atomic_file import SHARED, write_atomically
from simulator.health.model import CampaignHealth
from simulator.printable import encodable, shown_path


def write_coverage_files(
    directory: Path,
    files: Sequence[FileCoverage],
    *,
    timestamp: int,
    title: str,
    root: str = "",
    formats: Iterable[str] = tuple(COVERAGE_FORMATS),
    health: CampaignHealth | None = None,
) -> tuple[Path, ...]:
    """Write one file a format and give their paths; `timestamp` is in Unix seconds, `root` the folder that relative
    source paths start from. The folder is made when it is missing. A file appears whole or not at all. Blocks on the
    disk. Raises `ReportError` naming the file."""
    paths = []
    for name in formats:
        path = directory / f"covered.{timestamp}.{name}"
        write_report(
            path, COVERAGE_FORMATS[name].render(files, title=title, root=root, generated=timestamp, health=health)
        )
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
