"""Arguments of a constructor as texts, in the forms of `simulator.abi.call_parser`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from simulator.abi.call_parser import parse_value
from simulator.abi.codec import encode
from simulator.abi.contract import ContractAbi
from simulator.abi.literals import Wildcard
from simulator.abi.types import AbiType, String, Value
from simulator.errors import AbiError


def encode_constructor_arguments(abi: ContractAbi, texts: Sequence[str], name: str) -> bytes:
    """Encode the arguments that follow a creation code. `name` is the contract's, for messages. Raises `AbiError`
    naming the argument and the allowed form."""
    types = abi.constructor.inputs.members
    if len(texts) != len(types):
        takes = f"takes {abi.constructor.inputs.canonical}" if types else "takes no arguments"
        raise AbiError(f"{name}: the constructor {takes}; {len(texts)} given with --constructor-args")
    values = [
        _value(text, kind, f"{name}: constructor argument {at}")
        for at, (text, kind) in enumerate(zip(texts, types, strict=True), 1)
    ]
    return encode(types, values)


def _value(text: str, kind: AbiType, place: str) -> Value:
    if isinstance(kind, String) and text[:1] not in ('"', "'"):
        return text
    try:
        value = parse_value(text, kind)
    except AbiError as error:
        raise AbiError(f"{place}: {error}") from error
    if isinstance(value, Wildcard):
        raise AbiError(f"{place}: {text} leaves the value open")
    return cast("Value", value)
