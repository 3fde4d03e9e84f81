"""Call trees as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.abi.contract import ContractAbi, Fallback
from simulator.abi.hashing import event_topic, selector
from simulator.evm.addresses import CONSOLE_ADDRESS
from simulator.evm.results import EmittedLog, Status
from simulator.evm.tracer import CallNode
from simulator.trace.address_book import AddressBook
from simulator.trace.render import TraceLimits, render_trace
from simulator.transaction import address_int

USER, VAULT, TOKEN, OTHER = (bytes([0] * 17 + [n, 0, 0]) for n in (1, 2, 3, 4))

ABI_VAULT: list[dict[str, Any]] = [
    {
        "type": "function",
        "name": "deposit",
        "inputs": [{"name": "who", "type": "address"}, {"name": "note", "type": "string"}],
        "outputs": [],
    },
    {
        "type": "event",
        "name": "Deposit",
        "inputs": [
            {"name": "who", "type": "address", "indexed": True},
            {"name": "amount", "type": "uint256"},
            {"name": "note", "type": "string", "indexed": True},
        ],
    },
    {"type": "error", "name": "TooSmall", "inputs": [{"name": "amount", "type": "uint256"}]},
]
ABI_TOKEN: list[dict[str, Any]] = [
    {
        "type": "function",
        "name": "balanceOf",
        "inputs": [{"name": "who", "type": "address"}],
        "outputs": [{"name": "", "type": "uint256"}],
        "stateMutability": "view",
    },
]
BOOK = AddressBook(
    {"a.sol:Vault": ContractAbi.from_json(ABI_VAULT), "a.sol:Token": ContractAbi.from_json(ABI_TOKEN)},
    {VAULT: "a.sol:Vault", TOKEN: "a.sol:Token"},
)


def word(value: int | bytes) -> bytes:
    return value.rjust(32, b"\0") if isinstance(value, bytes) else value.to_bytes(32, "big")


DEPOSIT = selector("deposit(address,string)") + word(USER) + word(64) + word(2) + b"hi".ljust(32, b"\0")
BALANCE = selector("balanceOf(address)") + word(VAULT)


def call(**changes: object) -> CallNode:
    base = CallNode(
        kind="CALL",
        depth=0,
        sender=address_int(USER),
        to=address_int(VAULT),
        code_address=address_int(VAULT),
        value=0,
        gas=100_000,
        gas_used=51_231,
        input=DEPOSIT,
    )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def static_call(**changes: object) -> CallNode:
    return call(
        **{
            "kind": "STATICCALL",
            "sender": address_int(VAULT),
            "to": address_int(TOKEN),
            "code_address": address_int(TOKEN),
            "input": BALANCE,
            "output": word(100),
            "gas_used": 2_534,
            "status": Status.RETURN,
            **changes,
        }
    )


def log_of(account: bytes, topics: Sequence[bytes], data: bytes) -> EmittedLog:
    return EmittedLog(address_int(account), tuple(int.from_bytes(topic, "big") for topic in topics), data)


def printed(text: bytes) -> CallNode:
    """A call of `console.log(string)`."""
    padded = text.ljust(-(-len(text) // 32) * 32, b"\0")
    data = selector("log(string)") + word(32) + word(len(text)) + padded
    return call(to=CONSOLE_ADDRESS, code_address=CONSOLE_ADDRESS, input=data)


def lines(node: CallNode, limits: TraceLimits | None = None) -> list[str]:
    return list(render_trace([node], BOOK, limits) if limits else render_trace([node], BOOK))


def test_a_tree_is_drawn_with_names_values_events_and_reasons() -> None:
    """The picture of the module's documentation."""
    log = log_of(VAULT, (event_topic("Deposit(address,uint256,string)"), word(USER), b"\x11" * 32), word(5))
    failed = {"status": Status.REVERT, "output": selector("TooSmall(uint256)") + word(5)}
    assert lines(call(value=5, items=[static_call(), log], **failed)) == [
        '[51231] Vault::deposit{value: 5}(0x10000, "hi")',
        "  ├─ [2534] Token::balanceOf(Vault) [staticcall]",
        "  │   └─ ← [Return] 100",
        f"  ├─ emit Deposit(who: 0x10000, amount: 5, note: 0x{'11' * 32})",
        "  └─ ← [Revert] TooSmall(5)",
    ]


def test_delegated_code_is_named_with_the_account_it_acts_for() -> None:
    """A proxy runs the code of another account."""
    node = call(kind="DELEGATECALL", to=address_int(OTHER), code_address=address_int(VAULT))
    assert lines(node)[0] == f'[51231] Vault::deposit(0x10000, "hi") [delegatecall] for 0x{OTHER.hex()}'


