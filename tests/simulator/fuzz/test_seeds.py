"""Calls of unit tests and scripts as sequences of a campaign."""

from __future__ import annotations

import os
from pathlib import Path
from subprocess import run

import msgspec
import pytest

from simulator.abi.codec import decode
from simulator.abi.hashing import selector
from simulator.abi.types import Address, UInt
from simulator.own_process import module_command
from simulator.seeding import execution
from simulator.seeding.collection import collect_seeds
from simulator.seeding.model import SeedingRequest, Seeds
from simulator.transaction import Sequence, address_int
from simulator.worker.setup import Worker, load_project
from tests.simulator.fuzz.conftest import MakeWorker

pytestmark = pytest.mark.integration

DEPLOYER, FIRST = (bytes(17) + bytes.fromhex(each) for each in ("030000", "010000"))

SOURCE = """
interface Vm { function prank(address) external; function warp(uint256) external; }
contract Vault {
    bool public open;
    address owner = msg.sender;
    mapping(address => uint256) held;
    function start() external { require(msg.sender == owner); open = true; }
    function deposit(uint256 amount) external payable { require(open); held[msg.sender] += amount; this.note(); }
    function give(address to, uint256 amount) external { held[msg.sender] -= amount; held[to] += amount; }
    function note() external { }
    function total() external view returns (uint256) { return held[msg.sender]; }
}
contract Harness is Vault {
    function echidna_closed() public view returns (bool) { return !open; }
}
contract Handler {
    Vault vault = new Vault();
    function vault_deposit(uint256 amount) external { vault.deposit(amount); }
    function echidna_true() public pure returns (bool) { return true; }
}
abstract contract Base {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    bool public IS_TEST = true;
}
contract VaultTest is Base {
    Vault vault;
    function setUp() public { vault = new Vault(); vault.start(); }
    function test_gift() public {
        vault.deposit(5000);
        vault.total();
        vault.give(address(0xBEEF), 2000);
        vm.warp(1001);
        vm.prank(address(0xBEEF));
        vault.give(address(vault), 1);
    }
    function test_fuzzed(uint256 amount) public { vault.deposit(amount); }
    function test_of_nothing() public pure { }
}
contract EndlessTest is Base {
    function test_ends() public { while (true) { this.step(); } }
    function step() external { }
}
contract BrokenTest is Base {
    function setUp() public pure { revert("no"); }
    function test_never_runs() public { }
}
contract Start {
    bool public IS_SCRIPT = true;
    function run() external { Vault vault = new Vault(); vault.start(); vault.deposit{value: 7}(1); }
}
"""


@pytest.fixture(autouse=True)
def short_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "MAX_FRAMES", 500)


def collected(worker: Worker, tmp_path: Path) -> Seeds:
    tests = load_project(tmp_path / "project.msgpack")
    return collect_seeds(tests, worker.settings, worker.functions, worker.deployment)


def names(worker: Worker, sequence: Sequence) -> list[str]:
    by_selector = {each.selector: each.function.name for each in worker.functions}
    return [by_selector[call.data[:4]] for call in sequence]


def test_calls_of_tests_and_scripts_are_calls_of_the_harness(make_worker: MakeWorker, tmp_path: Path) -> None:
    """`setUp` comes first; senders, addresses among arguments, and time are translated; what contracts call
    themselves, and views, are left out. A contract that cannot be set up, or would fill the memory, is told of."""
    worker = make_worker(SOURCE, "Harness", sender_balance=b"\x05")
    seeds = collected(worker, tmp_path)
    gift = next(each for each in seeds.sequences if len(each) == 4)
    assert names(worker, gift) == ["start", "deposit", "give", "give"]
    assert [call.sender for call in gift] == [DEPLOYER, DEPLOYER, DEPLOYER, FIRST]
    assert [call.seconds for call in gift] == [0, 0, 0, 1000]
    assert {call.to for call in gift} == {worker.settings.contract_address}
    assert decode((Address(), UInt(256)), gift[2].data[4:]) == (0x10000, 2000)
    itself = decode((Address(), UInt(256)), gift[3].data[4:])[0]
    assert itself == address_int(worker.settings.contract_address)
    values = [call.wei for each in seeds.sequences for call in each if call.wei]
    assert values == [5], "the script's ether, as much as a sender has"
    assert (seeds.contracts, seeds.tests, seeds.used, seeds.failed, seeds.unread) == (4, 4, 4, 2, 0)
    assert seeds.calls == sum(map(len, seeds.sequences))


def test_handlers_are_known_by_their_names(make_worker: MakeWorker, tmp_path: Path) -> None:
    """`vault_deposit` stands for `deposit` of the vault; a sequence is no longer than those of the campaign."""
    seeds = collected(make_worker(SOURCE, "Handler", sequence_length=1), tmp_path)
    called = {call.data[:4] for each in seeds.sequences for call in each}
    assert called == {selector("vault_deposit(uint256)")}
    assert any(call.data[4:] == (5000).to_bytes(32, "big") for each in seeds.sequences for call in each)
    assert max(map(len, seeds.sequences)) == 1


@pytest.mark.nightly
def test_the_program_answers_with_seeds(make_worker: MakeWorker, tmp_path: Path) -> None:
    """A process of its own, as campaigns start it."""
    worker = make_worker(SOURCE, "Harness")
    path = os.fsencode(tmp_path / "project.msgpack")
    question = msgspec.msgpack.encode(SeedingRequest(path, path, worker.settings))
    answer = run(module_command("simulator.seeding"), input=question, capture_output=True, check=True, timeout=300)
    assert msgspec.msgpack.decode(answer.stdout, type=Seeds).sequences
