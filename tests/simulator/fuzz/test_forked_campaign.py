"""Fuzzing on a forked chain that a thread of this process serves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.chain.opening import pin_block
from simulator.chain.state import ChainState
from simulator.compile import CompileOptions, compile_targets
from simulator.errors import ChainError, ChainUnavailableError
from simulator.fuzz.checking.replay import Replayer
from simulator.settings import ForkSettings
from simulator.transaction import Transaction, address_bytes
from simulator.worker.setup import Worker
from tests.simulator.fuzz.conftest import MakeWorker
from tests.support.fake_chain import FakeChain, serve, status

pytestmark = pytest.mark.integration

STORE, WALLET = 0x5707E, 0xFA11E7
STORE_SOURCE = """
contract Store {
    mapping(uint256 => uint256) public values;
    uint256 public total;
    constructor(uint256) {}
    function put(uint256 key, uint256 value) public { values[key] = value; total += value % 100; }
    function echidna_total() public view returns (bool) { return total < 5300; }
}
"""
HARNESS = (
    STORE_SOURCE
    + """
interface IStore { function put(uint256, uint256) external; function total() external view returns (uint256); }
contract Harness {
    IStore store = IStore(address(0x5707E));
    function put(uint8 value) public { store.put(value % 4, value); }
    function echidna_total_is_small() public view returns (bool) { return store.total() < 5300; }
    function echidna_on_chain() public view returns (bool) { return block.chainid == 1 && block.number >= 100; }
}
"""
)


@pytest.fixture
def chain(tmp_path: Path) -> Iterator[FakeChain]:
    """A chain with a `Store` whose total is 5000."""
    path = tmp_path / "Store.sol"
    path.write_text("// SPDX-License-Identifier: Apache-2.0\npragma solidity 0.8.30;\n" + STORE_SOURCE)
    project = compile_targets([path], CompileOptions(solc_version="0.8.30"))
    code = project.contracts[0].runtime_code
    with serve(FakeChain(codes={STORE: code}, nonces={STORE: 1}, slots={(STORE, 1): 5000})) as served:
        yield served


@pytest.fixture
def make_forked(make_worker: MakeWorker, chain: FakeChain, tmp_path: Path) -> Iterator[MakeWorker]:
    made: list[ChainState] = []

    def make(source: str = HARNESS, contract: str | None = "Harness", **settings: object) -> Worker:
        fork = ForkSettings(chain.url, pin_block(chain.url, None, tmp_path).block, os.fsencode(tmp_path))
        worker = make_worker(source, contract, fork=fork, **settings)
        assert worker.chain is not None
        made.append(worker.chain)
        return worker

    yield make
    for state in made:
        state.close()


def run(worker: Worker, calls: int) -> set[str]:
    """Names of the tests that fail."""
    failed: set[str] = set()
    while (executed := worker.engine.fuzz(calls)) is not None:
        for test in executed.failures:
            failed.add(worker.oracles[test].name)
            worker.engine.oracles.set_open(test, False)
    return failed


def test_a_bug_that_needs_the_chains_state_is_found(make_forked: MakeWorker, chain: FakeChain) -> None:
    """The total on the chain is near its limit; the block environment is the forked block's."""
    worker = make_forked()
    assert run(worker, 20_000) == {"echidna_total_is_small"}
    asked = len(chain.requests)
    run(worker, 40_000)
    assert len(chain.requests) == asked


def test_a_chain_that_goes_away_fails_no_test(make_forked: MakeWorker, chain: FakeChain) -> None:
    """Calls that need it are given up, told and never judged; afterwards all is as before."""
    worker = make_forked()
    failures: list[str] = []
    worker.engine.on_unavailable = lambda error: failures.append(str(error))
    chain.always = status(401)
    sequence = (call(worker, 9),)
    with pytest.raises(ChainError, match="HTTP 401"):
        worker.engine.execute(sequence, check=True)
    assert failures == []


def call(worker: Worker, *values: object, to: int = 0) -> Transaction:
    target = next(each for each in worker.functions if each.function.name == "put")
    return Transaction(
        sender=worker.settings.senders[0],
        to=address_bytes(to) if to else worker.settings.contract_address,
        data=target.function.encode_call(values),
    )


