"""Share of a server that a request draws on: that of its token, or the common one without a token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import Scope as HttpScope

from tools.tool import Scope

ANYBODY = "anybody"
"""All clients of a server that asks nobody for a token."""
STRANGER = "stranger"
"""All clients without a known token."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """`scopes_of` returns the scopes of a token, None for an unknown one; it is None itself without authentication."""

    scopes_of: Callable[[str], frozenset[Scope] | None] | None

    def of(self, scope: HttpScope) -> str:
        """The name of the credential of a request. Both tokens of a server differ in what they allow."""
        if self.scopes_of is None:
            return ANYBODY
        kind, _, token = (header(scope, b"authorization") or "").partition(" ")
        scopes = self.scopes_of(token) if kind.lower() == "bearer" else None
        return credential_name(scopes) if scopes is not None else STRANGER


def credential_name(scopes: frozenset[Scope]) -> str:
    """Name of a credential, by its scopes."""
    return "control" if Scope.CONTROL in scopes else "read"


def header(scope: HttpScope, name: bytes) -> str | None:
    """The first header of this lower-case name."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)
