"""`execute_sequence`: calls tried once, without any effect on the campaign."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from actors.steering.commands import CallRequest, ExecuteSequence
from simulator.transaction import Sequence
from simulator.worker.reports import CallOutcome, Executed, TestInfo
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.extensions.sequences import CallText, requests_of
from tools.campaign.fields import MAX_CALLS, MAX_TEXT_LENGTH, Integer, array
from tools.campaign.naming import corpus_entry, finding
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_TRACE_LINES = 2_000
MAX_WATCHED = 20
MAX_TESTS = 50
MAX_ID_LENGTH = 1_000
Watched = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_LENGTH)]


class ExecuteSequenceInput(ToolInput):
    sequence: Annotated[tuple[CallText, ...], BeforeValidator(array), Field(max_length=MAX_CALLS)] = Field(
        default=(), description="Calls without wildcards, executed in order."
    )
    trace: bool = Field(default=False, description="Also return the trace of every call.")
    after: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_ID_LENGTH,
        description="Id of a corpus entry or of a finding: its calls come first. Left out: from the deployed state.",
    )
    watch: Annotated[tuple[Watched, ...], BeforeValidator(array), Field(max_length=MAX_WATCHED)] = Field(
        default=(), description="Calls whose return values to tell afterwards, as balanceOf(0x10000)."
    )
    check_tests: bool = Field(
        default=True, alias="checkTests", description="Call the properties afterwards and tell which of them fail."
    )
    trace_depth: Integer = Field(
        default=0, ge=0, le=24, alias="traceDepth", description="How deep calls in the trace may be nested; 0: all."
    )

    @model_validator(mode="after")
    def _something_to_execute(self) -> ExecuteSequenceInput:
        if not self.sequence and self.after is None:
            raise ValueError("sequence must have at least one call, or after must name where to begin")
        return self


class CallAnswer(ToolResult, frozen=True):
    """How a call ended. `reason` is `success` or the decoded revert reason, `returned` the decoded return values,
    `output` the raw ones as hex, `events` what it emitted; `truncated` where output or events were cut."""

    call: str
    success: bool
    reason: str
    returned: str
    output: str
    gas_used: int
    events: tuple[str, ...]
    truncated: bool


class WatchedValue(ToolResult, frozen=True):
    """What a watched call returned after the sequence; `reason` says why there is none."""

    expression: str
    value: str
    reason: str


class ExecutionResult(ToolResult, frozen=True):
    """Outcomes of the calls that were given, behind `calls_before` of the entry or finding. `failing_tests` are the
    properties that fail afterwards, of `checked_tests` that were called, one after the other. `timestamp` and `block`
    are those after the last call; `trace` is empty where it was not asked for."""

    outcomes: tuple[CallAnswer, ...]
    calls_before: int
    failing_tests: tuple[str, ...]
    checked_tests: int
    watched: tuple[WatchedValue, ...]
    trace: tuple[str, ...]
    timestamp: int
    block: int


class ExecutionTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "execute_sequence",
                "Executes calls once, on one worker, and returns results, decoded reverts and which properties fail"
                " afterwards. Corpus, coverage and tests stay as they are. Use it to try an idea before injecting it.",
                (ExecuteSequenceInput, ExecutionResult),
                self.execute,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def execute(self, inputs: ExecuteSequenceInput) -> Answer:
        parts = self._access.current
        before = _start(parts, inputs.after) if inputs.after is not None else ()
        calls = requests_of(inputs.sequence)
        done = await steer(self._access, ExecuteSequence(calls, inputs.trace, before, inputs.trace_depth))
        outcomes = done.outcomes[len(before) :]
        sequence = inputs.sequence
        if not inputs.sequence:
            outcomes = ()
        tests = _properties(parts) if inputs.check_tests else ()
        after = await self._after(calls, before, inputs.watch, tests)
        return answer_of(
            ExecutionResult(
                outcomes=tuple(_answer(call.call, outcome) for call, outcome in zip(sequence, outcomes, strict=False)),
                calls_before=len(before),
                failing_tests=tuple(
                    f"{test.contract}.{test.name}"
                    for test, outcome in zip(tests, after[len(inputs.watch) :], strict=False)
                    if _has_failed(outcome)
                ),
                checked_tests=len(tests),
                watched=tuple(
                    WatchedValue(text, outcome.returned, "" if outcome.success else outcome.reason)
                    for text, outcome in zip(inputs.watch, after, strict=False)
                ),
                trace=done.trace[:MAX_TRACE_LINES],
                timestamp=done.timestamp,
                block=done.number,
            )
        )

    async def _after(
        self,
        calls: tuple[CallRequest, ...],
        before: Sequence,
        watched: tuple[str, ...],
        tests: tuple[TestInfo, ...],
    ) -> tuple[CallOutcome, ...]:
        """Outcomes of watched calls and properties after the sequence, in an execution of their own: its trace and
        figures are to be those of the sequence."""
        sender = self._access.current.settings.property_sender
        more = tuple(map(CallRequest, watched)) + tuple(
            CallRequest(f"{test.contract}.{test.name}()", sender=sender) for test in tests
        )
        if not more:
            return ()
        done: list[CallOutcome] = []
        # What is asked afterwards may be more than a sequence holds.
        room = MAX_CALLS - len(calls)
        for start in range(0, len(more), max(1, room)):
            part = more[start : start + max(1, room)]
            executed: Executed = await steer(self._access, ExecuteSequence((*calls, *part), False, before))
            done += executed.outcomes[len(before) + len(calls) :]
        return tuple(done)


def _properties(parts: CampaignComponents) -> tuple[TestInfo, ...]:
    """The properties of the campaign that can be called by their name."""
    ready = parts.campaign.ready
    deployed = {label.rpartition(":")[2] for _, label in ready.addresses} if ready is not None else set()
    records = (record.info for record in parts.campaign.status().tests if record.is_test)
    return tuple(info for info in records if info.kind == "property" and info.contract in deployed)[:MAX_TESTS]


def _has_failed(outcome: CallOutcome) -> bool:
    """A property fails when it reverts, or returns false."""
    return not outcome.success or (bool(outcome.output) and not any(outcome.output))


def _start(parts: CampaignComponents, name: str) -> Sequence:
    """The calls of a corpus entry or a finding. Raises `ToolError` for an id of neither."""
    entry = parts.corpus.sequence(name)
    if entry is not None:
        return entry
    return finding(parts, name).sequence if not name.isalnum() or "." in name else corpus_entry(parts, name)


def _answer(text: str, outcome: CallOutcome) -> CallAnswer:
    return CallAnswer(
        call=text,
        success=outcome.success,
        reason=outcome.reason,
        returned=outcome.returned,
        output=f"0x{outcome.output.hex()}",
        gas_used=outcome.gas_used,
        events=tuple(entry.text for entry in outcome.logs),
        truncated=outcome.truncated,
    )
