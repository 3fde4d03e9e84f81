"""Functions and their arguments: statistics, exclusion, weights, dictionary values."""

from __future__ import annotations

from typing import Annotated, Any

import trio
from pydantic import BeforeValidator, Field

from actors.priorities.manager import FunctionStatistics
from actors.steering.commands import (
    AddDictionaryValues,
    AllowFunctions,
    ClearFunctions,
    DictionaryValue,
    ExcludeFunction,
    FunctionsChanged,
    WeighFunctions,
)
from tools.campaign.access import CampaignAccess
from tools.campaign.fields import PageInput, array
from tools.campaign.inputs import NoInput
from tools.campaign.publishing import acting, looking
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.tool import Answer, Tool, ToolInput

MAX_NAME_LENGTH = 1_000
MAX_SHOWN = 50
FunctionName = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
_NAMES = "transfer(address,uint256), Token.transfer(address,uint256), or transfer for every overload."


class FunctionStatisticsInput(PageInput):
    contract: str | None = Field(
        default=None, max_length=MAX_NAME_LENGTH, description="Only functions of this contract."
    )


class ExcludeFunctionInput(ToolInput):
    function: FunctionName = Field(description=_NAMES)


class AllowFunctionsInput(ToolInput):
    functions: Annotated[tuple[FunctionName, ...], BeforeValidator(array), Field(min_length=1, max_length=100)] = Field(
        description=_NAMES
    )


class FunctionWeight(ToolInput):
    function: FunctionName = Field(description=_NAMES)
    weight: float = Field(ge=0.001, le=1_000, description="Factor of the function's share of calls; 1 takes it back.")


class SetWeightsInput(ToolInput):
    weights: Annotated[tuple[FunctionWeight, ...], BeforeValidator(array), Field(min_length=1, max_length=100)]


class DictionaryEntry(ToolInput):
    value: str = Field(
        min_length=1, max_length=10_000, description='As an argument is written: 1e18, 0x20000, "a text", true.'
    )
    type: str = Field(
        default="",
        max_length=100,
        description="ABI type; left out: 40 hex digits are an address, 64 a word, other hex is bytes, quoted text a"
        " string, everything else a number.",
    )


class AddDictionaryInput(ToolInput):
    values: Annotated[tuple[DictionaryEntry, ...], BeforeValidator(array), Field(min_length=1, max_length=1_000)]


class FunctionFigures(ToolResult, frozen=True):
    """Over all workers. `seconds_since_coverage` null: no sequence that ends with a call of it was the first to reach
    something. `rarest` is how often its least executed place was executed; `weight` what people and the fuzzer set
    together."""

    contract: str
    signature: str
    calls: int
    reverts: int
    seconds_since_coverage: float | None
    rarest: int
    weight: float
    prioritized: bool
    excluded: bool


class FunctionsResult(ToolResult, frozen=True):
    """`total` functions; `next_offset` is that of the next page, null behind the last."""

    functions: tuple[FunctionFigures, ...]
    total: int
    next_offset: int | None


class FocusResult(ToolResult, frozen=True):
    """Focus that holds from now on, up to 50 of each kind; list_steering tells all. `matched` functions of the target
    have the name; 0 has no effect yet."""

    matched: int
    prioritized: tuple[str, ...]
    excluded: tuple[str, ...]
    weights: dict[str, float]


class ResetResult(ToolResult, frozen=True):
    """Numbers of priorities, exclusions, weights and clamped functions that were reset."""

    taken_back: int


class DictionaryResult(ToolResult, frozen=True):
    added: int


class FunctionTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published_looking(self) -> tuple[Tool[Any], ...]:
        return (
            looking(
                "function_statistics",
                "Calls, reverts, last new coverage and weight of each function. Use it to find functions that always"
                " revert or get few calls.",
                (FunctionStatisticsInput, FunctionsResult),
                self.statistics,
            ),
        )

    def published_acting(self) -> tuple[Tool[Any], ...]:
        return (
            acting(
                "exclude_function",
                "Lets the fuzzer not call a function any more. Use it for functions that end every sequence, such as a"
                " pause; reset_functions or prioritize_function takes it back.",
                (ExcludeFunctionInput, FocusResult),
                self.exclude,
            ),
            acting(
                "allow_functions",
                "Lets the fuzzer call these functions only: all others are excluded, in place of earlier exclusions."
                " Use it to confine a campaign to one part of a protocol; reset_functions takes it back.",
                (AllowFunctionsInput, FocusResult),
                self.allow,
            ),
            acting(
                "set_function_weights",
                "Multiplies the share of calls that functions get, by 0.001 to 1000. Use it for finer steering than"
                " prioritize_function.",
                (SetWeightsInput, FocusResult),
                self.set_weights,
            ),
            acting(
                "reset_functions",
                "Takes back all priorities, exclusions, weights and clamps: every function is called evenly again.",
                (NoInput, ResetResult),
                self.reset,
            ),
            acting(
                "add_dictionary_values",
                "Gives the fuzzer values to use as arguments, such as constants from the sources or a magic number. Use"
                " it when a branch compares with a value that is hard to guess.",
                (AddDictionaryInput, DictionaryResult),
                self.add_dictionary,
            ),
        )

    async def statistics(self, inputs: FunctionStatisticsInput) -> Answer:
        parts = self._access.current
        parts.check_contract(inputs.contract)
        functions = parts.campaign.priorities.statistics().functions
        chosen = [each for each in functions if inputs.contract in (None, each.contract)]
        shown = tuple(map(_figures, inputs.page(chosen)))
        return answer_of(FunctionsResult(shown, len(chosen), inputs.next_offset(len(chosen))))

    async def exclude(self, inputs: ExcludeFunctionInput) -> Answer:
        changed = await steer(self._access, ExcludeFunction(inputs.function))
        return answer_of(_focus(changed))

    async def allow(self, inputs: AllowFunctionsInput) -> Answer:
        changed = await steer(self._access, AllowFunctions(inputs.functions))
        return answer_of(_focus(changed))

    async def set_weights(self, inputs: SetWeightsInput) -> Answer:
        weights = tuple((each.function, each.weight) for each in inputs.weights)
        changed = await steer(self._access, WeighFunctions(weights))
        return answer_of(_focus(changed))

    async def reset(self, inputs: NoInput) -> Answer:
        taken_back = await steer(self._access, ClearFunctions())
        return answer_of(ResetResult(taken_back))

    async def add_dictionary(self, inputs: AddDictionaryInput) -> Answer:
        values = tuple(DictionaryValue(each.value, each.type) for each in inputs.values)
        added = await steer(self._access, AddDictionaryValues(values))
        return answer_of(DictionaryResult(added))


def _figures(function: FunctionStatistics) -> FunctionFigures:
    covered = function.covered_time
    return FunctionFigures(
        contract=function.contract,
        signature=function.signature,
        calls=function.calls,
        reverts=function.reverts,
        seconds_since_coverage=None if covered is None else round(trio.current_time() - covered, 3),
        rarest=function.rarest,
        weight=round(function.weight, 4),
        prioritized=function.prioritized,
        excluded=function.excluded,
    )


def _focus(changed: FunctionsChanged) -> FocusResult:
    weights = dict(changed.weights[:MAX_SHOWN])
    return FocusResult(changed.matched, changed.prioritized[:MAX_SHOWN], changed.excluded[:MAX_SHOWN], weights)
