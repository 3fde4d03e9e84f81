"""Messages about targets that cannot be fuzzed as they are asked for."""

import pytest

from simulator.errors import TargetError
from tests.simulator.fuzz.conftest import MakeWorker

COUNTER = """
contract Base { uint256 public x; function add(uint256 by) public { x += by; } }
contract Counter is Base { function echidna_x() public view returns (bool) { return x < 5; } }
"""


def refusal(make_worker: MakeWorker, source: str, contract: str, **settings: object) -> str:
    with pytest.raises(TargetError) as caught:
        make_worker(source, contract, **settings)
    return str(caught.value)


def test_a_constructor_without_its_ether_points_at_the_setting(make_worker: MakeWorker) -> None:
    """Whether ether lacks or is too much, the message names `balanceContract`."""
    source = "contract Bank { constructor() payable { require(msg.value == 7); } function f() public {} }"
    lacking = refusal(make_worker, source, "Bank", test_mode="assertion")
    assert lacking.endswith("failed: reverted; it is payable: balanceContract says how many wei it gets")
    balance = (7).to_bytes(32, "big")
    assert make_worker(source, "Bank", test_mode="assertion", contract_balance=balance).functions
    refused = refusal(make_worker, COUNTER, "Counter", contract_balance=balance)
    assert refused.endswith("it is not payable, and balanceContract sends it 7 wei")


def test_a_harness_without_functions_is_told_what_could_be_called(make_worker: MakeWorker) -> None:
    """There is no filter to look at; the functions lack, or stand in contracts that are not called."""
    source = "contract Only { function echidna_ok() public pure returns (bool) { return true; } }"
    heard: list[str] = []
    assert not make_worker(source, "Only", warn=heard.append).functions
    (said,) = heard
    assert "no function to call besides the tests" in said
    assert "checked as deployed" in said
    assert "--all-contracts" in said
    assert "filterFunctions" not in said


def test_filters_that_name_nothing_are_told(make_worker: MakeWorker) -> None:
    """Inherited functions are named after the contract that is fuzzed, as in Echidna; other names have no effect."""
    allowed = {"filter_functions": ("Base.add(uint256)",), "filter_is_blacklist": False}
    said = refusal(make_worker, COUNTER, "Counter", **allowed)
    assert "filterFunctions names Base.add(uint256); write Counter.function(types)" in said
    heard: list[str] = []
    make_worker(COUNTER, "Counter", warn=heard.append, filter_functions=("Counter.x()", "Counter.add"))
    assert len(heard) == 1
    assert heard[0].startswith("filterFunctions: Counter.add is no function")


def test_a_foundry_test_is_pointed_to_assertion_mode(make_worker: MakeWorker) -> None:
    """It has no properties, but its functions can be called as they are."""
    source = "contract T { bool public IS_TEST = true; function test_a() public {} }"
    assert "--test-mode assertion" in refusal(make_worker, source, "T")
    assert make_worker(source, "T", test_mode="assertion").functions


def test_constructors_that_fail_tell_their_custom_error(make_worker: MakeWorker) -> None:
    """By name, with its arguments."""
    source = "contract C { error TooEarly(uint256 by); constructor() { revert TooEarly(7); } function f() public {} }"
    assert refusal(make_worker, source, "C", test_mode="assertion").endswith("the constructor failed: TooEarly(7)")


def test_code_above_the_limit_names_the_setting(make_worker: MakeWorker) -> None:
    """`codeSize`, with the bytes that it allows."""
    said = refusal(make_worker, COUNTER, "Counter", max_code_size=10)
    assert said.endswith("its code is larger than the 10 bytes that codeSize allows")


def test_a_contract_without_tests_is_told_all_ways_on(make_worker: MakeWorker) -> None:
    """Write a property, look for asserts, or run Foundry tests."""
    said = refusal(make_worker, "contract C { uint256 x; function f() public { x = 1; } }", "C")
    assert "write one that returns bool, look for failing asserts with --test-mode assertion" in said
    assert said.endswith("--test-mode foundry")


@pytest.mark.parametrize("size", [2 << 20, 40 << 20])
def test_code_that_is_too_long_is_told_with_its_size(make_worker: MakeWorker, size: int) -> None:
    """Code from a configuration knows no limit of a compiler's, but one of the machine's."""
    code = bytes((0x5B,)) * size
    said = refusal(make_worker, COUNTER, "Counter", deploy_bytecodes=((bytes(19) + b"\x99", code),))
    assert said.startswith(f"deployBytecodes 0x{bytes(19).hex()}99: {size:,} bytes of creation code cannot be deployed")
