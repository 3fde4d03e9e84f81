"""Keys that are remembered and derived, recursive length prefixes, lists of numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.hashing import keccak256
from simulator.cheatcodes.core.errors import CheatcodeError
from simulator.cheatcodes.values.rlp import from_rlp, to_rlp
from tests.support.cheatcode_bench import Bench, reason

JUNK = "test test test test test test test test test test test junk"
FIRST = 0xAC0974BEC39A17E36BA4A6B4D238FF944BACB478CBED5EFCAE784D7BF4F2FF80
DIGEST = bytes(31) + b"\7"


def test_keys_are_derived_from_mnemonics(bench: Bench) -> None:
    """The first account of every development chain, and a key that forge gives."""
    assert bench.vm("deriveKey(string,uint32)", JUNK, 0) == FIRST
    assert bench.vm("deriveKey(string,string,uint32)", JUNK, "m/44'/60'/0'/1/", 3) == (
        11997354056795956030948853944804158949403141251409633697895336347790896995472
    )
    assert bench.vm("deriveKey(string,uint32,string)", JUNK, 0, "english") == FIRST


@pytest.mark.parametrize(
    ("mnemonic", "path"), [("test test", "m/0/"), (JUNK, "44/0"), (JUNK, "m/x"), (JUNK, "m/" + "1/" * 20)]
)
def test_what_is_no_mnemonic_or_path_is_refused(bench: Bench, mnemonic: str, path: str) -> None:
    """By name of the cheatcode."""
    assert "vm.deriveKey" in reason(bench.raw("deriveKey(string,string,uint32)", mnemonic, path, 0))


def test_remembered_keys_sign(bench: Bench) -> None:
    """The only one signs for itself; with several, the signer is named."""
    assert "no wallets" in reason(bench.raw("sign(bytes32)", DIGEST))
    first = bench.vm("rememberKey(uint256)", 7)
    signature = bench.vm("sign(uint256,bytes32)", 7, DIGEST)
    assert bench.vm("sign(bytes32)", DIGEST) == signature
    second = bench.vm("rememberKey(uint256)", 8)
    assert "several wallets" in reason(bench.raw("sign(bytes32)", DIGEST))
    assert bench.vm("sign(address,bytes32)", first, DIGEST) == signature  # type: ignore[arg-type]
    assert bench.vm("getWallets()") == (first, second)
    assert "no wallet of" in reason(bench.raw("signCompact(address,bytes32)", 1, DIGEST))


def test_delegations_are_signed_and_attached(bench: Bench) -> None:
    """The authority has EIP-7702's designation as its code and one more nonce; an old one is refused."""
    authority: Any = bench.vm("addr(uint256)", 7)
    signed: Any = bench.vm("signDelegation(address,uint256)", 0xC0DE, 7)
    assert signed[3:] == (0, 0xC0DE)
    bench.vm("attachDelegation((uint8,bytes32,bytes32,uint64,address))", signed)
    assert bench.machine.get_code(authority) == b"\xef\x01\x00" + (0xC0DE).to_bytes(20, "big")
    assert bench.machine.get_nonce(authority) == 1
    again = bench.raw("attachDelegation((uint8,bytes32,bytes32,uint64,address))", signed)
    assert f"invalid nonce 0 of {authority:#042x}" in reason(again)
    bench.vm("signAndAttachDelegation(address,uint256,bool)", 0, 7, True)
    assert bench.machine.get_code(authority) == b""


def test_a_delegation_is_that_of_the_specification(bench: Bench) -> None:
    """The signature that a state test of Ethereum has for the same key, chain, code and nonce."""
    name = "chain 0 is every chain"
    file = Path(__file__).parents[1] / "evm" / "state_tests" / "prague_and_osaka.json"
    (entry,) = json.loads(file.read_bytes())[name]["transaction"]["authorizationList"]
    signed: Any = bench.vm("signDelegation(address,uint256,bool)", int(entry["address"], 16), 0xA11CE, True)
    assert signed[0] == int(entry["yParity"], 16)
    assert [int.from_bytes(part, "big") for part in signed[1:3]] == [int(entry[part], 16) for part in "rs"]


