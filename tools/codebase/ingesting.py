"""Execution of an ingestion: in a thread of this process, or in a process of its own."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, assert_never

import msgspec
import trio

from simulator.own_process import module_command
from tools.codebase import errors
from tools.codebase.errors import CodebaseError
from tools.codebase.index_messages import Advanced, Event, Finished, IndexFailed, IndexRequest
from tools.codebase.ingestion import IngestionReport
from tools.codebase.memory import CodebaseMemory
from tools.codebase.scanning.files import checked_folder

COMMAND = module_command("tools.codebase.index_program")
MAX_EVENT_LENGTH = 256 << 20
Advance = Callable[[int, int, str], None]
Ingest = Callable[[Path, str, int, Advance], Awaitable[IngestionReport]]
"""Takes the folder, the name, the most files and whom to tell of progress. Raises `CodebaseError`. Cancelled, it leaves
the index as it was."""
_ERRORS: dict[str, type[CodebaseError]] = {
    each.code: each
    for each in (
        errors.NameTaken,
        errors.CodebaseFolderRefused,
        errors.IngestionStopped,
        errors.MemoryBusy,
        errors.MemoryUnusable,
    )
}


@dataclass(frozen=True, slots=True)
class ThreadIngest:
    """An `Ingest` in a thread, which sees at the next file when it is cancelled."""

    memory: CodebaseMemory

    async def __call__(self, root: Path, name: str, max_files: int, advance: Advance) -> IngestionReport:
        stop = threading.Event()
        work = partial(self.memory.ingest, root, name, advance, stop.is_set, max_files)
        try:
            return await trio.to_thread.run_sync(work, abandon_on_cancel=True)
        finally:
            stop.set()


@dataclass(frozen=True, slots=True)
class ProcessIngest:
    """An `Ingest` in a process with less priority, so that it holds up no answer and its end is its own."""

    memory: Path
    embedder: Literal["subwords", "minilm", "fastembed"]

    async def __call__(self, root: Path, name: str, max_files: int, advance: Advance) -> IngestionReport:
        request = IndexRequest(os.fsencode(self.memory), self.embedder, str(checked_folder(root)), name, max_files)
        process = await trio.lowlevel.open_process(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            await process.stdin.send_all(msgspec.json.encode(request) + b"\n")
            return await _report(process.stdout, advance)
        except trio.BrokenResourceError as error:
            raise CodebaseError("the process that indexes has ended unexpectedly") from error
        finally:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()
                await process.stdin.aclose()
                await process.stdout.aclose()


async def _report(stream: trio.abc.ReceiveStream, advance: Advance) -> IngestionReport:
    async with aclosing(_events(stream)) as events:
        async for event in events:
            match event:
                case Advanced():
                    advance(event.done, event.total, "")
                case Finished():
                    advance(event.report.files, event.report.files, "")
                    return event.report
                case IndexFailed():
                    raise _ERRORS.get(event.code, CodebaseError)(event.message)
                case _:
                    assert_never(event)
    raise CodebaseError("the process that indexes has ended unexpectedly; a file may have crashed its parser")


async def _events(stream: trio.abc.ReceiveStream) -> AsyncGenerator[Event, None]:
    pending = bytearray()
    decoder = msgspec.json.Decoder(Event)
    async for part in stream:
        pending += part
        if len(pending) > MAX_EVENT_LENGTH:
            return
        while (end := pending.find(b"\n")) >= 0:
            yield decoder.decode(bytes(pending[:end]))
            del pending[: end + 1]
