"""The build tools over a real process runner, in a folder of their own, with programs made by the test."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import trio

from actors.processes.environment import build_environment
from actors.processes.run_store import RunStore
from actors.processes.runner import CommandLimits, ProcessRunner
from tools.builds.context import BuildContext
from tools.builds.table import TOOLS as BUILD_TOOLS
from tools.errors import ToolError
from tools.registry import ToolRegistry, tools_of
from tools.validation import validated


@dataclass
class BuildBench:
    """`project` is the only allowed root and the server's folder; `programs` is first on PATH."""

    runner: ProcessRunner
    registry: ToolRegistry
    project: Path
    programs: Path
    runs: Path

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The payload of a tool's answer, checked against its published schema. Raises `ToolError`."""
        tool = self.registry.find(name)
        answer = await tool.call(validated(tool.arguments, arguments))
        assert isinstance(answer.payload, dict)
        assert tool.output_schema is not None
        jsonschema.validate(answer.payload, tool.output_schema)
        return answer.payload

    def has_logged(self, text: bytes) -> bool:
        """Return whether a run's folder holds this text by now."""
        return any(text in file.read_bytes() for file in self.runs.rglob("*") if file.is_file())

    async def refusal(self, name: str, **arguments: Any) -> ToolError:
        """The error that a call ends with."""
        try:
            await self.call(name, **arguments)
        except ToolError as error:
            return error
        raise AssertionError(f"{name} took {arguments}")

    def program(self, name: str, code: str, mode: int = 0o755) -> Path:
        """Put a Python program on PATH."""
        file = self.programs / name
        file.write_text(f"#!{sys.executable}\n{textwrap.dedent(code)}")
        file.chmod(mode)
        return file

    def printer(self, name: str, output: bytes, exit_code: int = 0, *, stream: str = "stdout") -> Path:
        """Put a program on PATH that prints these bytes."""
        data = self.programs / f"{name}.output"
        data.write_bytes(output)
        return self.program(
            name,
            f"import shutil, sys\nwith open({str(data)!r}, 'rb') as f: shutil.copyfileobj(f, sys.{stream}.buffer)\n"
            f"sys.exit({exit_code})",
        )

    def file(self, name: str, content: str) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path


async def make_bench(
    folder: Path,
    nursery: trio.Nursery,
    limits: CommandLimits | None = None,
    environment: Mapping[str, str] | None = None,
) -> BuildBench:
    project, programs, runs = (folder / name for name in ("project", "programs", "runs"))
    for each in (project, programs):
        each.mkdir(exist_ok=True)
    runner = ProcessRunner(limits, store=RunStore(runs))
    await nursery.start(runner.serve)
    own = build_environment({**os.environ, **(environment or {})})
    own["PATH"] = os.pathsep.join([str(programs), own.get("PATH", "")])
    registry = ToolRegistry(tools_of(BUILD_TOOLS, BuildContext.of(runner, (project,), project, own)))
    return BuildBench(runner, registry, project, programs, runs)
