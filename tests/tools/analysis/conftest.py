"""The analysis tools over a project folder, with real Node, and doubles for npm and the compiler."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio

from actors.process_runner import CommandLimits, ProcessRunner
from simulator.compile.diagnostics import Diagnostic
from tools.analysis import analysis_tools
from tools.analysis.programs import ProgramRuns
from tools.dispatcher import Dispatcher
from tools.registry import ToolRegistry


class Bench:
    """Calls tools as a client would. `npm` is what npm prints next; `diagnostics` what the compiler says."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.npm: bytes | Exception = b""
        self.diagnostics: Sequence[Diagnostic] = ()
        self.asked: list[Sequence[str]] = []
        self._node = ProgramRuns(ProcessRunner(CommandLimits()))
        tools = analysis_tools(
            root, run=self._run, compile_source=self._compile, foundry_test_of=self._foundry_test, network=True
        )
        self.dispatcher = Dispatcher(ToolRegistry(tools))

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        rendered = await self.dispatcher.call(name, arguments)
        answer: dict[str, Any] = json.loads(rendered.text)
        assert rendered.is_error is not answer["success"]
        assert answer.pop("duration") >= 0
        return answer

    async def _run(self, argv: Sequence[str], stdin: bytes, seconds: float) -> bytes:
        if argv[0] != "npm":
            return await self._node(argv, stdin, seconds)
        self.asked.append(argv)
        if isinstance(self.npm, Exception):
            raise self.npm
        return self.npm

    async def _compile(self, source: str) -> Sequence[Diagnostic]:
        await trio.lowlevel.checkpoint()
        return self.diagnostics

    async def _foundry_test(self, finding: str) -> str | None:
        return "contract Reproducer {}" if finding == "abc" else None


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = tmp_path / "project"
    root.mkdir()
    return Bench(root)


@pytest.fixture
def node() -> None:
    if shutil.which("node") is None:
        pytest.skip("Node.js is not on PATH")
