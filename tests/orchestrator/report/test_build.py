"""From transactions to the calls of a report."""

from __future__ import annotations

import json

import msgspec

from orchestrator.report.build import campaign_summary, reproducer
from orchestrator.report.json_report import render_json
from orchestrator.report.model import Delay, ReproducerCall
from orchestrator.report.text import render_text
from simulator.abi.contract import ContractAbi
from simulator.abi.hashing import selector
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction, wei_bytes
from tests.support.campaign_reports import report

USER, TOKEN, OTHER = (0x10000).to_bytes(20, "big"), b"\xaa" * 20, b"\xbb" * 20
TRANSFER = {
    "type": "function",
    "name": "transfer",
    "inputs": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}],
    "outputs": [],
}
BOOK = AddressBook({"t.sol:Token": ContractAbi.from_json([TRANSFER])}, {TOKEN: "t.sol:Token"})
DATA = selector("transfer(address,uint256)") + USER.rjust(32, b"\0") + (5).to_bytes(32, "big")


def test_a_call_is_decoded() -> None:
    """Readable whole, canonical signature and arguments; wei in decimal, beyond what JSON numbers hold."""
    transaction = Transaction(USER, TOKEN, DATA, wei_bytes(10**20), seconds=5, blocks=6)
    assert reproducer([transaction], BOOK) == (
        ReproducerCall(
            call="transfer(0x10000,5)",
            function="transfer(address,uint256)",
            args=("0x10000", "5"),
            sender="0x0000000000000000000000000000000000010000",
            to="0x" + "aa" * 20,
            value="100000000000000000000",
            delay=Delay(5, 6),
            contract="Token",
            data="0x" + DATA.hex(),
        ),
    )


def test_a_wait_has_no_callee() -> None:
    """Only its delay counts."""
    (wait,) = reproducer([Transaction(USER, b"", seconds=60)], BOOK)
    assert (wait.call, wait.to, wait.function, wait.delay, wait.data) == ("*wait*", "", "", Delay(60, 0), "")


def test_calldata_of_no_function_is_shown_raw() -> None:
    """Unknown selectors, and arguments that are cut off."""
    calls = reproducer([Transaction(USER, OTHER, b"\1\2"), Transaction(USER, TOKEN, DATA[:10])], BOOK)
    assert [(call.call, call.function, call.contract) for call in calls] == [
        ("*fallback*(0x0102)", "", ""),
        (f"transfer(0x{DATA[4:10].hex()})", "transfer(address,uint256)", "Token"),
    ]


def test_the_rate_is_calls_by_duration() -> None:
    """No time means no rate, not an error."""
    values = {"target": "t", "mode": "property", "seed": 1, "workers": 1, "stop_reason": "done"}
    summary = campaign_summary(calls=100, duration=3.00049, **values)  # type: ignore[arg-type]
    assert (summary.duration, summary.calls_per_second) == (3.0, 33.3)
    assert campaign_summary(calls=0, duration=0.0, **values).calls_per_second == 0  # type: ignore[arg-type]


def test_workers_of_a_cluster_are_named_by_their_nodes_and_those_of_one_machine_are_not() -> None:
    """The report of a campaign on one machine has no such member, and its text no such words."""
    values = {"target": "t", "mode": "property", "seed": 1, "workers": 2, "stop_reason": "done", "calls": 1}

    def shown(nodes: tuple[str, ...]) -> tuple[object, str]:
        summary = campaign_summary(duration=1.0, nodes=nodes, **values)  # type: ignore[arg-type]
        whole = msgspec.structs.replace(report(), campaign=summary)
        return json.loads(render_json(whole))["campaign"].get("workerNodes"), render_text(whole)

    nodes, text = shown(("10.0.0.2", "10.0.0.3", "10.0.0.2"))
    assert nodes == ["10.0.0.2", "10.0.0.3", "10.0.0.2"]
    assert "2 workers on 2 nodes)" in text
    nodes, text = shown(("", ""))
    assert nodes is None
    assert "2 workers)" in text
