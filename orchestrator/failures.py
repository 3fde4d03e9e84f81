"""Conversion of exceptions at the command line: an exit code and a line or two on stderr."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from orchestrator.configuration.errors import ConfigurationError
from simulator.printable import one_line


class ExitCode(IntEnum):
    """Exit codes of every command."""

    NOTHING_FOUND = 0
    FINDINGS = 1
    WRONG_INPUT = 2
    INFRASTRUCTURE = 3
    INTERRUPTED = 130


# Codes of errors that the user can correct in the input; all other expected errors are environmental.
_INPUT_CODES: Final = frozenset(
    (
        "E_CONFIGURATION",
        "E_COMPILE",
        "E_POLICY",
        "E_TARGET",
        "E_ABI",
        "E_FOLDER",
        "E_COMMAND_LOG",
        "E_WORKER_REFUSED",
        "E_STATE_TEST",
        "E_HTTP_NOT_ALLOWED",
        "E_TOKEN_FILE",
        "E_CODEBASE_NAME",
        "E_CODEBASE_FOLDER",
        "E_CODEBASE_UNKNOWN",
        "E_REPORT_REQUEST",
    )
)
_FINDING_CODES: Final = frozenset(("E_ENDED_WITH_FINDINGS",))
# Codes of errors that follow from what ended the part that was asked.
_CONSEQUENCES: Final = frozenset(("E_MAILBOX_CLOSED", "E_CAMPAIGN_ENDING"))
_MAX_PROBLEMS: Final = 8


@dataclass(frozen=True, slots=True)
class Failure:
    """End of a command on an exception. `text` is empty when there is nothing to say."""

    exit_code: ExitCode
    text: str


def failure_of(error: BaseException) -> Failure:
    """The failure that an exception stands for. In a group, an expected error speaks for the rest, except one that only
    says that another part has ended; a bug is reported as one, with its type."""
    leaves = list(_leaves(error))
    leaves = [leaf for leaf in leaves if _code(leaf) not in _CONSEQUENCES] or leaves
    expected = [leaf for leaf in leaves if _code(leaf)]
    if expected:
        return _expected(expected[0])
    others = [leaf for leaf in leaves if not isinstance(leaf, KeyboardInterrupt)]
    if not others:
        return Failure(ExitCode.INTERRUPTED, "interrupted")
    first = others[0]
    if isinstance(first, OSError):
        place = f"{one_line(os.fsdecode(first.filename))}: " if isinstance(first.filename, str | bytes) else ""
        return Failure(ExitCode.INFRASTRUCTURE, f"error: {place}{first.strerror or first}")
    if isinstance(first, MemoryError):
        return Failure(ExitCode.INFRASTRUCTURE, "error: out of memory")
    text = f"internal error: {type(first).__name__}: {_first_line(first)}\nMONOTREME_DEBUG=1 shows where it happened."
    return Failure(ExitCode.INFRASTRUCTURE, text)


def _expected(error: BaseException) -> Failure:
    exit_code = _exit_code(_code(error))
    if getattr(error, "diagnostics", ()):
        # A compiler's messages carry their own place and severity, in the form that editors understand.
        return Failure(exit_code, "\n".join((str(error), *_notes(error))))
    # Each problem of a configuration stands for itself; the lines of other messages belong together.
    problems = error.problems if isinstance(error, ConfigurationError) else (str(error) or _code(error),)
    # A further line is indented, so that a line end in a name never begins a message of its own.
    shown = ["error: " + problem.replace("\n", "\n  ") for problem in problems[:_MAX_PROBLEMS]]
    if len(problems) > _MAX_PROBLEMS:
        shown.append(f"and {len(problems) - _MAX_PROBLEMS} more")
    return Failure(exit_code, "\n".join((*shown, *_notes(error))))


def _notes(error: BaseException) -> list[str]:
    """Return the notes on decisions for the user before the error."""
    return [one_line(f"note: {note}") for note in getattr(error, "__notes__", ())]


def _exit_code(code: str) -> ExitCode:
    if code in _FINDING_CODES:
        return ExitCode.FINDINGS
    return ExitCode.WRONG_INPUT if code in _INPUT_CODES else ExitCode.INFRASTRUCTURE


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error


def _code(error: BaseException) -> str:
    """The stable code of an expected error of any room, empty for others."""
    code = getattr(error, "code", "")
    return code if isinstance(code, str) and code.startswith("E_") else ""


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "")
