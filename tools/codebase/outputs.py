"""Results of the memory, as the tools' outputs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate

from tools.codebase.chunking.chunk import ChunkType
from tools.codebase.chunking.languages import Language
from tools.codebase.ingestion import IngestionReport
from tools.codebase.models import (
    CodebaseEntry,
    GetCodebaseStatsOutput,
    IndexCodebaseOutput,
    LanguageStatistics,
    SearchResult,
    TypeStatistics,
)
from tools.codebase.search import Hit
from tools.codebase.storage.records import Codebase, Statistics

MAX_ANSWER_BYTES = 1_000_000
"""Characters of content in one answer; further results only count."""
MAX_LISTED = 100


def entry_of(codebase: Codebase) -> CodebaseEntry:
    return CodebaseEntry(
        name=codebase.name,
        path=codebase.path,
        chunk_count=codebase.chunk_count,
        file_count=codebase.file_count,
        last_ingestion=datetime.fromisoformat(codebase.ingested),
        languages=[Language(each) for each in codebase.languages],
    )


def statistics_of(found: Statistics) -> GetCodebaseStatsOutput:
    entry = entry_of(found.codebase)
    return GetCodebaseStatsOutput(
        name=entry.name,
        path=entry.path,
        chunk_count=entry.chunk_count,
        file_count=entry.file_count,
        last_ingestion=entry.last_ingestion,
        languages=[
            LanguageStatistics(Language(each.language), each.file_count, each.chunk_count) for each in found.languages
        ],
        chunk_types=[TypeStatistics(ChunkType(each.type), each.count) for each in found.types],
        size_bytes=found.size_bytes,
    )


def _result(hit: Hit) -> SearchResult:
    found = hit.chunk
    return SearchResult(
        file_path=found.path,
        start_line=found.chunk.start_line,
        end_line=found.chunk.end_line,
        language=Language(found.language),
        chunk_type=found.chunk.kind,
        content=found.content,
        similarity_score=hit.score,
        codebase_name=found.codebase,
    )


def results_of(hits: Sequence[Hit], most: int = MAX_ANSWER_BYTES) -> list[SearchResult]:
    """The first hits whose contents together have at most so many characters; at least one."""
    results = [_result(hit) for hit in hits]
    sizes = accumulate(len(result.content) for result in results)
    return [
        result for number, (result, size) in enumerate(zip(results, sizes, strict=True)) if size <= most or not number
    ]


def indexing(status: str, report: IngestionReport) -> IndexCodebaseOutput:
    stale = sorted((*report.changed, *report.removed))
    return IndexCodebaseOutput(
        status=status,
        name=report.name,
        path=report.path,
        files_done=report.files,
        files_total=report.files,
        added=len(report.added),
        changed=len(report.changed),
        removed=len(report.removed),
        unchanged=report.unchanged,
        skipped=len(report.skipped),
        chunks_before=report.chunks_before,
        chunks_after=report.chunks_after,
        stale_files=stale[:MAX_LISTED],
        skipped_files=dict(list(report.skipped.items())[:MAX_LISTED]),
    )