def test_an_account_without_a_name_borrows_known_functions() -> None:
    """The selector decides when the address says nothing."""
    node = static_call(to=address_int(OTHER), code_address=address_int(OTHER))
    assert lines(node) == [f"[2534] 0x{OTHER.hex()}::balanceOf(Vault) [staticcall]", "  └─ ← [Return] 100"]


def test_creations_show_address_and_sizes() -> None:
    """Code is never printed."""
    token = address_int(TOKEN)
    node = call(kind="CREATE2", to=token, code_address=token, input=b"x" * 99, output=b"y" * 33)
    assert lines(node) == [
        f"[51231] → new Token@0x{TOKEN.hex()} (99 bytes of creation code)",
        "  └─ ← [Return] 33 bytes of code",
    ]
    failed = dataclasses.replace(node, to=0, output=b"", status=Status.OUT_OF_GAS)
    assert lines(failed)[0].startswith("[51231] → new <no address> (")
    assert lines(failed)[1] == "  └─ ← [out of gas]"


def test_what_cannot_be_decoded_is_shown_raw() -> None:
    """Plain transfers, unknown selectors, cut-off calldata, foreign logs."""
    assert lines(call(input=b"", value=3))[0] == "[51231] Vault::receive{value: 3}()"
    assert lines(call(input=b"\1\2\3\4\5"))[0] == "[51231] Vault::fallback(0x0102030405)"
    assert lines(call(input=DEPOSIT[:20]))[0] == f"[51231] Vault::deposit(0x{DEPOSIT[4:20].hex()})"
    log = log_of(OTHER, (b"\2" * 32,), b"\3")
    assert lines(call(items=[log]))[1] == f"  ├─ emit log(topics: [0x{'02' * 32}], data: 0x03)"


def test_an_event_with_other_indexed_fields_is_not_guessed() -> None:
    """ERC-20 and ERC-721 share a signature; the number of topics decides."""
    log = log_of(VAULT, (event_topic("Deposit(address,uint256,string)"),), b"")
    assert lines(call(items=[log]))[1].startswith("  ├─ emit log(topics: [0x")


def test_long_values_lose_their_middle() -> None:
    """Start and end of a value tell more than its first half."""
    text = lines(call(input=b"\xab" * 300), TraceLimits(text=41))[0]
    assert "…" in text
    assert len(text) < 80


def test_console_messages_cannot_steer_a_terminal() -> None:
    """Escape sequences and line breaks of contracts' texts are made harmless."""
    message = printed("a\x1b[31m\nb\u202ec".encode())
    assert lines(call(items=[message]))[1] == "  ├─ console: a\\x1b[31m\\nb\\u202ec"


def test_deep_and_wide_trees_stay_small() -> None:
    """A thousand nested calls and a hundred thousand logs make no more lines than allowed."""
    node = call(items=[printed(b"x")] * 100_000)
    for _ in range(1000):
        node = call(items=[node])
    limits = TraceLimits(items=50, depth=10)
    drawn = lines(node, limits)
    assert any("1 deeper steps are not shown" in line for line in drawn)
    assert len(drawn) < 130
    wide = lines(call(items=[printed(b"x")] * 100_000), limits)
    assert wide[-1] == "  ├─ … the trace continues; 50 steps are shown"
    assert len(wide) == 51


@given(st.binary(max_size=200), st.binary(max_size=200), st.lists(st.binary(min_size=32, max_size=32), max_size=4))
def test_any_bytes_can_be_rendered(data: bytes, output: bytes, topics: list[bytes]) -> None:
    """Calldata, return data and logs come from hostile contracts."""
    for first in (data, DEPOSIT[:4] + data, BALANCE[:4] + data):
        log = log_of(VAULT, (event_topic("Deposit(address,uint256,string)"), *topics[1:]), data)
        for status in (Status.RETURN, Status.REVERT):
            node = call(input=first, output=output, status=status, items=[log])
            assert all(line.isprintable() for line in lines(node))


@pytest.mark.parametrize(
    ("has_receive", "has_fallback", "name"),
    [(True, True, "receive"), (False, True, "fallback"), (True, False, "receive"), (False, False, "receive")],
)
def test_a_plain_transfer_is_named_after_the_function_that_it_reaches(
    has_receive: bool, has_fallback: bool, name: str
) -> None:
    """Without `receive`, that is `fallback`."""
    abi = ContractAbi(receive=has_receive, fallback=Fallback(payable=True) if has_fallback else None)
    book = AddressBook({"a.sol:Purse": abi}, {VAULT: "a.sol:Purse"})
    assert render_trace((call(input=b"", value=3),), book)[0] == f"[51231] Purse::{name}{{value: 3}}()"
