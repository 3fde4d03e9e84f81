"""The autopilot against tools that answer as a campaign would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import trio

from orchestrator.autopilot.policy import Autopilot
from orchestrator.autopilot.target_reading import read_target

SOURCE = """contract C {
    uint256 public n = 5;
    bool private hit;
    function go(uint256 x) external { require(x == n * 1000 + 1, "no"); hit = true; }
    function prop() external view returns (bool) { return !hit; }
}"""


class FakeCampaign:
    """Knows one contract in one file. `calls` are the tools that were called, in order."""

    def __init__(self, *, fails: bool = True) -> None:
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self._fails = fails

    async def ask(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        self.calls.append((tool, arguments))
        await trio.lowlevel.checkpoint()
        match tool:
            case "target":
                functions = [{"signature": "go(uint256)"}, {"signature": "n()"}]
                return {
                    "contracts": [{"name": "C", "address": "0xa0", "functions": functions}],
                    "senders": ["0x10000"],
                    "tests": [{"id": "C.prop", "kind": "property", "status": "open"}],
                    "nextOffset": None,
                }
            case "read_source" if "function" in arguments:
                return "C.sol:4 C.go: entered 3 times\n    4 |        3|r | text"
            case "read_source":
                lines = enumerate(SOURCE.split("\n"), 1)
                marked = [f"{number:>5} |{number:>9} |r | {line}  // if never true" for number, line in lines]
                return "\n".join(["C.sol: 1/1 lines, 1/1 sides", *marked])
            case "execute_sequence":
                watched = [{"value": "7", "reason": ""} for _ in arguments.get("watch", ())]
                outcomes = [{"success": True} for _ in arguments["sequence"]]
                failing = ["C.prop"] if self._fails else []
                body = {"outcomes": outcomes, "failingTests": failing, "watched": watched}
                return {**body, "timestamp": 1_000, "block": 10}
            case "explain_uncovered":
                return {"branches": []}
            case "wait_for_event":
                return {"over": True, "met": False}
        return "done"

    def made(self, tool: str) -> list[Mapping[str, Any]]:
        return [arguments for name, arguments in self.calls if name == tool]


async def test_what_a_public_variable_holds_counts_and_not_what_the_text_says():
    campaign = FakeCampaign()
    target = await read_target(campaign.ask, 0x30000)
    assert target is not None
    assert target.surroundings.known == {("C", "n"): 7}
    assert target.surroundings.timestamp == 1_000


async def test_a_plan_is_tried_and_then_kept():
    campaign = FakeCampaign()
    await Autopilot(campaign.ask, 0x30000).fly()
    tried = campaign.made("execute_sequence")[-1]
    assert [call["call"] for call in tried["sequence"]] == ["C.go(uint256)(7001)"]
    (kept,) = campaign.made("import_sequence")
    assert "SolCalldata" in kept["content"]


async def test_a_plan_that_breaks_nothing_is_kept_as_a_guess_and_only_so_often():
    campaign = FakeCampaign(fails=False)
    await Autopilot(campaign.ask, 0x30000).fly()
    assert 0 < len(campaign.made("import_sequence")) <= 2


async def test_an_autopilot_leaves_when_the_campaign_is_over():
    campaign = FakeCampaign()
    with trio.fail_after(60):
        await Autopilot(campaign.ask, 0x30000).fly()
    assert campaign.calls[-1][0] == "wait_for_event"
