"""Output of a caller's command, kept on disk until the command ends, and in the record of its run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import Self

import msgspec

from actors.processes.live_run import LiveRun
from actors.runtime.errors import StorageFailed

IN_MEMORY = 4 << 20
"""Bytes of a stream that are kept without the disk."""


class CommandResult(msgspec.Struct, frozen=True):
    """Exit code (negative: killed by that signal) and everything written."""

    returncode: int
    stdout: bytes
    stderr: bytes


class CapturedOutput:
    """Output of a command, up to `limit` bytes in all. A command that writes without end takes next to no memory.

    A context manager, which drops what was kept.
    """

    def __init__(self, limit: int, run: LiveRun, on_stderr: Callable[[bytes], None] | None) -> None:
        self._left = limit
        self._run = run
        self._on_stderr = on_stderr
        self._open = ExitStack()
        self._files = {
            name: self._open.enter_context(SpooledTemporaryFile(IN_MEMORY))  # noqa: SIM115 - ended by __exit__
            for name in ("stdout", "stderr")
        }
        self.failure = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, stream: str, chunk: bytes) -> bool:
        """Keep a piece. False when the limit is reached or the disk refuses, which `failure` then says."""
        self._left -= len(chunk)
        if self._left < 0:
            return False
        try:
            self._files[stream].write(chunk)
        except OSError as error:
            self.failure = f"what it wrote cannot be kept: {error.strerror}"
            return False
        quietly(lambda: self._run.record(chunk))
        if stream == "stderr" and self._on_stderr is not None:
            self._on_stderr(chunk)
        return True

    def joined(self, stream: str) -> bytes:
        self._files[stream].seek(0)
        return self._files[stream].read()


def quietly(write: Callable[[], object]) -> None:
    """Write to the record alone; a storage failure must not affect the command."""
    try:
        write()
    except StorageFailed:
        return
