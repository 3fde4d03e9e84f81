"""Forks and their gas schedules, as data. Names are those of the state tests and of solc's `evmVersion`, lower case."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from simulator.errors import TargetError

UNLIMITED = 1 << 40
Floor = Literal[0, 10]


@dataclass(frozen=True)
class Fork:
    """What differs between forks. `gas` holds the static prices of opcodes that deviate from `opcodes.py`."""

    name: str
    order: int
    cold_sload: int = 2100
    warm_sload: int = 100
    cold_account: int = 2600
    warm_account: int = 100
    sstore_cold: int = 2100
    sstore_noop: int = 100
    sstore_set: int = 20000
    sstore_reset: int = 2900
    refund_clear: int = 4800
    refund_selfdestruct: int = 0
    refund_quotient: int = 5
    selfdestruct_cold: int = 2600
    initcode_word: int = 2
    initcode_limit: int = 49152
    code_limit: int = 24576
    reject_ef: bool = True
    warm_coinbase: bool = True
    base_fee: bool = True
    merged: bool = True
    destroy_new_only: bool = True
    delegation: bool = False
    calldata_floor: Floor = 0
    blob_schedule: tuple[int, int, int] = (0, 0, 0)  # target blobs, most blobs, update fraction
    transaction_gas_limit: int = 0  # EIP-7825, 0 for none


_CANCUN = Fork("cancun", 6, blob_schedule=(3, 6, 3338477))
_SHANGHAI = replace(
    _CANCUN,
    name="shanghai",
    order=5,
    destroy_new_only=False,
    blob_schedule=(0, 0, 0),
)
_PARIS = replace(_SHANGHAI, name="paris", order=4, initcode_word=0, initcode_limit=UNLIMITED, warm_coinbase=False)
_LONDON = replace(_PARIS, name="london", order=3, merged=False)
_BERLIN = replace(
    _LONDON,
    name="berlin",
    order=2,
    refund_clear=15000,
    refund_selfdestruct=24000,
    refund_quotient=2,
    reject_ef=False,
    base_fee=False,
)
_ISTANBUL = replace(
    _BERLIN,
    name="istanbul",
    order=1,
    cold_sload=800,
    warm_sload=800,
    cold_account=700,
    warm_account=700,
    sstore_cold=0,
    sstore_noop=800,
    sstore_reset=5000,
    selfdestruct_cold=0,
)
_PRAGUE = replace(
    _CANCUN,
    name="prague",
    order=7,
    delegation=True,
    calldata_floor=10,
    blob_schedule=(6, 9, 5007716),
)
_OSAKA = replace(
    _PRAGUE,
    name="osaka",
    order=8,
    transaction_gas_limit=1 << 24,
)
FORKS = {fork.name: fork for fork in (_ISTANBUL, _BERLIN, _LONDON, _PARIS, _SHANGHAI, _CANCUN, _PRAGUE, _OSAKA)}
_ALIASES = {"merge": "paris", "default": "cancun", "london+merge": "paris"}


def fork_named(name: str) -> Fork:
    """The fork of this name, in any case. Raises `TargetError` that lists the known ones."""
    key = name.lower()
    found = FORKS.get(_ALIASES.get(key, key))
    if found is None:
        raise TargetError(f"unknown EVM version {name!r}: use one of {', '.join(FORKS)}")
    return found