def test_numbers_are_sorted_and_shuffled(bench: Bench) -> None:
    """A shuffled list has the same numbers, in an order that a replay repeats."""
    numbers = tuple(range(20))
    assert bench.vm("sort(uint256[])", tuple(reversed(numbers))) == numbers
    mark = bench.machine.mark()
    shuffled = bench.vm("shuffle(uint256[])", numbers)
    assert shuffled != numbers
    assert bench.vm("sort(uint256[])", shuffled) == numbers  # type: ignore[arg-type]
    bench.machine.rollback(mark)
    assert bench.vm("shuffle(uint256[])", numbers) == shuffled


@given(st.lists(st.binary(max_size=70) | st.sampled_from([b"", b"\0", b"\x7f", b"\x80", bytes(56), bytes(300)])))
def test_rlp_survives_a_round_trip(items: list[bytes]) -> None:
    """fromRlp undoes toRlp."""
    assert from_rlp(None, to_rlp(None, tuple(items))) == tuple(items)  # type: ignore[arg-type]


def test_rlp_is_that_of_the_yellow_paper(bench: Bench) -> None:
    """A byte below 0x80 stands for itself."""
    assert bench.vm("toRlp(bytes[])", (b"a", b"")) == bytes.fromhex("c26180")
    assert bench.vm("fromRlp(bytes)", bytes.fromhex("c26180")) == (b"a", b"")


@given(st.binary(max_size=12))
def test_other_bytes_are_no_rlp(data: bytes) -> None:
    """They are refused, or written the same way again."""
    try:
        items = from_rlp(None, data)  # type: ignore[arg-type]
    except CheatcodeError:
        return
    assert to_rlp(None, items) == data  # type: ignore[arg-type]


def test_signatures_of_a_given_nonce(bench: Bench) -> None:
    """Those of forge; the signer is recovered from them."""
    digest = keccak256(b"m")
    v, r, s = bench.vm("signWithNonceUnsafe(uint256,bytes32,uint256)", 0xA11CE, digest, 12345)  # type: ignore[misc]
    assert (v, r.hex()) == (28, "f01d6b9018ab421dd410404cb869072065522bf85734008f105cf385a023a80f")  # type: ignore[union-attr]
    assert s.hex() == "298a8c6754a134957a45e82495579772de5d3cb487ecd858bc750a68090b1349"  # type: ignore[union-attr]
    assert "cannot be 0" in reason(bench.raw("signWithNonceUnsafe(uint256,bytes32,uint256)", 1, digest, 0))
    assert not bench.raw("signWithNonceUnsafe(uint256,bytes32,uint256)", 0, digest, 5).success


def test_ed25519_signs_a_namespace_and_a_message(bench: Bench) -> None:
    """As forge does."""
    key = (1).to_bytes(32, "big")
    public = bench.vm("publicKeyEd25519(bytes32)", key)
    assert bench.vm("createEd25519Key(bytes32)", key) == (public, key)
    signature = bench.vm("signEd25519(bytes,bytes,bytes32)", b"ns", b"message", key)
    assert isinstance(signature, bytes)
    assert signature.hex().startswith("b6810385df70dae9f8c4ab20228637bc104259e68ae189b1f8398dedd6c48db4")
    verify = "verifyEd25519(bytes,bytes,bytes,bytes32)"
    assert bench.vm(verify, signature, b"ns", b"message", public) is True
    assert bench.vm(verify, signature, b"nt", b"message", public) is False
    assert bench.vm(verify, b"short", b"ns", b"message", public) is False
    assert bench.vm(verify, signature, b"ns", b"message", b"\xff" * 32) is False
