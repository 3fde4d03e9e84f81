"""Metadata of a run."""

from __future__ import annotations

import re
import uuid
from enum import StrEnum

import msgspec

from actors.processes.owner import Owner

_RUN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class RunState(StrEnum):
    """Progress of a run, or the cause of its end."""

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
        """True if it can still change."""
        return self in (RunState.QUEUED, RunState.RUNNING)


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
    """True if it is a UUID of version 4 in its usual spelling; nothing else may become part of a path."""
    return _RUN_ID.fullmatch(text) is not None
