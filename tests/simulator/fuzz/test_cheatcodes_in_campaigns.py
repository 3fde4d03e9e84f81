"""Cheatcodes as contracts use them in a campaign."""

import pytest

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
    """The name is what a person needs to hear."""
    heard: list[str] = []
    worker = make_worker(UNKNOWN, "Harness", warn=heard.append)
    assert fuzz(worker, 2000) == set()
    assert len(heard) == 1
