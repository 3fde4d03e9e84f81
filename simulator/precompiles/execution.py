"""Table of precompiled contracts by address and fork, and their calls as the machine makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from simulator.forks import FORKS, fork_named
from simulator.precompiles import blake2f, ecrecover, hashes, modexp, p256, point_evaluation
from simulator.precompiles.bls12_381 import contracts as bls12_381
from simulator.precompiles.bn254 import contracts as bn254
from simulator.precompiles.contract import Precompile, PrecompileError

# Where an address occurs more than once, the later line replaces the earlier one from its fork on.
_ALL = (
    *ecrecover.PRECOMPILES,
    *hashes.PRECOMPILES,
    *modexp.PRECOMPILES,
    *bn254.PRECOMPILES,
    *blake2f.PRECOMPILES,
    *point_evaluation.PRECOMPILES,
    *bls12_381.PRECOMPILES,
    *p256.PRECOMPILES,
)


@cache
def contracts_of(fork: str) -> Mapping[int, Precompile]:
    """The fork's contracts by address. `TargetError` for an unknown fork."""
    order = fork_named(fork).order
    return {contract.number: contract for contract in _ALL if FORKS[contract.since].order <= order}


@dataclass(frozen=True)
class PrecompileResult:
    """A failed call has no output and has used all the gas it was given."""

    success: bool
    output: bytes
    gas_used: int


def precompiles_of(fork: str) -> tuple[int, ...]:
    """Addresses of the fork's precompiled contracts, ascending. Forks are named as in solc's `evmVersion`, in any case;
    raises `TargetError` for another name."""
    return tuple(sorted(contracts_of(fork)))


def run_precompile(number: int, data: bytes, gas: int, fork: str) -> PrecompileResult:
    """Call the contract at address `number` with `gas`, which is not negative.

    Deterministic, without state; the caller moves value and warms addresses. Takes up to some seconds for inputs that
    cost tens of millions of gas. Raises `KeyError` when the fork has no precompile there.
    """
    contract = contracts_of(fork)[number]
    try:
        price = contract.gas(data)
        if price <= gas:
            return PrecompileResult(success=True, output=contract.run(data), gas_used=price)
    except PrecompileError:
        pass
    return PrecompileResult(success=False, output=b"", gas_used=gas)
