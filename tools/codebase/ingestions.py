"""Ingestions in the background of the server, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import trio

from tools.codebase.errors import CodebaseError, NameTaken
from tools.codebase.ingesting import Ingest
from tools.codebase.ingestion import IngestionReport
from tools.codebase.scanning.files import MAX_FILES

KEPT_JOBS = 64
Status = Literal["waiting", "running", "finished", "failed"]


@dataclass(slots=True)
class IngestionJob:
    """One ingestion. `failure` is set when it failed, `report` when it ended well; `ended` then is set."""

    name: str
    root: Path
    max_files: int = MAX_FILES
    status: Status = "waiting"
    files_done: int = 0
    files_total: int = 0
    report: IngestionReport | None = None
    failure: CodebaseError | None = None
    ended: trio.Event = field(default_factory=trio.Event)

    def advance(self, done: int, total: int, _path: str) -> None:
        """May be called in a thread; readers may see the two numbers of different moments, which does no harm."""
        self.files_done, self.files_total = done, total


class Ingestions:
    """`serve` must run for ingestions to make progress. The last `KEPT_JOBS` are remembered."""

    def __init__(self, ingest: Ingest) -> None:
        self._ingest = ingest
        self._jobs: dict[str, IngestionJob] = {}
        self._send, self._receive = trio.open_memory_channel[IngestionJob](KEPT_JOBS)

    async def serve(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run what `begin` asks for until cancelled. An ingestion that is cancelled leaves the index as it was."""
        task_status.started()
        async for job in self._receive:
            await self._run(job)

    def begin(self, root: Path, name: str, max_files: int = MAX_FILES) -> IngestionJob:
        """The ingestion of a folder under a name; the one that is under way, if there is one.

        Raises `NameTaken` when that is of another folder, `CodebaseError` when too many wait.
        """
        known = self._jobs.get(name)
        if known is not None and known.status in ("waiting", "running"):
            if known.root != root:
                raise NameTaken(f"'{name}' is being indexed from {known.root}")
            return known
        job = IngestionJob(name, root, max_files)
        try:
            self._send.send_nowait(job)
        except trio.WouldBlock as error:
            raise CodebaseError(f"{KEPT_JOBS} ingestions wait already; try again later") from error
        self._remember(job)
        return job

    def jobs(self) -> tuple[IngestionJob, ...]:
        """The ingestions of this server, oldest first, of each codebase the last."""
        return tuple(self._jobs.values())

    def _remember(self, job: IngestionJob) -> None:
        self._jobs.pop(job.name, None)
        self._jobs[job.name] = job
        for name in [name for name, each in self._jobs.items() if each.ended.is_set()][: len(self._jobs) - KEPT_JOBS]:
            del self._jobs[name]

    async def _run(self, job: IngestionJob) -> None:
        job.status = "running"
        try:
            job.report = await self._ingest(job.root, job.name, job.max_files, job.advance)
            job.status = "finished"
        except CodebaseError as error:
            job.failure = error
            job.status = "failed"
        finally:
            job.ended.set()
