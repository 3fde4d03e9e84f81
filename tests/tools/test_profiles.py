"""Profiles: which tools a server lists, and that the others can be called all the same."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from mcp.client import Client

from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import server_settings
from orchestrator.configuration.model import Configuration
from tools.campaign.contract import contract, published_input, published_output
from tools.profiles import CONTRACT, checked_profile
from tools.rendering import compact_json
from tools.schemas import input_schema
from tools.serving.binding import build_server, local_caller
from tools.serving.subscriptions import Subscriptions

MOST_BYTES = 15_000


async def listed(folder: Path, keys: dict[str, object]) -> tuple[dict[str, dict[str, object]], str, int]:
    """The tools of a server by name, what it tells models, and the bytes of the listing."""
    server = Server(server_settings(Configuration.model_validate(keys), folder))
    async with server.open(None) as facade:
        async with Client(build_server(facade, Subscriptions(), local_caller)) as client:
            tools = [
                tool.model_dump(mode="json", by_alias=True, exclude_none=True)
                for tool in (await client.list_tools()).tools
            ]
            for name in ("status", "run_list"):
                assert not (await client.call_tool(name, {})).is_error
        return {tool["name"]: tool for tool in tools}, facade.instructions, len(compact_json({"tools": tools}).encode())


@pytest.mark.requirement("004-1")
async def test_the_lean_list_is_short_and_has_the_nine_whole(tmp_path: Path):
    """Tools that are not listed can be called, and the instructions name them and say how to list them."""
    tools, instructions, size = await listed(tmp_path, {})
    assert size < MOST_BYTES
    assert 12 <= len(tools) <= 18
    assert len(contract()) - 1 == len(CONTRACT) == 9
    for name in CONTRACT:
        assert tools[name]["inputSchema"] == published_input(name)
        assert tools[name].get("outputSchema") == published_output(name)
    assert "run_list" in instructions
    assert "--mcp-tools full" in instructions


async def test_what_a_brief_listing_shows_is_part_of_the_whole_schema(tmp_path: Path):
    """Nothing required is missing, and every argument that is shown is one of the tool."""
    server = Server(server_settings(Configuration(), tmp_path))
    whole = {tool.name: input_schema(tool) for tool in server.tools(None)}
    tools, _, _ = await listed(tmp_path, {})
    for name, tool in tools.items():
        shown = tool["inputSchema"]
        jsonschema.Draft7Validator.check_schema(shown)
        assert shown.get("required", []) == whole[name].get("required", [])
        assert set(shown.get("properties", {})) <= set(whole[name].get("properties", {}))


async def test_full_lists_everything_and_groups_list_theirs(tmp_path: Path):
    """With the schemas of answers, too."""
    server = Server(server_settings(Configuration(), tmp_path))
    everything = {tool.name: tool for tool in server.tools(None)}
    full, instructions, _ = await listed(tmp_path, {"mcpTools": "full"})
    assert full.keys() == everything.keys()
    assert "not listed" not in instructions
    assert full["status"]["outputSchema"]
    some, _, _ = await listed(tmp_path, {"mcpTools": "coverage,builds"})
    assert some.keys() == {name for name, tool in everything.items() if tool.family in ("coverage", "builds")}


@pytest.mark.parametrize("text", ["", "fat", "lean,full", "coverage,", "LEAN"])
def test_other_profiles_are_refused_with_the_allowed_form(text: str):
    """Wherever they come from."""
    with pytest.raises(ValueError, match="lean, full, or some of campaign, coverage"):
        checked_profile(text)
