"""Inputs and outputs of the tools as types. Every output of a tool has passed the rules here."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, Field

from tools.codebase.chunking.chunk import ChunkType
from tools.codebase.chunking.languages import Language
from tools.codebase.contract import DEFAULT_RESULTS, MAX_RESULTS
from tools.codebase.ingestion import MAX_NAME_LENGTH
from tools.roots import MAX_PATH_LENGTH
from tools.tool import JsonObject, ToolInput

MAX_QUERY_LENGTH = 10_000
MAX_WAIT = 50.0

Count = Annotated[int, Meta(ge=0)]
Line = Annotated[int, Meta(ge=1)]
Score = Annotated[float, Meta(ge=0, le=1)]
Milliseconds = Annotated[float, Meta(ge=0)]
Uri = Annotated[str, Meta(pattern=r"^https?://[^\s]+$")]


Optional = TypeVar("Optional")


def _given(value: Optional | None) -> Optional:
    """A key that may be left out is not null when it is there."""
    if value is None:
        raise ValueError("must not be null: leave the key out")
    return value


GIVEN = AfterValidator(_given)


class ListCodebasesInput(ToolInput):
    pass


class SearchCodebasesInput(ToolInput):
    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_LENGTH)]
    codebase_name: Annotated[str | None, GIVEN, Field(alias="codebaseName")] = None
    # Strict models take an enumeration's members only, and clients send its values.
    language: Annotated[Annotated[Language, Field(strict=False)] | None, GIVEN] = None
    max_results: Annotated[int, Field(alias="maxResults", ge=1, le=MAX_RESULTS)] = DEFAULT_RESULTS


class GetCodebaseStatsInput(ToolInput):
    name: Annotated[str, Field(min_length=1)]


class OpenCodebaseManagerInput(ToolInput):
    pass


class IndexCodebaseInput(ToolInput):
    path: Annotated[str, Field(min_length=1, max_length=MAX_PATH_LENGTH, description="Folder to index")]
    name: Annotated[
        str | None, GIVEN, Field(min_length=1, max_length=MAX_NAME_LENGTH, description="Default: the folder's name")
    ] = None
    check: Annotated[bool, Field(description="Only tell which entries are stale; change nothing")] = False
    wait_seconds: Annotated[
        float, Field(alias="waitSeconds", ge=0, le=MAX_WAIT, description="Longest wait for the end")
    ] = 45.0


class RenameCodebaseInput(ToolInput):
    name: Annotated[str, Field(min_length=1)]
    new_name: Annotated[str, Field(alias="newName", min_length=1, max_length=MAX_NAME_LENGTH)]


class RemoveCodebaseInput(ToolInput):
    name: Annotated[str, Field(min_length=1)]


class CodebaseOutput(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of all results."""


class CodebaseEntry(CodebaseOutput, frozen=True):
    name: str
    path: str
    chunk_count: Count
    file_count: Count
    last_ingestion: datetime
    languages: list[Language]


class ListCodebasesOutput(CodebaseOutput, frozen=True):
    codebases: list[CodebaseEntry]


class SearchResult(CodebaseOutput, frozen=True):
    file_path: str
    start_line: Line
    end_line: Line
    language: Language
    chunk_type: ChunkType
    content: str
    similarity_score: Score
    codebase_name: str


class SearchCodebasesOutput(CodebaseOutput, frozen=True):
    results: list[SearchResult]
    total_results: Count
    query_time: Milliseconds


class LanguageStatistics(CodebaseOutput, frozen=True):
    language: Language
    file_count: Count
    chunk_count: Count


class TypeStatistics(CodebaseOutput, frozen=True):
    type: ChunkType
    count: Count


class GetCodebaseStatsOutput(CodebaseOutput, frozen=True):
    name: str
    path: str
    chunk_count: Count
    file_count: Count
    last_ingestion: datetime
    languages: list[LanguageStatistics]
    chunk_types: list[TypeStatistics]
    size_bytes: Count


class OpenCodebaseManagerOutput(CodebaseOutput, frozen=True):
    url: Uri
    message: str


class IndexCodebaseOutput(CodebaseOutput, frozen=True):
    """`status` is running, finished, stopped or checked. Lists of files hold the first hundred, counts all."""

    status: str
    name: str
    path: str
    files_done: Count
    files_total: Count
    added: Count = 0
    changed: Count = 0
    removed: Count = 0
    unchanged: Count = 0
    skipped: Count = 0
    chunks_before: Count = 0
    chunks_after: Count = 0
    stale_files: list[str] = []
    skipped_files: dict[str, str] = {}


class RenameCodebaseOutput(CodebaseOutput, frozen=True):
    name: str
    previous_name: str


class RemoveCodebaseOutput(CodebaseOutput, frozen=True):
    name: str
    removed_chunks: Count


Result = TypeVar("Result", bound=CodebaseOutput)


def checked(output: Result) -> JsonObject:
    """A result as JSON that keeps its own rules. Raises `msgspec.ValidationError`, a mistake of the program."""
    payload: JsonObject = msgspec.to_builtins(output)
    msgspec.convert(payload, type(output))
    return payload
