"""Foundry mode: what fails, what is called and what the world is, as forge 1.7.1 has it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.compile import CompileOptions, compile_targets
from simulator.fuzz.checking.oracles import Check
from simulator.fuzz.checking.reasons import failure_reason
from simulator.modes.foundry_settings import FoundrySettings
from simulator.modes.table import MODES
from simulator.settings import CampaignSettings, in_world
from simulator.transaction import Sequence, Transaction
from simulator.worker.commands import Setup
from simulator.worker.setup import Worker, build_worker, load_project

pytestmark = pytest.mark.integration

SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
interface Vm {
    function assume(bool) external;
    function skip(bool) external;
    function store(address, bytes32, bytes32) external;
    function assertEq(uint256, uint256) external;
    function assertEq(uint256, uint256, string calldata) external;
    function expectRevert() external;
}
address constant CHEATS = 0x7109709ECfa91a80626fF3989D68f67F5b1DD12D;
Vm constant vm = Vm(CHEATS);
struct FuzzSelector { address addr; bytes4[] selectors; }

contract Prepared {
    uint256 private set;
    function beforeTestSetup(bytes4 test) public view returns (bytes[] memory calls) {
        calls = new bytes[](1);
        calls[0] = test == this.test_of_a_failed_call.selector
            ? abi.encodeCall(this.fails, ())
            : abi.encodeCall(this.add, (5));
    }
    function fails() public pure { revert("no"); }
    function add(uint256 value) public { set += value; }
    function test_of_a_failed_call() public {}
    function test_sees() public view { require(set == 5); }
    function test_sees_once(uint256) public { require(set == 5); set = 6; }
    function test_finds(uint256 value) public view { require(value < 1000 || set != 5); }
}

contract Units {
    uint256 private set;
    uint256 public test_variable = 5;
    function setUp() public { set = 1; }
    function test_set_up_ran() public view { require(set == 1); }
    function test_reverts() public pure { revert("why"); }
    function test_stores_a_failure() public { vm.store(CHEATS, "failed", bytes32(uint256(1))); }
    function test_skips() public { vm.skip(true); revert("not reached"); }
    function test_assumes_in_vain() public { vm.assume(false); }
    function test_leaves_an_expectation_open() public { vm.expectRevert(); }
    function test_returns_false() public pure returns (bool) { return false; }
    function test_world() public view {
        require(address(this) == 0x7FA9385bE102ac3EAc297483Dd6233D62b3e1496);
        require(msg.sender == 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38 && tx.origin == msg.sender);
        require(address(this).balance == type(uint96).max && block.timestamp == 1 && block.number == 1);
        require(block.chainid == 31337 && block.gaslimit == 1073741824);
    }
    function test_each_run_is_fresh(uint256) public { require(set == 1); set = 2; }
    function test_finds(uint256 value) public pure { require(value != 7777777); }
    function test_assumes(uint256 value) public { vm.assume(value > 4); require(value > 4); }
    function check_nothing() public pure { revert(); }
    uint256[] public fixtureAmount = [3, 5, 7];
    function table_rows(uint256 amount) public pure { require(amount != 7); }
    function tableWithoutFixtures(uint256 none) public pure {}
}

contract Types {
    uint256 private seen;
    function test_types(bytes4 few, bool flag, address who, uint8 small, int16 number) public {
        if (uint32(few) == 77 || uint160(who) == 1 << 159 || int256(number) == 5 || small == 9) seen = 1;
        if (flag && few == 0x01020304) seen = 2;
    }
    function test_bytes(bytes4 left, bytes4 right) public { if (left != right) seen = 3; }
    function test_flags(string memory text, bool flag) public { if (flag == (bytes(text).length > 3)) seen = 4; }
}

contract Removed { function testFail_a() public pure { revert(); } function test_b() public pure { revert(); } }
contract BadSetUp { function setUp() public pure { revert("no"); } function test_a() public {} }
contract BadConstructor { constructor() { revert("no"); } function test_a() public {} }
contract TwoSetUps { function setUp() public {} function setUp(uint256) public {} function test_a() public {} }
contract NoTargets { function invariant_a() public {} function test_b() public {} }

contract Handler {
    uint256 public calls;
    uint256 public mode;
    constructor(uint256 wanted) { mode = wanted; }
    function act(uint8 by) public payable {
        calls++;
        if (mode == 1) vm.assertEq(1, 2);
        if (mode == 2) vm.assertEq(1, 2, "text");
        if (mode == 3) assert(by > 255);
        if (mode == 4) revert("plain");
        if (mode == 5) vm.store(CHEATS, "failed", bytes32(uint256(1)));
        if (mode == 6) { try this.fails() {} catch {} }
        require(msg.value == 0 && block.timestamp == 1);
    }
    function idle() public {}
    function seen() public view returns (uint256) { return calls; }
    function fails() external { vm.assertEq(1, 2); }
}
abstract contract Calling {
    Handler internal handler;
    function mode() internal pure virtual returns (uint256) { return 0; }
    function setUp() public virtual { handler = new Handler(mode()); }
    function targetSelectors() public view virtual returns (FuzzSelector[] memory chosen) {
        chosen = new FuzzSelector[](1);
        bytes4[] memory some = new bytes4[](1);
        some[0] = Handler.act.selector;
        chosen[0] = FuzzSelector(address(handler), some);
    }
    function invariant_holds() public view { require(address(handler) != address(0)); }
}
contract Asserting is Calling { function mode() internal pure override returns (uint256) { return 1; } }
contract AssertingWithText is Calling { function mode() internal pure override returns (uint256) { return 2; } }
contract Panicking is Calling { function mode() internal pure override returns (uint256) { return 3; } }
contract Reverting is Calling { function mode() internal pure override returns (uint256) { return 4; } }
contract Storing is Calling { function mode() internal pure override returns (uint256) { return 5; } }
contract Catching is Calling { function mode() internal pure override returns (uint256) { return 6; } }
contract Breaking is Calling {
    uint256 private own;
    function act() public { own = 1; }
    function echidna_other() public pure returns (bool) { return true; }
    function invariant_breaks() public view { require(handler.calls() < 3, "three"); }
    function invariant_value() public view returns (int256) { require(handler.calls() < 3); return 1; }
    function invariant_false() public pure returns (bool) { return false; }
    function invariant_input(uint256) public pure {}
    function invariant_own() public view { require(own == 0); }
    function test_breaks_nothing_else(uint256 value) public { own = value; }
}
contract After is Calling {
    function invariant_true() public pure {}
    function afterInvariant() public view { require(handler.calls() < 3, "after"); }
}
contract Everything is Calling {
    Handler private other;
    function setUp() public override { super.setUp(); other = new Handler(0); }
    function targetSenders() public pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(0x55);
    }
}
contract Senders is Calling {
    address private constant GIVEN = address(0x77);
    address private constant ALWAYS = 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38;
    function setUp() public override { super.setUp(); require(msg.sender == GIVEN); }
    function test_one() public view { require(msg.sender == GIVEN && tx.origin == GIVEN); }
    function test_fuzzed(uint256) public view { require(msg.sender == GIVEN && tx.origin == GIVEN); }
    function invariant_sender() public view { require(msg.sender == ALWAYS && tx.origin == ALWAYS); }
    function afterInvariant() public view { require(msg.sender == ALWAYS && tx.origin == ALWAYS); }
}
contract Excluding is Everything {
    function excludeContracts() public view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }
    function targetSelectors() public pure override returns (FuzzSelector[] memory) {}
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("foundry")
    (folder / "Suite.sol").write_text(SOURCE)
    file = folder / "project.msgpack"
    project = compile_targets([folder / "Suite.sol"], CompileOptions(solc_version="0.8.30"))
    file.write_bytes(msgspec.msgpack.encode(project))
    return file


def foundry_worker(compiled: Path, contract: str, **settings: Any) -> Worker:
    plain = CampaignSettings(test_mode="foundry", sequence_length=10)
    world = in_world(plain, MODES["foundry"].world, ())
    name = next(each.full_name for each in load_project(compiled).contracts if each.name == contract)
    chosen = msgspec.structs.replace(world, contract=name, **settings)
    return build_worker(Setup(0, 1, os.fsencode(compiled), chosen))


def verdicts(worker: Worker, calls: int = 20_000) -> dict[str, str]:
    """The reason of each test that fails within so many calls, by its name; an empty one for those that pass."""
    found = {each.name: each.reason for each in worker.oracles}
    for oracle in worker.oracles:
        worker.engine.oracles.set_open(oracle.id, oracle.check is not Check.DECIDED)
    start = (Transaction(sender=worker.settings.senders[0], to=b""),)
    for sequence in (start, *worker.fixed):
        _note(worker, found, worker.engine.execute(sequence, check=True).failures, sequence)
    while worker.engine.can_fuzz and (executed := worker.engine.fuzz(calls)) is not None:
        _note(worker, found, executed.failures, None)
    return found


def _note(worker: Worker, found: dict[str, str], failures: dict[int, int], given: Sequence | None) -> None:
    for test, index in failures.items():
        worker.engine.oracles.set_open(test, False)
        sequence = given if given is not None else worker.engine.current_sequence(index + 1)
        replayed = worker.replayer.replay_for(worker.oracles[test], sequence)
        found[worker.oracles[test].name] = failure_reason(worker.oracles[test], replayed)


def test_unit_fuzz_and_table_tests(compiled: Path) -> None:
    """A public variable is a test, what a test returns is nothing, each run begins after `setUp()`."""
    found = verdicts(foundry_worker(compiled, "Units"))
    failing = {name.partition("(")[0]: reason for name, reason in found.items() if reason}
    assert failing == {
        "test_reverts": "why",
        "test_stores_a_failure": "a failure was stored at the cheatcode address, as ds-test does",
        "test_assumes_in_vain": "FOUNDRY::ASSUME",
        "test_leaves_an_expectation_open": failing["test_leaves_an_expectation_open"],
        "test_finds": "reverted",
        "table_rows": "reverted",
        "tableWithoutFixtures": "Table test should have fixtures defined",
    }
    assert {"test_variable()", "test_world()", "test_skips()", "test_each_run_is_fresh(uint256)"} <= found.keys()
    assert "check_nothing()" not in found


@pytest.mark.parametrize(
    ("contract", "test", "reason"),
    [
        ("Removed", "testFail_a()", "`testFail*` has been removed"),
        ("BadSetUp", "setUp()", "no"),
        ("BadConstructor", "constructor()", "BadConstructor: the constructor failed: no"),
        ("TwoSetUps", "setUp()", "multiple setUp functions"),
    ],
    ids=["testFail", "setUp reverts", "constructor reverts", "two setUps"],
)
def test_what_fails_a_contract_is_its_only_test(compiled: Path, contract: str, test: str, reason: str) -> None:
    found = verdicts(foundry_worker(compiled, contract))
    assert list(found) == [test]
    assert reason in found[test]


def test_calls_of_before_test_setup_come_before_each_run(compiled: Path) -> None:
    found = verdicts(foundry_worker(compiled, "Prepared"))
    assert found == {
        "test_of_a_failed_call()": "a call of beforeTestSetup failed: no",
        "test_sees()": "",
        "test_sees_once(uint256)": "",
        "test_finds(uint256)": "reverted",
    }


def test_an_invariant_without_anything_to_call_fails(compiled: Path) -> None:
    found = verdicts(foundry_worker(compiled, "NoTargets"))
    assert found["invariant_a()"].endswith("No contracts to fuzz.")
    assert not found["test_b()"]


@pytest.mark.parametrize(
    ("contract", "fails"),
    [
        ("Asserting", True),
        ("AssertingWithText", False),
        ("Panicking", True),
        ("Reverting", False),
        ("Storing", True),
        ("Catching", False),
    ],
)
def test_a_failed_assertion_in_a_handler_fails_invariants(compiled: Path, contract: str, fails: bool) -> None:
    """Not so one with a text of the user's, nor one whose revert somebody catches."""
    assert bool(verdicts(foundry_worker(compiled, contract), 2_000)["invariant_holds()"]) == fails


