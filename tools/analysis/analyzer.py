"""`analyzer`: is this code valid, and is it pure? Nothing is executed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import trio
from pydantic import Field

from tools.analysis.answers import Stopwatch, result_schema
from tools.analysis.javascript.purity import purity_doubts, purity_violations
from tools.analysis.javascript.syntax import syntax_errors
from tools.analysis.solidity.checks import CompileSource, solidity_problems
from tools.errors import ErrorCode, ToolError
from tools.publishing import looking
from tools.tool import Answer, Deadline, Family, JsonObject, Tool, ToolInput

MAX_CODE_LENGTH = 1_000_000
PROBLEM = {
    "type": "object",
    "required": ["line", "column", "rule", "message"],
    "properties": {
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
        "rule": {"type": "string"},
        "message": {"type": "string"},
    },
}
PROBLEMS = {"type": "array", "items": PROBLEM}


class AnalyzerInput(ToolInput):
    """Arguments of `analyzer`."""

    code: Annotated[str, Field(max_length=MAX_CODE_LENGTH, description="Code to analyze")]
    checks: Annotated[list[Literal["syntax", "purity"]], Field(max_length=8, description="Types of checks to perform")]
    language: Annotated[Literal["javascript", "solidity"], Field(description="What the code is written in")] = (
        "javascript"
    )


def analyzer_tool(compile_source: CompileSource) -> Tool[AnalyzerInput]:
    """The tool; `compile_source` gives the diagnostics of Solidity's compiler."""

    async def analyze(arguments: AnalyzerInput) -> Answer:
        watch = Stopwatch()
        if arguments.language == "javascript":
            return watch.answer(**await trio.to_thread.run_sync(_javascript, arguments, abandon_on_cancel=True))
        if "purity" in arguments.checks:
            raise ToolError(ErrorCode.INVALID_INPUT, "checks: purity is for javascript; solidity has syntax")
        if not arguments.checks:
            return watch.answer(valid=True, errors=[], warnings=[])
        errors, warnings = await solidity_problems(arguments.code, compile_source)
        return watch.answer(valid=not errors, errors=errors, warnings=warnings)

    return looking(
        "analyzer",
        (
            "Checks code without running it: syntax errors with line and column, and (JavaScript) violations of purity."
            " For Solidity: the compiler's diagnostics and mistakes of fuzzing harnesses. Use it before writing a file."
            " Returns valid, errors, warnings."
        ),
        (AnalyzerInput, result_schema(valid={"type": "boolean"}, errors=PROBLEMS, warnings=PROBLEMS)),
        analyze,
        family=Family.ANALYSIS,
        title="Analyze code",
        deadline=Deadline.ANALYSIS,
    )


def _javascript(arguments: AnalyzerInput) -> JsonObject:
    """Purity is judged only for code that the grammar understands."""
    errors: list[dict[str, Any]] = []
    broken = syntax_errors(arguments.code) if arguments.checks else ()
    if "syntax" in arguments.checks or ("purity" in arguments.checks and broken):
        errors = [found.as_json() for found in broken]
    warnings: list[dict[str, Any]] = []
    if "purity" in arguments.checks and not broken:
        warnings = [found.as_json() for found in purity_doubts(arguments.code)]
        errors += [found.as_json() for found in purity_violations(arguments.code)]
    return {"valid": not errors, "errors": errors, "warnings": warnings}
