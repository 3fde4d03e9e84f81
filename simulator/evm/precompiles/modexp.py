"""0x05: modular exponentiation (EIP-198, priced by EIP-2565 and EIP-7883)."""

from __future__ import annotations

from simulator.evm.precompiles.result import FAILED, PrecompileResult

HEAD = 96
LONGEST_OPERAND = 1024  # EIP-7823


def _number(data: bytes, start: int, size: int) -> int:
    """A big-endian number of the input, which is continued with zeros."""
    return int.from_bytes(data[start : start + size].ljust(size, b"\0"), "big")


def _lengths(data: bytes) -> tuple[int, int, int]:
    return _number(data, 0, 32), _number(data, 32, 32), _number(data, 64, 32)


def _head_bits(data: bytes, base_size: int, exponent_size: int) -> int:
    """Bit length of the exponent's first 32 bytes."""
    return _number(data, HEAD + base_size, min(exponent_size, 32)).bit_length() if HEAD + base_size < len(data) else 0


def _iterations(head_bits: int, exponent_size: int, factor: int) -> int:
    count = max(head_bits - 1, 0)
    if exponent_size > 32:
        count += factor * (exponent_size - 32)
    return max(count, 1)


def _compute(data: bytes, sizes: tuple[int, int, int]) -> bytes:
    base_size, exponent_size, modulus_size = sizes
    if modulus_size == 0:
        return b""
    base = _number(data, HEAD, base_size) if base_size else 0
    exponent = _number(data, HEAD + base_size, exponent_size) if exponent_size else 0
    modulus = _number(data, HEAD + base_size + exponent_size, modulus_size)
    value = pow(base, exponent, modulus) if modulus else 0
    return value.to_bytes(modulus_size, "big")


def _price_198(data: bytes, sizes: tuple[int, int, int]) -> int:
    """EIP-198, until Istanbul."""
    base_size, exponent_size, modulus_size = sizes
    longest = max(base_size, modulus_size)
    if longest <= 64:
        complexity = longest**2
    elif longest <= 1024:
        complexity = longest**2 // 4 + 96 * longest - 3072
    else:
        complexity = longest**2 // 16 + 480 * longest - 199680
    return complexity * _iterations(_head_bits(data, base_size, exponent_size), exponent_size, 8) // 20


def _price_2565(data: bytes, sizes: tuple[int, int, int]) -> int:
    base_size, exponent_size, modulus_size = sizes
    complexity = ((max(base_size, modulus_size) + 7) // 8) ** 2
    count = _iterations(_head_bits(data, base_size, exponent_size), exponent_size, 8)
    return max(200, complexity * count // 3)


def _price_7883(data: bytes, sizes: tuple[int, int, int]) -> int:
    base_size, exponent_size, modulus_size = sizes
    longest = max(base_size, modulus_size)
    complexity = 16 if longest <= 32 else 2 * ((longest + 7) // 8) ** 2
    count = _iterations(_head_bits(data, base_size, exponent_size), exponent_size, 16)
    return max(500, complexity * count)


def _run(data: bytes, gas: int, sizes: tuple[int, int, int], cost: int) -> PrecompileResult:
    if gas < cost:
        return FAILED
    return PrecompileResult(True, _compute(data, sizes), gas - cost)


def modexp_istanbul(data: bytes, gas: int) -> PrecompileResult:
    """Price of EIP-198."""
    sizes = _lengths(data)
    return _run(data, gas, sizes, _price_198(data, sizes))


def modexp(data: bytes, gas: int) -> PrecompileResult:
    """Price of EIP-2565, from Berlin on."""
    sizes = _lengths(data)
    return _run(data, gas, sizes, _price_2565(data, sizes))


def modexp_osaka(data: bytes, gas: int) -> PrecompileResult:
    """Price of EIP-7883, operands of at most 1024 bytes (EIP-7823)."""
    sizes = _lengths(data)
    if max(sizes) > LONGEST_OPERAND:
        return FAILED
    return _run(data, gas, sizes, _price_7883(data, sizes))
