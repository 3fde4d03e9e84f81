"""From a call by name to a rendered result: look up, check, carry out under a deadline, render. Never raises an error.

Of one call at most its own tool suffers: a stuck actor costs the deadline, a bug costs an INTERNAL_ERROR and a line
on stderr. Control commands of a campaign go through the command log, in turn.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
import trio

from actors.runtime.errors import AskTimeout, MailboxClosed
from tools.caller import LOCAL, Caller, calling_as
from tools.command_log import CommandLog
from tools.deadlines import Deadlines
from tools.errors import ErrorCode, ToolError
from tools.registry import Campaigns, ToolRegistry
from tools.rendering import Rendered, render_answer, render_error
from tools.tool import Answer, Deadline, Family, Scope, Tool, ToolInput
from tools.validation import validated

QUICK_CALLS = 64
WAITING_CALLS = 64
MAX_CALLS = 512
"""Calls of one share that run or queue; further ones are refused at once."""
KEPT_EXECUTIONS = 1_000
MAX_NAME_LENGTH = 64
_WAITS = (Deadline.PROCESS, Deadline.WAIT)
_logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ToolExecution:
    """One call that has ended. `started` is of trio's clock, `seconds` what it took, `error` the code of a failure."""

    number: int
    tool: str
    started: float
    seconds: float
    error: str | None


