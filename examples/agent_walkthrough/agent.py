"""An agent with a campaign that has come to a door it cannot open, step by step.

The steps are those that a model would choose; here they are written down, so that the walk can be repeated:

    .venv/bin/python examples/agent_walkthrough/agent.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import trio
from mcp import Client, StdioServerParameters

from simulator.abi.hashing import keccak256

HERE = "examples/agent_walkthrough"
ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0


class Agent:
    """A client that says what it asks."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def ask(self, tool: str, **arguments: object) -> Any:
        result = await self._client.call_tool(tool, arguments)
        if result.is_error:
            sys.exit(f"{tool} failed: {result.content}")
        print(f"> {tool} {arguments or ''}".rstrip())
        return result.structured_content

    async def until_fuzzing(self) -> None:
        with trio.fail_after(PATIENCE):
            while True:
                status = await self._client.call_tool("status", {})
                if status.structured_content and status.structured_content["calls"]:
                    return
                await trio.sleep(0.05)

    async def source(self, file: str) -> str:
        content = (await self._client.read_resource(f"campaign://coverage/{file}")).contents[0]
        return getattr(content, "text", "")


def birthdays() -> Iterator[int]:
    """Every day of a hundred years as the contract writes it."""
    day = date(1920, 1, 1)
    while day.year < 2020:
        yield day.year * 10_000 + day.month * 100 + day.day
        day += timedelta(days=1)


async def closed_door(agent: Agent) -> Any:
    """The branch on a hash whose one side was never taken, once the campaign has come to it; it is paused then."""
    with trio.fail_after(PATIENCE):
        while True:
            await agent.ask("pause_campaign")
            frontier = await agent.ask("explain_uncovered", limit=10)
            for branch in frontier["branches"]:
                if "keccak256" in branch["source"]:
                    return branch
            await agent.ask("resume_campaign")
            await agent.ask("wait_for_event", eventType="CoverageIncreased", timeoutSeconds=1)


async def walk(agent: Agent) -> str:
    """From the closed door to the finding; returns its Foundry test."""
    await agent.ask(
        "start_campaign",
        paths=[HERE],
        contract="DeadMansVaultHarness",
        config=f"{HERE}/echidna.yaml",
        workers=1,
        seed=1,
    )
    await agent.until_fuzzing()
    door = await closed_door(agent)
    print(f"  {door['file']}:{door['line']} was never {door['missing']}: {door['source']}")
    source = await agent.source(door["file"])
    wanted = bytes.fromhex(source.partition("PASSWORD = 0x")[2][:64])

    # The comment says what the password is; a fuzzer does not read comments.
    password = next(day for day in birthdays() if keccak256(day.to_bytes(32, "big")) == wanted)
    tried = await agent.ask("execute_sequence", sequence=[{"call": f"claim({password})"}])
    print(f"  claim({password}): {tried['outcomes'][0]['reason']}")

    await agent.ask("inject_transaction", sequence=[f"claim({password})"])
    await agent.ask("add_dictionary_values", values=[{"value": str(password)}])
    await agent.ask("resume_campaign")
    with trio.fail_after(PATIENCE):
        while not (found := await agent.ask("list_findings"))["findings"]:
            await agent.ask("wait_for_event", eventType="PropertyFalsified", timeoutSeconds=5)
    name = found["findings"][0]["id"]
    with trio.fail_after(PATIENCE):
        while (reproducer := await agent.ask("get_reproducer", id=name))["status"] != "solved":
            await agent.ask("wait_for_event", eventType="TestDecided", timeoutSeconds=5)
    print(f"{name} is broken:")
    for call in reproducer["sequence"]:
        print(f"  {call['call']} from {call['sender']} with {call['value']} wei")
    return str(reproducer["foundryTest"])


async def main() -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "orchestrator", "mcp"], cwd=str(ROOT))
    async with Client(server) as client:
        test = await walk(Agent(client))
    print(test)


if __name__ == "__main__":
    trio.run(main)
