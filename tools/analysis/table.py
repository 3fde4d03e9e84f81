"""Family `analysis`: its tools, one line a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.analysis.analyzer import analyzer_tool
from tools.analysis.dependencies import dependencies_tool
from tools.analysis.filesystem import filesystem_tool
from tools.analysis.programs import RunProgram
from tools.analysis.solidity.checks import CompileSource
from tools.analysis.test_generator.sandbox import Sandbox
from tools.analysis.test_generator.tool import FoundryTestOf, test_generator_tool
from tools.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisContext:
    """Context of analysis tools: the project at `root`. `run` starts npm; `sandbox` executes code under test.
    `network` false keeps `dependencies` from asking the registry."""

    root: Path
    run: RunProgram
    sandbox: Sandbox
    compile_source: CompileSource
    foundry_test_of: FoundryTestOf
    network: bool = True


TOOLS: tuple[Callable[[AnalysisContext], Iterable[Tool[Any]]], ...] = (
    lambda context: (analyzer_tool(context.compile_source),),
    lambda context: (dependencies_tool(context.run, enabled=context.network),),
    lambda context: (filesystem_tool(context.root),),
    lambda context: (test_generator_tool(context.sandbox, context.foundry_test_of),),
)
