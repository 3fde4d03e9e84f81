"""What a command of a caller wrote, kept in memory, and beside it in the record of its run."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from actors.errors import StorageFailed
from actors.processes.live_run import LiveRun


class CommandResult(msgspec.Struct, frozen=True):
    """Exit code (negative: killed by that signal) and everything written."""

    returncode: int
    stdout: bytes
    stderr: bytes


class CapturedOutput:
    """What a command wrote, up to `limit` bytes in all."""

    def __init__(self, limit: int, run: LiveRun, on_stderr: Callable[[bytes], None] | None) -> None:
        self._left = limit
        self._run = run
        self._on_stderr = on_stderr
        self._chunks: dict[str, list[bytes]] = {"stdout": [], "stderr": []}

    def add(self, stream: str, chunk: bytes) -> bool:
        self._left -= len(chunk)
        if self._left < 0:
            return False
        self._chunks[stream].append(chunk)
        quietly(lambda: self._run.record(chunk))
        if stream == "stderr" and self._on_stderr is not None:
            self._on_stderr(chunk)
        return True

    def joined(self, stream: str) -> bytes:
        return b"".join(self._chunks[stream])


def quietly(write: Callable[[], object]) -> None:
    """What belongs to the record alone must not fail the command."""
    try:
        write()
    except StorageFailed:
        return
