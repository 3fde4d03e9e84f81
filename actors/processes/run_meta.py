"""What is known of a run besides its output."""

from __future__ import annotations

import os
import re
import uuid
from enum import StrEnum
from functools import cache

import msgspec
import psutil

_RUN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class RunState(StrEnum):
    """How far a run has come, or what ended it."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"  # the command ended by itself, with any exit code
    NOT_STARTED = "not_started"  # the operating system refused to start it
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    OUTPUT_LIMIT = "output_limit"
    MEMORY_LIMIT = "memory_limit"
    STORAGE_FAILED = "storage_failed"  # its log could not be written
    INTERRUPTED = "interrupted"  # the server was killed while it ran

    @property
    def is_open(self) -> bool:
        """Whether it can still change."""
        return self in (RunState.QUEUED, RunState.RUNNING)


class Owner(msgspec.Struct, frozen=True, rename="camel"):
    """The process that runs a command: its number, and when it was started, because numbers are used again."""

    pid: int
    started: float

    def is_alive(self) -> bool:
        try:
            return abs(psutil.Process(self.pid).create_time() - self.started) < 1.0
        except psutil.Error:
            return False


class RunMeta(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """One run. Times are seconds since 1970. `exit_code` is negative when a signal ended the command. `problem` says
    in a sentence why a run did not complete; `refused` that the reason was a missing permission."""

    run_id: str
    tool: str
    command: tuple[str, ...]
    cwd: str
    state: RunState
    owner: Owner
    queued_at: float
    started_at: float | None = None
    completed_at: float | None = None
    exit_code: int | None = None
    total_lines: int = 0
    total_bytes: int = 0
    problem: str = ""
    refused: bool = False


def fresh_run_id() -> str:
    return str(uuid.uuid4())


def is_run_id(text: str) -> bool:
    """Whether it is a UUID of version 4 in its usual spelling; nothing else may become part of a path."""
    return _RUN_ID.fullmatch(text) is not None


@cache
def this_process() -> Owner:
    return Owner(os.getpid(), psutil.Process().create_time())
