"""Conversion of a run and its diagnostics to the published answer of the `builds` family."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec

from actors.processes.run_meta import RunMeta, RunState
from tools.builds.diagnostics import BuildDiagnostic, CompactDiagnostic, Parsed, diagnostic
from tools.tool import JsonObject

MAX_SHOWN = 100


class Form(StrEnum):
    """Level of detail of a diagnostic. `COMPACT` leaves out what the rest of the answer says (tool and severity) and
    the place of the message in the log."""

    FULL = "full"
    COMPACT = "compact"


_CODES = {
    RunState.CANCELLED: "CANCELLED",
    RunState.TIMED_OUT: "TIMEOUT",
    RunState.OUTPUT_LIMIT: "OUTPUT_LIMIT",
    RunState.MEMORY_LIMIT: "MEMORY_LIMIT",
    RunState.STORAGE_FAILED: "STORAGE",
    RunState.INTERRUPTED: "INTERRUPTED",
}


def stored_form(parsed: Parsed) -> bytes:
    """Content of `diagnostics.json`."""
    return msgspec.json.encode(parsed)


def parsed_form(stored: bytes | None) -> Parsed:
    """The reverse; nothing where nothing readable was stored."""
    try:
        return msgspec.json.decode(stored, type=Parsed) if stored else Parsed()
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Parsed()


def finished(meta: RunMeta, parsed: Parsed, form: Form) -> JsonObject:
    """The answer on a run that is over. Success follows the exit code (decision D12), unless the tool itself says in
    its output that it has failed."""
    success = meta.state is RunState.COMPLETED and meta.exit_code == 0 and not parsed.failed
    errors = [*_of_severity(parsed, "error"), *_ending(meta)]
    return _answer(success, errors, _of_severity(parsed, "warning"), meta.run_id, parsed, form)


def running(run_id: str) -> JsonObject:
    """The answer on a run that is still in progress."""
    return {"success": False, "errors": [], "warnings": [], "runId": run_id, "status": "running"}


def without_run(tool: str, code: str, message: str, form: Form) -> JsonObject:
    """The answer where nothing was run: one error without a place."""
    return _answer(False, [diagnostic(tool, "error", message, code=code)], [], "", Parsed(), form)


def _of_severity(parsed: Parsed, severity: str) -> list[BuildDiagnostic]:
    return [each for each in parsed.diagnostics if each.severity == severity]


def _ending(meta: RunMeta) -> Iterable[BuildDiagnostic]:
    """Why the command did not end by itself, or that it failed without a word, as an error without a place."""
    if meta.state is RunState.NOT_STARTED:
        code = "PERMISSION_DENIED" if meta.refused else "COMMAND_NOT_STARTED"
        return [diagnostic(meta.tool, "error", meta.problem, code=code)]
    if meta.state in _CODES:
        return [diagnostic(meta.tool, "error", meta.problem, code=_CODES[meta.state])]
    if meta.exit_code and meta.exit_code < 0:
        said = f"{meta.command[0]} was ended by {_signal_name(-meta.exit_code)}"
        return [diagnostic(meta.tool, "error", said, code="SIGNAL")]
    if meta.exit_code and not meta.total_bytes:
        said = f"{meta.command[0]} ended with exit code {meta.exit_code} and printed nothing"
        return [diagnostic(meta.tool, "error", said, code="NO_OUTPUT")]
    return []


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _answer(
    success: bool,
    errors: list[BuildDiagnostic],
    warnings: list[BuildDiagnostic],
    run_id: str,
    parsed: Parsed,
    form: Form,
) -> JsonObject:
    answer: JsonObject = {
        "success": success,
        "errors": [_shown(each, form) for each in errors[:MAX_SHOWN]],
        "warnings": [_shown(each, form) for each in warnings[:MAX_SHOWN]],
        "runId": run_id,
    }
    if parsed.summary is not None:
        answer["summary"] = msgspec.to_builtins(parsed.summary)
    omitted = max(0, len(errors) - MAX_SHOWN) + max(0, len(warnings) - MAX_SHOWN) + parsed.omitted
    if omitted:
        answer["omitted"] = omitted
    return answer


def _shown(each: BuildDiagnostic, form: Form) -> Any:
    return msgspec.to_builtins(each if form is Form.FULL else CompactDiagnostic.of(each))
