"""npm, the program of the analysis tools, on the process runner."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from actors.processes.runner import ProcessRunner
from actors.runtime.errors import ProcessNotStarted
from simulator.policy import find_program

RunProgram = Callable[[Sequence[str], bytes, float], Awaitable[bytes]]
"""Runs argv with this stdin for at most these seconds and returns its stdout; raises what the process runner raises."""


class ProgramRuns:
    """A `RunProgram`: runs argv in an empty folder of its own and gives what it wrote to stdout.

    Calls raise `ProcessNotStarted` without the program, `ProcessLimitExceeded` past the time.
    """

    def __init__(self, runner: ProcessRunner) -> None:
        self._runner = runner

    async def __call__(self, argv: Sequence[str], stdin: bytes, seconds: float) -> bytes:
        program = find_program(argv[0])
        if program is None:
            raise ProcessNotStarted(f"{argv[0]} is not on PATH")
        with tempfile.TemporaryDirectory(prefix="monotreme-analysis-") as folder:
            result = await self._runner.run([program, *argv[1:]], stdin=stdin, folder=Path(folder), seconds=seconds)
        return result.stdout