class Dispatcher:
    """Calls the tools of a registry for any number of clients at once.

    Callers of the same scopes have a share of their own, so that readers leave those who control room. At most
    `QUICK_CALLS` calls of a share run at a time, and `WAITING_CALLS` of those that wait on purpose; further ones queue,
    which counts against their deadlines.
    """

    def __init__(
        self, registry: ToolRegistry, deadlines: Deadlines | None = None, command_log: CommandLog | None = None
    ) -> None:
        self.registry = registry
        self._deadlines = deadlines or Deadlines()
        self._command_log = command_log
        self._shares: defaultdict[frozenset[Scope], _Share] = defaultdict(_Share)
        self._executions: deque[ToolExecution] = deque(maxlen=KEPT_EXECUTIONS)
        self._number = 0

    @property
    def executions(self) -> tuple[ToolExecution, ...]:
        """The last calls, in the order in which they ended."""
        return tuple(self._executions)

    def with_more(self, tools: Iterable[Tool[Any]]) -> Dispatcher:
        """One with further tools. Deadlines, command log and shares are the same."""
        return self._with(self.registry.with_more(tools))

    def for_campaigns(self, campaigns: Campaigns) -> Dispatcher:
        """One whose calls choose among these. The rest is the same."""
        return self._with(ToolRegistry(self.registry.get_all_tools(), campaigns))

    def _with(self, registry: ToolRegistry) -> Dispatcher:
        other = Dispatcher(registry, self._deadlines, self._command_log)
        other._shares = self._shares
        return other

    async def call(self, name: str, arguments: Mapping[str, Any] | None, caller: Caller = LOCAL) -> Rendered:
        """Call a tool by its name or an alias. Raises nothing but trio's cancellation."""
        began = trio.current_time()
        tool = self.registry.get_tool(name)
        failure: ToolError | None = None
        rendered: Rendered | None = None
        try:
            with self._shares[caller.scopes].one_call():
                rendered = render_answer(*await self._answer(name, arguments or {}, caller))
        except ToolError as error:
            failure = error
        except Exception as error:  # the boundary: a bug costs one call, and is reported on stderr
            failure = _expected(error) or _unexpected(name, error)
        shown = tool.name if tool else name[:MAX_NAME_LENGTH]
        seconds = trio.current_time() - began
        if failure is not None:
            family = tool.family if tool else Family.CAMPAIGN
            rendered = render_error(shown, family, failure, round(seconds * 1000))
        assert rendered is not None, "a call has an answer or a failure"
        self._number += 1
        code = str(failure.code) if failure else None
        self._executions.append(ToolExecution(self._number, shown, began, seconds, code))
        return rendered

    async def _answer(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> tuple[Tool[Any], Answer]:
        tool = self.registry.find(name)
        with calling_as(caller), ExitStack() as stack:
            campaign = ""
            try:
                _check_scope(tool, caller)
                campaign, own = stack.enter_context(self.registry.addressed(tool, arguments))
                inputs: ToolInput = validated(tool.arguments, own)
            except ToolError as error:
                if (log := self._log_of(tool)) is not None:
                    await log.never_begun(tool.name, arguments, error.message, campaign=campaign)
                raise
            return tool, await self._carry_out(_Attempt(tool, inputs, campaign), self._shares[caller.scopes])

    async def _carry_out(self, attempt: _Attempt, share: _Share) -> Answer:
        tool = attempt.tool
        milliseconds = self._deadlines.milliseconds(tool.deadline)
        limiter = share.waiting if tool.deadline in _WAITS else share.quick
        with trio.move_on_after(milliseconds / 1000) as scope:
            async with limiter:
                try:
                    return await self._logged(attempt, scope.deadline)
                except AskTimeout as error:
                    raise _exceeded(attempt, milliseconds) from error
        if not attempt.begun and (log := self._log_of(tool)) is not None:
            form = attempt.inputs.normal_form()
            await log.never_begun(tool.name, form, "it never began", "timeout", campaign=attempt.campaign)
        raise _exceeded(attempt, milliseconds)

    async def _logged(self, attempt: _Attempt, deadline: float) -> Answer:
        tool = attempt.tool
        if (log := self._log_of(tool)) is None:
            return await attempt.make()
        in_turn, form = tool.deadline is Deadline.CAMPAIGN, attempt.inputs.normal_form()
        command = log.command(tool.name, form, deadline=deadline, in_turn=in_turn, campaign=attempt.campaign)
        async with command as entry:
            answer = await attempt.make()
            if answer.failed:
                entry.result = "failure"
        return answer

    def _log_of(self, tool: Tool[Any]) -> CommandLog | None:
        """The log, for tools whose calls it keeps: those that control a campaign."""
        is_command = tool.family is Family.CAMPAIGN and tool.scope is Scope.CONTROL
        return self._command_log if is_command else None


@dataclass(slots=True)
class _Share:
    """Calls in progress of callers with the same scopes."""

    quick: trio.CapacityLimiter = field(default_factory=lambda: trio.CapacityLimiter(QUICK_CALLS))
    waiting: trio.CapacityLimiter = field(default_factory=lambda: trio.CapacityLimiter(WAITING_CALLS))
    calls: int = 0

    @contextmanager
    def one_call(self) -> Iterator[None]:
        """A place for one call. Raises `ToolError` where there is none."""
        if self.calls >= MAX_CALLS:
            message = f"{MAX_CALLS} calls are in progress, which is the most; wait for their answers"
            raise ToolError(ErrorCode.INTERNAL_ERROR, message, reason="TOO_MANY_CALLS")
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1


@dataclass(slots=True)
class _Attempt:
    """A call on its way to the campaign of this id; `begun` once the tool's own code runs, so that it may have had an
    effect."""

    tool: Tool[Any]
    inputs: ToolInput
    campaign: str
    begun: bool = False

    async def make(self) -> Answer:
        self.begun = True
        return await self.tool.call(self.inputs)


def _check_scope(tool: Tool[Any], caller: Caller) -> None:
    """Raises `ToolError` for a caller that may not call the tool."""
    if tool.scope not in caller.scopes:
        message = f"Tool {tool.name} needs the scope {tool.scope}, which your token does not have"
        raise ToolError(ErrorCode.INVALID_INPUT, message, reason="FORBIDDEN")


def _exceeded(attempt: _Attempt, milliseconds: int) -> ToolError:
    tool = attempt.tool
    details = {"mayHaveTakenEffect": attempt.begun} if tool.scope is Scope.CONTROL else {}
    return ToolError(ErrorCode.EXECUTION_TIMEOUT, f"Tool {tool.name} exceeded {milliseconds}ms", **details)


def _expected(error: Exception) -> ToolError | None:
    """Expected error in an exception, also one wrapped by a tool's nursery or raised by an actor; None for a bug."""
    match error:
        case ExceptionGroup():
            return next(filter(None, map(_expected, error.exceptions)), None)
        case ToolError():
            return error
        case MailboxClosed():
            return ToolError(ErrorCode.INTERNAL_ERROR, "The campaign has ended", reason="CAMPAIGN_TERMINATED")
        case _:
            return None


def _unexpected(name: str, error: Exception) -> ToolError:
    shown = name[:MAX_NAME_LENGTH]
    _logger.error("a tool failed unexpectedly", tool=shown, exc_info=error)
    what = type(error).__name__
    return ToolError(ErrorCode.INTERNAL_ERROR, f"Tool {shown} failed unexpectedly: {what}; see the server's log")
