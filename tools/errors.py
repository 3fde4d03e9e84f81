"""The one error that a tool raises for its own failure, and the codes that the families print."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class ErrorCode(StrEnum):
    """Stable codes of the campaign tools' errors. The finer reason is in `details["reason"]`, such as `PARSE_ERROR`."""

    INVALID_INPUT = "INVALID_INPUT"
    TOOL_NOT_FOUND = "TOOL_NOT_FOUND"
    EXECUTION_TIMEOUT = "EXECUTION_TIMEOUT"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class ToolError(Exception):
    """A tool could not do its work: bad input, a missing file, a deadline. The family decides how it is printed.

    Bad news that a tool found out (a failed build, invalid code, no matches) is an answer, not an error.
    `message` is made for the caller; it names the field or place and the allowed form and never echoes huge values.
    """

    def __init__(self, code: ErrorCode, message: str, **details: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: Mapping[str, object] = details


class RegistrationError(Exception):
    """Two tools of one name, or a name that clients refuse. A mistake of the program, found when it starts."""
