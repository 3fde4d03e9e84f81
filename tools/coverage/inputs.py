"""Inputs of the coverage tools, and the schemas of their results."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from tools.roots import MAX_PATH_LENGTH
from tools.schemas import object_schema
from tools.tool import JsonObject, ToolInput

MAX_PATHS = 10_000
PathText = Annotated[str, Field(min_length=1, max_length=MAX_PATH_LENGTH)]


def _array_of_strings(value: object) -> object:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be an array of strings")
    return tuple(value)


class OverallCoverageInput(ToolInput):
    lcov_path: PathText = Field(
        alias="lcovPath",
        description='Path to the LCOV coverage file. Can be absolute or relative. Example: "./coverage/lcov.info"',
    )


class FileCoverageInput(ToolInput):
    lcov_path: PathText = Field(alias="lcovPath", description="Path to the LCOV coverage file")
    file_paths: Annotated[tuple[str, ...], BeforeValidator(_array_of_strings), Field(max_length=MAX_PATHS)] = Field(
        alias="filePaths",
        description="Array of file paths to analyze. Paths should match those in the LCOV file (relative or absolute)."
        ' Example: ["src/parser.ts", "src/coverage.ts"]',
    )


class StartSnapshotInput(ToolInput):
    lcov_path: PathText = Field(alias="lcovPath", description="Path to the LCOV coverage file to snapshot")


class EndSnapshotInput(ToolInput):
    snapshot_id: Annotated[str, Field(max_length=200)] = Field(
        alias="snapshotId", description="The snapshot ID returned from start_coverage_snapshot"
    )
    lcov_path: PathText = Field(
        alias="lcovPath", description="Path to the current LCOV coverage file to compare against the snapshot"
    )


PERCENTAGE: JsonObject = {"type": "number", "minimum": 0, "maximum": 100}
CHANGE: JsonObject = {"type": "number", "minimum": -100, "maximum": 100}
PATHS: JsonObject = {"type": "array", "items": {"type": "string"}}


OVERALL_OUTPUT = object_schema(overall={**PERCENTAGE, "description": "Overall coverage percentage"})
FILES_OUTPUT = object_schema(files={"type": "object", "additionalProperties": PERCENTAGE})
START_OUTPUT = object_schema(
    snapshotId={"type": "string", "format": "uuid"},
    timestamp={"type": "integer", "minimum": 0, "description": "Unix timestamp in milliseconds"},
)
END_OUTPUT = object_schema(
    overallChange=CHANGE,
    fileChanges={"type": "object", "additionalProperties": CHANGE},
    newFiles=PATHS,
    removedFiles=PATHS,
)
