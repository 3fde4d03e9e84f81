"""`inject_template` and `remove_templates`, and calls as users write them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from actors.steering.commands import DEFAULT_SENDER, AddTemplate, CallRequest, RemoveTemplates
from tools.campaign.access import CampaignAccess
from tools.campaign.fields import MAX_CALLS, MAX_TEXT_LENGTH, AddressText, Integer, WeiText, address_of, array
from tools.campaign.publishing import acting
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.tool import Answer, Tool, ToolInput

MAX_DELAY = 1 << 40


class CallText(ToolInput):
    call: str = Field(
        min_length=1,
        max_length=MAX_TEXT_LENGTH,
        description="As in transfer(0x20000, 1e18), with Token. before it for another deployed contract.",
    )
    sender: AddressText | None = Field(default=None, description="Left out: 0x10000 (any sender, in a template).")
    value: WeiText = Field(default="0", description="Wei sent with the call, as a decimal text.")
    delay_seconds: Integer = Field(default=0, ge=0, le=MAX_DELAY, alias="delaySeconds")
    delay_blocks: Integer = Field(default=0, ge=0, le=MAX_DELAY, alias="delayBlocks")


Calls = Annotated[tuple[CallText, ...], BeforeValidator(array), Field(min_length=1, max_length=MAX_CALLS)]


class InjectTemplateInput(ToolInput):
    sequence: Calls = Field(
        description="Calls in order; ? and elided literals such as 0xabcd... are filled anew each time."
    )
    share: float = Field(default=0.2, gt=0, le=0.9, description="Share of all sequences to build around the template.")


class RemoveTemplatesInput(ToolInput):
    ids: Annotated[tuple[Integer, ...], BeforeValidator(array), Field(max_length=1_000)] = Field(
        default=(), description="Ids from inject_template; left out or empty: all templates."
    )


class TemplateResult(ToolResult, frozen=True):
    """`id` is for remove_templates. `share` was asked for, `effective_share` of all sequences are built around it: all
    templates together get at most 0.9, and 0.1 while functions are prioritized."""

    id: int
    calls: int
    share: float
    effective_share: float


class RemovedResult(ToolResult, frozen=True):
    removed: int


class SequenceTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            acting(
                "inject_template",
                "Builds a share of all sequences around these calls; arguments written as ? or 0xabcd... are filled"
                " anew each time. Use it when the order of calls is known and the values are not.",
                (InjectTemplateInput, TemplateResult),
                self.inject_template,
                idempotent=False,
            ),
            acting(
                "remove_templates",
                "Stops using templates, by id or all of them.",
                (RemoveTemplatesInput, RemovedResult),
                self.remove_templates,
            ),
        )

    async def inject_template(self, inputs: InjectTemplateInput) -> Answer:
        calls = requests_of(inputs.sequence, any_sender=True)
        template = await steer(self._access, AddTemplate(calls, inputs.share))
        effective = round(template.effective, 4)
        return answer_of(TemplateResult(template.id, len(template.calls), template.share, effective))

    async def remove_templates(self, inputs: RemoveTemplatesInput) -> Answer:
        removed = await steer(self._access, RemoveTemplates(inputs.ids))
        return answer_of(RemovedResult(removed))


def requests_of(calls: tuple[CallText, ...], *, any_sender: bool = False) -> tuple[CallRequest, ...]:
    """Calls as the campaign takes them. A sender that is left out is the usual one, or with `any_sender` any."""
    return tuple(_request(call, any_sender=any_sender) for call in calls)


def _request(call: CallText, *, any_sender: bool) -> CallRequest:
    usual = None if any_sender else DEFAULT_SENDER
    sender = address_of(call.sender) if call.sender is not None else usual
    return CallRequest(call.call, sender, int(call.value), call.delay_seconds, call.delay_blocks)
