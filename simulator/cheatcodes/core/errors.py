"""Errors of cheatcodes. None of these leaves the package: the dispatcher turns them into the revert of the call."""

from __future__ import annotations


class CheatcodeError(Exception):
    """The cheatcode was used wrongly, or cannot do what was asked. The message is the revert reason."""


class AssertionFailedError(CheatcodeError):
    """An assertion does not hold. The reason starts with `assertion failed`, which assertion mode looks for."""

    def __init__(self, details: str, message: str | None = None) -> None:
        self.details = details
        self.message = message
        super().__init__(": ".join(part for part in ("assertion failed", message, details) if part))

    @property
    def forge_text(self) -> str:
        """forge's words: a message of the user's takes the place of `assertion failed`."""
        return ": ".join(part for part in (self.message or "assertion failed", self.details) if part)


class ExpectationFailedError(AssertionFailedError):
    """Raised when an expected call, event or revert did not come. To forge this is a revert like others."""

    @property
    def forge_text(self) -> str:
        return self.details


class RejectedError(Exception):
    """The inputs of the transaction are not of interest (`assume`). It reverts and proves nothing."""


class SkippedError(Exception):
    """The test does not want to be run (`skip`), for the reason that the message gives, if any."""


class UnsupportedError(CheatcodeError):
    """The cheatcode exists, but not here. The transaction proves nothing."""
