"""Deadlines of tools, by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from tools.tool import Deadline


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Milliseconds for each class. The classes that wait on purpose bound their own waits below these."""

    campaign: int = 100
    analysis: int = 5_000
    search: int = 5_000
    process: int = 58_000
    wait: int = 55_000

    def milliseconds(self, deadline: Deadline) -> int:
        match deadline:
            case Deadline.CAMPAIGN:
                return self.campaign
            case Deadline.ANALYSIS:
                return self.analysis
            case Deadline.SEARCH:
                return self.search
            case Deadline.PROCESS:
                return self.process
            case Deadline.WAIT:
                return self.wait
            case _:
                assert_never(deadline)
