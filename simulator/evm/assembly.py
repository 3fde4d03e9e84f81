"""Text to code and back, for debugging and tests."""

from __future__ import annotations

from simulator.errors import SimulatorError
from simulator.evm.opcodes import OPCODES

_BYTES = {opcode.name: opcode.byte for opcode in OPCODES.values()}
_PUSH1, _PUSH32 = 0x60, 0x7F


class AssemblyError(SimulatorError):
    """A text is no program. The message names the word."""

    code = "E_ASSEMBLY"


def _number(word: str) -> int:
    try:
        number = int(word, 0)
    except ValueError:
        raise AssemblyError(f"{word!r} is neither an instruction nor a number such as 7 or 0xff") from None
    if not 0 <= number < 1 << 256:
        raise AssemblyError(f"{word} does not fit 256 bits")
    return number


def assemble(text: str) -> bytes:
    """Code from instruction names and numbers; a number not behind a `PUSHn` becomes the shortest PUSH.

    Raises `AssemblyError`. Example: `assemble("5 3 ADD 0 MSTORE 32 0 RETURN")`.
    """
    code = bytearray()
    words = iter(text.split())
    for word in words:
        byte = _BYTES.get(word.upper())
        if byte is None:
            number = _number(word)
            size = max((number.bit_length() + 7) // 8, 1)
            code += bytes((_PUSH1 + size - 1,)) + number.to_bytes(size, "big")
        elif _PUSH1 <= byte <= _PUSH32:
            size = byte - _PUSH1 + 1
            number = _number(next(words, "nothing"))
            if number >> 8 * size:
                raise AssemblyError(f"{number:#x} does not fit {word}")
            code += bytes((byte,)) + number.to_bytes(size, "big")
        else:
            code.append(byte)
    return bytes(code)
