"""Worlds: the accounts and the block that a mode's contracts find themselves in."""

from __future__ import annotations

from dataclasses import dataclass


def _address(text: str) -> bytes:
    return int(text, 16).to_bytes(20, "big")


@dataclass(frozen=True)
class StartBlock:
    """The block that sequences start in. Words are big-endian bytes without leading zeros, `coinbase` is 20 bytes."""

    timestamp: int
    number: int
    gas_limit: int
    chain_id: int
    prevrandao: bytes = b""
    base_fee: bytes = b""
    coinbase: bytes = bytes(20)


@dataclass(frozen=True)
class World:
    """Addresses are 20 bytes, amounts of wei big-endian bytes without leading zeros.

    `deployer` creates the target and calls `setUp()`, `property_sender` calls properties. `target_balance` stands on
    the target's account before it is created. `max_seconds` and `max_blocks` may pass before a call,
    which sends at most `max_value`. `codes` stand at addresses before anything is deployed.
    """

    target: bytes
    deployer: bytes
    property_sender: bytes
    senders: tuple[bytes, ...]
    sender_balance: bytes
    target_balance: bytes
    block: StartBlock
    gas: int
    max_seconds: int
    max_blocks: int
    max_value: bytes
    codes: tuple[tuple[bytes, bytes], ...] = ()


ECHIDNA_WORLD = World(
    target=_address("0x00a329c0648769a73afac7f9381e08fb43dbea72"),
    deployer=_address("0x30000"),
    property_sender=_address("0x10000"),
    senders=(_address("0x10000"), _address("0x20000"), _address("0x30000")),
    sender_balance=b"\xff\xff\xff\xff",
    target_balance=b"",
    block=StartBlock(
        timestamp=1_524_785_992,
        number=4_370_000,
        gas_limit=0xFFFFFFFF,
        chain_id=1,
        prevrandao=(42_069).to_bytes(2, "big"),
    ),
    gas=12_500_000,
    max_seconds=604_800,
    max_blocks=60_480,
    max_value=(100 * 10**18).to_bytes(9, "big"),
)
"""Echidna's chain model."""

MEDUSA_WORLD = World(
    target=_address("0xa647ff3c36cfab592509e13860ab8c4f28781a66"),
    deployer=_address("0x30000"),
    property_sender=_address("0x10000"),
    senders=(_address("0x10000"), _address("0x20000"), _address("0x30000")),
    sender_balance=(((1 << 255) - 1) // 2).to_bytes(32, "big"),
    target_balance=b"",
    block=StartBlock(timestamp=1, number=1, gas_limit=125_000_000, chain_id=1),
    gas=12_500_000,
    max_seconds=604_800,
    max_blocks=60_480,
    max_value=b"\xff" * 8,
)
"""Medusa's test chain after it has deployed one contract, the first of its deployer."""

CREATE2_FACTORY = _address("0x4e59b44847b379578588920ca78fbf26c0b4956c")
CREATE2_FACTORY_CODE = bytes.fromhex(
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "e03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"
)
"""The deterministic deployment proxy, as it stands at the same address of most chains."""

FOUNDRY_SENDER = _address("0x1804c8ab1f12e6bbf3894d4083f33e07309d1f38")

FOUNDRY_WORLD = World(
    target=_address("0x7fa9385be102ac3eac297483dd6233d62b3e1496"),
    deployer=FOUNDRY_SENDER,
    property_sender=FOUNDRY_SENDER,
    senders=(FOUNDRY_SENDER,),
    sender_balance=b"\xff" * 12,
    target_balance=b"\xff" * 12,
    block=StartBlock(timestamp=1, number=1, gas_limit=1_073_741_824, chain_id=31_337),
    gas=1_073_741_824,
    max_seconds=0,
    max_blocks=0,
    max_value=b"",
    codes=((CREATE2_FACTORY, CREATE2_FACTORY_CODE),),
)
"""What `forge test` of forge 1.7.1 begins with."""
