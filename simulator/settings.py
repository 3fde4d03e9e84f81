"""What a worker must know of a campaign: the plain, validated values behind Echidna's configuration keys."""

from __future__ import annotations

from typing import Literal

import msgspec

from simulator.forked_block import ForkedBlock
from simulator.policy import USER, Policy

TestMode = Literal["property", "assertion", "overflow", "optimization", "exploration"]


class ForkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chain to fork: `urls` as configured, with the keys they may hold, the block, and the folder of the cache in
    the bytes of the file system."""

    urls: str
    block: ForkedBlock
    cache: bytes


class CampaignSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Defaults are Echidna's. Addresses are 20 bytes, amounts of wei big-endian bytes, delays seconds and blocks."""

    contract: str = ""  # `path:Name`
    test_mode: TestMode = "property"
    prefix: str = "echidna_"
    property_sender: bytes = (0x10000).to_bytes(20, "big")
    senders: tuple[bytes, ...] = tuple(n.to_bytes(20, "big") for n in (0x10000, 0x20000, 0x30000))
    deployer: bytes = (0x30000).to_bytes(20, "big")
    contract_address: bytes = bytes.fromhex("00a329c0648769a73afac7f9381e08fb43dbea72")
    sender_balance: bytes = b"\xff\xff\xff\xff"
    contract_balance: bytes = b""
    sequence_length: int = 100
    shrink_limit: int = 5000
    property_gas: int = 12_500_000
    transaction_gas: int = 12_500_000
    gas_price: bytes = b""
    max_time_delay: int = 604_800
    max_block_delay: int = 60_480
    max_value: bytes = (100 * 10**18).to_bytes(9, "big")
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
    fork: ForkSettings | None = None
    policy: Policy = USER
