"""Foundry's invariant tests: sequences call what `setUp()` chose, and the invariants."""

from __future__ import annotations

import pytest

from tests.simulator.fuzz.conftest import MakeWorker

pytestmark = pytest.mark.integration

SUITE = """
contract Ledger { uint256 public sum; function add(uint8 by) public { sum += by; } function drop() public { sum = 0; } }
contract Handler {
    Ledger private ledger;
    uint256 public ghost;
    constructor(Ledger at) { ledger = at; }
    function add(uint8 by) public { ledger.add(by); ghost += by == 7 ? 8 : by; }
    function idle() public {}
}
struct FuzzSelector { address addr; bytes4[] selectors; }
contract Suite {
    bool public IS_TEST = true;
    Ledger private ledger;
    Handler private handler;
    address[] private targets;
    address[] private excluded;
    FuzzSelector[] private only;
    FuzzSelector[] private never;
    function targetContracts() public view returns (address[] memory) { return targets; }
    function excludeContracts() public view returns (address[] memory) { return excluded; }
    function targetSelectors() public view returns (FuzzSelector[] memory) { return only; }
    function excludeSelectors() public view returns (FuzzSelector[] memory) { return never; }
    function setUp() public { ledger = new Ledger(); handler = new Handler(ledger); CHOICE }
    function invariant_sums_agree() public view { assert(ledger.sum() == handler.ghost()); }
    function testFuzz_anything(uint8 by) public { ledger.add(by); }
}
"""
LISTED = "bytes4[] memory some = new bytes4[](1); some[0] = Handler.add.selector;"


def called(make_worker: MakeWorker, choice: str, **settings: object) -> set[str]:
    worker = make_worker(SUITE.replace("CHOICE", choice), "Suite", test_mode="assertion", **settings)
    return {target.qualified_name for target in worker.functions}


INVARIANT = "Suite.invariant_sums_agree()"
HANDLER = {INVARIANT, "Handler.add(uint8)", "Handler.idle()", "Handler.ghost()"}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("targets.push(address(handler));", HANDLER),
        ("excluded.push(address(ledger));", HANDLER),
        ("", HANDLER | {"Ledger.add(uint8)", "Ledger.drop()", "Ledger.sum()"}),
        (f"{LISTED} only.push(FuzzSelector(address(handler), some));", {INVARIANT, "Handler.add(uint8)"}),
        (
            f"targets.push(address(handler)); {LISTED} never.push(FuzzSelector(address(handler), some));",
            HANDLER - {"Handler.add(uint8)"},
        ),
    ],
    ids=["targetContract", "excludeContract", "nothing chosen", "targetSelector", "excludeSelector"],
)
def test_sequences_call_what_set_up_chose(make_worker: MakeWorker, choice: str, expected: set[str]) -> None:
    """And the invariants; the test's other functions would act behind the handlers' backs."""
    assert called(make_worker, choice) == expected


def test_an_invariant_is_broken_through_its_handler(make_worker: MakeWorker) -> None:
    """Found, and told which contracts are called."""
    heard: list[str] = []
    source = SUITE.replace("CHOICE", "targets.push(address(handler));")
    worker = make_worker(source, "Suite", test_mode="assertion", warn=heard.append)
    assert heard == [
        "Suite is a Foundry invariant test: sequences call Handler and its invariants, none of its other functions"
    ]
    names = {each.name for each in worker.oracles}
    assert names == {"invariant_sums_agree()", "AssertionFailed(..)"}
    executed = worker.engine.fuzz(20_000)
    while executed is not None and not executed.failures:
        executed = worker.engine.fuzz(20_000)
    assert executed is not None


def test_all_contracts_mean_all_functions(make_worker: MakeWorker) -> None:
    """Whoever asks for everything gets it."""
    functions = called(make_worker, "targets.push(address(handler));", all_contracts=True)
    assert {"Ledger.drop()", "Suite.testFuzz_anything(uint8)"} <= functions
