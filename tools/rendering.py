"""Conversion of a tool's answer or error to the wire format: compact JSON, errors in their family's own form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, assert_never

from simulator.encoding import encodable_value
from simulator.printable import printable, printable_json
from tools.errors import ToolError
from tools.tool import Answer, Family, JsonObject, Tool


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a result, the same as an object where the tool publishes an output schema, `isError`, and a warning
    for the response's metadata.

    Errors carry no structured content: older clients validate it against the schema of successes.
    """

    text: str
    structured: JsonObject | None = None
    is_error: bool = False
    warning: str = ""


def compact_json(value: object) -> str:
    """JSON without spaces, its texts readable in all scripts, with escapes for what would control a terminal or is not
    UTF-8. Raises `ValueError` for NaN and infinities, `TypeError` for what is no JSON."""
    return printable_json(json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False))


def render_answer(tool: Tool[Any], answer: Answer) -> Rendered:
    """An answer as the tool's contract prints it."""
    if isinstance(answer.payload, str):
        return Rendered(printable(answer.payload), is_error=answer.failed, warning=answer.warning)
    text = compact_json(answer.payload)
    published = tool.output_schema is not None and not answer.failed
    payload: JsonObject | None = encodable_value(answer.payload) if published else None
    return Rendered(text, payload, answer.failed, answer.warning)


def render_error(name: str, family: Family, error: ToolError, milliseconds: int) -> Rendered:
    """An error of the tool `name` in the form of its family; `milliseconds` is what the call took."""
    match family:
        case Family.CAMPAIGN:
            text = compact_json(campaign_error(error))
        case Family.COVERAGE:
            text = f"Error: {'Invalid input: ' if 'violations' in error.details else ''}{error.message}"
        case Family.BUILDS:
            text = compact_json(_build_error(name.replace("_", ".", 1), error))
        case Family.ANALYSIS:
            text = compact_json({"success": False, "error": error.message, "duration": milliseconds})
        case Family.CODEBASE:
            text = compact_json({"error": _coded(error, details="data")})
        case _:
            assert_never(family)
    return Rendered(printable(text), is_error=True)


def campaign_error(error: ToolError) -> JsonObject:
    """`ErrorResponse` of the campaign tools; also for calls of tools that do not exist."""
    return {"success": False, "error": _coded(error, details="details")}


def _coded(error: ToolError, *, details: str) -> JsonObject:
    body: JsonObject = {"code": str(error.code), "message": error.message}
    if error.details:
        body[details] = dict(error.details)
    return body


def _build_error(name: str, error: ToolError) -> JsonObject:
    """Build tools know errors only as diagnostics; one without place stands for the tool itself."""
    diagnostic = {
        "tool": name,
        "severity": "error",
        "message": error.message,
        "code": str(error.details.get("reason", error.code)),
        "logRange": {"startLine": 0, "endLine": 0},
        "byteOffsets": {"start": 0, "end": 0},
    }
    return {"success": False, "errors": [diagnostic], "warnings": [], "runId": ""}
