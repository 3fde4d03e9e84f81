"""Contracts to deploy and fuzz, in which order and where, from `targetContracts` and the keys around it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.model import Configuration
from orchestrator.configuration.quantities import word_bytes
from simulator.evm.addresses import contract_address
from simulator.modes.medusa_tests import MedusaTests
from simulator.settings import CampaignSettings, PlannedContract
from simulator.transaction import address_bytes, address_int


def medusa_tests(keys: Configuration) -> MedusaTests:
    """The tests of Medusa's mode."""
    return MedusaTests(
        properties=keys.property_prefixes if keys.property_tests else (),
        optimizations=keys.optimization_prefixes if keys.optimization_tests else (),
        assertions=keys.assertion_tests,
        panic_codes=keys.panic_codes,
        required=keys.require_tests,
    )


def target_name(keys: Configuration) -> str | None:
    """The contract asked for; None leaves the choice to the compiler's rules. Raises `ConfigurationError` where several
    are asked for, of which one campaign can take one."""
    if len(keys.contracts) > 1:
        raise ConfigurationError(f"contract: a campaign is about one contract, not {len(keys.contracts)}")
    return next(iter(keys.contracts or keys.target_contracts), None)


def with_targets(settings: CampaignSettings, keys: Configuration) -> CampaignSettings:
    """The settings with the deployments that the keys plan, and the address of the fuzzed contract among them.

    As in Medusa, those with fixed addresses come first, then the targets where their deployer's nonces put them; each
    deployment takes a nonce. A name in both lists is deployed once, at the fixed address, with the balance of the
    target. The fuzzed contract takes the place of all targets when it is none of them.
    """
    if "contract_address" not in keys.model_fields_set and keys.test_mode == "medusa":
        first = contract_address(address_int(settings.deployer), 0)
        settings = msgspec.structs.replace(settings, contract_address=address_bytes(first))
    if not (keys.target_contracts or keys.predeployed_contracts or keys.constructor_arguments):
        return settings
    planned = tuple(_planned(settings, keys))
    target = next(each for each in planned if _means(each.name, settings.contract))
    return msgspec.structs.replace(settings, targets=planned, contract_address=target.address)


def _planned(settings: CampaignSettings, keys: Configuration) -> Iterator[PlannedContract]:
    targets = _targets(settings, keys)
    balances = dict(zip(keys.target_contracts, keys.target_balances, strict=False))
    for name, address in keys.predeployed_contracts.items():
        yield _plan(keys, name, address_bytes(address), balances.get(name, 0))
    for nonce, name in enumerate(targets, start=len(keys.predeployed_contracts)):
        if name not in keys.predeployed_contracts:
            balance = balances.get(name, keys.contract_balance if len(targets) == 1 else 0)
            yield _plan(keys, name, _address(settings, keys, name, nonce), balance)


def _targets(settings: CampaignSettings, keys: Configuration) -> tuple[str, ...]:
    listed = (*keys.target_contracts, *keys.predeployed_contracts)
    if any(_means(name, settings.contract) for name in listed):
        return keys.target_contracts
    return (settings.contract,)


def _address(settings: CampaignSettings, keys: Configuration, name: str, nonce: int) -> bytes:
    is_fixed = keys.test_mode != "medusa" or "contract_address" in keys.model_fields_set
    if is_fixed and _means(name, settings.contract):
        return settings.contract_address
    return address_bytes(contract_address(address_int(settings.deployer), nonce))


def _plan(keys: Configuration, name: str, address: bytes, balance: int) -> PlannedContract:
    arguments = next((given for key, given in keys.constructor_arguments.items() if _means(key, name)), None)
    encoded = msgspec.json.encode(arguments) if arguments is not None else b""
    return PlannedContract(name, address, word_bytes(balance), encoded)


def _means(name: str, full_name: str) -> bool:
    """Return whether `Name` or `path:Name` means this contract."""
    return name in (full_name, full_name.rpartition(":")[2])
