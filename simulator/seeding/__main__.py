"""A process that executes a project's tests for their calls: reads a `SeedingRequest` on stdin, writes `Seeds` to
stdout, as MessagePack.

Tests are code of strangers, so they run in a process of their own, which can be given up.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from simulator.encoding import encode_msgpack
from simulator.errors import SimulatorError
from simulator.seeding.collection import collect_seeds
from simulator.seeding.memory_watch import watch_memory
from simulator.seeding.model import SeedingRequest
from simulator.worker.commands import Setup
from simulator.worker.setup import build_worker, load_project

REFUSED = 3


def main() -> int:
    request = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=SeedingRequest)
    # What tests print is no answer.
    answers = os.dup(1)
    os.dup2(2, 1)
    watch_memory()
    try:
        worker = build_worker(Setup(1, 0, request.project, request.settings))
        tests = load_project(Path(os.fsdecode(request.tests)))
        seeds = collect_seeds(tests, worker.settings, worker.functions, worker.deployment)
    except SimulatorError as error:
        sys.stderr.write(f"{error}\n")
        return REFUSED
    with os.fdopen(answers, "wb") as out:
        out.write(encode_msgpack(seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
