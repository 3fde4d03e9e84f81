"""Arguments of the campaign contract's nine tools. The published schemas are the contract's; these enforce them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from tools.campaign.fields import (
    DEFAULT_SENDER,
    MAX_CALLS,
    AddressText,
    CallText,
    Integer,
    Optional,
    SearchText,
    SignatureText,
    WeiText,
    array,
)
from tools.roots import MAX_PATH_LENGTH
from tools.tool import ToolInput

EVENT_CAPACITY = 2_500
EventType = Literal["PropertyFalsified", "TransactionExecuted", "CoverageIncreased", "WorkerStarted", "WorkerStopped"]


class NoInput(ToolInput):
    """For tools without arguments."""


class ReadLogsInput(ToolInput):
    count: Integer = Field(default=100, ge=1, le=EVENT_CAPACITY)
    event_type: Annotated[EventType | None, Optional] = Field(default=None, alias="eventType")
    worker_id: Annotated[Integer | None, Field(ge=0), Optional] = Field(default=None, alias="workerId")


class ShowCoverageInput(ToolInput):
    contract: Annotated[str | None, Optional] = None


class DumpLcovInput(ToolInput):
    output_path: Annotated[str | None, Field(max_length=MAX_PATH_LENGTH), Optional] = Field(
        default=None, alias="outputPath"
    )


class InspectCorpusInput(ToolInput):
    offset: Integer = Field(default=0, ge=0)
    limit: Integer = Field(default=20, ge=1, le=100)


class FindTransactionInput(ToolInput):
    function_signature: Annotated[SearchText | None, Optional] = Field(default=None, alias="functionSignature")
    sender: Annotated[AddressText | None, Optional] = None
    min_value: Annotated[WeiText | None, Optional] = Field(default=None, alias="minValue")

    @model_validator(mode="after")
    def _something_is_asked(self) -> FindTransactionInput:
        if self.function_signature is None and self.sender is None and self.min_value is None:
            raise ValueError("at least one of functionSignature, sender and minValue is required")
        return self


class InjectTransactionInput(ToolInput):
    sequence: Annotated[tuple[CallText, ...], BeforeValidator(array), Field(min_length=1, max_length=MAX_CALLS)]
    sender: AddressText = DEFAULT_SENDER
    value: WeiText = "0"


class PrioritizeFunctionInput(ToolInput):
    function_signature: SignatureText = Field(alias="functionSignature")
