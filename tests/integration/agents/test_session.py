"""The session in `docs/use/agent_session.md`, executed as it stands there."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import trio
from mcp import Client, StdioServerParameters

from tests.support.patience import PATIENCE

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/use/agent_session.md"
GLANCE = 0.1
CONTROLLING = ("start_campaign", "inject_transaction", "stop_campaign")


def session(page: str) -> Iterator[tuple[str, str, list[str]]]:
    """Tool, arguments and what the answer must have, of each call."""
    for block in re.findall(r"```session\n(.*?)```", page, re.DOTALL):
        for call in re.findall(r"^> (\w+) (.*)\n((?:< .*\n)*)", block, re.MULTILINE):
            yield call[0], call[1], [line[2:] for line in call[2].splitlines()]


async def answer(client: Client, tool: str, arguments: str, wanted: list[str]) -> str:
    """Questions are asked again until the answer has what is wanted."""
    while True:
        result = await client.call_tool(tool, json.loads(arguments))
        text = " ".join(getattr(part, "text", "") for part in result.content)
        if all(each in text for each in wanted) and not result.is_error:
            return text
        assert tool not in CONTROLLING, text
        await trio.sleep(GLANCE)


async def test_the_session_ends_with_a_verified_foundry_test(tmp_path: Path):
    page = PAGE.read_text(encoding="utf-8")
    (source,) = re.findall(r"```solidity\n(.*?)```", page, re.DOTALL)
    (tmp_path / "OneTimeLogin.sol").write_text(source)
    command = ["-m", "orchestrator", "mcp", "--mcp-root", "."]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path / "state")}
    server = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=tmp_path)
    password = ""
    with trio.fail_after(3 * PATIENCE):
        async with Client(server) as client:
            for tool, arguments, wanted in session(page):
                known = [each for each in wanted if each != "$PASSWORD"]
                text = await answer(client, tool, arguments.replace("$PASSWORD", password), known)
                if "$PASSWORD" in wanted:
                    password = json.loads(text)["value"]
            folder = trio.Path(tmp_path / "corpus" / "foundry")
            while not [path async for path in _files(folder)]:  # noqa: ASYNC110  # a file of another process
                await trio.sleep(GLANCE)
    (exported,) = (tmp_path / "corpus" / "foundry").glob("*.sol")
    assert "and it failed as it must" in exported.read_text()
    assert password.removeprefix("0x") in exported.read_text().lower()


async def _files(folder: trio.Path) -> AsyncIterator[trio.Path]:
    if await folder.exists():
        for path in await folder.glob("*.sol"):
            yield path
