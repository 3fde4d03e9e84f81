"""Plan of the calls and checks of a campaign, made once the target stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from simulator.abi.types import AbiType, Value
from simulator.errors import TargetError
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.targets.deployment import Deployment
from simulator.fuzz.targets.target import DeployedContract, TargetFunction, nothing_to_call, target_functions
from simulator.fuzz.targets.tests import discover_all
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence

Join = Callable[[DeployedContract, int], list[TargetFunction]]


@dataclass(frozen=True)
class CallPlan:
    """`functions` by index, `oracles` by id. `hidden` oracles are no tests of their own.

    `fixed` sequences are executed once; the others are built from functions with a weight. `fixtures`
    are types with values to try besides those of the target's code. `join` answers what to call of a contract that was
    created meanwhile, its functions numbered from an index on.
    """

    settings: CampaignSettings
    functions: list[TargetFunction]
    oracles: list[Oracle]
    hidden: tuple[Oracle, ...] = ()
    fixed: tuple[Sequence, ...] = ()
    fixtures: tuple[tuple[AbiType, tuple[Value, ...]], ...] = ()
    join: Join = lambda _deployed, _first: []


def plan_calls(settings: CampaignSettings, deployment: Deployment) -> CallPlan:
    """Calls of the target's functions, or with `allContracts` of all deployed ones. Raises `TargetError` when there is
    nothing to call or to test."""
    called = deployment.contracts if settings.all_contracts else deployment.targets
    functions = target_functions(settings, called)
    oracles = discover_all(settings, deployment.targets, functions)
    if not functions and (_are_filtered(settings, called) or not any(each.check.is_property_call for each in oracles)):
        raise TargetError(nothing_to_call(settings, called))
    if not settings.all_contracts:
        return CallPlan(settings, functions, oracles)
    return CallPlan(
        settings, functions, oracles, join=lambda created, first: target_functions(settings, [created], first)
    )


def _are_filtered(settings: CampaignSettings, called: list[DeployedContract]) -> bool:
    """Return whether there would be functions to call without the filters. A pass that they make is none."""
    unfiltered = msgspec.structs.replace(
        settings, filter_functions=(), filter_is_blacklist=True, exclude_view_pure=False
    )
    return bool(target_functions(unfiltered, called))
