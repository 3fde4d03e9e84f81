"""Forks and their gas schedules, as data. Names are those of the state tests and of solc's `evmVersion`, lower case.

`FORKS` are the supported ones. Those before Istanbul, and those that change only the number of blobs, exist for state
tests that carry them; the precompiled curves and exponentiation before Istanbul cost what they cost in Istanbul.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from simulator.errors import TargetError

UNLIMITED = 1 << 40
Floor = Literal[0, 10]


@dataclass(frozen=True)
class Fork:
    """Differences between forks. `static_gas` holds the prices of opcodes that deviate from `opcodes.py`; what an
    opcode pays for touching an account comes on top, so a price may be negative."""

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
    static_gas: Mapping[str, int] = field(default_factory=dict)
    sstore_stipend: int = 2300  # SSTORE needs more gas than this (EIP-2200)
    net_sstore: bool = True  # prices depend on the value at the start of the transaction (EIP-1283, EIP-2200)
    keeps_64th: bool = True  # a caller keeps a 64th of its gas (EIP-150)
    removes_empty: bool = True  # touched empty accounts vanish (EIP-161), new contracts have nonce 1
    deposit_must_succeed: bool = True  # a creation that cannot pay for its code fails (EIP-2)
    exponent_byte: int = 50
    calldata_byte: int = 16  # price of a byte of calldata that is not zero (EIP-2028)
    creation: int = 32000  # what a creating transaction pays more (EIP-2)
    precompiles: str = ""  # fork whose precompiled contracts it has, where that is another
    precompile_limit: int = 1 << 16  # and the last of them

    def blob_fee(self, excess: int) -> int:
        """EIP-4844: e to the power of the excess blob gas over the fork's fraction; 1 before there were blobs."""
        fraction, total, index = self.blob_schedule[2] or 1, 0, 1
        term = fraction
        while term > 0:
            total += term
            term = term * excess // (fraction * index)
            index += 1
        return total // fraction


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
# Forks that change only how many blobs there are (EIP-7892).
_BPO1 = replace(_OSAKA, name="bpo1", blob_schedule=(10, 15, 8346193), precompiles="osaka")
_BPO2 = replace(_OSAKA, name="bpo2", blob_schedule=(14, 21, 11684671), precompiles="osaka")
# Those behind BPO2 are for tests; mainnet has not got that far.
_BPO3 = replace(_BPO1, name="bpo3", blob_schedule=(21, 32, 20609697))
_BPO4 = replace(_BPO1, name="bpo4", blob_schedule=(14, 21, 13739630))
_BPO5 = replace(_BPO4, name="bpo5")
_PETERSBURG = replace(
    _ISTANBUL,
    name="petersburg",
    order=0,
    cold_sload=200,
    warm_sload=200,
    sstore_noop=5000,
    sstore_stipend=-1,
    net_sstore=False,
    calldata_byte=68,
    static_gas={"BALANCE": -300, "EXTCODEHASH": -300},
    precompiles="istanbul",
    precompile_limit=8,
)
_CONSTANTINOPLE = replace(_PETERSBURG, name="constantinople", order=-1, sstore_noop=200, net_sstore=True)
_BYZANTIUM = replace(_PETERSBURG, name="byzantium", order=-2)
_SPURIOUS = replace(_BYZANTIUM, name="spuriousdragon", order=-3, precompile_limit=4)
_TANGERINE = replace(
    _SPURIOUS, name="tangerinewhistle", order=-4, removes_empty=False, exponent_byte=10, code_limit=UNLIMITED
)
_HOMESTEAD = replace(
    _TANGERINE,
    name="homestead",
    order=-5,
    cold_sload=50,
    warm_sload=50,
    cold_account=20,
    warm_account=20,
    static_gas={"CALL": 20, "CALLCODE": 20, "DELEGATECALL": 20, "SELFDESTRUCT": 0},
    keeps_64th=False,
)
_FRONTIER = replace(_HOMESTEAD, name="frontier", order=-6, deposit_must_succeed=False, creation=0)
FORKS = {fork.name: fork for fork in (_ISTANBUL, _BERLIN, _LONDON, _PARIS, _SHANGHAI, _CANCUN, _PRAGUE, _OSAKA)}
_OLDER = {
    fork.name: fork for fork in (_FRONTIER, _HOMESTEAD, _TANGERINE, _SPURIOUS, _BYZANTIUM, _CONSTANTINOPLE, _PETERSBURG)
}
_BLOB_PARAMETERS = {fork.name: fork for fork in (_BPO1, _BPO2, _BPO3, _BPO4, _BPO5)}
_ALIASES = {
    "merge": "paris",
    "default": "cancun",
    "london+merge": "paris",
    "eip150": "tangerinewhistle",
    "eip158": "spuriousdragon",
    "constantinoplefix": "petersburg",
    "muirglacier": "istanbul",
    "arrowglacier": "london",
    "grayglacier": "london",
}


def fork_named(name: str) -> Fork:
    """The fork of this name, in any case. Raises `TargetError` that lists the known ones."""
    key = name.lower()
    key = _ALIASES.get(key, key)
    found = FORKS.get(key) or _OLDER.get(key) or _BLOB_PARAMETERS.get(key)
    if found is None:
        raise TargetError(f"unknown EVM version {name!r}: use one of {', '.join(FORKS)}")
    return found
