"""Calls of the corpus as text, and what a signature in a search means."""

from __future__ import annotations

import pytest

from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import selector
from simulator.corpus.call_reading import CallReader
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction, wei_bytes

TOKEN = b"\xaa" * 20
ABI = ContractAbi.from_json(
    [
        {"type": "function", "name": name, "inputs": [{"name": "", "type": kind} for kind in kinds], "outputs": []}
        for name, kinds in (
            ("transfer", ("address", "uint256")),
            ("transfer", ("address",)),
            ("transferFrom", ("address", "address", "uint256")),
        )
    ]
)
READER = CallReader(AddressBook({"T.sol:Token": ABI}, {TOKEN: "T.sol:Token"}))
TRANSFER = ABI.by_selector[selector("transfer(address,uint256)")]


@pytest.mark.requirement("004-4", "004-5", "004-20")
def test_a_transaction_reads_like_solidity():
    """Call by name, sender in lower-case hex, value in decimal wei, gas where it is known."""
    data = TRANSFER.encode_call((0xABCDEF, 2**255))
    read = READER.read(Transaction(b"\xab" * 20, TOKEN, data, wei_bytes(10**20)), 7, "id", 21_000)
    assert read.call == f"transfer(0xabcdef,{2**255})"
    assert (read.index, read.sender, read.value) == (7, "0x" + "ab" * 20, "100000000000000000000")
    assert (read.gas_used, read.sequence) == (21_000, "id")


@pytest.mark.parametrize(
    ("to", "data", "text"),
    [
        (b"", b"", "*wait*"),
        (TOKEN, b"", "*fallback*(0x)"),
        (TOKEN, b"\x01\x02", "*fallback*(0x0102)"),
        (TOKEN, TRANSFER.selector + b"\x01", "transfer(0x01)"),
        (b"\xbb" * 20, TRANSFER.encode_call((1, 2)), "transfer(0x1,2)"),
    ],
    ids=["wait", "receive", "short", "not decodable", "unknown account"],
)
def test_every_transaction_has_a_text(to: bytes, data: bytes, text: str):
    """Waits, fallbacks and calldata that does not decode included."""
    assert READER.call_text(to, data) == text


@pytest.mark.requirement("004-22")
@pytest.mark.parametrize(
    ("signature", "meant"),
    [
        ("transfer(address,uint256)", ["transfer(address,uint256)"]),
        ("transfer", ["transfer(address,uint256)", "transfer(address)"]),
        ("Transfer", []),
        ("trans", []),
        ("transfer ", []),
        ("", []),
    ],
)
def test_a_signature_is_exact_and_a_name_means_its_overloads(signature: str, meant: list[str]):
    """Case-sensitive, no prefixes: `transfer` is not `transferFrom`."""
    assert READER.selectors(signature) == frozenset(map(selector, meant))


def test_a_spelling_that_is_not_canonical_matches_no_call():
    """With a space, the selector is another one."""
    assert TRANSFER.selector not in READER.selectors("transfer(address, uint256)")
