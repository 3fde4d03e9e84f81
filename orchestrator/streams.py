"""The three standard streams as a program may find them: closed, full, or without a reader.

Everything that is printed goes through here, and text of projects, contracts and users is made printable on the way:
`write_stderr` and `write_result` do it for the program, `guard_streams` for libraries that write on their own.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Literal, TextIO, assert_never

from simulator.printable import printable, printable_colored, printable_json

Form = Literal["text", "colored", "json"]


class OutputError(Exception):
    """A result cannot be written to stdout; the message says why."""

    code = "E_OUTPUT"


def occupy_closed_descriptors() -> None:
    """Open the null device on each of the descriptors 0 to 2 that is closed, so that no file or pipe of the program
    becomes a standard stream by accident. Call it before anything is opened."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class GuardedStream(TextIOWrapper):
    """A standard stream that makes printable what is written to it. A carriage return at the start of a text passes:
    progress lines rewrite themselves. `plain` is the same stream for a writer that makes its own text printable."""

    def __init__(self, stream: TextIOWrapper) -> None:
        encoding, by_line = stream.encoding, stream.line_buffering
        super().__init__(stream.detach(), encoding, "backslashreplace", line_buffering=by_line)
        self.plain = TextIOWrapper(self.buffer, encoding, "backslashreplace", line_buffering=by_line)

    def write(self, text: str, /) -> int:
        start = "\r" if text.startswith("\r") else ""
        super().write(start + printable(text.removeprefix(start)))
        return len(text)


def guard_streams() -> None:
    """Guard this process's stdout and stderr, so that libraries print nothing raw either."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.flush()
        sys.stdout = sys.__stdout__ = GuardedStream(sys.stdout)  # type: ignore[misc]
    if isinstance(sys.stderr, TextIOWrapper):
        sys.stderr.flush()
        sys.stderr = sys.__stderr__ = GuardedStream(sys.stderr)  # type: ignore[misc]


def is_terminal(stream: TextIO | None) -> bool:
    """True if this stream is a terminal; a closed one, which Python makes None, is not."""
    return stream is not None and not stream.closed and stream.isatty()


def write_stderr(text: str) -> None:
    """Write text, made printable, and a line feed. No reader is left when stderr is closed or full, so that is no
    error."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(printable(text) + "\n")
            sys.stderr.flush()


def write_progress(text: str) -> None:
    """Write a line of progress to stderr: over the one before on a terminal, else as a line of its own."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"\r{printable(text)}" if is_terminal(sys.stderr) else f"{printable(text)}\n")
            sys.stderr.flush()


def write_result(text: str, form: Form = "text") -> None:
    """Write text, made printable, to stdout as UTF-8, which JSON is by definition, ending with one line feed. A
    `colored` text keeps its colours; the escapes of `json` are JSON's own.

    Raises `OutputError` when that fails, and `BrokenPipeError` when the reader has left.
    """
    if sys.stdout is None:
        raise OutputError("the result cannot be written: stdout is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(_made_printable(text.rstrip("\n"), form).encode() + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_stdout()
        raise OutputError(f"the result cannot be written to stdout: {error.strerror or error}") from error


def write_json_line(text: str) -> None:
    """Write one of many lines to stdout, buffered. The text is JSON in ASCII, as `json.dumps` makes it."""
    if sys.stdout is not None:
        sys.stdout.write(text + "\n")


def _made_printable(text: str, form: Form) -> str:
    match form:
        case "text":
            return printable(text)
        case "colored":
            return printable_colored(text)
        case "json":
            return printable_json(text)
        case _:
            assert_never(form)


def flush_stderr() -> None:
    """Write what is buffered; a failure is ignored, as no reader is left."""
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.flush()


def flush_stdout() -> bool:
    """Write what is buffered, or drop it and return false when that fails."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        abandon_stdout()
        return False
    return True


def abandon_stdout() -> None:
    """Let what is still buffered for stdout go to nowhere, so that Python does not fail on it at exit."""
    if sys.stdout is not None:
        with suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
