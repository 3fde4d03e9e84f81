"""`clamp_function`: arguments bound to values or ranges, and functions bound to senders."""

from __future__ import annotations

from typing import Any

from actors.steering.commands import ClampFunction
from tools.campaign.access import CampaignAccess
from tools.campaign.extensions.clamp_form import ClampFunctionInput
from tools.campaign.publishing import acting
from tools.campaign.results import ToolResult, answer_of
from tools.campaign.steering import steer
from tools.tool import Answer, Tool

SHOWN = 20


class ArgumentClampFigures(ToolResult, frozen=True):
    """The first of `value_count` values, or the range from `min` to `max`, null for the end of the type."""

    argument: str
    values: tuple[str, ...]
    value_count: int
    min: str | None
    max: str | None


class ClampFigures(ToolResult, frozen=True):
    """Clamps of one function; the first of `sender_count` senders, 0 for all of the campaign."""

    function: str
    arguments: tuple[ArgumentClampFigures, ...]
    senders: tuple[str, ...]
    sender_count: int


class ClampResult(ToolResult, frozen=True):
    """`matched` functions have the name; the campaign does not call those `not_called`, such as views and what filters
    leave out, so that their clamp has no effect. `clamps` are all that hold now."""

    matched: tuple[str, ...]
    not_called: tuple[str, ...]
    clamps: tuple[ClampFigures, ...]


class ClampTools:
    def __init__(self, access: CampaignAccess) -> None:
        self._access = access

    def published(self) -> tuple[Tool[Any], ...]:
        return (
            acting(
                "clamp_function",
                "Binds arguments of a function to values or a range, and its calls to senders, in place of earlier"
                " clamps of the function; with neither it takes them back, as reset_functions does for all. Calls that"
                " the fuzzer makes, mutates, solves for or takes from the corpus are repaired; what is injected or"
                " executed stays as it is. Use it to stay within a protocol's rules, or to reach one state.",
                (ClampFunctionInput, ClampResult),
                self.clamp,
            ),
        )

    async def clamp(self, inputs: ClampFunctionInput) -> Answer:
        done = await steer(self._access, inputs.command())
        functions = self._access.current.campaign.priorities.statistics().functions
        called = {f"{each.contract}.{each.signature}" for each in functions}
        not_called = tuple(each for each in done.functions if each not in called)
        return answer_of(ClampResult(done.functions, not_called, clamp_figures(done.clamps)))


def clamp_figures(clamps: tuple[ClampFunction, ...]) -> tuple[ClampFigures, ...]:
    """Clamps in the form of answers."""
    return tuple(
        ClampFigures(
            clamp.function,
            tuple(
                ArgumentClampFigures(each.argument, each.values[:SHOWN], len(each.values), each.minimum, each.maximum)
                for each in clamp.arguments
            ),
            tuple(f"0x{sender.hex()}" for sender in clamp.senders[:SHOWN]),
            len(clamp.senders),
        )
        for clamp in clamps
    )
