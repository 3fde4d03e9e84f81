"""A campaign of Foundry tests in the world, and with the limits, that the project's `foundry.toml` sets."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Any

import msgspec

from orchestrator.configuration.request import CampaignRequest
from simulator.compile.projects.foundry_test_config import INT64_MAX, FoundryTestConfig, read_test_config
from simulator.evm.addresses import contract_address
from simulator.modes.foundry import FOUNDRY
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import address_bytes, wei_bytes

ADDRESS_MAX = (1 << 160) - 1
FORGE_DEPTH = 500
MAX_DEPTH = 100_000
SEED_MAX = (1 << 63) - 1


def in_foundry_world(settings: CampaignSettings, request: CampaignRequest, project: Project) -> CampaignSettings:
    """The settings as forge would take them from the project; what the user set stays. Other modes read nothing.
    Raises `CompileError` and `PolicyRefused`."""
    if settings.test_mode != FOUNDRY.name:
        return settings
    chosen = request.configuration.model_fields_set
    return _with_numbers(settings, read_test_config(project, request.policy), chosen)


def with_foundry_seed(request: CampaignRequest, settings: CampaignSettings, project: Project) -> CampaignRequest:
    """The request with the seed of the project's `[fuzz]`, where nobody named one and no campaign is resumed. Raises as
    `in_foundry_world`."""
    if settings.test_mode != FOUNDRY.name or request.configuration.seed is not None or request.resume:
        return request
    seed = read_test_config(project, request.policy).numbers.get("fuzz.seed")
    return request if seed is None else replace(request, seed=seed & SEED_MAX)


def _with_numbers(settings: CampaignSettings, config: FoundryTestConfig, chosen: Container[str]) -> CampaignSettings:
    values = {name: value for name, value in _settings(config).items() if name not in chosen}
    block = replace(settings.block, **_block(config))
    balance = config.numbers.get("initial_balance")
    target_balance = settings.target_balance if balance is None else wei_bytes(balance)
    tests = config.tests
    if "sequence_length" in chosen:
        inline = tuple(each for each in tests.inline if each[1] != "invariant.depth")
        tests = replace(tests, inline=inline, invariant_depth=settings.sequence_length)
    return msgspec.structs.replace(settings, block=block, target_balance=target_balance, foundry=tests, **values)


def _settings(config: FoundryTestConfig) -> dict[str, Any]:
    """Settings by their names, where the project sets them, and forge's depth."""
    numbers = config.numbers
    found: dict[str, Any] = {"sequence_length": max(1, min(numbers.get("invariant.depth", FORGE_DEPTH), MAX_DEPTH))}
    if "sender" in numbers:
        sender = address_bytes(numbers["sender"] & ADDRESS_MAX)
        found |= {"deployer": sender, "senders": (sender,)}
        found["contract_address"] = address_bytes(contract_address(numbers["sender"] & ADDRESS_MAX, FIRST_NONCE))
    if "initial_balance" in numbers:
        found["sender_balance"] = wei_bytes(numbers["initial_balance"])
    if "gas_limit" in numbers:
        found |= dict.fromkeys(("transaction_gas", "property_gas"), max(1, min(numbers["gas_limit"], INT64_MAX)))
    if "gas_price" in numbers:
        found["gas_price"] = wei_bytes(numbers["gas_price"])
    for key, name in _LIMITS.items():
        if key in numbers:
            found[name] = min(numbers[key], INT64_MAX)
    weight = numbers.get("invariant.dictionary_weight", numbers.get("fuzz.dictionary_weight"))
    if weight is not None:
        found["dictionary_frequency"] = min(weight, 100) / 100
    return found


FIRST_NONCE = 1
"""Of the sender when it creates the test contract."""
_LIMITS = {
    "code_size_limit": "max_code_size",
    "invariant.shrink_run_limit": "shrink_limit",
    "invariant.max_time_delay": "max_time_delay",
    "invariant.max_block_delay": "max_block_delay",
}


def _block(config: FoundryTestConfig) -> dict[str, Any]:
    numbers = config.numbers
    names = {"timestamp": "block_timestamp", "number": "block_number", "chain_id": "chain_id"}
    found: dict[str, Any] = {name: min(numbers[key], INT64_MAX) for name, key in names.items() if key in numbers}
    limit = numbers.get("block_gas_limit", numbers.get("gas_limit"))
    if limit is not None:
        found["gas_limit"] = min(limit, INT64_MAX)
    if "block_prevrandao" in numbers:
        found["prevrandao"] = wei_bytes(numbers["block_prevrandao"])
    if "block_base_fee_per_gas" in numbers:
        found["base_fee"] = wei_bytes(numbers["block_base_fee_per_gas"])
    if "block_coinbase" in numbers:
        found["coinbase"] = address_bytes(numbers["block_coinbase"] & ADDRESS_MAX)
    return found