def test_a_fetch_that_fails_leaves_the_sequence(make_forked: MakeWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the call nor a property is judged by it; replays say why they ended."""
    worker = make_forked()
    told: list[str] = []
    worker.engine.on_unavailable = lambda error: told.append(str(error))
    source = worker.machine.forked
    assert source is not None
    real = source._source
    away = True

    class Flaky:
        def __getattr__(self, name: str) -> object:
            if away:
                raise ChainUnavailableError("away")
            return getattr(real, name)

    monkeypatch.setattr(source, "_source", Flaky())
    sequence = tuple(call(worker, 99) for _ in range(4))
    mark = worker.machine.mark()
    assert worker.engine.execute(sequence, check=True).failures == {}
    assert told == ["away"]
    assert worker.machine.mark() == mark
    worker.engine.is_interrupted = lambda: True
    assert worker.engine.fuzz(300) is None
    assert told[1:] == ["away"]
    replayed = Replayer(worker.machine, worker.settings).replay(sequence, None, trace=True)
    assert (replayed.results, replayed.unavailable) == ((), "away")
    away = False
    failures = worker.engine.execute(sequence, check=True).failures
    assert [worker.oracles[test].name for test in failures] == ["echidna_total_is_small"]


def test_an_unknown_callee_is_looked_for_on_the_chain(make_forked: MakeWorker, chain: FakeChain) -> None:
    """Sequences from elsewhere may call any address."""
    chain.codes[WALLET] = bytes.fromhex("600160005500")
    worker = make_forked()
    worker.engine.execute((call(worker, 1, to=WALLET),), check=True)
    assert hex(WALLET) in {hex(int(params[0], 16)) for method, params in chain.requests if method == "eth_getCode"}


def test_a_target_that_stands_on_the_chain_is_fuzzed_there(make_forked: MakeWorker) -> None:
    """It is not deployed, whatever its constructor wants; its ABI is the project's."""
    worker = make_forked(STORE_SOURCE, None, contract_address=address_bytes(STORE))
    assert worker.machine.get_storage(STORE, 1) == 5000
    assert run(worker, 2_000) == {"echidna_total"}


def test_a_contract_on_the_chain_is_called_with_all_contracts(make_forked: MakeWorker) -> None:
    """`deployContracts` gives its name to what stands at the address."""
    worker = make_forked(all_contracts=True, deploy_contracts=((address_bytes(STORE), "Store"),))
    names = {target.qualified_name for target in worker.functions}
    assert "Store.put(uint256,uint256)" in names
    assert worker.machine.get_storage(STORE, 1) == 5000


def test_senders_keep_what_they_have(make_forked: MakeWorker, chain: FakeChain) -> None:
    """At least the configured balance, and their nonce."""
    rich, poor = 0xE1C4, 0x9008
    chain.balances.update({rich: 10**20, poor: 5})
    chain.nonces[rich] = 9
    worker = make_forked(senders=(address_bytes(rich), address_bytes(poor)))
    assert (worker.machine.get_balance(rich), worker.machine.get_nonce(rich)) == (10**20, 9)
    assert worker.machine.get_balance(poor) == 0xFFFFFFFF


def test_an_address_in_use_gives_way_to_a_deployment(make_forked: MakeWorker, chain: FakeChain) -> None:
    """The default address has been used on mainnet, and delegated."""
    target = 0x00A329C0648769A73AFAC7F9381E08FB43DBEA72
    chain.nonces[target], chain.balances[target] = 12, 77
    chain.codes[target] = b"\xef\x01\x00" + bytes(20)
    worker = make_forked()
    assert worker.machine.get_balance(target) == 77
    assert run(worker, 20_000) == {"echidna_total_is_small"}


def test_the_rules_are_not_older_than_the_blocks(make_forked: MakeWorker, chain: FakeChain) -> None:
    """Contracts of the chain may use what the target was not compiled for."""
    chain.members["requestsHash"] = "0x" + 32 * "33"
    assert make_forked().machine.fork.name == "prague"
    chain.members.clear()
    assert make_forked().machine.fork.order >= 5
