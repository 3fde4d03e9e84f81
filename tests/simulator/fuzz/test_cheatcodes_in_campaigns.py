"""Cheatcodes as contracts use them in a campaign."""

import pytest

from simulator.transaction import Transaction

pytestmark = pytest.mark.integration

VM = """
interface Vm {
    function warp(uint256) external;
    function prank(address) external;
    function assume(bool) external;
    function noSuchCheatcode() external;
}
Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
"""

TIMED = (
    VM
    + """
contract Vault {
    address private owner = address(0xBEEF);
    bool public opened;
    function open() external { require(msg.sender == owner && block.timestamp > 2_000_000_000); opened = true; }
}
contract Harness {
    Vault private vault = new Vault();
    function jump(uint32 seconds_) public { vm.assume(seconds_ > 0); vm.warp(block.timestamp + seconds_); }
    function openAsOwner() public { vm.prank(address(0xBEEF)); vault.open(); }
    function echidna_closed() public view returns (bool) { return !vault.opened(); }
}
"""
)

UNKNOWN = (
    VM
    + """
contract Harness {
    function ask() public { vm.noSuchCheatcode(); }
    function echidna_true() public view returns (bool) { return true; }
}
"""
)


def fuzz(worker, calls: int) -> set[str]:
    failed = set()
    while (executed := worker.engine.fuzz(calls)) is not None:
        failed |= {worker.oracles[test].name for test in executed.failures}
        if failed:
            break
    return failed


def test_pranks_and_warps_reach_what_they_open(make_worker):
    """A property that needs another sender and another time is broken."""
    assert fuzz(make_worker(TIMED, "Harness"), 200_000) == {"echidna_closed"}


def test_time_changed_by_a_cheatcode_is_back_in_the_next_sequence(make_worker):
    """Every sequence starts from the deployed state, the clock included."""
    worker = make_worker(TIMED, "Harness")
    start = worker.machine.timestamp
    fuzz(worker, 5000)
    assert worker.machine.timestamp == start


def test_an_unknown_cheatcode_is_told_once_and_fails_no_property(make_worker):
    """The user needs to hear the name."""
    heard: list[str] = []
    worker = make_worker(UNKNOWN, "Harness", warn=heard.append)
    assert fuzz(worker, 2000) == set()
    assert len(heard) == 1


def test_the_cheatcode_address_in_place_of_another_contract_is_no_missing_cheatcode(make_worker):
    """The fuzzer passes every address that it knows; a call of a token there reverts, without a warning."""
    heard: list[str] = []
    source = """
    interface Token { function pull(address from, uint256 amount) external returns (bool); }
    contract Harness {
        bool refused;
        function draw(Token token) public { token.pull(msg.sender, 1); }
        function test(address at) public { try Token(at).pull(at, 1) { } catch { refused = true; } }
        function echidna_never() public view returns (bool) { return !refused; }
    }
    """
    worker = make_worker(source, "Harness", warn=heard.append)
    test = next(each.function for each in worker.functions if each.function.name == "test")
    call = Transaction(
        sender=worker.settings.senders[0],
        to=worker.settings.contract_address,
        data=test.encode_call([0x7109709ECFA91A80626FF3989D68F67F5B1DD12D]),
    )
    assert worker.engine.execute((call,), check=True).failures
    assert heard == []
