"""Values to text and back: `toString`, `parseUint`, ..., base64."""

from __future__ import annotations

import base64
import re
from fractions import Fraction

from simulator.abi.hashing import checksum_address
from simulator.abi.types import Address, Bool, Bytes, FixedBytes, Int, String, UInt, Value
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import Session

Scalar = UInt | Int | Address | Bool | FixedBytes | Bytes | String
_NUMBER = re.compile(r"([+-]?)(?:0[xX]([0-9a-fA-F]{1,64})|([0-9]{1,78}))")
_AMOUNT = re.compile(
    r"(?P<number>[+-]?[0-9]{1,78}(?P<fraction>\.[0-9]{0,78})?(?P<exponent>[eE]\+?[0-9]{1,2})?)\s*(?P<unit>[a-z]*)"
)
_UNITS = {"": 1, "wei": 1, "gwei": 10**9, "ether": 10**18}
_HEX = re.compile(r"(?:0[xX])?((?:[0-9a-fA-F]{2})*)")


def parse_scalar(kind: Scalar, text: str) -> Value:
    """A value written as forge accepts it: numbers in decimal, 0x-hex, `1e18` or with a unit such as `1.5 ether`, bytes
    in hex with or without 0x. Raises `CheatcodeError` naming the text and the type."""
    value: Value | None
    match kind:
        case UInt() | Int():
            value = _number(kind, text.strip())
        case Address() | FixedBytes() | Bytes():
            value = _hex(kind, text.strip())
        case Bool():
            value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
        case String():
            value = text
    if value is None:
        raise CheatcodeError(f'failed parsing "{text}" as type `{kind.canonical}`')
    return value


def _number(kind: UInt | Int, text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    value = _whole(match) if match else _amount(text)
    if value is None:
        return None
    low, high = (0, 1 << kind.bits) if isinstance(kind, UInt) else (-(1 << kind.bits - 1), 1 << kind.bits - 1)
    return value if low <= value < high else None


def _whole(match: re.Match[str]) -> int:
    sign, hexadecimal, decimal = match.groups()
    value = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return -value if sign == "-" else value


def _amount(text: str) -> int | None:
    """A number with an exponent or a unit, if it is whole then."""
    match = _AMOUNT.fullmatch(text)
    factor = _UNITS.get(match["unit"]) if match else None
    if match is None or factor is None or (match["fraction"] and not (match["exponent"] or match["unit"])):
        return None
    value = Fraction(match["number"]) * factor
    return value.numerator if value.denominator == 1 else None


def _hex(kind: Address | FixedBytes | Bytes, text: str) -> Value | None:
    match = _HEX.fullmatch(text)
    if match is None:
        return None
    data = bytes.fromhex(match.group(1))
    match kind:
        case Address():
            return int.from_bytes(data, "big") if len(data) == 20 else None
        case FixedBytes(size):
            return data if len(data) == size else None
        case Bytes():
            return data


@cheatcode("toString(address)")
def address_to_string(_vm: Session, value: int) -> str:
    return checksum_address(value)


@cheatcode("toString(bool)")
def bool_to_string(_vm: Session, value: bool) -> str:
    return "true" if value else "false"


@cheatcode("toString(uint256)", "toString(int256)")
def number_to_string(_vm: Session, value: int) -> str:
    return str(value)


@cheatcode("toString(bytes32)", "toString(bytes)")
def bytes_to_string(_vm: Session, value: bytes) -> str:
    return f"0x{value.hex()}"


@cheatcode("parseUint(string)")
def parse_uint(_vm: Session, text: str) -> Value:
    return parse_scalar(UInt(256), text)


@cheatcode("parseInt(string)")
def parse_int(_vm: Session, text: str) -> Value:
    return parse_scalar(Int(256), text)


@cheatcode("parseAddress(string)")
def parse_address(_vm: Session, text: str) -> Value:
    return parse_scalar(Address(), text)


@cheatcode("parseBool(string)")
def parse_bool(_vm: Session, text: str) -> Value:
    return parse_scalar(Bool(), text)


@cheatcode("parseBytes(string)")
def parse_bytes(_vm: Session, text: str) -> Value:
    return parse_scalar(Bytes(), text)


@cheatcode("parseBytes32(string)")
def parse_bytes32(_vm: Session, text: str) -> Value:
    return parse_scalar(FixedBytes(32), text)


@cheatcode("toBase64(bytes)")
def to_base64(_vm: Session, data: bytes) -> str:
    return base64.b64encode(data).decode()


@cheatcode("toBase64(string)")
def text_to_base64(_vm: Session, text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()


@cheatcode("toBase64URL(bytes)")
def to_base64_url(_vm: Session, data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()


@cheatcode("toBase64URL(string)")
def text_to_base64_url(_vm: Session, text: str) -> str:
    return base64.urlsafe_b64encode(text.encode("utf-8", "surrogateescape")).decode()
