"""Calling a precompiled contract as the machine does: price first, then the answer, all gas gone on failure."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.precompiles.contract import PrecompileError
from simulator.precompiles.table import contracts_of


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
