"""A campaign is the same whether its code is compiled or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.evm.compiled import hot_codes
from simulator.evm.compiled.hot_codes import HotCodes
from simulator.evm.compiled.store import ObjectStore
from simulator.worker.setup import Worker
from tests.simulator.fuzz.conftest import MakeWorker

pytestmark = pytest.mark.integration

SOURCE = """
interface IShop { function buy(uint256 amount, bytes calldata note) external payable returns (uint256); }

contract Shop is IShop {
    mapping(address => uint256) public stock;
    event Bought(address indexed who, uint256 amount, bytes32 note);
    error TooMuch(uint256 amount);

    function buy(uint256 amount, bytes calldata note) external payable returns (uint256) {
        if (amount > 1000) revert TooMuch(amount);
        for (uint256 i = 0; i < note.length; i++) stock[msg.sender] += uint8(note[i]);
        emit Bought(msg.sender, amount, keccak256(note));
        return stock[msg.sender] += amount / (block.timestamp % 7);
    }
}

contract Target {
    Shop shop = new Shop();
    uint256 bought;
    string name = "target";

    function buy(uint8 amount, string calldata note) external {
        try shop.buy(uint256(amount) * 5, bytes(note)) returns (uint256 total) { bought = total; } catch { bought = 1; }
    }
    function rename(string calldata other) external { require(bytes(other).length > 3, "short"); name = other; }
    function spawn() external { bought ^= uint160(address(new Shop())); }
    function count(uint256 x) external { bought = x % 13 == 5 ? bought ** 2 : bought * x; }
    function echidna_never() external view returns (bool) { return bought != 0x1234567890abcdef; }
}
"""


def seen(worker: Worker) -> list[object]:
    """The result of a campaign."""
    engine = worker.engine
    counters = [engine.calls, engine.sequences, engine.reverted, engine.gas, sorted(engine.words.read())]
    return [counters, [(each.map.contract, each.cells.tolist()) for each in worker.machine.codes]]


def campaign(worker: Worker, hot: HotCodes | None) -> list[object]:
    found: list[object] = []
    for limit in range(1000, 8001, 1000):
        while (executed := worker.engine.fuzz(limit)) is not None:
            found.append(executed)
        if hot is not None:
            hot.wait()
    return [found, seen(worker)]


def test_a_campaign_with_compiled_code_is_the_same(
    make_worker: MakeWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Coverage cells, counters, dictionary and every sequence of note, with calls between contracts and creations."""
    monkeypatch.setattr(hot_codes, "WORTH_COMPILING", 10)
    monkeypatch.setattr(hot_codes, "WORTH_LOADING", 5)
    worker = make_worker(SOURCE, "Target")
    hot = HotCodes(worker.machine, pytest.fail, store=ObjectStore(tmp_path / "contracts"))
    compiled = campaign(worker, hot)
    assert hot.installed == 2
    assert any(record.compiled for record in worker.machine.code_store.sealed_records)
    assert compiled == campaign(make_worker(SOURCE, "Target"), None)
