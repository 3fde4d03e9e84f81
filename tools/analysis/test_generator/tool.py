"""`test-generator`: Jest tests for JavaScript, and the Foundry test of a finding."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tools.analysis.answers import Stopwatch, result_schema
from tools.analysis.test_generator.generator import generate_tests
from tools.analysis.test_generator.sandbox import Sandbox
from tools.errors import ErrorCode, ToolError
from tools.publishing import acting
from tools.tool import Answer, Deadline, Family, Tool, ToolInput

MAX_CODE_LENGTH = 200_000

FoundryTestOf = Callable[[str], Awaitable[str | None]]
"""The Foundry test of the finding with this id, None where Foundry cannot check it. Raises `ToolError` without one."""


class TestGeneratorInput(ToolInput):
    """Arguments of `test-generator`."""

    __test__ = False  # a class of this name is no test case

    code: Annotated[
        str, Field(max_length=MAX_CODE_LENGTH, description="Generated JavaScript code to test; empty with findingId")
    ]
    test_framework: Annotated[Literal["jest"], Field(alias="testFramework", description="Test framework to use")] = (
        "jest"
    )
    finding_id: Annotated[
        str | None,
        Field(alias="findingId", max_length=200, description="Instead: id of a finding, for its Foundry test"),
    ] = None

    @model_validator(mode="after")
    def _has_a_subject(self) -> Self:
        if not self.code.strip() and self.finding_id is None:
            raise ValueError("code must not be empty")
        return self


def test_generator_tool(sandbox: Sandbox, foundry_test_of: FoundryTestOf) -> Tool[TestGeneratorInput]:
    """The tool. It executes code, so that it takes more than a token to read."""

    async def generate(arguments: TestGeneratorInput) -> Answer:
        watch = Stopwatch()
        if arguments.finding_id is not None:
            test = await foundry_test_of(arguments.finding_id)
            if test is None:
                raise ToolError(ErrorCode.INVALID_INPUT, f"Foundry cannot check finding {arguments.finding_id}")
            return watch.answer(testCode=test)
        tests = await generate_tests(arguments.code, sandbox)
        return watch.answer(testCode=tests.code, coverage={"lines": tests.lines, "branches": tests.branches})

    return acting(
        "test-generator",
        (
            "Writes Jest tests for JavaScript functions by executing them, confined, and expecting what they did, so"
            " they pass unchanged; use it to pin down behaviour. Returns testCode, and the coverage measured, in %."
            " With findingId: the Foundry test of a campaign's finding."
        ),
        (
            TestGeneratorInput,
            result_schema(
                testCode={"type": "string"},
                coverage={
                    "type": "object",
                    "required": ["lines", "branches"],
                    "properties": {"lines": {"type": "integer"}, "branches": {"type": "integer"}},
                },
            ),
        ),
        generate,
        family=Family.ANALYSIS,
        title="Generate tests",
        deadline=Deadline.ANALYSIS,
    )
