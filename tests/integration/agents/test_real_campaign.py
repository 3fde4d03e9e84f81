"""An agent on stdio with a real campaign: compiler, kernel, worker processes."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import trio
from mcp import Client, StdioServerParameters

from tests.support.patience import PATIENCE
from tools.campaign.contract import contract

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[3]
TRANSFER = "transfer(address,uint256)"


class Agent:
    """A client that expects its calls to succeed."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **arguments: object) -> Any:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        if result.structured_content is None:
            return result.content[0].text
        if tool in contract():
            jsonschema.validate(result.structured_content, contract()[tool]["output"])
        return result.structured_content

    async def error(self, tool: str, **arguments: object) -> str:
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        return result.content[0].text

    async def until(self, tool: str, fact: Any, **arguments: object) -> Any:
        """Ask until the answer is as it should be."""
        with trio.fail_after(PATIENCE):
            while True:
                result = await self.client.call_tool(tool, arguments)
                if not result.is_error and fact(result.structured_content):
                    return result.structured_content
                await trio.sleep(0.05)


@asynccontextmanager
async def campaign(tmp_path: Path) -> AsyncIterator[Agent]:
    shutil.copy(HERE / "SimpleToken.sol", tmp_path)
    # The deadline is long: what is shown here is what the tools do, on a machine with other work.
    (tmp_path / "echidna.yaml").write_text("campaignDeadline: 20000\nsearchDeadline: 20000\n")
    arguments = ["-m", "orchestrator", "mcp", "SimpleToken.sol", "--contract", "EchidnaMCPTest", "--config"]
    arguments += ["echidna.yaml", "--workers", "1", "--seed", "1", "--timeout", "600", "--corpus-dir", "corpus"]
    environment = {"PYTHONPATH": str(ROOT)}
    server = StdioServerParameters(command=sys.executable, args=arguments, cwd=str(tmp_path), env=environment)
    async with Client(server) as client:
        agent = Agent(client)
        await agent.until("status", lambda status: status["calls"] > 0)
        yield agent


@pytest.mark.requirement("004-13", "004-S6", "004-S12", "004-S13", "004-14", "004-15", "004-16", "004-17")
@pytest.mark.requirement("004-31", "004-D17", "004-D19", "004-D14")
async def test_an_agent_looks_at_a_campaign_and_steers_it(tmp_path: Path):
    """From the finding to coverage, corpus and priorities, with the contract's own targets."""
    async with campaign(tmp_path) as agent:
        await check_finding(agent)
        await check_injection(agent)
        await check_execution(agent)
        await check_clamps(agent)
        await check_coverage(agent, tmp_path)
        await check_priorities(agent)


async def check_finding(agent: Agent) -> None:
    """The planted bug is found, logged with its sequence, and shown as a test that can be run."""
    status = await agent.until("status", lambda status: status["findings"])
    assert status["findings"] == ["EchidnaMCPTest.echidna_balances_conserved"]
    logged = await agent.until("read_logs", lambda logs: logs["events"], count=50, eventType="PropertyFalsified")
    (event,) = logged["events"]
    assert event["data"]["property"] == "echidna_balances_conserved"
    assert event["data"]["gasUsed"] > 21_000
    assert any(call.startswith("transfer(") for call in event["data"]["counterexample"])
    for kind in ("CoverageIncreased", "WorkerStarted"):
        await agent.until("read_logs", lambda logs: logs["events"], eventType=kind)
    await agent.until("list_findings", lambda found: found["findings"][0]["status"] == "solved")
    reproducer = await agent.ask("get_reproducer", id=status["findings"][0])
    assert [call["call"].partition("(")[0] for call in reproducer["sequence"]] == ["mint", "transfer"]
    assert "contract" in reproducer["foundryTest"]
    assert reproducer["trace"]


async def check_injection(agent: Agent) -> None:
    """What is injected comes into the corpus, with its sender in lower case."""
    sender = "0x" + "AB" * 20
    done = await agent.ask("inject_transaction", sequence=["mint(7)", "approve(0xabcd..., 31337)"], sender=sender)
    assert done["message"] == "Injected 2 transactions to 1 workers"
    found = await agent.until(
        "find_transaction_in_corpus",
        lambda found: found["count"] > 0,
        sender=sender,
        functionSignature="mint(uint256)",
    )
    assert found["matches"][0]["sender"] == sender.lower()
    assert found["matches"][0]["call"] == "mint(7)"


async def check_execution(agent: Agent) -> None:
    """Decoded reverts, custom ones too, and events; from the deployed state."""
    sequence = [{"call": "mint(5)"}, {"call": "mint(5000)"}, {"call": "transfer(0x1, 6)", "delaySeconds": 60}]
    done = await agent.ask("execute_sequence", sequence=sequence, trace=True)
    assert [outcome["success"] for outcome in done["outcomes"]] == [True, False, False]
    assert [outcome["reason"] for outcome in done["outcomes"]] == ["success", "too much", "Insufficient(5,6)"]
    assert done["outcomes"][0]["events"] == ["Minted(who: 0x10000, amount: 5)"]
    assert done["trace"]
    untraced = await agent.ask("execute_sequence", sequence=sequence[:1])
    assert untraced["trace"] == []
    assert done["timestamp"] - untraced["timestamp"] == 60
    await check_watched_storage(agent)


