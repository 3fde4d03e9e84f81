"""Which function stands at which address, by fork."""

from __future__ import annotations

from simulator.evm.forks import Fork
from simulator.evm.precompiles.basic import ecrecover, identity, ripemd160, sha256
from simulator.evm.precompiles.blake2 import blake2f
from simulator.evm.precompiles.modexp import modexp, modexp_istanbul, modexp_osaka
from simulator.evm.precompiles.result import FAILED, PrecompileResult

BERLIN, OSAKA = 2, 8


def run_precompile(fork: Fork, number: int, data: bytes, gas: int) -> PrecompileResult:
    """Run the precompile with this number on an input. Curves are imported when they are first needed."""
    match number:
        case 1:
            return ecrecover(data, gas)
        case 2:
            return sha256(data, gas)
        case 3:
            return ripemd160(data, gas)
        case 4:
            return identity(data, gas)
        case 5:
            return _modexp(fork, data, gas)
        case 6 | 7 | 8:
            return _bn128(number, data, gas)
        case 9:
            return blake2f(data, gas)
        case 10:
            from simulator.evm.precompiles.kzg import point_evaluation

            return point_evaluation(data, gas)
        case _:
            return FAILED


def _modexp(fork: Fork, data: bytes, gas: int) -> PrecompileResult:
    if fork.order >= OSAKA:
        return modexp_osaka(data, gas)
    return modexp(data, gas) if fork.order >= BERLIN else modexp_istanbul(data, gas)


def _bn128(number: int, data: bytes, gas: int) -> PrecompileResult:
    from simulator.evm.precompiles import bn128

    function = {6: bn128.bn128_add, 7: bn128.bn128_multiply, 8: bn128.bn128_pairing}[number]
    return function(data, gas)
