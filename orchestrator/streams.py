"""The three standard streams as a program may find them: closed, full, or read by nobody."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO


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


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees this stream; a closed one, which Python makes None, is seen by nobody."""
    return stream is not None and not stream.closed and stream.isatty()


def write_stderr(text: str) -> None:
    """Write text and a line feed. Nobody is left to tell when stderr is closed or full, so that is no error."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def write_result(text: str) -> None:
    """Write text to stdout as UTF-8, which JSON is by definition, ending with one line feed.

    Raises `OutputError` when that fails, and `BrokenPipeError` when the reader has left.
    """
    if sys.stdout is None:
        raise OutputError("the result cannot be written: stdout is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.rstrip("\n").encode() + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_stdout()
        raise OutputError(f"the result cannot be written to stdout: {error.strerror or error}") from error


def flush_stdout() -> None:
    """Write what is buffered, or drop it when that fails."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        abandon_stdout()


def abandon_stdout() -> None:
    """Let what is still buffered for stdout go to nowhere, so that Python does not fail on it at exit."""
    if sys.stdout is not None:
        with suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
