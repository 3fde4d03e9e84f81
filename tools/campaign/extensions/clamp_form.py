"""Clamps as users write them, in arguments of `clamp_function` and in configurations."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from actors.steering.commands import ArgumentLimit, ClampFunction
from tools.campaign.fields import AddressText, array
from tools.tool import ToolInput

MAX_CHOICES = 1_000
MAX_VALUE_LENGTH = 1_000
MAX_ARGUMENTS = 64
ValueText = Annotated[str, Field(min_length=1, max_length=MAX_VALUE_LENGTH)]


class ArgumentClampInput(ToolInput):
    argument: str = Field(min_length=1, max_length=1_000, description="Name or number: amount, 1, order.fee, fees[2].")
    values: Annotated[tuple[ValueText, ...], BeforeValidator(array), Field(max_length=MAX_CHOICES)] = Field(
        default=(), description="The only values, as in a call: 1e18, 0x20000, true."
    )
    min: ValueText | None = Field(default=None, description="Least number, in place of values.")
    max: ValueText | None = Field(default=None, description="Greatest number, in place of values.")

    @model_validator(mode="after")
    def _one_of_both(self) -> ArgumentClampInput:
        if bool(self.values) == (self.min is not None or self.max is not None):
            raise ValueError("give values, or a range with min, max or both")
        return self


class ClampFunctionInput(ToolInput):
    function: Annotated[str, Field(min_length=1, max_length=1_000)] = Field(
        description="transfer(address,uint256), Token.transfer(...), or bare transfer."
    )
    arguments: Annotated[tuple[ArgumentClampInput, ...], BeforeValidator(array), Field(max_length=MAX_ARGUMENTS)] = ()
    senders: Annotated[tuple[AddressText, ...], BeforeValidator(array), Field(max_length=MAX_CHOICES)] = Field(
        default=(), description="The only accounts that call it; left out: all senders of the campaign."
    )

    def command(self) -> ClampFunction:
        limits = tuple(ArgumentLimit(each.argument, each.values, each.min, each.max) for each in self.arguments)
        return ClampFunction(self.function, limits, tuple(bytes.fromhex(sender[2:]) for sender in self.senders))
