"""The analysis tools over a project folder, with the real sandbox, and doubles for npm and the compiler."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio

from simulator.compile.diagnostics import Diagnostic
from tools.analysis.table import TOOLS, AnalysisContext
from tools.deadlines import Deadlines
from tools.dispatcher import Dispatcher
from tools.javascript_sandbox.process import JavaScriptSandbox
from tools.registry import ToolRegistry, tools_of


class Bench:
    """Calls tools as a client would. `npm` is what npm prints next; `diagnostics` what the compiler says."""

    def __init__(self, root: Path, sandbox: JavaScriptSandbox | None = None) -> None:
        self.root = root
        self.npm: bytes | Exception = b""
        self.diagnostics: Sequence[Diagnostic] = ()
        self.asked: list[Sequence[str]] = []
        self.sandbox = sandbox or JavaScriptSandbox()
        tools = tools_of(
            TOOLS,
            AnalysisContext(
                root=root,
                run=self._run,
                sandbox=self.sandbox,
                compile_source=self._compile,
                foundry_test_of=self._foundry_test,
                network=True,
            ),
        )
        # A busy machine is slow: the deadline is no part of what is tested with it.
        self.dispatcher = Dispatcher(ToolRegistry(tools), Deadlines(analysis=60_000))

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        rendered = await self.dispatcher.call(name, arguments)
        answer: dict[str, Any] = json.loads(rendered.text)
        assert rendered.is_error is not answer["success"]
        assert answer.pop("duration") >= 0
        return answer

    async def _run(self, argv: Sequence[str], stdin: bytes, seconds: float) -> bytes:
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
