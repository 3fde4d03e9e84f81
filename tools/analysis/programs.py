"""Programs of the analysis tools, node and npm, on the process runner."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from actors.errors import ProcessNotStarted
from actors.process_runner import ProcessRunner


class ProgramRuns:
    """A `RunProgram`: runs argv in an empty folder of its own and gives what it wrote to stdout.

    Calls raise `ProcessNotStarted` without the program, `ProcessLimitExceeded` past the time.
    """

    def __init__(self, runner: ProcessRunner) -> None:
        self._runner = runner

    async def __call__(self, argv: Sequence[str], stdin: bytes, seconds: float) -> bytes:
        program = shutil.which(argv[0])
        if program is None:
            raise ProcessNotStarted(f"{argv[0]} is not on PATH")
        with tempfile.TemporaryDirectory(prefix="monotreme-analysis-") as folder:
            result = await self._runner.run([program, *argv[1:]], stdin=stdin, folder=Path(folder), seconds=seconds)
        return result.stdout
