r"""Calls written by people: `transfer(0x20000, 1.5 ether)`, `set({owner: 0x1, tags: ["a", ?]})`.

| type | allowed forms |
|---|---|
| `uintN`, `intN` | `5`, `-5`, `1_000`, `0xff`, `1e18`, `1.5e18`, `1 ether`, `3 gwei`, `2 days` |
| `bool` | `true`, `false` |
| `address` | `0x` and 1 to 40 hex digits |
| `bytesN` | `0x` and exactly 2N hex digits, or a string of at most N bytes (padded with zeros) |
| `bytes` | `0x...`, `hex"..."`, or a string |
| `string` | `"..."` or `'...'` with `\"`, `\'`, `\\`, `\n`, `\r`, `\t`, `\0`, `\xNN` (a byte), `\uNNNN` |
| `function` | `0x` and 48 hex digits |
| arrays | `[a, b]` |
| structs | `(a, b)`, `{a, b}` or `{name: a, other: b}` |
| any | `?`, or an elided literal such as `0xabcd...`: a wildcard, to be filled in while fuzzing |

Which function is meant, and so its selector, comes from the ABI alone. Where overloads accept the same text, the types
are written before the arguments: `set(uint256)(5)`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never, cast

from simulator.abi.codec import encode
from simulator.abi.contract import ContractAbi, Function
from simulator.abi.literals import (
    Scanner,
    Wildcard,
    read_address,
    read_bytes,
    read_fixed_bytes,
    read_integer,
    read_text,
)
from simulator.abi.types import (
    AbiType,
    Address,
    Array,
    Bool,
    Bytes,
    FixedBytes,
    FunctionType,
    Int,
    String,
    Tuple,
    UInt,
    Value,
)
from simulator.errors import AbiError
from simulator.known_names import known_names

Argument: TypeAlias = "Value | Wildcard | Sequence[Argument]"
"""A value, a wildcard, or a list with wildcards inside."""

MAX_TEXT = 1 << 20
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_BOOL = re.compile(r"(true|false)\b")


@dataclass(frozen=True)
class ParsedCall:
    function: Function
    arguments: tuple[Argument, ...]

    @property
    def has_wildcards(self) -> bool:
        return any(map(_is_wild, self.arguments))

    def encode(self) -> bytes:
        """The calldata. Raises `AbiError` when a wildcard is left, or a value is out of range."""
        if self.has_wildcards:
            raise AbiError(f"{self.function.signature}: the call has wildcards, which only a running worker fills in")
        return self.function.encode_call(cast("tuple[Value, ...]", self.arguments))


def parse_call(text: str, abi: ContractAbi) -> ParsedCall:
    """Read one call of a function of `abi`; see the module for the forms.

    Raises `AbiError` naming the position and the allowed form, and for functions that `abi` does not have.
    """
    if len(text) > MAX_TEXT:
        raise AbiError(f"the call has {len(text)} characters; at most {MAX_TEXT} are allowed")
    scanner = Scanner(text)
    name = scanner.expect(_NAME, "the name of a function, as in transfer(0x20000, 5)")
    candidates = abi.overloads(name)
    if not candidates:
        raise AbiError(_unknown(name, abi))
    for function in candidates:
        # `f(uint256)(5)` names its overload.
        if text[scanner.position :].replace(" ", "").startswith(function.inputs.canonical + "("):
            scanner.position = text.index("(", _end_of_types(text, scanner.position))
            return _parse_arguments(scanner, function)
    return _resolve(scanner, candidates)


def parse_value(text: str, abi_type: AbiType) -> Argument:
    """Read one value of a type, in the forms of arguments. Raises `AbiError`."""
    if len(text) > MAX_TEXT:
        raise AbiError(f"the value has {len(text)} characters; at most {MAX_TEXT} are allowed")
    scanner = Scanner(text)
    value = _value(scanner, abi_type)
    scanner.end()
    return value


def _end_of_types(text: str, position: int) -> int:
    depth = 0
    for index in range(position, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0 and text[index] == ")":
            return index
    return position


def _unknown(name: str, abi: ContractAbi) -> str:
    near = difflib.get_close_matches(name, [function.name for function in abi.functions], n=1)
    known = f"did you mean {near[0]!r}?" if near else f"known are {known_names(name, abi.by_signature)}"
    return f"there is no function {name!r}; {known}"


def _resolve(scanner: Scanner, candidates: Sequence[Function]) -> ParsedCall:
    start = scanner.position
    parsed: list[ParsedCall] = []
    errors: list[AbiError] = []
    for function in candidates:
        scanner.position = start
        try:
            call = _parse_arguments(scanner, function)
            if not call.has_wildcards:
                call.encode()
            parsed.append(call)
        except AbiError as error:
            errors.append(error)
    if len(parsed) == 1:
        return parsed[0]
    if not parsed and len(errors) == 1:
        raise errors[0]
    signatures = ", ".join(function.signature for function in candidates)
    if not parsed:
        raise AbiError(f"the arguments fit none of {signatures}: {'; '.join(map(str, errors[:3]))}")
    raise AbiError(
        f"the call may mean each of {', '.join(call.function.signature for call in parsed)}; "
        f"write the types first, as in {parsed[0].function.signature}(...)"
    )


def _parse_arguments(scanner: Scanner, function: Function) -> ParsedCall:
    try:
        scanner.take("(", "'('")
        arguments = _members(scanner, function.inputs, ")")
        scanner.end()
    except AbiError as error:
        raise AbiError(f"{function.signature}: {error}") from None
    return ParsedCall(function, arguments)


def _members(scanner: Scanner, expected: Tuple, close: str) -> tuple[Argument, ...]:
    values: list[Argument] = []
    for index, member in enumerate(expected.members):
        if index:
            scanner.take(",", f"',' and {len(expected.members) - index} more ({_describe(expected, index)})")
        elif scanner.peek(close):
            break
        values.append(_value(scanner, member))
    if len(values) < len(expected.members):
        scanner.fail(f"{len(expected.members)} values, {expected.canonical}")
    scanner.take(close, f"{close!r}: {expected.canonical} has {len(expected.members)} members")
    return tuple(values)


def _describe(expected: Tuple, index: int) -> str:
    name = expected.name_of(index)
    return expected.members[index].canonical + (f" {name}" if name else "")


def _value(scanner: Scanner, abi_type: AbiType) -> Argument:
    wildcard = scanner.wildcard()
    if wildcard is not None:
        return wildcard
    match abi_type:
        case UInt() | Int():
            return read_integer(scanner, abi_type)
        case Address():
            return read_address(scanner)
        case Bool():
            return scanner.expect(_BOOL, "true or false") == "true"
        case FixedBytes(size):
            return read_fixed_bytes(scanner, size, allow_text=True)
        case FunctionType(size=size):
            return read_fixed_bytes(scanner, size, allow_text=False)
        case Bytes():
            return read_bytes(scanner)
        case String():
            return read_text(scanner).decode("utf-8", "surrogateescape")
        case Array(element, length):
            return _array(scanner, element, length)
        case Tuple():
            return _struct(scanner, abi_type)
        case _:
            assert_never(abi_type)


def _array(scanner: Scanner, element: AbiType, length: int | None) -> Argument:
    scanner.take("[", f"an array of {element.canonical}, as in [a, b]")
    values: list[Argument] = []
    while not scanner.peek("]"):
        if values:
            scanner.take(",", "',' or ']'")
        values.append(_value(scanner, element))
    if length is not None and len(values) != length:
        scanner.fail(f"{length} elements; there are {len(values)}")
    scanner.take("]", "']'")
    return values


def _struct(scanner: Scanner, expected: Tuple) -> Argument:
    if scanner.peek("("):
        scanner.take("(", "'('")
        return _members(scanner, expected, ")")
    scanner.take("{", f"a struct {expected.canonical}, as in (a, b) or {{name: a}}")
    named = _NAME.match(scanner.text, scanner.skip())
    if named is None or not scanner.text[named.end() :].lstrip().startswith(":"):
        return _members(scanner, expected, "}")
    return _named_members(scanner, expected)


def _named_members(scanner: Scanner, expected: Tuple) -> Argument:
    values: dict[str, Argument] = {}
    while not scanner.peek("}"):
        if values:
            scanner.take(",", "',' or '}'")
        left = [name for name in expected.names if name not in values]
        start = scanner.skip()
        name = scanner.expect(_NAME, f"one of the members {', '.join(left)}")
        if name not in left:
            scanner.position = start
            scanner.fail(f"one of the members {', '.join(left) or '(none is left)'}")
        scanner.take(":", "':'")
        values[name] = _value(scanner, expected.members[expected.names.index(name)])
    if len(values) != len(expected.members):
        scanner.fail(f"the members {', '.join(name for name in expected.names if name not in values)} too")
    scanner.take("}", "'}'")
    return tuple(values[name] for name in expected.names)


def _is_wild(argument: Argument) -> bool:
    if isinstance(argument, list | tuple):
        return any(map(_is_wild, argument))
    return isinstance(argument, Wildcard)


def encode_constructor_arguments(abi: ContractAbi, texts: Sequence[str], name: str) -> bytes:
    """Encode the arguments that follow a creation code. `name` is the contract's, for messages. Raises `AbiError`
    naming the argument and the allowed form."""
    types = abi.constructor.inputs.members
    if len(texts) != len(types):
        takes = f"takes {abi.constructor.inputs.canonical}" if types else "takes no arguments"
        raise AbiError(f"{name}: the constructor {takes}; {len(texts)} given with --constructor-args")
    values = [
        _argument(text, kind, f"{name}: constructor argument {at}")
        for at, (text, kind) in enumerate(zip(texts, types, strict=True), 1)
    ]
    return encode(types, values)


def _argument(text: str, kind: AbiType, place: str) -> Value:
    if isinstance(kind, String) and text[:1] not in ('"', "'"):
        return text
    try:
        value = parse_value(text, kind)
    except AbiError as error:
        raise AbiError(f"{place}: {error}") from error
    if isinstance(value, Wildcard):
        raise AbiError(f"{place}: {text} leaves the value open")
    return cast("Value", value)
