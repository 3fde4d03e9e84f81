"""Everything that a report file is made of."""

from __future__ import annotations

import os
from pathlib import PurePath
from urllib.parse import quote

import msgspec

from orchestrator.report.model import CampaignReport
from simulator.coverage.file_coverage import FileCoverage
from simulator.printable import encodable


class ReportMaterial(msgspec.Struct, frozen=True):
    """A report, the sources behind its coverage, and where those are. `files` is None for a report that was read back
    from a file. Relative source paths start from `root`; people and other programs name files from `base`, the folder
    that the program was started in. `made` is in Unix seconds."""

    report: CampaignReport
    files: tuple[FileCoverage, ...] | None
    title: str
    root: str
    base: str
    made: int

    def path(self, source: str) -> str:
        """A source's path from `base`, or the absolute one where it lies elsewhere. Slashes on every system."""
        whole = PurePath(os.path.normpath(PurePath(self.root, encodable(source))))
        base = PurePath(self.base)
        return (whole.relative_to(base) if whole.is_relative_to(base) else whole).as_posix()

    def uri(self, source: str) -> str:
        """The same as a URI reference."""
        path = self.path(source)
        quoted = quote(path, safe="/-._~!$&'()*+,;=@")
        return f"file://{quoted}" if path.startswith("/") else quoted