async def check_watched_storage(agent: Agent) -> None:
    """Variables by name beside calls, of the state that the calls leave, and of the deployed state without any."""
    watch = ["balanceOf[0x10000]", "totalSupply", "totalSupply()", "EchidnaMCPTest.balanceOf[0x1]"]
    after = await agent.ask(
        "execute_sequence", sequence=[{"call": "mint(5)"}, {"call": "transfer(0x1, 2)"}], watch=watch
    )
    assert [(each["expression"], each["value"]) for each in after["watched"]] == list(
        zip(watch, ("3", "5", "5", "2"), strict=True)
    )
    before = await agent.ask("execute_sequence", watch=watch[:2], checkTests=False)
    assert [each["value"] for each in before["watched"]] == ["0", "0"]
    assert (before["outcomes"], before["callsBefore"]) == ([], 0)
    refused = await agent.error("execute_sequence", watch=["balanceOff[0x1]"])
    assert "watch 1: " in refused
    assert "known are EchidnaMCPTest.balanceOf" in refused


async def check_clamps(agent: Agent) -> None:
    """From the next sequence on; listed, and taken back with the rest."""
    sender = "0x" + "77" * 20
    arguments = [{"argument": "0", "min": "40", "max": "44"}]
    done = await agent.ask("clamp_function", function="mint", arguments=arguments, senders=[sender])
    assert (done["matched"], done["notCalled"]) == (["EchidnaMCPTest.mint(uint256)"], [])
    listed = await agent.ask("list_steering")
    assert listed["clamps"] == done["clamps"]
    view = await agent.ask("clamp_function", function="echidna_no_overflow", senders=[sender])
    assert view["notCalled"] == view["matched"]
    assert await agent.ask("reset_functions") == {"takenBack": 2}
    assert (await agent.ask("list_steering"))["clamps"] == []


async def check_coverage(agent: Agent, folder: Path) -> None:
    """The percentages of the campaign are those of its LCOV, and only grow."""
    await agent.until("show_coverage", lambda coverage: coverage["contracts"])
    path = str(folder / "corpus" / "agent.lcov")
    text = await agent.ask("dump_lcov", outputPath=path)
    assert await trio.Path(path).read_text() == text
    assert text.startswith("TN:\nSF:")
    dumped = await agent.client.call_tool("dump_lcov", {})
    assert "of this moment" in dumped.meta["monotreme/warning"]
    started = await agent.ask("start_coverage_snapshot", lcovPath=path)
    frontier = await agent.ask("explain_uncovered", limit=100)
    (door,) = [each for each in frontier["branches"] if "31337" in each["source"]]
    assert (door["missing"], "31,337" in door["seen"], door["needs"]) == ("true", True, "needs both equal")
    assert all(" from 0x" in each for each in door["nearestSequence"])
    for name in ("mint", "EchidnaMCPTest.mint", "SimpleToken.mint"):
        head = (await agent.ask("read_source", function=name)).splitlines()[0]
        assert re.search(r"SimpleToken\.mint: .* called \d+ times, \d+ reverted: `too much` at \S+:\d+", head), head
    assert "getter of a public variable" in await agent.error("read_source", function="EchidnaMCPTest.balanceOf")
    await agent.ask("add_dictionary_values", values=[{"value": "31337"}])
    await agent.ask("pause_campaign")
    with trio.fail_after(PATIENCE):
        while True:
            coverage = await agent.ask("show_coverage")
            await agent.ask("dump_lcov", outputPath=path)
            overall = await agent.ask("get_overall_coverage", lcovPath=path)
            if (
                overall["overall"]
                == coverage["overallCoverage"]
                == (await agent.ask("show_coverage"))["overallCoverage"]
            ):
                break
            await trio.sleep(0.2)
    by_name = {each["name"]: each for each in coverage["contracts"]}
    assert set(by_name) >= {"SimpleToken", "EchidnaMCPTest"}
    one = await agent.ask("show_coverage", contract="SimpleToken")
    assert one == {"contracts": [by_name["SimpleToken"]], "overallCoverage": coverage["overallCoverage"]}
    none = await agent.ask("show_coverage", contract="None")
    assert none == {"contracts": [], "overallCoverage": coverage["overallCoverage"]}
    compared = await agent.ask("end_coverage_snapshot", snapshotId=started["snapshotId"], lcovPath=path)
    assert compared["overallChange"] >= 0
    for bad in ("/etc/agent.lcov", "../agent.lcov", "corpus", "a\0b", "corpus/none/agent.lcov"):
        assert "outputPath cannot be written" in await agent.error("dump_lcov", outputPath=bad)
    annotated = await agent.client.read_resource("campaign://coverage/SimpleToken.sol")
    assert "balanceOf[msg.sender] = mine - amount;" in annotated.contents[0].text
    await agent.ask("resume_campaign")


async def check_priorities(agent: Agent) -> None:
    """A prioritized function gets nine tenths of the calls and its part of the rest; later all are called alike. The
    sequence with a wildcard that was injected has left no template behind."""

    async def share_from_now_on() -> float:
        before = await counts(agent)
        least = sum(before.values()) + 200_000
        with trio.fail_after(PATIENCE):
            while sum((after := await counts(agent)).values()) < least:  # noqa: ASYNC110  # another process counts
                await trio.sleep(0.1)
        changed = {name: after[name] - before[name] for name in after}
        return changed[TRANSFER] / sum(changed.values())

    assert (await agent.ask("list_steering"))["shares"] == {"templates": 0, "prioritized": 0, "others": 1}
    await agent.ask("prioritize_function", functionSignature=TRANSFER)
    await share_from_now_on()  # what was under way
    functions = len(await counts(agent))
    assert abs(await share_from_now_on() - (0.9 + 0.1 / functions)) < 0.03
    assert (await agent.ask("clear_priorities"))["clearedCount"] == 1
    await share_from_now_on()
    assert await share_from_now_on() < 0.6


async def counts(agent: Agent) -> dict[str, int]:
    functions = (await agent.ask("function_statistics", contract="EchidnaMCPTest"))["functions"]
    return {each["signature"]: each["calls"] for each in functions}
