"""`check_target`: what a campaign would be, compiled and deployed, without any fuzzing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tools.campaign.extensions.lifecycle import TargetInput, not_available
from tools.campaign.publishing import acting
from tools.campaign.results import TargetResult, ToolResult, answer_of
from tools.tool import Answer, Deadline, Tool


class CheckedTarget(ToolResult, frozen=True):
    """`target` as the tool of this name answers, with the first 200 functions and tests; tests that fail before any
    call are among them. `left_out`
    is what the test mode does not check, `warnings` what was said meanwhile."""

    target: TargetResult
    workers: int
    call_limit: int | None
    time_limit: float | None
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


Check = Callable[[TargetInput], Awaitable[CheckedTarget]]
"""Compiles and deploys, and fuzzes nothing. Raises `ToolError`."""


class DryStartTools:
    """`check` None is a server whose campaign was chosen on the command line."""

    def __init__(self, check: Check | None) -> None:
        self._check = check

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            acting(
                "check_target",
                "Compiles and deploys what start_campaign would fuzz, with the same arguments, and tells functions,"
                " tests, what is left out, and warnings. Nothing is fuzzed or written. Use it before a long campaign.",
                (TargetInput, CheckedTarget),
                self.check,
                deadline=Deadline.PROCESS,
                of_campaign=False,
            ),
        )

    async def check(self, inputs: TargetInput) -> Answer:
        if self._check is None:
            raise not_available()
        return answer_of(await self._check(inputs))
