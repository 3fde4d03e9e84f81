"""Arguments of constructors are texts, typed by the ABI."""

from __future__ import annotations

import pytest

from simulator.abi.call_parser import encode_constructor_arguments
from simulator.abi.contract import ContractAbi
from simulator.errors import AbiError

ABI = ContractAbi.from_json(
    [{"type": "constructor", "inputs": [{"name": "a", "type": "uint256"}, {"name": "b", "type": "string"}]}]
)


@pytest.mark.parametrize("text", ["hello", '"hello"', "'hello'"])
def test_values_are_encoded_by_their_types(text: str) -> None:
    """Quotes around a text are optional."""
    data = encode_constructor_arguments(ABI, ("1 ether", text), "A")
    assert data == b"".join(
        (number.to_bytes(32, "big") for number in (10**18, 64, 5)),
    ) + b"hello".ljust(32, b"\0")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("1",), r"A: the constructor takes \(uint256,string\); 1 given"),
        (("x", "y"), "A: constructor argument 1: "),
        (("?", "y"), r"A: constructor argument 1: \? leaves the value open"),
        ((str(1 << 256), "y"), "A: constructor argument 1: "),
    ],
)
def test_what_does_not_fit_is_an_error(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(AbiError, match=message):
        encode_constructor_arguments(ABI, texts, "A")


def test_a_constructor_without_arguments_takes_none() -> None:
    with pytest.raises(AbiError, match="A: the constructor takes no arguments; 1 given with --constructor-args"):
        encode_constructor_arguments(ContractAbi(), ("1",), "A")
