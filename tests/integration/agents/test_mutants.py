"""An agent asks a running campaign which faults its tests notice: whole programs, a real target, real workers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio
from mcp import Client, StdioServerParameters

from tests.support.patience import PATIENCE

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]

ROOT = Path(__file__).parents[3]
TARGET = "examples/property_strength"


async def until_answer(client: Client, tool: str, inputs: dict, member: str, wanted: object) -> dict:
    with trio.fail_after(PATIENCE):
        while True:
            answer = await client.call_tool(tool, inputs)
            if not answer.is_error and answer.structured_content[member] == wanted:
                return answer.structured_content
            await trio.sleep(0.2)


async def test_an_agent_reads_survivors_as_events_and_looks_at_each(tmp_path: Path):
    """The campaign continues meanwhile, and the mutants are tried with the corpus that it has by then."""
    arguments = ["-m", "orchestrator", "mcp", TARGET, "--contract", "PotHarness", "--workers", "1", "--seed", "1"]
    arguments += ["--timeout", str(int(PATIENCE)), "--corpus-dir", str(tmp_path / "corpus")]
    environment = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_STATE_HOME": str(tmp_path / "state")}
    server = StdioServerParameters(command=sys.executable, args=arguments, cwd=str(ROOT), env=environment)
    async with Client(server) as client:
        await until_answer(client, "status", {}, "phase", "fuzzing")
        before = await client.call_tool("list_survivors", {})
        assert before.is_error
        started = await client.call_tool("start_mutation", {"mutants": 60, "callsEach": 1_000})
        assert started.structured_content["started"]
        with trio.fail_after(PATIENCE):
            inputs = {"eventType": "MutantSurvived", "cursor": 0}
            while not (answer := await client.call_tool("wait_for_event", inputs)).structured_content["events"]:
                inputs["cursor"] = answer.structured_content["cursor"]
            event = answer.structured_content["events"][0]
        told = await until_answer(client, "list_survivors", {"limit": 100}, "running", False)
        assert (told["failure"], told["failing"]) == ("", [])
        assert told["killed"]
        assert told["total"] == told["killed"] + told["survived"] + told["stillborn"]
        descriptions = {each["description"]: each["id"] for each in told["survivors"]}
        assert 'require(!closed, "closed") -> (left out)' in descriptions
        assert event["data"]["id"] in descriptions.values()
        mutant = (await client.call_tool("get_mutant", {"id": event["data"]["id"]})).structured_content
        assert (mutant["status"], mutant["killedBy"], mutant["reproducer"]) == ("survived", [], [])
        again = await client.call_tool("start_mutation", {"only": ["Pot.take"], "callsEach": 0})
        assert again.structured_content["started"]
