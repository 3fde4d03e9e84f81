"""Why a call reverted, from its return data: `Error(string)`, `Panic(uint256)`, custom errors, forge's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import cast

from simulator.abi.codec import decode
from simulator.abi.contract import ContractAbi, CustomError
from simulator.abi.text import format_arguments, format_raw, quote
from simulator.abi.types import String, UInt
from simulator.errors import AbiError
from simulator.printable import shortened

ERROR_SELECTOR = bytes.fromhex("08c379a0")
CHEATCODE_ERROR_SELECTOR = bytes.fromhex("eeaa9e6f")  # CheatcodeError(string), forge's
MAGIC = b"FOUNDRY::"
PANIC_SELECTOR = bytes.fromhex("4e487b71")
MAX_TEXT = 1000

# https://docs.soliditylang.org/en/latest/control-structures.html#panic-via-assert-and-error-via-require
PANIC_MEANINGS: Mapping[int, str] = {
    0x00: "generic panic inserted by the compiler",
    0x01: "assertion failed",
    0x11: "arithmetic underflow or overflow",
    0x12: "division or modulo by zero",
    0x21: "conversion of a value out of range to an enumeration",
    0x22: "incorrectly encoded storage byte array",
    0x31: "pop on an empty array",
    0x32: "array index out of bounds",
    0x41: "too much memory allocated or array too large",
    0x51: "call of an uninitialised internal function",
}


class ReasonKind(Enum):
    """Form in which the return data of a revert was read."""

    EMPTY = "no return data"
    ERROR = "Error(string)"
    PANIC = "Panic(uint256)"
    CUSTOM = "custom error of a known contract"
    RAW = "unknown return data"


@dataclass(frozen=True)
class RevertReason:
    """`text` is one line of at most about 1,000 characters, without control characters, fit for a terminal.

    `message` is the bare text of an `Error(string)`, `panic_code` the number of a `Panic`, `error` the name of a custom
    error.
    """

    kind: ReasonKind
    text: str
    message: str = ""
    panic_code: int | None = None
    error: str = ""


def index_errors(abis: Iterable[ContractAbi]) -> dict[bytes, CustomError]:
    """The custom errors of all contracts by selector; the first of equal ones stays."""
    index: dict[bytes, CustomError] = {}
    for abi in abis:
        for error in abi.errors:
            index.setdefault(error.selector, error)
    return index


def decode_reason(data: bytes, errors: Mapping[bytes, CustomError] | None = None) -> RevertReason:
    """Read the return data of a reverted call. Never raises: what fits nothing is shown as bounded hex."""
    if not data:
        return RevertReason(ReasonKind.EMPTY, "reverted without a reason")
    if data.startswith(MAGIC):
        return RevertReason(ReasonKind.ERROR, quote(_bounded(data.decode(errors="replace")))[1:-1])
    try:
        return _decode_known(data[:4], data[4:], errors or {})
    except AbiError:
        return RevertReason(ReasonKind.RAW, f"unknown error {format_raw(data)}")


def _decode_known(selector: bytes, arguments: bytes, errors: Mapping[bytes, CustomError]) -> RevertReason:
    if selector in (ERROR_SELECTOR, CHEATCODE_ERROR_SELECTOR):
        message = cast("str", decode((String(),), arguments, strict=False)[0])
        return RevertReason(ReasonKind.ERROR, quote(_bounded(message))[1:-1], message=message)
    if selector == PANIC_SELECTOR:
        code = cast("int", decode((UInt(256),), arguments)[0])
        meaning = PANIC_MEANINGS.get(code, "unknown code")
        return RevertReason(ReasonKind.PANIC, f"Panic({code:#04x}): {meaning}", panic_code=code)
    if selector in errors:
        error = errors[selector]
        values = decode(error.inputs.members, arguments, strict=False)
        text = f"{error.name}({format_arguments(error.inputs.members, values)})"
        return RevertReason(ReasonKind.CUSTOM, _bounded(text), error=error.name)
    raise AbiError("no known error has this selector")


def _bounded(text: str) -> str:
    return shortened(text, MAX_TEXT)