@pytest.mark.parametrize(
    ("settings", "fails"),
    [
        (FoundrySettings(fail_on_revert=True), True),
        (FoundrySettings(strict=("Suite.sol:Reverting",)), True),
        (FoundrySettings(fail_on_revert=True, lenient=("Suite.sol:Reverting.invariant_holds",)), False),
        (FoundrySettings(strict=("Other.sol:Reverting", "Suite.sol:Other.invariant_holds")), False),
    ],
    ids=["project", "contract", "function", "of other contracts"],
)
def test_fail_on_revert_is_said_of_projects_contracts_and_functions(
    compiled: Path, settings: FoundrySettings, fails: bool
) -> None:
    found = verdicts(foundry_worker(compiled, "Reverting", foundry=settings), 2_000)
    assert found["invariant_holds()"] == ("plain" if fails else "")


def test_invariants_fail_by_reverting(compiled: Path) -> None:
    """What they return is nothing, one that returns int256 never fails, tests beside them leave no trace."""
    found = verdicts(foundry_worker(compiled, "Breaking"))
    assert found.pop("invariant_input(uint256)").endswith("Invariant test function should have no inputs")
    assert {name: reason for name, reason in found.items() if reason} == {"invariant_breaks()": "three"}


def test_what_runs_after_all_calls_fails_invariants(compiled: Path) -> None:
    found = verdicts(foundry_worker(compiled, "After"), 2_000)
    assert found == {"invariant_holds()": "afterInvariant: after", "invariant_true()": "afterInvariant: after"}


