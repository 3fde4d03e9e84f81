"""State that outlives one campaign of a program that carries out several in turn: who has opened the page, and how
the campaigns before came out."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from orchestrator.dashboard.state import CampaignLine
from tools.codebase.manager.sessions import Sessions
from tools.serving.access import Tokens

MAX_EARLIER: Final = 100


@dataclass
class Visitors:
    """`planned` are the contracts that are fuzzed in turn, as `path:Name`; `earlier` the campaigns that have ended."""

    planned: tuple[str, ...] = ()
    earlier: deque[CampaignLine] = field(default_factory=lambda: deque(maxlen=MAX_EARLIER))
    _sessions: Sessions | None = None

    def sessions(self, tokens: Tokens | None) -> Sessions:
        """Return the sessions of the first call, whose tokens count. A page stays open from one campaign to the
        next."""
        # A clock of trio's would begin anew with each campaign.
        self._sessions = self._sessions or Sessions(tokens, time.monotonic)
        return self._sessions

    def overview(self, current: CampaignLine | None) -> tuple[CampaignLine, ...]:
        """All campaigns in their order, empty where there is but one."""
        known = [*self.earlier, *([current] if current is not None else [])]
        targets = {line.target for line in known}
        waiting = [CampaignLine(target, "waiting") for target in self.planned if target not in targets]
        lines = (*known, *waiting)
        return lines if len(lines) > 1 else ()
