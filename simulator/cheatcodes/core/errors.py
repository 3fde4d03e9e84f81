"""How a cheatcode fails. None of these leaves the package: the dispatcher turns them into the revert of the call."""

from __future__ import annotations

# Values of Context.rejected: why a transaction proves nothing.
REJECTED_BY_ASSUME = 1
REJECTED_AS_UNSUPPORTED = 2


class CheatcodeError(Exception):
    """The cheatcode was used wrongly, or cannot do what was asked. The message is the revert reason."""


class AssertionFailedError(CheatcodeError):
    """An assertion or an expectation does not hold. The reason starts with `assertion failed`, which assertion mode
    looks for."""

    def __init__(self, details: str, message: str | None = None) -> None:
        super().__init__(": ".join(part for part in ("assertion failed", message, details) if part))


class RejectedError(Exception):
    """The inputs of the transaction are not of interest (`assume`, `skip`). It reverts and proves nothing."""


class UnsupportedError(CheatcodeError):
    """The cheatcode exists, but not here. The transaction proves nothing."""
