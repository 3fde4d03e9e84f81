"""Contracts that Echidna's `deployContracts` and `deployBytecodes` put on the chain before the target."""

from __future__ import annotations

import pytest

from orchestrator.configuration.model import Configuration
from orchestrator.configuration.settings_adapter import campaign_settings
from simulator.errors import TargetError
from simulator.initialization import InitialStep
from simulator.transaction import Transaction
from simulator.worker.setup import Worker
from tests.simulator.fuzz.conftest import MakeWorker

pytestmark = pytest.mark.integration

SOURCE = """
library Tripling { function triple(uint256 x) public pure returns (uint256) { return 3 * x; } }
contract Helper {
    address public immutable deployer = msg.sender;
    function six() external pure returns (uint256) { return Tripling.triple(2); }
}
contract Harness {
    bool seen;
    constructor() { seen = Helper(address(0x2000)).six() == 6 && address(0x3000).code.length == 1; }
    function act() public { }
    function echidna_all_there() public view returns (bool) {
        return seen && Helper(address(0x2000)).deployer() == address(0x30000);
    }
}
"""


def harness(make_worker: MakeWorker, **keys: object) -> Worker:
    settings = campaign_settings(Configuration.model_validate(keys), "")
    return make_worker(
        SOURCE, "Harness", deploy_contracts=settings.deploy_contracts, deploy_bytecodes=settings.deploy_bytecodes
    )


def failures(worker: Worker) -> set[str]:
    """Names of the properties that fail as deployed."""
    wait = Transaction(sender=worker.settings.senders[0], to=b"")
    return {worker.oracles[test].name for test in worker.engine.execute((wait,), check=True).failures}


def test_contracts_and_codes_stand_where_the_configuration_says(make_worker: MakeWorker) -> None:
    """Before the target's constructor runs, from the deployer, libraries linked."""
    one_byte = "60016000f3"
    assert (
        failures(harness(make_worker, deployContracts=[[0x2000, "Helper"]], deployBytecodes=[[0x3000, one_byte]]))
        == set()
    )
    assert "Helper" in {
        each.contract.name
        for each in harness(
            make_worker, deployContracts=[[0x2000, "Helper"]], deployBytecodes=[[0x3000, one_byte]]
        ).deployment.contracts
    }


def test_without_them_the_property_fails(make_worker: MakeWorker) -> None:
    """The harness notices that a code is missing."""
    assert failures(harness(make_worker, deployContracts=[[0x2000, "Helper"]])) == {"echidna_all_there"}


def test_creation_codes_find_zeros_behind_them(make_worker: MakeWorker) -> None:
    """Echidna appends ten words, so that constructors with arguments find some."""
    ((_, code),) = harness(
        make_worker, deployContracts=[[0x2000, "Helper"]], deployBytecodes=[[0x3000, "0x60016000f3"]]
    ).settings.deploy_bytecodes
    assert code == bytes.fromhex("60016000f3") + bytes(320)


def test_what_etheno_recorded_comes_first(make_worker: MakeWorker) -> None:
    """Creations at their addresses, calls from their senders, blocks and seconds."""
    source = """
    contract Harness {
        bool ready;
        constructor() { ready = address(0x3000).code.length == 1 && address(0x4000).balance == 5; }
        function act() public { }
        function echidna_ready() public view returns (bool) { return ready && block.number == 4370002; }
    }
    """
    sender, created, called = (number.to_bytes(20, "big") for number in (0x10000, 0x3000, 0x4000))
    steps = (
        InitialStep(sender, created, bytes.fromhex("60016000f3"), creates=True),
        InitialStep(sender, called, value=b"\5"),
        InitialStep(blocks=2, seconds=9),
    )
    assert failures(make_worker(source, "Harness", initial=steps)) == set()
    assert failures(make_worker(source, "Harness", initial=steps[:2])) == {"echidna_ready"}
    with pytest.raises(TargetError, match="initialize, step 1: the constructor failed"):
        make_worker(source, "Harness", initial=(InitialStep(sender, created, b"\xfe", creates=True),))
