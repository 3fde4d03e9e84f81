"""Which contract answers at which address in which fork."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from simulator.forks import FORKS, fork_named
from simulator.precompiles import blake2f, ecrecover, hashes, modexp, p256, point_evaluation
from simulator.precompiles.bls12_381 import contracts as bls12_381
from simulator.precompiles.bn254 import contracts as bn254
from simulator.precompiles.contract import Precompile

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
