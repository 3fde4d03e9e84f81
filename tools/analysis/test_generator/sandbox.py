"""Observing calls: the sandbox program in Node, without access to files or processes, with little time and memory."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.errors import ProcessLimitExceeded, ProcessNotStarted
from tools.errors import ErrorCode, ToolError

PROGRAM = Path(__file__).with_name("sandbox.js")
CALL_MILLISECONDS = 50
SECONDS = 3.5
FLAGS = ("--no-warnings", "--disallow-code-generation-from-strings", "--max-old-space-size=64", "--stack-size=500")
# Node 20 and 22 know the first name, 23.5 and later both.
PERMISSIONS = ("--experimental-permission", f"--allow-fs-read={PROGRAM}")

RunProgram = Callable[[Sequence[str], bytes, float], Awaitable[bytes]]
"""Runs argv with this stdin for at most these seconds and returns its stdout; raises what the process runner raises."""


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call did. `kind` is value, throw, late or broken; `source` a literal of the value, None without one;
    `coverage` V8's ranges [start, end, count], outer before inner, empty when not asked for."""

    kind: str
    source: str | None = None
    type: str = ""
    name: str = ""
    message: str = ""
    awaited: bool = False
    coverage: tuple[tuple[int, int, int], ...] = ()

    def agrees_with(self, other: Outcome) -> bool:
        """Whether two executions of a call did the same, so that a test may expect it."""
        mine = (self.kind, self.source, self.type, self.name, self.message, self.awaited)
        return mine == (other.kind, other.source, other.type, other.name, other.message, other.awaited)


async def observe(run: RunProgram, expression: str, calls: Sequence[Call], *, coverage: bool) -> list[Outcome]:
    """Execute the calls, each on code loaded for it alone. With `coverage` V8 counts, which it cannot do under Node's
    permission model; the realm still holds no object that leads out of it.

    Raises `ToolError` when the code cannot be loaded or Node cannot be run.
    """
    given = {
        "subject": expression,
        "calls": [{"name": call.name, "arguments": call.arguments} for call in calls],
        "milliseconds": CALL_MILLISECONDS,
        "coverage": coverage,
    }
    argv = ["node", *FLAGS, *(() if coverage else PERMISSIONS), str(PROGRAM)]
    try:
        answer = json.loads(await run(argv, json.dumps(given).encode(), SECONDS))
    except ProcessNotStarted as error:
        raise ToolError(
            ErrorCode.INTERNAL_ERROR, "tests are made by executing the code, which needs Node.js"
        ) from error
    except (ProcessLimitExceeded, ValueError) as error:
        reason = "the code took too much time or memory, or ended the program, while its functions were called"
        raise ToolError(ErrorCode.INVALID_INPUT, reason) from error
    if "error" in answer:
        raise ToolError(ErrorCode.INVALID_INPUT, f"the code fails when it is loaded: {answer['error']}")
    return [_outcome(entry) for entry in answer["outcomes"]]


def _outcome(entry: dict[str, Any]) -> Outcome:
    ranges = tuple((start, end, count) for start, end, count in entry.pop("coverage", ()))
    known = {key: value for key, value in entry.items() if key in Outcome.__dataclass_fields__ and value is not None}
    return Outcome(**known, coverage=ranges)
