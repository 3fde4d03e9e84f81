"""Verdicts in the words of other programs. A status of tests counts once it stands in this table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from orchestrator.report.model import TestStatus


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word` and `mark` are for people, `style` is a class of style sheets. `junit` is the element of such a test case,
    empty for success. `level` is that of annotations about a test which has this status and no finding."""

    word: str
    mark: str
    style: str
    junit: Literal["", "failure", "error", "skipped"]
    level: Literal["", "error", "warning", "note"] = ""


VERDICTS: Final[Mapping[TestStatus, Verdict]] = {
    "passed": Verdict("passed", "✅", "passed", ""),
    "falsified": Verdict("failed", "❌", "failed", "failure", "error"),
    "skipped": Verdict("skipped itself", "⏭️", "error", "skipped", "note"),
    "error": Verdict("could not be tested", "⚠️", "error", "error", "warning"),
}
