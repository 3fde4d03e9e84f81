"""`evaluate`: hashes, encodings, addresses and signatures, without a campaign."""

from __future__ import annotations

from typing import Any

import trio
from pydantic import Field

from simulator.errors import AbiError
from tools.campaign.expressions import MAX_LENGTH, evaluate
from tools.campaign.publishing import looking
from tools.campaign.results import ToolResult, answer_of
from tools.errors import ErrorCode, ToolError
from tools.registry import MAX_CAMPAIGN_ID_LENGTH
from tools.tool import Answer, Deadline, Tool, ToolInput


class EvaluateInput(ToolInput):
    expression: str = Field(
        min_length=1,
        max_length=MAX_LENGTH,
        description='As keccak256(abi.encodePacked(address(0x10000), uint256(5))), selector("f(uint256)") or 1 ether.',
    )
    campaign_id: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_CAMPAIGN_ID_LENGTH,
        alias="campaignId",
        description="As other tools take it; the result is the same for every campaign.",
    )


class EvaluationResult(ToolResult, frozen=True):
    """`value` is written as an argument of a call is; `type` is its ABI type."""

    value: str
    type: str


class EvaluationTools:
    def published(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "evaluate",
                "Computes keccak256, abi.encode, abi.encodePacked, abi.encodeWithSignature, selector, topic, checksum,"
                " create(address, nonce), create2(address, salt, codeHash), sign(key, digest), addressOf(key), and"
                " literals with units.",
                (EvaluateInput, EvaluationResult),
                self.evaluate,
                deadline=Deadline.ANALYSIS,
                of_campaign=False,
            ),
        )

    async def evaluate(self, inputs: EvaluateInput) -> Answer:
        try:
            found = await trio.to_thread.run_sync(evaluate, inputs.expression, abandon_on_cancel=True)
        except AbiError as error:
            raise ToolError(ErrorCode.INVALID_INPUT, str(error), reason="PARSE_ERROR") from error
        return answer_of(EvaluationResult(found.text, found.abi_type.canonical))
