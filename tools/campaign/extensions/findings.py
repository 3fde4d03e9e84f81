"""`list_findings` and `get_reproducer`: what is broken, and the shortest way to break it."""

from __future__ import annotations

from functools import partial
from typing import Any

import trio
from pydantic import Field

from actors.campaign.tests import TestRecord
from simulator.transaction import Sequence
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.fields import PageInput
from tools.campaign.naming import finding, finding_id
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.tool import Answer, Tool, ToolInput

MAX_ID_LENGTH = 1_000
MAX_TRACE_LINES = 2_000


class ListFindingsInput(PageInput):
    include_passed: bool = Field(
        default=False, alias="includePassed", description="Also list tests that have not failed."
    )


class GetReproducerInput(ToolInput):
    id: str = Field(
        min_length=1,
        max_length=MAX_ID_LENGTH,
        description="Id from list_findings, as Contract.test, or Contract.test@site.",
    )


class Finding(ToolResult, frozen=True):
    """`status`: open, shrinking (found, not yet short), solved, passed, skipped, error. `calls` of the shortest
    sequence yet; `minimal` when nothing of it can be left out. `value` is that of an optimization. `site` is where it
    fails, as `File.sol:line:column "message"`, empty for the test as a whole: a test has a finding for each."""

    id: str
    kind: str
    status: str
    reason: str
    calls: int
    minimal: bool
    value: str
    site: str = ""


class FindingsResult(ToolResult, frozen=True):
    """`total` findings; `next_offset` is that of the next page, null behind the last."""

    findings: tuple[Finding, ...]
    total: int
    next_offset: int | None


class FindingCall(ToolResult, frozen=True):
    """One call and the delay before it. `contract` is the callee's name or address."""

    call: str
    contract: str
    sender: str
    value: str
    delay_seconds: int
    delay_blocks: int


class ReproducerResult(ToolResult, frozen=True):
    """`trace` is rendered, one line each, once the sequence is shrunk. `foundry_test` is a whole test file, null where
    Foundry cannot check the finding."""

    id: str
    kind: str
    status: str
    reason: str
    minimal: bool
    value: str
    sequence: tuple[FindingCall, ...]
    unshrunk_calls: int
    trace: tuple[str, ...]
    foundry_test: str | None
    site: str = ""


class FindingTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "list_findings",
                "Failing tests with stable ids, reason and length of the shortest sequence. Use it to see what is"
                " broken; get_reproducer shows how.",
                (ListFindingsInput, FindingsResult),
                self.list_findings,
            ),
            looking(
                "get_reproducer",
                "The shortest sequence that breaks a test, with trace and a Foundry test that can be run as it is. Use"
                " it to understand or fix a finding.",
                (GetReproducerInput, ReproducerResult),
                self.get_reproducer,
            ),
        )

    async def list_findings(self, inputs: ListFindingsInput) -> Answer:
        return answer_of(listed_findings(self._access.current.campaign.status().tests, inputs))

    async def get_reproducer(self, inputs: GetReproducerInput) -> Answer:
        return answer_of(await self.reproducer(inputs.id))

    async def reproducer(self, name: str) -> ReproducerResult:
        """Raises `ToolError` for a name that is no finding's."""
        parts = self._access.current
        record = finding(parts, name)
        source = None
        if record.found and record.sequence:
            source = await trio.to_thread.run_sync(partial(parts.foundry_test, record), abandon_on_cancel=True)
        return reproducer_result(record, readable_calls(parts, record.sequence), source)


def listed_findings(records: tuple[TestRecord, ...], inputs: ListFindingsInput) -> FindingsResult:
    """Tests as `list_findings` shows them."""
    chosen = [record for record in records if record.found or inputs.include_passed]
    shown = tuple(map(_listed, inputs.page(chosen)))
    return FindingsResult(shown, len(chosen), inputs.next_offset(len(chosen)))


def _listed(record: TestRecord) -> Finding:
    return Finding(
        finding_id(record),
        record.info.kind,
        record.state,
        record.reason,
        len(record.sequence),
        record.minimal,
        record.value,
        record.site,
    )


def reproducer_result(
    record: TestRecord, sequence: tuple[FindingCall, ...], foundry_test: str | None
) -> ReproducerResult:
    """A test as `get_reproducer` shows it, with its readable calls."""
    return ReproducerResult(
        id=finding_id(record),
        kind=record.info.kind,
        status=record.state,
        reason=record.reason,
        minimal=record.minimal,
        value=record.value,
        sequence=sequence,
        unshrunk_calls=len(record.unshrunk),
        trace=record.trace[:MAX_TRACE_LINES],
        foundry_test=foundry_test,
        site=record.site,
    )


def readable_calls(parts: CampaignComponents, sequence: Sequence) -> tuple[FindingCall, ...]:
    """A sequence as tools show it."""
    book = parts.book()
    texts = parts.call_texts(sequence)
    return tuple(
        FindingCall(
            call=text,
            contract=book.name(transaction.to) if transaction.to else "",
            sender=f"0x{transaction.sender.hex()}",
            value=str(transaction.wei),
            delay_seconds=transaction.seconds,
            delay_blocks=transaction.blocks,
        )
        for text, transaction in zip(texts, sequence, strict=True)
    )
