"""The four search tools of the codebase memory, and the tools that manage it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import trio

from tools.codebase.contract import GET_CODEBASE_STATS_SCHEMA, LIST_CODEBASES_SCHEMA, SEARCH_CODEBASES_SCHEMA
from tools.codebase.errors import CodebaseError, MemoryUnusable, UnknownCodebase
from tools.codebase.ingestion import checked_name
from tools.codebase.ingestions import IngestionJob, Ingestions
from tools.codebase.memory import CodebaseMemory
from tools.codebase.models import (
    GetCodebaseStatsInput,
    IndexCodebaseInput,
    IndexCodebaseOutput,
    ListCodebasesInput,
    ListCodebasesOutput,
    RemoveCodebaseInput,
    RemoveCodebaseOutput,
    RenameCodebaseInput,
    RenameCodebaseOutput,
    SearchCodebasesInput,
    SearchCodebasesOutput,
    checked,
)
from tools.codebase.outputs import entry_of, indexing, results_of, statistics_of
from tools.codebase.search import Query
from tools.errors import ErrorCode, ToolError
from tools.progress import report_progress
from tools.publishing import Call, acting, looking
from tools.roots import AllowedRoots, PathRefused
from tools.tool import Answer, Deadline, Family, JsonObject, Tool, ToolInput

PROGRESS_SECONDS = 2.0
EVERY_CODEBASE = "*"
"""As `codebaseName`: search those of other projects, too."""
Result = TypeVar("Result")


class MemoryTools:
    """The tools over one memory. Folders to index lie in `roots`."""

    def __init__(self, memory: CodebaseMemory, ingestions: Ingestions, roots: AllowedRoots) -> None:
        self._memory = memory
        self._ingestions = ingestions
        self._roots = roots

    async def list_codebases(self, _: ListCodebasesInput) -> Answer:
        found = await _in_thread(self._memory.codebases)
        return Answer(checked(ListCodebasesOutput([entry_of(each) for each in found])))

    async def search(self, inputs: SearchCodebasesInput) -> Answer:
        began = perf_counter()
        names, warning = await _in_thread(partial(self._within, inputs.codebase_name))
        query = Query(inputs.query, names, inputs.language, inputs.max_results)
        found = await _in_thread(partial(self._memory.find, query))
        results = results_of(found.hits)
        milliseconds = round((perf_counter() - began) * 1000, 3)
        return Answer(checked(SearchCodebasesOutput(results, found.total, milliseconds)), warning=warning)

    def _within(self, name: str | None) -> tuple[frozenset[str] | None, str]:
        """The codebases to search, None for all of them, and a warning where some are left out: unless a call names
        one, those of this server's folders."""
        if name == EVERY_CODEBASE:
            return None, ""
        if name is not None:
            return frozenset({name}), ""
        known = self._memory.codebases()
        own = frozenset(each.name for each in known if self._is_own(Path(each.path)))
        left_out = len(known) - len(own)
        hint = f"{left_out} codebases of other projects were not searched; codebaseName {EVERY_CODEBASE} searches all"
        return own, hint if left_out else ""

    def _is_own(self, folder: Path) -> bool:
        return any(folder.is_relative_to(root) or root.is_relative_to(folder) for root in self._roots.roots)

    async def statistics(self, inputs: GetCodebaseStatsInput) -> Answer:
        found = await _in_thread(partial(self._memory.statistics, inputs.name))
        return Answer(checked(statistics_of(found)))

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
            return Answer(checked(indexing("checked", report)))
        job = self._begun(root, name)
        await _wait(job, inputs.wait_seconds)
        if job.failure is not None:
            raise tool_error(job.failure)
        if job.report is None:
            return Answer(checked(IndexCodebaseOutput(job.status, name, str(root), job.files_done, job.files_total)))
        return Answer(checked(indexing("finished", job.report)))

    def _begun(self, root: Path, name: str) -> IngestionJob:
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

    def published(self) -> tuple[Tool[Any], ...]:
        """The tools, those of the contract first."""
        return (
            _contract_tool(LIST_CODEBASES_SCHEMA, ListCodebasesInput, self.list_codebases, "List codebases"),
            _contract_tool(SEARCH_CODEBASES_SCHEMA, SearchCodebasesInput, self.search, "Search code"),
            _contract_tool(GET_CODEBASE_STATS_SCHEMA, GetCodebaseStatsInput, self.statistics, "Codebase statistics"),
            acting(
                "index_codebase",
                "Index a folder for search_codebases, or bring its index up to date: only changed files are read anew."
                " Waits up to waitSeconds; status running means that it continues, so call again. With check it only"
                " tells which indexed files have changed or gone (staleFiles).",
                (IndexCodebaseInput, IndexCodebaseOutput),
                self.index,
                family=Family.CODEBASE,
                title="Index a codebase",
                deadline=Deadline.PROCESS,
            ),
            acting(
                "rename_codebase",
                "Give an indexed codebase another name.",
                (RenameCodebaseInput, RenameCodebaseOutput),
                self.rename,
                family=Family.CODEBASE,
                title="Rename a codebase",
                deadline=Deadline.SEARCH,
                idempotent=False,
            ),
            acting(
                "remove_codebase",
                "Forget an indexed codebase. Its source files are not touched.",
                (RemoveCodebaseInput, RemoveCodebaseOutput),
                self.remove,
                family=Family.CODEBASE,
                title="Remove a codebase",
                # The words of every chunk are taken out of the index: seconds for a large codebase.
                deadline=Deadline.PROCESS,
                destructive=True,
                idempotent=False,
            ),
        )


def _contract_tool(schema: JsonObject, arguments: type[ToolInput], call: Call, title: str) -> Tool[Any]:
    return looking(
        schema["name"],
        schema["description"],
        (arguments, schema["outputSchema"]),
        call,
        family=Family.CODEBASE,
        title=title,
        deadline=Deadline.SEARCH,
        input_schema=schema["inputSchema"],
    )


def tool_error(error: CodebaseError) -> ToolError:
    """A failure of the memory as its tools report it."""
    reason = "NOT_FOUND" if isinstance(error, UnknownCodebase) else error.code.removeprefix("E_")
    code = ErrorCode.INTERNAL_ERROR if isinstance(error, MemoryUnusable) else ErrorCode.INVALID_INPUT
    return ToolError(code, str(error), reason=reason)


async def _in_thread(work: Callable[[], Result]) -> Result:
    try:
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True)
    except CodebaseError as error:
        raise tool_error(error) from error


async def _wait(job: IngestionJob, seconds: float) -> None:
    """Until the job ends, but no longer; reports progress to the client every two seconds."""
    began = trio.current_time()
    with trio.move_on_after(seconds):
        while not job.ended.is_set():
            with trio.move_on_after(PROGRESS_SECONDS):
                await job.ended.wait()
                return
            await report_progress(trio.current_time() - began, f"{job.files_done} of {job.files_total} files")
