"""What a campaign calls and checks, found once the target stands."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.abi.types import AbiType, Value
from simulator.errors import TargetError
from simulator.fuzz.checking.oracles import Oracle
from simulator.fuzz.targets.deployment import Deployment
from simulator.fuzz.targets.target import TargetFunction, nothing_to_call, target_functions
from simulator.fuzz.targets.tests import discover_all
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence


@dataclass(frozen=True)
class CallPlan:
    """`functions` by index, `oracles` by id. `hidden` oracles are no tests of their own.

    `fixed` sequences are executed once; the others are built from functions with a weight. `fixtures`
    are types with values to try besides those of the target's code.
    """

    settings: CampaignSettings
    functions: list[TargetFunction]
    oracles: list[Oracle]
    hidden: tuple[Oracle, ...] = ()
    fixed: tuple[Sequence, ...] = ()
    fixtures: tuple[tuple[AbiType, tuple[Value, ...]], ...] = ()


def plan_calls(settings: CampaignSettings, deployment: Deployment) -> CallPlan:
    """Calls of the target's functions, or with `allContracts` of all deployed ones. Raises `TargetError` when there is
    nothing to call or to test."""
    called = deployment.contracts if settings.all_contracts else deployment.targets
    functions = target_functions(settings, called)
    oracles = discover_all(settings, deployment.targets, functions)
    if not functions and not any(oracle.check.is_property_call for oracle in oracles):
        raise TargetError(nothing_to_call(settings, called))
    return CallPlan(settings, functions, oracles)
