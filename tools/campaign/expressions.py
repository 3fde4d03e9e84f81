"""Values of Solidity expressions that agents need: hashes, ABI encodings, addresses and signatures.

An argument is a literal in the form of calls, such as `5`, `1 ether`, `0x20000`, `"text"` or `true`, a literal with its
type (`uint8(5)`, `bytes32(0x00...)`), or another function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import coincurve

from simulator.abi.call_parser import parse_value
from simulator.abi.codec import encode
from simulator.abi.hashing import checksum_address, event_topic, keccak256, selector
from simulator.abi.literals import Wildcard
from simulator.abi.text import format_value
from simulator.abi.types import (
    AbiType,
    Address,
    Array,
    Bool,
    Bytes,
    FixedBytes,
    Int,
    String,
    Tuple,
    UInt,
    Value,
    parse_type_text,
)
from simulator.errors import AbiError
from simulator.known_names import known_names
from simulator.rlp import encode as rlp_encode

MAX_DEPTH = 16
MAX_LENGTH = 20_000
SECP256K1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_CALL = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_.]*(?:\[[0-9]*\])*)\s*\((.*)\)\s*", re.DOTALL)
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})+")
_QUOTES = "\"'"


@dataclass(frozen=True)
class Evaluated:
    """A value with its type."""

    abi_type: AbiType
    value: Value

    @property
    def text(self) -> str:
        """As an argument is written; addresses with their checksum."""
        if isinstance(self.abi_type, Address):
            return checksum_address(_integer(self))
        return format_value(self.abi_type, self.value)


def evaluate(text: str) -> Evaluated:
    """The value of an expression. Raises `AbiError`."""
    if len(text) > MAX_LENGTH:
        raise AbiError(f"an expression has at most {MAX_LENGTH} characters, not {len(text)}")
    return _evaluate(text.strip(), 0)


def _evaluate(text: str, depth: int) -> Evaluated:
    if depth > MAX_DEPTH:
        raise AbiError(f"functions are nested deeper than {MAX_DEPTH}")
    match = _CALL.fullmatch(text)
    if match is None:
        return _literal(text)
    name, inside = match.group(1), match.group(2)
    if (function := FUNCTIONS.get(name)) is not None:
        return function([_evaluate(part, depth + 1) for part in _parts(inside)])
    try:
        abi_type = parse_type_text(name)
    except AbiError:
        raise AbiError(f"there is no function {name!r}; known are {known_names(name, FUNCTIONS, 20)}") from None
    return _typed(abi_type, inside)


def _literal(text: str) -> Evaluated:
    """A literal of the type that it looks like: an address has 40 hex digits, other hex is bytes."""
    if not text:
        raise AbiError("an expression is missing")
    if text[0] in _QUOTES:
        return _typed(String(), text)
    if text in ("true", "false"):
        return _typed(Bool(), text)
    if _ADDRESS.fullmatch(text):
        return _typed(Address(), text)
    if _HEX.fullmatch(text):
        return _typed(Bytes(), text)
    try:
        return _typed(Int(256) if text.startswith("-") else UInt(256), text)
    except AbiError as error:
        known = ", ".join(FUNCTIONS)
        raise AbiError(f"{error}; an expression is one value, a type as in uint8(5), or one of {known}") from None


def _typed(abi_type: AbiType, text: str) -> Evaluated:
    value = parse_value(text.strip(), abi_type)
    # Checks ranges, and refuses wildcards.
    if isinstance(value, Wildcard):
        raise AbiError("wildcards have no value")
    encode((abi_type,), (value,))  # type: ignore[arg-type]
    return Evaluated(abi_type, value)  # type: ignore[arg-type]


def _parts(text: str) -> list[str]:
    """The arguments between commas, not those within quotes and brackets."""
    parts, start, depth, quote, escaped = [], 0, 0, "", False
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and not escaped else quote
            escaped = letter == "\\" and not escaped
        elif letter in _QUOTES:
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    if depth or quote:
        raise AbiError("brackets or quotes do not match")
    last = text[start:].strip()
    return [*parts, last] if parts or last else []


# --- functions -------------------------------------------------------------------------------------------------------


def _keccak(arguments: Sequence[Evaluated]) -> Evaluated:
    (data,) = _exactly(arguments, "keccak256", 1)
    return Evaluated(FixedBytes(32), keccak256(_bytes(data)))


def _encode(arguments: Sequence[Evaluated]) -> Evaluated:
    return _blob(encode([each.abi_type for each in arguments], [each.value for each in arguments]))


def _packed(arguments: Sequence[Evaluated]) -> Evaluated:
    return _blob(b"".join(_pack(each.abi_type, each.value) for each in arguments))


def _with_signature(arguments: Sequence[Evaluated]) -> Evaluated:
    if not arguments:
        raise AbiError('abi.encodeWithSignature takes "f(types)" and the arguments')
    signature = _canonical(arguments[0])
    types = parse_type_text(signature[signature.index("(") :])
    assert isinstance(types, Tuple), "brackets make a tuple"
    values = [each.value for each in arguments[1:]]
    if len(values) != len(types.members):
        raise AbiError(f"{signature} takes {len(types.members)} arguments, not {len(values)}")
    return _blob(selector(signature) + encode(types.members, values))


def _selector(arguments: Sequence[Evaluated]) -> Evaluated:
    (text,) = _exactly(arguments, "selector", 1)
    return Evaluated(FixedBytes(4), selector(_canonical(text)))


def _topic(arguments: Sequence[Evaluated]) -> Evaluated:
    (text,) = _exactly(arguments, "topic", 1)
    return Evaluated(FixedBytes(32), event_topic(_canonical(text)))


def _checksum(arguments: Sequence[Evaluated]) -> Evaluated:
    (address,) = _exactly(arguments, "checksum", 1)
    return Evaluated(Address(), _integer(address) % (1 << 160))


def _create(arguments: Sequence[Evaluated]) -> Evaluated:
    sender, nonce = _exactly(arguments, "create", 2)
    number = _integer(nonce)
    if not 0 <= number < 1 << 64:
        raise AbiError("a nonce is 0 to 2^64-1")
    size = (number.bit_length() + 7) // 8
    digest = keccak256(rlp_encode([_address_bytes(sender), number.to_bytes(size, "big")]))
    return Evaluated(Address(), int.from_bytes(digest[12:], "big"))


def _create2(arguments: Sequence[Evaluated]) -> Evaluated:
    sender, salt, code_hash = _exactly(arguments, "create2", 3)
    digest = keccak256(b"\xff" + _address_bytes(sender) + _word(salt) + _word(code_hash))
    return Evaluated(Address(), int.from_bytes(digest[12:], "big"))


def _sign(arguments: Sequence[Evaluated]) -> Evaluated:
    """r, s and v, as `ECDSA.recover` takes them."""
    key, digest = _exactly(arguments, "sign", 2)
    signature = _private_key(key).sign_recoverable(_word(digest), hasher=None)
    return _blob(signature[:64] + bytes([27 + signature[64]]))


def _address_of(arguments: Sequence[Evaluated]) -> Evaluated:
    (key,) = _exactly(arguments, "addressOf", 1)
    public = _private_key(key).public_key.format(compressed=False)[1:]
    return Evaluated(Address(), int.from_bytes(keccak256(public)[12:], "big"))


FUNCTIONS: dict[str, Callable[[Sequence[Evaluated]], Evaluated]] = {
    "keccak256": _keccak,
    "abi.encode": _encode,
    "abi.encodePacked": _packed,
    "abi.encodeWithSignature": _with_signature,
    "selector": _selector,
    "topic": _topic,
    "checksum": _checksum,
    "create": _create,
    "create2": _create2,
    "sign": _sign,
    "addressOf": _address_of,
}


# --- values ----------------------------------------------------------------------------------------------------------


def _exactly(arguments: Sequence[Evaluated], name: str, count: int) -> Sequence[Evaluated]:
    if len(arguments) != count:
        raise AbiError(f"{name} takes {count} arguments, not {len(arguments)}")
    return arguments


def _blob(data: bytes) -> Evaluated:
    return Evaluated(Bytes(), data)


def _bytes(value: Evaluated) -> bytes:
    match value.value:
        case bytes():
            return value.value
        case str():
            return value.value.encode("utf-8", "surrogateescape")
        case _:
            raise AbiError(f"bytes or a text is expected, not {value.abi_type.canonical}; abi.encode makes bytes of it")


def _canonical(value: Evaluated) -> str:
    if not isinstance(value.value, str) or "(" not in value.value:
        raise AbiError('a signature is expected, as "transfer(address,uint256)"')
    name, _, types = value.value.partition("(")
    return f"{name.strip()}{parse_type_text('(' + types).canonical}"


def _integer(value: Evaluated) -> int:
    match value.value:
        case bool():
            raise AbiError("a number is expected, not a bool")
        case int():
            return value.value
        case bytes():
            return int.from_bytes(value.value, "big")
        case _:
            raise AbiError(f"a number is expected, not {value.abi_type.canonical}")


def _word(value: Evaluated) -> bytes:
    number = _integer(value)
    if not 0 <= number < 1 << 256:
        raise AbiError("a word of 32 bytes is expected")
    return number.to_bytes(32, "big")


def _address_bytes(value: Evaluated) -> bytes:
    number = _integer(value)
    if not 0 <= number < 1 << 160:
        raise AbiError("an address is expected")
    return number.to_bytes(20, "big")


def _private_key(value: Evaluated) -> coincurve.PrivateKey:
    number = _integer(value)
    if not 0 < number < SECP256K1_ORDER:
        raise AbiError("a private key is 1 to the order of secp256k1, exclusive")
    return coincurve.PrivateKey.from_int(number)


def _pack(abi_type: AbiType, value: Value) -> bytes:
    """Non-standard packed mode: no padding but within arrays, no lengths."""
    match abi_type, value:
        case ((UInt(bits) | Int(bits)), int()):
            return (value % (1 << bits)).to_bytes(bits // 8, "big")
        case Address(), int():
            return value.to_bytes(20, "big")
        case Bool(), _:
            return bytes([bool(value)])
        case ((FixedBytes() | Bytes()), bytes()):
            return value
        case String(), str():
            return value.encode("utf-8", "surrogateescape")
        case Array(element), list() | tuple() if not isinstance(element, Array | Tuple) and not element.is_dynamic:
            return b"".join(encode((element,), (item,)) for item in value)
        case _:
            raise AbiError(f"abi.encodePacked does not take {abi_type.canonical}")
