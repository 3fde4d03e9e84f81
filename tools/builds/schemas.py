"""Output schemas of the build tools, draft-07."""

from __future__ import annotations

from tools.schemas import DRAFT_07
from tools.tool import JsonObject

_COUNT: JsonObject = {"type": "integer", "minimum": 0}
_TEXT: JsonObject = {"type": "string"}
_PLACE: JsonObject = {"type": "integer", "minimum": 1}
_TIME: JsonObject = {"type": ["string", "null"]}

STATUSES = (
    "queued", "running", "completed", "not_started", "cancelled", "timed_out", "output_limit", "memory_limit",
    "storage_failed", "interrupted",
)  # fmt: skip


def _object(properties: JsonObject, required: list[str]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_WHAT_AND_WHERE: JsonObject = {"message": _TEXT, "code": _TEXT, "file": _TEXT, "line": _PLACE, "column": _PLACE}
DIAGNOSTIC = _object(
    {
        "tool": _TEXT,
        "severity": {"type": "string", "enum": ["error", "warning", "info"]},
        **_WHAT_AND_WHERE,
        "logRange": _object({"startLine": _COUNT, "endLine": _COUNT}, ["startLine", "endLine"]),
        "byteOffsets": _object({"start": _COUNT, "end": _COUNT}, ["start", "end"]),
    },
    ["tool", "severity", "message", "logRange", "byteOffsets"],
)
COMPACT = _object(_WHAT_AND_WHERE, ["message"])
_DIAGNOSTICS: JsonObject = {"type": "array", "items": {"anyOf": [DIAGNOSTIC, COMPACT]}}
_SUMMARY = _object(
    dict.fromkeys(("passed", "failed", "skipped", "total", "projectsBuildFailed"), _COUNT),
    ["passed", "failed", "skipped", "total"],
)
_RESPONSE: JsonObject = {
    "success": {"type": "boolean"},
    "errors": _DIAGNOSTICS,
    "warnings": _DIAGNOSTICS,
    "runId": _TEXT,
    "status": {"type": "string", "enum": ["running"]},
    "summary": _SUMMARY,
    "omitted": _COUNT,
}
_REQUIRED = ["success", "errors", "warnings", "runId"]
_META: JsonObject = {
    "tool": _TEXT,
    "queuedAt": _TEXT,
    "startedAt": _TIME,
    "completedAt": _TIME,
    "exitCode": {"type": ["integer", "null"]},
    "cwd": _TEXT,
    "command": {"type": "array", "items": _TEXT},
    "totalLines": _COUNT,
    "totalBytes": _COUNT,
}
_STATUS: JsonObject = {"type": "string", "enum": list(STATUSES)}


def _root(properties: JsonObject, required: list[str]) -> JsonObject:
    return {"$schema": DRAFT_07, **_object(properties, required)}


BUILD = _root(_RESPONSE, _REQUIRED)
INSTALL = _root(
    {
        **_RESPONSE,
        "confirmation_required": {"type": "boolean"},
        "tool": _TEXT,
        "args": {"type": "array", "items": _TEXT},
        "cwd": _TEXT,
    },
    _REQUIRED,
)
RUN_STATUS = _root({**_RESPONSE, **_META, "status": _STATUS}, [*_REQUIRED, "status", *_META])
RUN_LIST = _root(
    {
        "runs": {
            "type": "array",
            "items": _object({"runId": _TEXT, "status": _STATUS, **_META}, ["runId", "status", *_META]),
        },
        "total": _COUNT,
    },
    ["runs", "total"],
)
RUN_CANCEL = _root(
    {"runId": _TEXT, "cancelled": {"type": "boolean"}, "status": _STATUS}, ["runId", "cancelled", "status"]
)
RUN_RAW = _root(
    {"data": _TEXT, "offset": _COUNT, "length": _COUNT, "totalBytes": _COUNT, "hasMore": {"type": "boolean"}},
    ["data", "offset", "length", "totalBytes", "hasMore"],
)
RUN_LOG_RANGE = _root(
    {
        "lines": {"type": "array", "items": _TEXT},
        "startLine": _COUNT,
        "endLine": _COUNT,
        "totalLines": _COUNT,
        "hasMore": {"type": "boolean"},
    },
    ["lines", "startLine", "endLine", "totalLines", "hasMore"],
)
