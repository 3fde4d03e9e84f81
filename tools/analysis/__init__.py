"""Family `analysis`: static checks of code before it runs."""

from __future__ import annotations

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


def analysis_tools(
    root: Path,
    *,
    run: RunProgram,
    sandbox: Sandbox,
    compile_source: CompileSource,
    foundry_test_of: FoundryTestOf,
    network: bool = True,
) -> tuple[Tool[Any], ...]:
    """The four tools for the project at `root`. `run` starts npm; `sandbox` executes code under test.
    `network` false keeps `dependencies` from asking the registry."""
    return (
        analyzer_tool(compile_source),
        dependencies_tool(run, enabled=network),
        filesystem_tool(root),
        test_generator_tool(sandbox, foundry_test_of),
    )
