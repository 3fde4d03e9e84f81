"""Reading JSON ABIs."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.abi.contract import Constructor, ContractAbi, Fallback
from simulator.abi.hashing import checksum_address, keccak256
from simulator.abi.types import Tuple, UInt
from simulator.errors import AbiError

TOKEN: list[dict[str, Any]] = [
    {
        "type": "function",
        "name": "transfer",
        "inputs": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}],
        "outputs": [{"name": "", "type": "bool"}],
        "stateMutability": "nonpayable",
    },
    {"type": "function", "name": "transfer", "inputs": [], "outputs": [], "stateMutability": "payable"},
    {
        "type": "event",
        "name": "Transfer",
        "anonymous": False,
        "inputs": [
            {"name": "from", "type": "address", "indexed": True},
            {"name": "note", "type": "string", "indexed": True},
            {"name": "amount", "type": "uint256", "indexed": False},
        ],
    },
    {"type": "error", "name": "Broke", "inputs": [{"name": "missing", "type": "uint256"}]},
    {"type": "constructor", "inputs": [{"name": "supply", "type": "uint256"}], "stateMutability": "payable"},
    {"type": "fallback", "stateMutability": "payable"},
    {"type": "receive", "stateMutability": "payable"},
]


def test_functions_are_found_by_selector_signature_and_name() -> None:
    """Overloads have a common name and selectors of their own."""
    abi = ContractAbi.from_json(TOKEN)
    transfer = abi.by_selector[bytes.fromhex("a9059cbb")]
    assert transfer is abi.by_signature["transfer(address,uint256)"]
    assert (transfer.payable, transfer.is_view, transfer.inputs.names) == (False, False, ("to", "amount"))
    assert [function.signature for function in abi.overloads("transfer")] == [
        "transfer(address,uint256)",
        "transfer()",
    ]
    assert abi.by_signature["transfer()"].payable


def test_the_other_entries_are_read() -> None:
    """Events, errors, constructor, fallback, receive."""
    abi = ContractAbi.from_json(TOKEN)
    assert abi.constructor == Constructor(Tuple((UInt(256),)), payable=True)
    assert (abi.fallback, abi.receive, abi.problems) == (Fallback(payable=True), True, ())
    assert [(error.selector, error.name) for error in abi.errors] == [(keccak256(b"Broke(uint256)")[:4], "Broke")]
    assert abi.by_topic[keccak256(b"Transfer(address,string,uint256)")].indexed == (True, True, False)


def test_calls_are_encoded_and_decoded() -> None:
    """decode_call is the inverse of encode_call and refuses another function's calldata."""
    abi = ContractAbi.from_json(TOKEN)
    transfer = abi.by_signature["transfer(address,uint256)"]
    data = transfer.encode_call((0x20000, 5))
    assert data.hex() == "a9059cbb" + f"{0x20000:064x}" + f"{5:064x}"
    assert transfer.decode_call(data) == (0x20000, 5)
    assert transfer.decode_result((1).to_bytes(32, "big")) == (True,)
    with pytest.raises(AbiError, match="selector"):
        transfer.decode_call(bytes(68))
    with pytest.raises(AbiError, match=r"transfer\(address,uint256\): argument 2"):
        transfer.encode_call((0x20000, -5))


def test_a_log_is_decoded_from_topics_and_data() -> None:
    """Indexed strings come as their hash; a log of another event is refused."""
    event = ContractAbi.from_json(TOKEN).events[0]
    topics = [event.topic0, (7).to_bytes(32, "big"), keccak256(b"hi")]
    assert event.decode(topics, (9).to_bytes(32, "big")) == (7, keccak256(b"hi"), 9)
    for wrong in ([], topics[:2], [bytes(32), *topics[1:]]):
        with pytest.raises(AbiError):
            event.decode(wrong, (9).to_bytes(32, "big"))


def test_the_form_of_solc_0_4_is_understood() -> None:
    """constant and payable stand for stateMutability."""
    abi = ContractAbi.from_json(
        [
            {"constant": True, "name": "a", "inputs": [], "outputs": [], "payable": False, "type": "function"},
            {"constant": False, "name": "b", "inputs": [], "outputs": [], "payable": True, "type": "function"},
        ]
    )
    assert [function.mutability for function in abi.functions] == ["view", "payable"]


def test_an_entry_that_cannot_be_used_is_left_out_and_named() -> None:
    """The rest of the ABI stays usable."""
    bad = {"type": "function", "name": "g", "inputs": [{"type": "Lib.Data storage"}], "stateMutability": "view"}
    abi = ContractAbi.from_json([bad, *TOKEN, {"type": "function", "name": "h", "stateMutability": "odd"}])
    assert len(abi.functions) == 2
    assert [problem.split(":")[0] for problem in abi.problems] == ["function g", "function h"]


@pytest.mark.parametrize("abi", ["[]", {"abi": []}, [5], 3])
def test_what_is_no_list_of_objects_is_an_abi_error(abi: object) -> None:
    """The JSON ABI must be a list of objects."""
    with pytest.raises(AbiError):
        ContractAbi.from_json(abi)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "0xde709f2102306220921060314715629080e2fb77",
    ],
)
def test_addresses_are_written_as_in_eip_55(text: str) -> None:
    """The examples of EIP-55."""
    assert checksum_address(int(text, 16)) == text
