"""Calldata and bytes that no ABI type describes: what `fallback` gets, calls within `bytes`, continued constants."""

from __future__ import annotations

from random import Random

import pytest

from simulator.abi.contract import Function
from simulator.abi.types import Bytes, Tuple, UInt
from simulator.fuzz.checking.replay import Replayer
from simulator.fuzz.generation.dictionary import Dictionary
from simulator.fuzz.generation.value_source import ValueSource
from simulator.fuzz.shrinking.shrinker import Shrinker
from simulator.fuzz.targets.discovery import coming_addresses
from simulator.transaction import Transaction
from tests.simulator.fuzz.conftest import MakeWorker

integration = pytest.mark.integration

TAKES_ANYTHING = """
contract Door {
    uint256 private x;
    function f(uint256 y) public { x = y; }
    fallback() external payable { assert(msg.data.length != 3); }
    receive() external payable { assert(msg.value != 5); }
}
"""
FACTORY = """
contract Child { bool public bad; constructor(bool b) { bad = b; } }
contract Factory {
    uint256 private made;
    bool private met;
    function make() public { new Child(++made == 2); }
    function meet(Child child) public { if (child.bad()) met = true; }
    function echidna_never_met() public view returns (bool) { return !met; }
}
"""
CALLBACK = """
contract Wallet {
    bool private paid;
    function pay(uint256 amount) public { require(msg.sender == address(this)); if (amount > 0) paid = true; }
    function execute(bytes calldata data) public { (bool ok,) = address(this).call(data); require(ok); }
    function echidna_unpaid() public view returns (bool) { return !paid; }
}
"""


def falsified(make_worker: MakeWorker, source: str, calls: int, **settings: object) -> set[str]:
    """Names of the tests that fail within a number of calls, newly created contracts made known on the way."""
    worker = make_worker(source, **settings)
    found: set[str] = set()
    while (executed := worker.engine.fuzz(calls)) is not None:
        found |= {worker.oracles[test].name for test in executed.failures}
        for test in executed.failures:
            worker.engine.oracles.set_open(test, False)
    return found


@integration
def test_fallback_gets_calldata_of_any_length_and_receive_none(make_worker: MakeWorker) -> None:
    """Also less than a selector; what fails in them is their own test."""
    assert falsified(make_worker, TAKES_ANYTHING, 20_000, test_mode="assertion") == {"fallback()", "receive()"}


@integration
def test_unknown_calldata_is_the_fallbacks(make_worker: MakeWorker) -> None:
    """So that it is mutated and shrunk; empty calldata is for `receive`, known selectors for their functions."""
    worker = make_worker(TAKES_ANYTHING, test_mode="assertion")

    def called(data: bytes) -> str | None:
        call = Transaction(sender=worker.settings.senders[0], to=worker.settings.contract_address, data=data)
        target = worker.engine.target_of(call)
        return target.function.name if target else None

    known = next(t for t in worker.functions if t.function.name == "f").selector
    assert [called(data) for data in (b"", b"\1", b"\1\2\3\4\5", known)] == ["receive", "fallback", "fallback", "f"]


@integration
def test_bytes_hold_calls_of_known_functions(make_worker: MakeWorker) -> None:
    """Callbacks and multicalls need them."""
    assert falsified(make_worker, CALLBACK, 10_000) == {"echidna_unpaid"}


def test_calls_in_bytes_are_well_formed() -> None:
    """The arguments decode; calls within calls hold no further ones."""
    inner = Function("inner", Tuple((UInt(256), Bytes())))
    source = ValueSource(Dictionary(), (inner,))
    rng = Random(1)
    values = [source.pick(Bytes(), rng) for _ in range(200)]
    calls = [value for value in values if isinstance(value, bytes)]
    assert calls
    assert all(len(inner.decode_call(value)) == 2 for value in calls)


def test_known_bytes_are_cut_continued_and_repeated() -> None:
    """A contract may ask for a prefix, and for a length that the constant does not have."""
    dictionary = Dictionary()
    dictionary.add_bytes(b"abcdef")
    source, rng = ValueSource(dictionary), Random(1)
    values = {value for _ in range(400) if isinstance(value := source.pick(Bytes(), rng), bytes)}
    assert {b"abcdef", b"abc", b"abcdefabcdef"} <= values
    assert any(value.startswith(b"abcdef") and 6 < len(value) < 38 for value in values)


def test_raw_calldata_is_shrunk_byte_by_byte() -> None:
    """Calldata of no function has no arguments; what cannot be left out becomes zero."""
    start = Transaction(sender=bytes(20), to=bytes(19) + b"\xaa", data=bytes(range(1, 40)))
    raw = Shrinker(
        (start,), lambda s: bool(s) and len(s[0].data) > 4, lambda _: None, (bytes(20),), 500, lambda _: True
    ).run()
    assert raw.sequence[0].data == bytes(5)


@integration
def test_later_children_of_a_factory_are_known_as_arguments(make_worker: MakeWorker) -> None:
    """Only the first child is new coverage; the addresses of those behind it follow from the creator's nonce."""
    worker = make_worker(FACTORY, "Factory")
    make = next(t for t in worker.functions if t.function.name == "make")
    call = Transaction(
        sender=worker.settings.senders[0], to=worker.settings.contract_address, data=make.function.selector
    )
    replayer = Replayer(worker.machine, worker.settings)
    first = replayer.replay((call,), None, trace=True)
    later = replayer.replay((call,) * 3, None, trace=True)
    children = [node.children[0].to for node in later.calls]  # type: ignore[union-attr]
    assert [*coming_addresses(first)][:2] == children[1:]
