"""Effects of calls, as cheatcodes tell them: state diffs, logs, intercepted creations. The texts are forge's."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from simulator.abi.hashing import checksum_address, keccak256
from tests.support.cheatcode_bench import Bench

Deploy = Callable[[str], Bench]

# Kind, account, accessor, depth, balances, value, nonces; then the slots.
CALLS = """\
8 a by this d1 b0>0 v0 n1>1 000
0 a by this d1 b0>5 v5 n1>1 000
  W a[0] 1>7
8 b by this d1 b0>0 v0 n1>1 000
0 b by this d1 b0>0 v0 n1>1 000
  W b[0] 2>8
"""
NESTED = """\
8 a by this d1 b0>0 v0 n1>1 000
0 a by this d1 b0>0 v0 n1>1 000
  W a[0] 1>3
8 b by a d2 b0>0 v0 n1>1 000
0 b by a failed d2 b0>0 v0 n1>1 000
  W b[1] 0>3 failed
6 a by this d1 b0>0 v0 n0>0 000
  W a[1] 0>4
8 b by a d2 b0>0 v0 n1>1 000
0 b by a d2 b0>0 v0 n1>1 000
  W b[0] 2>3
6 a by this d1 b0>0 v0 n0>0 000
  R a[1] 4>4
  W a[0] 3>4
8 a by this d1 b0>0 v0 n1>1 000
0 a by this d1 b0>0 v0 n1>1 000
  W a[136] 0>4
0 a by this failed d1 b0>0 v0 n1>1 000
8 b by a failed d2 b0>0 v0 n1>1 000
0 b by a failed d2 b0>0 v0 n1>1 000
  W b[1] 0>7 failed
8 b by a failed d2 b0>0 v0 n1>1 000
0 b by a failed d2 b0>0 v0 n1>1 000
  W b[0] 3>9 failed
"""
LOOKS = """\
4 ? by this d1 b0>3 v3 n0>1 110
  W ?[0] 0>9
0 beef by this new d1 b0>2 v2 n0>0 000
3 a by this d1 b0>0 v0 n1>1 000
7 b by a d2 b0>0 v0 n1>1 000
8 b by a d2 b0>0 v0 n1>1 000
8 ? by this d1 b3>3 v0 n1>1 000
0 ? by this d1 b3>0 v0 n1>1 000
5 beef by ? d2 b2>5 v3 n0>0 000
7 b by this d1 b0>0 v0 n1>1 000
1 a by ? d1 b995>995 v0 n4>4 000
7 b by this d2 b0>0 v0 n1>1 000
8 b by this d2 b0>0 v0 n1>1 000
"""


@pytest.mark.parametrize(("function", "text"), [("calls", CALLS), ("nestedCalls", NESTED), ("looks", LOOKS)])
def test_accesses_come_in_the_order_of_execution(deployed: Deploy, function: str, text: str) -> None:
    """Calls with their slots, what continues behind them, failures, creations, destructions, looks at accounts."""
    assert deployed("StateDiffs").get(function) == text


def test_the_changes_are_told_as_text_and_as_json(deployed: Deploy) -> None:
    """By account, with its label and contract; the first and the last value of each slot, failed writes left out."""
    first, second, third, text, document, slots, entries = deployed("StateDiffs").values("texts")
    assert (slots, entries) == (8, 11)
    found = json.loads(str(document))
    assert [int(address, 16) for address in found] == sorted((first, second, third))  # type: ignore[type-var]
    changed = found[f"{first:#042x}"]
    assert changed["label"] == "the box"
    assert str(changed["contract"]).endswith("StateDiffs.sol:Box")
    assert changed["balanceDiff"] == {"previousValue": "0x0", "newValue": "0x5"}
    assert changed["nonceDiff"] is None
    assert changed["stateDiff"] == {
        f"{0:#066x}": {"previousValue": f"{1:#066x}", "newValue": f"{4:#066x}"},
        f"{1:#066x}": {"previousValue": f"{0:#066x}", "newValue": f"{4:#066x}"},
    }
    assert found[f"{second:#042x}"]["balanceDiff"] is None
    assert found[f"{third:#042x}"]["nonceDiff"] == {"previousValue": 0, "newValue": 1}
    part = str(text).split(checksum_address(int(str(first))))[1].split("\n\n")[0].splitlines()
    assert part[1] == "label: the box"
    assert part[3:5] == ["- balance diff: 0 → 5", "- state diff:"]
    assert part[5] == f"@ {0:#066x}: {1:#066x} → {4:#066x}"


def test_logs_of_failed_calls_are_recorded_in_their_place(deployed: Deploy) -> None:
    """As in forge; each is told once."""
    assert deployed("StateDiffs").get("logs") == "a1 b3 b3 a8 a100 b7 a101 b9 b2 b3 b55 "


def test_logs_are_told_as_json(deployed: Deploy) -> None:
    """Topics, data and who emitted them."""
    emitter, text = deployed("StateDiffs").values("logsAsJson")
    topic = "0x" + keccak256(b"Set(uint256)").hex()
    assert json.loads(str(text)) == [
        {"topics": [topic], "data": f"{1:#066x}", "emitter": checksum_address(int(str(emitter)))}
    ]


def test_logs_of_earlier_transactions_are_told(deployed: Deploy) -> None:
    """As in forge, where `setUp()` may begin to record; what is left in memory of undone ones is not told."""
    bench = deployed("StateDiffs")
    bench.get("logs")
    assert bench.call("logsOnce").success
    assert bench.get("logsLater") == "a1 b5 "


def test_both_recorders_work_at_once(deployed: Deploy) -> None:
    """`record` and the state diff begin and end at different moments: reads, writes, slots and entries of the diff, one
    of which is a look at the address of the cheatcodes."""
    assert deployed("StateDiffs").values("both") == (2, 2, 2, 5)


def test_a_recording_that_was_undone_does_not_continue(deployed: Deploy) -> None:
    """The frame that started it has failed."""
    assert deployed("StateDiffs").values("undone") == (0, 0)


def test_an_intercepted_creation_fails_with_its_code(deployed: Deploy) -> None:
    """And the next one succeeds."""
    assert deployed("StateDiffs").get("intercepted") == 5


def test_contracts_are_found_by_their_code(deployed: Deploy) -> None:
    """Artifacts stand where forge puts them; the current file is that of the contract under test."""
    deployed_path, created_path, current = deployed("StateDiffs").values("paths")
    assert str(deployed_path).endswith("/out/StateDiffs.sol/Box.json")
    assert created_path == deployed_path
    assert str(current).endswith("StateDiffs.sol")


def test_keys_of_mappings_are_recorded(deployed: Deploy) -> None:
    """Of those that are written, also in mappings of mappings, once each; and forgotten at the end."""
    lengths, words, found = deployed("MappingRecords").values("mappings")
    assert lengths == (2, 1, 0, 2, 0)
    slot = keccak256((1).to_bytes(32, "big") + bytes(32))
    assert words == (slot, *(number.to_bytes(32, "big") for number in (0, 1, 0, 9, 1)))
    assert found == (True, True, False)
