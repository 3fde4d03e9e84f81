"""Expressions of agents, against known values and against Solidity's own rules."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import AbiError
from tools.campaign.expressions import MAX_LENGTH, evaluate

FIRST_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
FIRST = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('keccak256("")', "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
        ("keccak256(0x01)", "0x5fe7f977e71dba2ea1a68e21057beebb9be2ac30c6410aa38d4f3fbe41dcffd2"),
        ('selector("transfer(address,uint256)")', "0xa9059cbb"),
        ('selector("transfer(address, uint)")', "0xa9059cbb"),
        (
            'topic("Transfer(address,address,uint256)")',
            "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
        ),
        ("abi.encode(5, true)", "0x" + f"{5:064x}" + f"{1:064x}"),
        ("abi.encodePacked(uint8(5), uint16(2), true, 0x00aa)", "0x0500020100aa"),
        ("abi.encodePacked(uint8[]([1, 2]))", "0x" + f"{1:064x}{2:064x}"),
        ('abi.encodePacked(int8(-1), "ab")', "0xff6162"),
        ('abi.encodeWithSignature("f(uint256)", 7)', "0xb3de648b" + f"{7:064x}"),
        ("1 ether", "1000000000000000000"),
        ("1e18", "1000000000000000000"),
        ("-5", "-5"),
        ("checksum(0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266)", FIRST),
        (f"addressOf({FIRST_KEY})", FIRST),
        (f"create({FIRST}, 0)", "0x5FbDB2315678afecb367f032d93F642f64180aa3"),
        (f"create({FIRST}, 1)", "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"),
        ("create2(address(0x0), 0, keccak256(0x00))", "0x4D1A2e2bB4F88F0250f26Ffff098B0b30B26BF38"),
        ('keccak256(abi.encodePacked("a", "b"))', evaluate('keccak256("ab")').text),
    ],
)
def test_known_values(expression: str, value: str) -> None:
    """Of mainnet, of the usual test accounts, and of EIP-1014."""
    assert evaluate(expression).text == value


def test_a_signature_is_that_of_the_key() -> None:
    """65 bytes, and the same each time."""
    one = evaluate(f'sign({FIRST_KEY}, keccak256("hi"))')
    assert one == evaluate(f'sign({FIRST_KEY}, keccak256("hi"))')
    assert isinstance(one.value, bytes)
    assert len(one.value) == 65
    assert one.value[-1] in (27, 28)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("keccak(1)", "no function 'keccak'; known are keccak256"),
        ("1 ether + 3 gwei", "an expression is one value"),
        ("nonsense", "or one of keccak256, "),
        ("keccak256(5)", "bytes or a text is expected"),
        ("keccak256()", "takes 1 arguments, not 0"),
        ("uint8(256)", "uint8"),
        ("?", ""),
        ("uint256[]([?])", ""),
        ("abi.encode(1", ""),
        ('abi.encodeWithSignature("f(uint256)")', "takes 1 arguments, not 0"),
        ('selector("transfer")', "a signature is expected"),
        ("sign(0, 0)", "a private key is"),
        ("create(-1, 0)", "an address is expected"),
        ("create(0x00, -1)", ""),
        ("abi.encodePacked(uint256[][]([[1]]))", "does not take"),
        ("keccak256(" * 40 + ")" * 40, "nested deeper"),
        ("1" * (MAX_LENGTH + 1), "at most"),
    ],
)
def test_what_has_no_value_is_an_error(expression: str, said: str) -> None:
    """With the reason."""
    with pytest.raises(AbiError) as caught:
        evaluate(expression)
    assert said in str(caught.value)


@given(st.text(alphabet="keca256(),\"'\\0x?[]-1 e", max_size=60))
def test_whatever_is_written_has_a_value_or_an_error(text: str) -> None:
    """And no other exception."""
    with suppress(AbiError):
        assert isinstance(evaluate(text).text, str)