def test_the_sender_of_the_project_calls_tests_and_the_default_one_invariants(compiled: Path) -> None:
    found = verdicts(foundry_worker(compiled, "Senders", deployer=(0x77).to_bytes(20, "big")), 2_000)
    assert set(found) > {"test_one()", "test_fuzzed(uint256)", "invariant_sender()"}
    assert not any(found.values())


def called(worker: Worker) -> set[str]:
    return {target.qualified_name for target in worker.functions}


def test_selectors_of_one_contract_leave_the_others_as_they_are(compiled: Path) -> None:
    """View functions are called only where a selector says so."""
    worker = foundry_worker(compiled, "Everything")
    functions = [(target.deployed.address, target.function.name) for target in worker.functions]
    assert sorted(name for _, name in functions) == ["act", "act", "fails", "idle"]
    assert worker.settings.senders == ((0x55).to_bytes(20, "big"),)


def test_excluded_contracts_are_not_called(compiled: Path) -> None:
    worker = foundry_worker(compiled, "Excluding")
    assert len({target.deployed.address for target in worker.functions}) == 1
    assert called(worker) == {"Handler.act(uint8)", "Handler.idle()", "Handler.fails()"}


def test_what_is_left_out_is_counted(compiled: Path) -> None:
    assert foundry_worker(compiled, "Breaking").left_out == (
        "1 test of another mode is no test in foundry mode: echidna_other()",
        "1 function is not called: act()",
        "1 invariant is never failed for the int256 that it returns (--test-mode optimization looks for the greatest):"
        " invariant_value()",
    )
    worker = foundry_worker(compiled, "Units", test_mode="assertion")
    assert "setUp() was not run: assertion mode runs it where there is an IS_TEST()" in worker.left_out


def test_arguments_can_always_be_decoded(compiled: Path) -> None:
    """What comparisons ask for is cut to the type: a dirty word would revert, and fail the test."""
    assert not any(verdicts(foundry_worker(compiled, "Types"), 60_000).values())
