"""Who has opened the page. Campaigns that one program carries out in turn share them, so that a page stays open."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tools.codebase.manager.sessions import Sessions
from tools.serving.access import Tokens


@dataclass
class Visitors:
    _sessions: Sessions | None = None

    def sessions(self, tokens: Tokens | None) -> Sessions:
        """Those of the first call, whose tokens count."""
        # A clock of trio's would begin anew with each campaign.
        self._sessions = self._sessions or Sessions(tokens, time.monotonic)
        return self._sessions
