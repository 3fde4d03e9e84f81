"""The code of a campaign's target in the memory that agents search."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from orchestrator.agents import target_index
from orchestrator.agents.facade_assembly import Server
from orchestrator.agents.server_settings import server_settings
from orchestrator.agents.target_index import index_target
from orchestrator.configuration.model import Configuration
from simulator.project import Project
from tests.support.patience import PATIENCE


def server_of(root: Path, tmp_path: Path, **keys: object) -> Server:
    configuration = Configuration.model_validate({"codebaseMemory": str(tmp_path / "memory.sqlite"), **keys})
    return Server(server_settings(configuration, root))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Vault.sol").write_text("contract Vault {\n    function withdraw() external {}\n}\n")
    return folder


@pytest.mark.requirement("002-D8")
async def test_the_code_of_a_target_can_be_searched(root: Path, tmp_path: Path):
    """By the tool that the same server publishes, under the folder's name."""
    server = server_of(root, tmp_path)
    with trio.fail_after(PATIENCE):
        async with server.open(None) as facade:
            await index_target(server, Project(str(root), ()))
            found = await facade.dispatcher.call("search_codebases", {"query": "withdraw", "codebaseName": "vault"})
            assert found.structured["results"][0]["filePath"] == "Vault.sol"


@pytest.mark.parametrize("keys", [{"indexTarget": False}, {"enabledToolGroups": ("campaign",)}, {"mcpRoots": ("sub",)}])
async def test_what_is_not_wanted_or_not_allowed_is_not_indexed(root: Path, tmp_path: Path, keys: dict[str, object]):
    """Switched off, of no use to any tool, or outside the folders that clients may touch."""
    (root / "sub").mkdir()
    server = server_of(root, tmp_path, **keys)
    await index_target(server, Project(str(root), ()))
    assert server.codebases.ingestions.jobs() == ()


async def test_a_huge_folder_costs_the_campaign_nothing(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It is refused, and that is only logged."""
    monkeypatch.setattr(target_index, "MAX_FILES", 0)
    server = server_of(root, tmp_path)
    with trio.fail_after(PATIENCE):
        async with server.open(None):
            await index_target(server, Project(str(root), ()))
    assert server.settings.memory.codebases() == ()


@pytest.mark.requirement("002-D1")
def test_the_manager_listens_at_the_port_of_the_configuration(root: Path, tmp_path: Path):
    """8009 unless another is named; for the tokens of the MCP server."""
    keys = {"mcpTokenFile": str(tmp_path / "tokens.json")}
    settings = server_of(root, tmp_path, **keys).settings.manager()
    assert (settings.host, settings.port) == ("127.0.0.1", 8009)
    assert settings.tokens is not None
    assert server_of(root, tmp_path, codebaseManagerPort=8010, **keys).settings.manager().port == 8010
