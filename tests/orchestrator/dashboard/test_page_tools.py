"""What the page asks beyond the tools of agents: entries by worth, relatives, calls checked while typed, scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.orchestrator.dashboard.pages import READ, Opened, dashboard

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]


async def answer(opened: Opened, tool: str, **arguments: object) -> Any:
    response = await opened.call(tool, headers=READ, **arguments)
    assert response.status_code == 200, response.text
    return response.json()["result"]


async def test_agents_are_not_offered_the_tools_of_the_page(tmp_path: Path):
    async with dashboard(tmp_path) as opened:
        assert await answer(opened, "page_corpus")
        assert opened.bench.dispatcher.registry.get_tool("page_corpus") is None


async def test_entries_are_ordered_and_know_their_relatives(tmp_path: Path):
    """What shares calls is a relative, the earlier one the likely parent; entries that share none are none."""
    async with dashboard(tmp_path) as opened:
        base = ["transfer(0x30000, 1)", "approve(0x30000, 7)"]
        for sequence in (base, [*base, "deposit()"], ["note('x', [], true)"]):
            await opened.call("inject_transaction", sequence=sequence)
        await opened.bench.until("CoverageIncreased")
        oldest = await answer(opened, "page_corpus", order="oldest", limit=100)
        newest = await answer(opened, "page_corpus", order="newest", limit=100)
        assert oldest["entries"][0]["position"] == 0
        assert newest["entries"][-1]["id"] == oldest["entries"][0]["id"]
        assert all(each["age"] >= 0 for each in oldest["entries"])
        injected = [each for each in oldest["entries"] if each["origin"] == "injected"]
        assert [each["calls"] for each in injected] == [2, 3, 1]
        related = await answer(opened, "page_relatives", id=injected[1]["id"])
        (parent,) = related["relatives"]
        assert (parent["id"], parent["shared"], parent["earlier"]) == (injected[0]["id"], 2, True)
        assert (await answer(opened, "page_relatives", id=injected[2]["id"]))["relatives"] == []


async def test_calls_are_checked_one_by_one_without_being_executed(tmp_path: Path):
    """Each has its own problem; a whole sequence without open arguments has a file of Echidna's."""
    async with dashboard(tmp_path) as opened:
        found = await answer(
            opened,
            "page_check_calls",
            sequence=[{"call": "transfer(0x20000, 5)"}, {"call": "transfer(1)"}, {"call": "approve(?, 1)"}],
        )
        fits, wrong, open_call = found["calls"]
        assert fits == {"problem": "", "function": "Token.transfer(address,uint256)", "wildcards": False}
        assert "transfer" in wrong["problem"]
        assert not wrong["problem"].startswith("call ")
        assert open_call["wildcards"]
        assert found["content"] == ""
        whole = await answer(opened, "page_check_calls", sequence=[{"call": "transfer(0x20000, 5)", "delaySeconds": 9}])
        taken = await opened.call("import_sequence", content=whole["content"])
        assert taken.json()["result"]["calls"] == 1


async def test_a_script_keeps_hostile_text_in_its_comments(tmp_path: Path):
    """Names and arguments cannot end a comment; addresses are those of the campaign."""
    async with dashboard(tmp_path) as opened:
        note = 'note("\\nselfdestruct(msg.sender); //", [1], true)'
        assert (await opened.call("inject_transaction", sequence=[note])).status_code == 400
        whole = await answer(opened, "page_check_calls", sequence=[{"call": note}])
        await opened.call("import_sequence", content=whole["content"])
        entries = (await answer(opened, "page_corpus", order="newest", limit=100))["entries"]
        entry = next(each["id"] for each in entries if each["origin"] == "injected")
        source = (await answer(opened, "page_script", id=entry))["source"]
        assert "TARGET_TOKEN.call(" in source
        code = [line.partition("//")[0] for line in source.splitlines()]
        assert not any("selfdestruct" in line for line in code)


async def test_what_is_not_known_yet_is_said_and_not_shown_as_covered(tmp_path: Path):
    async with dashboard(tmp_path) as opened:
        found = await answer(opened, "page_frontier")
        assert found["branches"] == []
        files = await answer(opened, "page_files")
        assert files["files"] == []
        response = await opened.call("page_source", file="nothing.sol")
        assert response.status_code == 400
        assert "nothing.sol" in response.json()["error"]["message"]
