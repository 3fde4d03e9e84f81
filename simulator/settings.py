"""Settings of a campaign that a worker must know: the plain, validated values behind Echidna's configuration keys."""

from __future__ import annotations

from collections.abc import Container
from typing import Annotated

import msgspec

from simulator.forked_block import ForkedBlock
from simulator.initialization import InitialStep
from simulator.modes.foundry_settings import FoundrySettings
from simulator.modes.medusa_tests import MedusaTests
from simulator.modes.table import DEFAULT_MODE, MODE_PATTERN
from simulator.modes.world import ECHIDNA_WORLD, StartBlock, World
from simulator.policy import USER, Policy

TestMode = Annotated[str, msgspec.Meta(pattern=MODE_PATTERN)]
"""The name of a mode of `simulator.modes.table`."""
PRIORITY_SHARE = 0.9
"""Of all calls: those drawn from the prioritized functions. The others are drawn from all, so that k prioritized ones
of n equally weighted functions get 0.9 + 0.1 * k / n of all calls."""


class ForkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chain to fork: `urls` as configured, with the keys they may hold, the block, and the folder of the cache in
    the bytes of the file system."""

    urls: str
    block: ForkedBlock
    cache: bytes


class PlannedContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A contract to deploy: `name` is `Name` or `path:Name`, `address` 20 bytes, `value` wei as big-endian bytes, and
    `arguments` the constructor's arguments in the JSON of `simulator.abi.json_values`, empty for none."""

    name: str
    address: bytes
    value: bytes = b""
    arguments: bytes = b""


class CampaignSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defaults are Echidna's. Addresses are 20 bytes, amounts of wei big-endian bytes, delays seconds and blocks.

    `contract_balance` is sent to the target's constructor, `target_balance` stands on its account before.
    """

    contract: str = ""  # `path:Name`
    test_mode: TestMode = DEFAULT_MODE
    prefix: str = "echidna_"
    property_sender: bytes = ECHIDNA_WORLD.property_sender
    senders: tuple[bytes, ...] = ECHIDNA_WORLD.senders
    deployer: bytes = ECHIDNA_WORLD.deployer
    contract_address: bytes = ECHIDNA_WORLD.target
    sender_balance: bytes = ECHIDNA_WORLD.sender_balance
    contract_balance: bytes = b""
    target_balance: bytes = ECHIDNA_WORLD.target_balance
    block: StartBlock = ECHIDNA_WORLD.block
    sequence_length: int = 100
    shrink_limit: int = 5000
    property_gas: int = ECHIDNA_WORLD.gas
    transaction_gas: int = ECHIDNA_WORLD.gas
    gas_price: bytes = b""
    max_time_delay: int = ECHIDNA_WORLD.max_seconds
    max_block_delay: int = ECHIDNA_WORLD.max_blocks
    max_value: bytes = ECHIDNA_WORLD.max_value
    max_code_size: int = 0xFFFFFFFF
    coverage: bool = True
    dictionary_frequency: float = 0.40
    mutation_weights: tuple[int, int, int, int] = (1, 1, 1, 1)
    all_contracts: bool = False
    filter_functions: tuple[str, ...] = ()
    filter_is_blacklist: bool = True
    exclude_view_pure: bool = False
    deploy_contracts: tuple[tuple[bytes, str], ...] = ()
    deploy_bytecodes: tuple[tuple[bytes, bytes], ...] = ()
    test_destruction: bool = False
    stop_on_fail: bool = False
    allow_ffi: bool = False
    compile_hot_code: bool = True
    foundry: FoundrySettings = FoundrySettings()
    medusa: MedusaTests = MedusaTests()
    targets: tuple[PlannedContract, ...] = ()  # deployed in this order, all of them fuzzed; empty: `contract` alone
    cheatcodes: bool = True
    initial: tuple[InitialStep, ...] = ()  # executed before anything is deployed
    fork: ForkSettings | None = None
    constructor_arguments: bytes = b""  # ABI-encoded, behind the creation code of the contract
    policy: Policy = USER


def in_world(settings: CampaignSettings, world: World, chosen: Container[str]) -> CampaignSettings:
    """The settings with a mode's accounts, balances, gas and delays, except for those that the user has `chosen`, by
    name."""
    defaults = {
        "contract_address": world.target,
        "deployer": world.deployer,
        "property_sender": world.property_sender,
        "senders": world.senders,
        "sender_balance": world.sender_balance,
        "transaction_gas": world.gas,
        "property_gas": world.gas,
        "max_time_delay": world.max_seconds,
        "max_block_delay": world.max_blocks,
        "max_value": world.max_value,
    }
    values = {name: value for name, value in defaults.items() if name not in chosen}
    return msgspec.structs.replace(settings, target_balance=world.target_balance, block=world.block, **values)
