"""One ingestion as a process: `python -m tools.codebase.index_program`, the request on stdin, JSON lines on stdout.

Parsers written in C hold the interpreter for as long as a file takes, and a file made for it may crash them: neither
may happen to a server. The process ends, without having changed anything, when its stdin is closed.
"""

from __future__ import annotations

import os
import select
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from simulator.encoding import encode_json
from tools.codebase.errors import CodebaseError
from tools.codebase.index_messages import Advanced, Event, Finished, IndexFailed, IndexRequest
from tools.codebase.memory import embedder_of, open_memory

NICENESS = 19
"""Below the workers of a campaign, which an ingestion that nobody asked for must not slow down."""
SECONDS_BETWEEN = 0.2
MAX_REQUEST_LENGTH = 64 << 10
STDOUT = 1


def main() -> None:
    os.nice(NICENESS)
    request = msgspec.json.decode(sys.stdin.buffer.readline(MAX_REQUEST_LENGTH), type=IndexRequest)
    with suppress(BrokenPipeError):  # the requesting process is dead
        _ingest(request)


def _ingest(request: IndexRequest) -> None:
    told = time.monotonic()

    def advance(done: int, total: int, _path: str) -> None:
        nonlocal told
        if time.monotonic() - told >= SECONDS_BETWEEN or not done:
            told = time.monotonic()
            _tell(Advanced(done, total))

    memory = open_memory(Path(os.fsdecode(request.memory)), embedder_of(request.embedder))
    try:
        report = memory.ingest(Path(request.root), request.name, advance, _abandoned, request.max_files)
    except CodebaseError as error:
        _tell(IndexFailed(error.code, str(error)))
    else:
        _tell(Finished(report))


def _abandoned() -> bool:
    """True if the other end of stdin is closed."""
    readable, _, _ = select.select([0], [], [], 0)
    return bool(readable)


def _tell(event: Event) -> None:
    line = memoryview(encode_json(event) + b"\n")
    while line:
        line = line[os.write(STDOUT, line) :]


if __name__ == "__main__":
    main()
