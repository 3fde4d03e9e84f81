"""The end of a process that takes too much memory, such as for tests that take snapshots in a loop."""

from __future__ import annotations

import os
import sys
import time
from threading import Thread

import psutil

MAX_MEMORY = 2 << 30
"""Bytes that are resident."""
LOOK_SECONDS = 0.1
OVER_MEMORY = 4


def watch_memory(most: int = MAX_MEMORY) -> None:
    """From now on, end this process once it has more than `most` bytes, with a line on stderr that says so."""
    Thread(target=_watch, args=(most,), daemon=True).start()


def _watch(most: int) -> None:
    process = psutil.Process()
    while process.memory_info().rss <= most:
        time.sleep(LOOK_SECONDS)
    _end(most)


def _end(most: int) -> None:
    sys.stderr.write(f"they take over {most >> 20:,} MiB of memory\n")
    sys.stderr.flush()
    # Nothing that is under way is worth its end.
    os._exit(OVER_MEMORY)
