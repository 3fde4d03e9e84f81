"""Answers of build tools: diagnostics, counts of tests, and the complete result of a parser."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from actors.processes.log_lines import LogLine
from simulator.printable import shortened

Severity = Literal["error", "warning", "info"]
MAX_MESSAGE_LENGTH = 2_000
MAX_STORED = 10_000


class LogRange(msgspec.Struct, frozen=True, rename="camel"):
    """1-based lines of the log, both inclusive; 0 and 0 when unknown."""

    start_line: int = 0
    end_line: int = 0


class ByteOffsets(msgspec.Struct, frozen=True):
    """Bytes of the log, the end exclusive and without its line end; 0 and 0 when unknown."""

    start: int = 0
    end: int = 0


class BuildDiagnostic(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One message of a tool. Lines and columns are 1-based. Keys come in the order of the contract's example."""

    tool: str
    severity: Severity
    message: str
    code: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    log_range: LogRange
    byte_offsets: ByteOffsets


class CompactDiagnostic(msgspec.Struct, frozen=True, omit_defaults=True):
    """A diagnostic without what says where it comes from."""

    message: str
    code: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None

    @classmethod
    def of(cls, full: BuildDiagnostic) -> CompactDiagnostic:
        return cls(full.message, full.code, full.file, full.line, full.column)


class TestSummary(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Counts over all projects of a run. `projects_build_failed` counts test projects that did not compile."""

    passed: int
    failed: int
    skipped: int
    total: int
    projects_build_failed: int | None = None


class Parsed(msgspec.Struct, frozen=True, rename="camel"):
    """Result of a parser. `failed` means that the run has failed whatever its exit code says. `omitted` counts
    diagnostics beyond `MAX_STORED`."""

    diagnostics: tuple[BuildDiagnostic, ...] = ()
    summary: TestSummary | None = None
    failed: bool = False
    omitted: int = 0


NOWHERE = (LogRange(), ByteOffsets())


def span(first: LogLine, last: LogLine | None = None) -> tuple[LogRange, ByteOffsets]:
    """The place of a line, or of the lines `first` to `last`, in the log."""
    last = last or first
    return LogRange(first.number, last.number), ByteOffsets(first.start, last.end)


def diagnostic(
    tool: str,
    severity: Severity,
    message: str,
    place: tuple[LogRange, ByteOffsets] = NOWHERE,
    *,
    code: str | None = None,
    file: str | None = None,
    line: int | None = None,
    column: int | None = None,
) -> BuildDiagnostic:
    """A diagnostic with a bounded message; lines and columns below 1 are left out."""
    return BuildDiagnostic(
        tool=tool,
        severity=severity,
        message=shortened(message.strip(), MAX_MESSAGE_LENGTH),
        code=code or None,
        file=file or None,
        line=line if line and line > 0 else None,
        column=column if column and column > 0 else None,
        log_range=place[0],
        byte_offsets=place[1],
    )


def collected(found: Iterable[BuildDiagnostic], summary: TestSummary | None = None, *, failed: bool = False) -> Parsed:
    """Diagnostics without repetitions: equal in severity, code, file, line, column and message. The first one stays.
    Numbers in messages count, so that two messages about two things stay two (decision D13b)."""
    kept: dict[tuple[object, ...], BuildDiagnostic] = {}
    omitted = 0
    for each in found:
        key = (each.severity, each.code, each.file, each.line, each.column, " ".join(each.message.split()))
        if key in kept:
            continue
        if len(kept) < MAX_STORED:
            kept[key] = each
        else:
            omitted += 1
    return Parsed(tuple(kept.values()), summary, failed, omitted)
