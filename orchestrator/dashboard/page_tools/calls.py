"""`page_check_calls`: whether calls fit the target, said while somebody types them."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import trio
from pydantic import BeforeValidator, Field

from actors.runtime.errors import CommandRejected
from actors.steering.call_reader import CallRequestReader
from actors.steering.commands import CallRequest
from simulator.corpus.echidna_json import AbiLookup, render_sequence
from tools.campaign.access import CampaignAccess
from tools.campaign.extensions.sequences import CallText, requests_of
from tools.campaign.fields import MAX_CALLS, array
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.tool import Answer, Deadline, Tool, ToolInput

Calls = Annotated[tuple[CallText, ...], BeforeValidator(array), Field(min_length=1, max_length=MAX_CALLS)]


class PageCheckInput(ToolInput):
    sequence: Calls


class CheckedCall(ToolResult, frozen=True):
    """`problem` says why a call does not fit, empty where it does; `function` is the canonical signature it calls, and
    `wildcards` whether something in it is open."""

    problem: str
    function: str
    wildcards: bool


class PageCheckResult(ToolResult, frozen=True):
    """`content` is the whole as a file of Echidna's corpus, empty where a call has a problem or something open."""

    calls: tuple[CheckedCall, ...]
    content: str


class CallChecking:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "page_check_calls",
                "Reads calls without executing them, and says of each whether it fits.",
                (PageCheckInput, PageCheckResult),
                self.check,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def check(self, inputs: PageCheckInput) -> Answer:
        parts = self._access.current
        reader, requests = parts.campaign.steering.reader, requests_of(inputs.sequence)
        check = partial(_checked, reader, requests, parts.book().abi)
        return answer_of(await trio.to_thread.run_sync(check, abandon_on_cancel=True))


def _checked(reader: CallRequestReader, requests: tuple[CallRequest, ...], abi_of: AbiLookup) -> PageCheckResult:
    calls, read = [], []
    for request in requests:
        try:
            (call,) = reader.read((request,))
        except CommandRejected as error:
            calls.append(CheckedCall(str(error).removeprefix("call 1: "), "", False))
            continue
        read.append(call)
        name = f"{call.contract.name}.{call.parsed.function.signature}"
        calls.append(CheckedCall("", name, call.parsed.has_wildcards))
    if len(read) < len(calls) or any(call.wildcards for call in calls):
        return PageCheckResult(tuple(calls), "")
    # A filled sequence takes from the generator of commands only where something is open.
    content = render_sequence(reader.fill(read), abi_of).decode("utf-8", "replace")
    return PageCheckResult(tuple(calls), content)
