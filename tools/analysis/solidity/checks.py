"""Checks of Solidity: the compiler's diagnostics, then mistakes that make a harness test nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import trio

from simulator.compile.diagnostics import Diagnostic
from simulator.errors import CompileError
from tools.analysis.solidity.harness import harness_problems
from tools.errors import ErrorCode, ToolError

CompileSource = Callable[[str], Awaitable[Sequence[Diagnostic]]]
"""Gives the diagnostics of the compiler for a source that stands alone; raises `CompileError` without a compiler."""

Found = list[dict[str, Any]]


async def solidity_problems(code: str, compile_source: CompileSource) -> tuple[Found, Found]:
    """Errors and warnings. Mistakes of a harness are warnings: the code is valid, but a fuzzer cannot use it."""
    try:
        diagnostics = await compile_source(code)
    except CompileError as error:
        raise ToolError(ErrorCode.INTERNAL_ERROR, f"no compiler for this source: {error}") from error
    errors = [_entry(found) for found in diagnostics if found.severity == "error"]
    warnings = [_entry(found) for found in diagnostics if found.severity == "warning"]
    if not errors:
        problems = await trio.to_thread.run_sync(harness_problems, code, abandon_on_cancel=True)
        warnings += [problem.as_json() for problem in problems]
    return errors, warnings


def _entry(found: Diagnostic) -> dict[str, Any]:
    rule = f"solc-{found.code}" if found.code else "solc"
    return {"line": max(1, found.line), "column": max(1, found.column), "rule": rule, "message": found.message}
