"""The tests of everything that is fuzzed: those of the target, and of the other contracts deployed to be fuzzed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simulator.errors import TargetError
from simulator.fuzz.checking.oracles import Check, Oracle, discover_oracles
from simulator.fuzz.targets.target import DeployedContract, TargetFunction
from simulator.settings import CampaignSettings


def discover_all(
    settings: CampaignSettings, targets: Sequence[DeployedContract], functions: Sequence[TargetFunction]
) -> list[Oracle]:
    """All tests, numbered from 0. Raises `TargetError` when there are none, unless the settings allow that."""
    found: list[Oracle] = []
    for index, target in enumerate(targets):
        own = [each.function for each in functions if each.deployed.address == target.address]
        try:
            tests = discover_oracles(settings, target.contract.name, target.abi, own)
        except TargetError:
            # The target must have tests, the contracts beside it may.
            if not index:
                raise
            continue
        found += [replace(each, address=target.address) for each in tests if not index or each.function is not None]
    if found:
        return [replace(each, id=id_) for id_, each in enumerate(found)]
    if settings.medusa.required:
        raise TargetError(_nothing_to_test(settings, targets))
    return [Oracle(0, "exploration", "exploration", Check.NOTHING, targets[0].contract.name)]


def _nothing_to_test(settings: CampaignSettings, targets: Sequence[DeployedContract]) -> str:
    names = ", ".join(each.contract.name for each in targets)
    prefixes = " or ".join(f"{each}*" for each in (*settings.medusa.properties, *settings.medusa.optimizations))
    looked = f"functions named {prefixes}" if prefixes else "assertions"
    return f"no tests found in {names}: looked for {looked}; requireTests: false fuzzes without any"
