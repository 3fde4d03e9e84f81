"""`page_storage` and `page_script`: what a finding or an entry changes in storage, and a script of its calls."""

from __future__ import annotations

from functools import partial
from typing import Any

import trio
from pydantic import Field

from actors.steering.commands import ExecuteSequence
from orchestrator.dashboard.page_tools.script import render_script
from simulator.transaction import Sequence
from tools.campaign.access import CampaignAccess, CampaignComponents
from tools.campaign.naming import finding
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.tool import Answer, Deadline, Tool, ToolInput

MAX_CHANGES = 2_000


class PageReproducerInput(ToolInput):
    id: str = Field(min_length=1, max_length=1_000, description="Id of a corpus entry or of a finding.")


class StorageChange(ToolResult, frozen=True):
    """Slot and words are 0x-hex; `contract` is a name, or an address."""

    contract: str
    slot: str
    before: str
    after: str


class CallChanges(ToolResult, frozen=True):
    call: str
    changes: tuple[StorageChange, ...]


class PageStorageResult(ToolResult, frozen=True):
    """`omitted` changes are not among them; `problem` says why there are none."""

    calls: tuple[CallChanges, ...]
    omitted: int
    problem: str


class PageScriptResult(ToolResult, frozen=True):
    source: str


class Reproducers:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "page_storage",
                "Executes a finding or an entry once, and tells what each call changed in storage.",
                (PageReproducerInput, PageStorageResult),
                self.storage,
                deadline=Deadline.ANALYSIS,
            ),
            looking(
                "page_script",
                "A forge script that makes the calls of a finding or an entry.",
                (PageReproducerInput, PageScriptResult),
                self.script,
                deadline=Deadline.ANALYSIS,
            ),
        )

    async def storage(self, inputs: PageReproducerInput) -> Answer:
        parts = self._access.current
        sequence = _sequence(parts, inputs.id)
        if not sequence:
            return answer_of(PageStorageResult((), 0, ""))
        done = await steer(self._access, ExecuteSequence((), False, sequence, storage_changes=True))
        book, texts = parts.book(), parts.call_texts(sequence)
        left, calls = MAX_CHANGES, []
        for text, changes in zip(texts, done.storage_changes, strict=False):
            told = tuple(
                StorageChange(
                    book.name(each.address), f"0x{each.slot.hex()}", f"0x{each.before.hex()}", f"0x{each.after.hex()}"
                )
                for each in changes[:left]
            )
            left -= len(told)
            calls.append(CallChanges(text, told))
        omitted = sum(map(len, done.storage_changes)) - sum(len(each.changes) for each in calls)
        return answer_of(PageStorageResult(tuple(calls), omitted, done.storage_problem))

    async def script(self, inputs: PageReproducerInput) -> Answer:
        parts = self._access.current
        make = partial(render_script, inputs.id, _sequence(parts, inputs.id), parts.book())
        return answer_of(PageScriptResult(await trio.to_thread.run_sync(make, abandon_on_cancel=True)))


def _sequence(parts: CampaignComponents, name: str) -> Sequence:
    """Raises `ToolError` for what is neither an entry nor a finding."""
    entry = parts.corpus.sequence(name)
    return entry if entry is not None else finding(parts, name).sequence
