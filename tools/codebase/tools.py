"""The four tools of contract 002, and those that fill and tidy the memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from itertools import accumulate
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import trio

from tools.codebase.chunking.chunk import ChunkType
from tools.codebase.chunking.languages import Language
from tools.codebase.contract import (
    GET_CODEBASE_STATS_SCHEMA,
    LIST_CODEBASES_SCHEMA,
    SEARCH_CODEBASES_SCHEMA,
)
from tools.codebase.errors import CodebaseError, MemoryUnusable, UnknownCodebase
from tools.codebase.ingestion import IngestionReport, checked_name
from tools.codebase.ingestions import Ingestions, Job
from tools.codebase.memory import CodebaseMemory
from tools.codebase.models import (
    CodebaseEntry,
    GetCodebaseStatsInput,
    GetCodebaseStatsOutput,
    IndexCodebaseInput,
    IndexCodebaseOutput,
    LanguageStatistics,
    ListCodebasesInput,
    ListCodebasesOutput,
    RemoveCodebaseInput,
    RemoveCodebaseOutput,
    RenameCodebaseInput,
    RenameCodebaseOutput,
    SearchCodebasesInput,
    SearchCodebasesOutput,
    SearchResult,
    TypeStatistics,
    checked,
)
from tools.codebase.search import Hit, Query
from tools.codebase.storage.records import Codebase
from tools.errors import ErrorCode, ToolError
from tools.progress import tell_progress
from tools.roots import AllowedRoots, PathRefused
from tools.schemas import output_schema_of
from tools.tool import Annotations, Answer, Deadline, Family, JsonObject, Scope, Tool, ToolInput

LARGEST_ANSWER = 1_000_000
"""Characters of content in one answer; further results only count."""
MOST_LISTED = 100
PROGRESS_SECONDS = 2.0
Result = TypeVar("Result")
Arguments = TypeVar("Arguments", bound=ToolInput)


class MemoryTools:
    """The tools over one memory. Folders to index lie in `roots`."""

    def __init__(self, memory: CodebaseMemory, ingestions: Ingestions, roots: AllowedRoots) -> None:
        self._memory = memory
        self._ingestions = ingestions
        self._roots = roots

    async def list_codebases(self, _: ListCodebasesInput) -> Answer:
        found = await _in_thread(self._memory.codebases)
        return Answer(checked(ListCodebasesOutput([_entry(each) for each in found])))

    async def search(self, inputs: SearchCodebasesInput) -> Answer:
        began = perf_counter()
        query = Query(inputs.query, inputs.codebase_name, inputs.language, inputs.max_results)
        found = await _in_thread(partial(self._memory.find, query))
        results = _within(LARGEST_ANSWER, [_result(hit) for hit in found.hits])
        milliseconds = round((perf_counter() - began) * 1000, 3)
        return Answer(checked(SearchCodebasesOutput(results, found.total, milliseconds)))

    async def statistics(self, inputs: GetCodebaseStatsInput) -> Answer:
        found = await _in_thread(partial(self._memory.statistics, inputs.name))
        entry = _entry(found.codebase)
        output = GetCodebaseStatsOutput(
            name=entry.name,
            path=entry.path,
            chunk_count=entry.chunk_count,
            file_count=entry.file_count,
            last_ingestion=entry.last_ingestion,
            languages=[
                LanguageStatistics(Language(each.language), each.file_count, each.chunk_count)
                for each in found.languages
            ],
            chunk_types=[TypeStatistics(ChunkType(each.type), each.count) for each in found.types],
            size_bytes=found.size_bytes,
        )
        return Answer(checked(output))

    async def index(self, inputs: IndexCodebaseInput) -> Answer:
        try:
            root = await _in_thread(partial(self._roots.resolve, inputs.path))
        except PathRefused as error:
            raise ToolError(ErrorCode.INVALID_INPUT, f"path: {error}", reason="PATH") from error
        name = inputs.name
        if name is None:
            name = await _in_thread(partial(self._memory.name_for, root))
        if inputs.check:
            report = await _in_thread(partial(self._memory.stale, root, name))
            return Answer(checked(_indexed("checked", report)))
        job = self._begun(root, name)
        await _wait(job, inputs.wait_seconds)
        if job.failure is not None:
            raise tool_error(job.failure)
        if job.report is None:
            return Answer(checked(IndexCodebaseOutput(job.status, name, str(root), job.files_done, job.files_total)))
        return Answer(checked(_indexed("finished", job.report)))

    def _begun(self, root: Path, name: str) -> Job:
        try:
            return self._ingestions.begin(root, checked_name(name))
        except CodebaseError as error:
            raise tool_error(error) from error

    async def rename(self, inputs: RenameCodebaseInput) -> Answer:
        await _in_thread(partial(self._memory.rename, inputs.name, inputs.new_name))
        return Answer(checked(RenameCodebaseOutput(inputs.new_name, inputs.name)))

    async def remove(self, inputs: RemoveCodebaseInput) -> Answer:
        removed = await _in_thread(partial(self._memory.remove, inputs.name))
        return Answer(checked(RemoveCodebaseOutput(inputs.name, removed)))

    def all(self) -> tuple[Tool[Any], ...]:
        """The tools, those of the contract first."""
        return (
            _contract_tool(LIST_CODEBASES_SCHEMA, ListCodebasesInput, self.list_codebases, "List codebases"),
            _contract_tool(SEARCH_CODEBASES_SCHEMA, SearchCodebasesInput, self.search, "Search code"),
            _contract_tool(GET_CODEBASE_STATS_SCHEMA, GetCodebaseStatsInput, self.statistics, "Codebase statistics"),
            _index_tool(self.index),
            _rename_tool(self.rename),
            _remove_tool(self.remove),
        )


def tool_error(error: CodebaseError) -> ToolError:
    """A failure of the memory as its tools tell it."""
    reason = "NOT_FOUND" if isinstance(error, UnknownCodebase) else error.code.removeprefix("E_")
    code = ErrorCode.INTERNAL_ERROR if isinstance(error, MemoryUnusable) else ErrorCode.INVALID_INPUT
    return ToolError(code, str(error), reason=reason)


async def _in_thread(work: Callable[[], Result]) -> Result:
    try:
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True)
    except CodebaseError as error:
        raise tool_error(error) from error


async def _wait(job: Job, seconds: float) -> None:
    """Until the job ends, but no longer; tells the client how far it is every two seconds."""
    began = trio.current_time()
    with trio.move_on_after(seconds):
        while not job.ended.is_set():
            with trio.move_on_after(PROGRESS_SECONDS):
                await job.ended.wait()
                return
            await tell_progress(trio.current_time() - began, f"{job.files_done} of {job.files_total} files")


def _entry(codebase: Codebase) -> CodebaseEntry:
    return CodebaseEntry(
        name=codebase.name,
        path=codebase.path,
        chunk_count=codebase.chunk_count,
        file_count=codebase.file_count,
        last_ingestion=datetime.fromisoformat(codebase.ingested),
        languages=[Language(each) for each in codebase.languages],
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


def _within(most: int, results: list[SearchResult]) -> list[SearchResult]:
    """The first results whose contents together have at most so many characters; at least one."""
    sizes = accumulate(len(result.content) for result in results)
    return [
        result for number, (result, size) in enumerate(zip(results, sizes, strict=True)) if size <= most or not number
    ]


def _indexed(status: str, report: IngestionReport) -> IndexCodebaseOutput:
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
        stale_files=stale[:MOST_LISTED],
        skipped_files=dict(list(report.skipped.items())[:MOST_LISTED]),
    )


def _contract_tool(
    schema: JsonObject,
    arguments: type[Arguments],
    call: Callable[[Arguments], Awaitable[Answer]],
    title: str,
) -> Tool[Arguments]:
    return Tool(
        name=schema["name"],
        family=Family.CODEBASE,
        description=schema["description"],
        arguments=arguments,
        call=call,
        deadline=Deadline.SEARCH,
        annotations=Annotations(title=title, read_only=True, destructive=False, idempotent=True),
        input_schema=schema["inputSchema"],
        output_schema=schema["outputSchema"],
    )


def _index_tool(call: Callable[[IndexCodebaseInput], Awaitable[Answer]]) -> Tool[IndexCodebaseInput]:
    return Tool(
        name="index_codebase",
        family=Family.CODEBASE,
        description=(
            "Index a folder for search_codebases, or bring its index up to date: only changed files are read anew."
            " Waits up to waitSeconds; status running means that it goes on, so call again. With check it only tells"
            " which indexed files have changed or gone (staleFiles)."
        ),
        arguments=IndexCodebaseInput,
        call=call,
        deadline=Deadline.PROCESS,
        annotations=Annotations(title="Index a codebase", read_only=False, destructive=False, idempotent=True),
        output_schema=output_schema_of(IndexCodebaseOutput),
        scope=Scope.CONTROL,
    )


def _rename_tool(call: Callable[[RenameCodebaseInput], Awaitable[Answer]]) -> Tool[RenameCodebaseInput]:
    return Tool(
        name="rename_codebase",
        family=Family.CODEBASE,
        description="Give an indexed codebase another name.",
        arguments=RenameCodebaseInput,
        call=call,
        deadline=Deadline.SEARCH,
        annotations=Annotations(title="Rename a codebase", read_only=False, destructive=False, idempotent=False),
        output_schema=output_schema_of(RenameCodebaseOutput),
        scope=Scope.CONTROL,
    )


def _remove_tool(call: Callable[[RemoveCodebaseInput], Awaitable[Answer]]) -> Tool[RemoveCodebaseInput]:
    return Tool(
        name="remove_codebase",
        family=Family.CODEBASE,
        description="Forget an indexed codebase. Its source files are not touched.",
        arguments=RemoveCodebaseInput,
        call=call,
        deadline=Deadline.SEARCH,
        annotations=Annotations(title="Remove a codebase", read_only=False, destructive=True, idempotent=False),
        output_schema=output_schema_of(RemoveCodebaseOutput),
        scope=Scope.CONTROL,
    )
