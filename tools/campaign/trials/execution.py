"""`execute_sequence`: calls tried once, without any effect on the campaign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from actors.steering.commands import CallRequest, ExecuteSequence
from simulator.transaction import Sequence, Transaction
from simulator.worker.reports import CallOutcome, Executed, TestInfo
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.extensions.sequences import CallText, requests_of
from tools.campaign.fields import MAX_CALLS, MAX_TEXT_LENGTH, Integer, array
from tools.campaign.naming import corpus_entry, finding
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.campaign.trials.storage_watch import is_storage, read_variables, variable_of
from tools.tool import Answer, Deadline, Tool, ToolInput

NO_CALL = Transaction(sender=bytes(20), to=b"")
"""What is executed where nothing is, so that the deployed state can be looked at."""
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
        default=(),
        description="What to tell afterwards: calls, as balanceOf(0x10000), and storage variables, private ones too, as"
        " balances[0x10000], config.fee, Vault.orders[0].amount, Vault@0x<proxy>.owner.",
    )
    check_tests: bool = Field(
        default=True, alias="checkTests", description="Call the properties afterwards and tell which of them fail."
    )
    trace_depth: Integer = Field(
        default=0, ge=0, le=24, alias="traceDepth", description="How deep calls in the trace may be nested; 0: all."
    )

    @model_validator(mode="after")
    def _something_to_execute(self) -> ExecuteSequenceInput:
        if not self.sequence and self.after is None and not self.watch:
            raise ValueError("sequence must have at least one call, after name where to begin, or watch what to read")
        return self


class CallAnswer(ToolResult, frozen=True):
    """Ending of a call. `reason` is `success` or the decoded revert reason, `returned` the decoded return values,
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
    """Value that a watched call returned, or a variable held, after the sequence; `reason` says why there is none."""

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
        trial = _Trial(self._access, calls, before or (() if calls else (NO_CALL,)))
        variables = {
            text: variable_of(parts, text, number) for number, text in enumerate(inputs.watch, 1) if is_storage(text)
        }
        done = await trial.run(inputs.trace, inputs.trace_depth)
        tests = _properties(parts) if inputs.check_tests else ()
        asked = tuple(text for text in inputs.watch if text not in variables)
        after = await trial.outcomes_after(asked, tests, parts.settings.property_sender)
        held = await read_variables(list(variables.values()), trial.read)
        watched = dict(zip(asked, after, strict=False))
        stored = dict(zip(variables, held, strict=True))
        outcomes = done.outcomes[len(trial.before) :]
        return answer_of(
            ExecutionResult(
                outcomes=tuple(
                    _answer(call.call, outcome) for call, outcome in zip(inputs.sequence, outcomes, strict=False)
                ),
                calls_before=len(before),
                failing_tests=tuple(
                    f"{test.contract}.{test.name}"
                    for test, outcome in zip(tests, after[len(asked) :], strict=False)
                    if _has_failed(outcome)
                ),
                checked_tests=len(tests),
                watched=tuple(_watched(text, watched, stored) for text in inputs.watch),
                trace=done.trace[:MAX_TRACE_LINES],
                timestamp=done.timestamp,
                block=done.number,
            )
        )


@dataclass(frozen=True)
class _Trial:
    """Calls that are executed once behind those `before`, and again with what is asked of the state that they leave."""

    access: CampaignAccess
    calls: tuple[CallRequest, ...]
    before: Sequence

    async def run(self, trace: bool, depth: int) -> Executed:
        return await steer(self.access, ExecuteSequence(self.calls, trace, self.before, depth))

    async def read(self, slots: tuple[tuple[bytes, bytes], ...]) -> tuple[bytes, ...]:
        """The words of these slots after the calls; none where the state cannot be had."""
        return (await steer(self.access, ExecuteSequence(self.calls, False, self.before, slots=slots))).slots

    async def outcomes_after(
        self, watched: tuple[str, ...], tests: tuple[TestInfo, ...], sender: bytes
    ) -> tuple[CallOutcome, ...]:
        """Outcomes of watched calls and properties after the sequence, in an execution of their own: its trace and
        figures are to be those of the sequence."""
        more = tuple(map(CallRequest, watched)) + tuple(
            CallRequest(f"{test.contract}.{test.name}()", sender=sender) for test in tests
        )
        done: list[CallOutcome] = []
        # What is asked afterwards may be more than a sequence holds.
        room = max(1, MAX_CALLS - len(self.calls))
        for start in range(0, len(more), room):
            part = more[start : start + room]
            executed: Executed = await steer(self.access, ExecuteSequence((*self.calls, *part), False, self.before))
            done += executed.outcomes[len(self.before) + len(self.calls) :]
        return tuple(done)


def _watched(text: str, calls: dict[str, CallOutcome], stored: dict[str, str]) -> WatchedValue:
    if text in stored:
        return WatchedValue(text, stored[text], "" if stored[text] else "its state could not be had")
    outcome = calls[text]
    return WatchedValue(text, outcome.returned, "" if outcome.success else outcome.reason)


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
