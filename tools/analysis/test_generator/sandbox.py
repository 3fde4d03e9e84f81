"""Observing calls: the sandbox program in Node, without access to files or processes, with little time and memory."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from actors.errors import ProcessLimitExceeded, ProcessNotStarted
from tools.analysis.test_generator.calls import Call
from tools.errors import ErrorCode, ToolError

PROGRAM = Path(__file__).with_name("sandbox.js")
REALM = Path(__file__).with_name("realm.js")
CALL_MILLISECONDS = 400
SECONDS = 3.5
FLAGS = ("--no-warnings", "--disallow-code-generation-from-strings", "--max-old-space-size=64", "--stack-size=500")
# Node 20 and 22 know the first name, 23.5 and later both.
PERMISSIONS = ("--experimental-permission", f"--allow-fs-read={PROGRAM}", f"--allow-fs-read={REALM}")
ZONES = ("UTC", "Pacific/Kiritimati")
"""One for each of two executions: what depends on the machine's time zone then differs."""
TOO_DEEP = "Maximum call stack size exceeded"
UNDECLARED = " is not defined"

RunProgram = Callable[[Sequence[str], bytes, float], Awaitable[bytes]]
"""Runs argv with this stdin for at most these seconds and returns its stdout; raises what the process runner raises."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call did. `kind` is value, throw, late or broken; `source` a literal of the value, None without one.
    `iterates` says that the value is a generator and `source` its items: "all" of them or the "first" few. `uses` names
    what the call touched that a test cannot rely on, empty for nothing. `coverage` is V8's ranges [start, end, count],
    outer before inner, empty when not asked for."""

    kind: str
    source: str | None = None
    type: str = ""
    name: str = ""
    message: str = ""
    awaited: bool = False
    iterates: str = ""
    uses: str = ""
    coverage: tuple[tuple[int, int, int], ...] = ()

    def agrees_with(self, other: Outcome) -> bool:
        """Whether two executions of a call did the same, so that a test may expect it."""
        return replace(self, coverage=()) == replace(other, coverage=())

    @property
    def is_repeatable(self) -> bool:
        """Whether the call ended, by itself and not for something that the sandbox lacks, and touched nothing that
        changes."""
        lacks = self.message == TOO_DEEP or self.name == "EvalError" or self.message.endswith(UNDECLARED)
        return self.kind in ("value", "throw") and not self.uses and not lacks


async def observe(run: RunProgram, expression: str, calls: Sequence[Call], *, coverage: bool) -> list[Outcome]:
    """Execute the calls, each on code loaded for it alone. With `coverage` V8 counts, which it cannot do under Node's
    permission model; the realm still holds no object that leads out of it.

    Raises `ToolError` when the code cannot be loaded or Node cannot be run.
    """
    given = {
        "subject": expression,
        "calls": [asdict(call) for call in calls],
        "milliseconds": CALL_MILLISECONDS,
        "zone": ZONES[coverage],
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
        used = f" (it uses {answer['uses']})" if answer["uses"] else ""
        raise ToolError(ErrorCode.INVALID_INPUT, f"the code fails when it is loaded: {answer['error']}{used}")
    return [_outcome(entry) for entry in answer["outcomes"]]


def _outcome(entry: dict[str, Any]) -> Outcome:
    ranges = tuple((start, end, count) for start, end, count in entry.pop("coverage", ()))
    known = {key: value for key, value in entry.items() if key in Outcome.__dataclass_fields__ and value is not None}
    return Outcome(**known, coverage=ranges)
