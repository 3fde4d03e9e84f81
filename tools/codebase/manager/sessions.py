"""Authentication of browsers: a ticket in the URL's fragment, good once, is exchanged for a token of this server's
life.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable

from tools.serving.access import TOKEN_BYTES, Tokens
from tools.tool import Scope

TICKET_SECONDS = 300.0
MAX_SESSIONS = 32
MAX_TICKETS = 8


class Sessions:
    """`tokens` are those of the MCP server, which open the page too; None disables authentication. `clock` gives
    seconds.
    """

    def __init__(self, tokens: Tokens | None, clock: Callable[[], float]) -> None:
        self._tokens = tokens
        self._clock = clock
        self._tickets: OrderedDict[str, float] = OrderedDict()
        self._sessions: OrderedDict[str, frozenset[Scope]] = OrderedDict()

    def ticket(self) -> str:
        """A new ticket, empty if none is needed. A client that may open the page may change its content."""
        if self._tokens is None:
            return ""
        ticket = secrets.token_urlsafe(TOKEN_BYTES)
        self._tickets[ticket] = self._clock() + TICKET_SECONDS
        while len(self._tickets) > MAX_TICKETS:
            self._tickets.popitem(last=False)
        return ticket

    def redeem(self, ticket: str) -> str | None:
        """A token for a ticket, which is used up; None for one that is not known, used or too old."""
        expires = self._tickets.pop(ticket, None)
        if expires is None or expires < self._clock():
            return None
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._sessions[token] = frozenset(Scope)
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return token

    def scopes_of(self, token: str) -> frozenset[Scope] | None:
        """Scopes of a token, None for an unknown one."""
        if self._tokens is None:
            return frozenset(Scope)
        # 256 random bits cannot be found by the time that a look-up in a dictionary takes.
        return self._sessions.get(token) or self._tokens.scopes_of(token)
