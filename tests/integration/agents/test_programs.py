"""`monotreme mcp`, `serve` and `fuzz --mcp-port` as processes, with fake workers."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
import trio
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.support.patience import PATIENCE
from tests.support.told_address import told_address

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:Async generator .* was garbage collected:ResourceWarning"),
]

ROOT = Path(__file__).parents[3]
ENDLESS = json.dumps({"seconds_per_frame": 0.002, "falsify": {}})
TARGET = "tests/support/campaign_program.py"


def command(*arguments: str) -> list[str]:
    return ["-m", "tests.support.agents_program", ENDLESS, *arguments]


async def until_fuzzing(client: Client) -> dict:
    with trio.fail_after(PATIENCE):
        while True:
            status = await client.call_tool("status", {})
            if not status.is_error and status.structured_content["calls"]:
                return status.structured_content
            await trio.sleep(0.05)


@pytest.mark.requirement("004-S7")
@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.nightly)])
async def test_an_agent_on_stdio_steers_a_campaign_that_ends_with_it(tmp_path: Path, mode: str):
    """What it commanded and what was found is on disk when its server has left."""
    arguments = command("mcp", TARGET, "--workers", "2", "--corpus-dir", str(tmp_path), "--timeout", "600")
    arguments += ["--mcp-tools", "campaign,coverage,builds"]
    server = StdioServerParameters(
        command=sys.executable, args=arguments, cwd=str(ROOT), env={"XDG_DATA_HOME": str(tmp_path / "data")}
    )
    async with Client(server, mode=mode) as client:
        status = await until_fuzzing(client)
        assert len(status["workers"]) == 2
        cleared = await client.call_tool("clear_priorities", {})
        assert cleared.structured_content["clearedCount"] == 0
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"read_logs", "get_overall_coverage", "start_campaign", "run_raw"} <= names
        compiled = (await client.call_tool("run_list", {"tool": "campaign.compile"})).structured_content
        assert [run["exitCode"] for run in compiled["runs"]] == [0]
    events = [json.loads(line)["event"] for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert events[-1] == {"type": "PhaseChanged", "phase": "finished"}
    (line,) = (tmp_path / "mcp-commands.jsonl").read_text().splitlines()
    assert json.loads(line)["tool"] == "clear_priorities"


@asynccontextmanager
async def http_program(tmp_path: Path, *arguments: str) -> AsyncIterator[tuple[str, str, trio.Process]]:
    """URL, control token and process of a server; its tokens are made anew."""
    environment = {"XDG_STATE_HOME": str(tmp_path / "state"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    process = await trio.lowlevel.open_process(
        [sys.executable, *command(*arguments)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environment,
    )
    try:
        url, token = await told_address(process.stderr)
        yield url, token, process
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


@asynccontextmanager
async def connected(url: str, token: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


@pytest.mark.requirement("004-S2")
async def test_a_fuzz_command_with_a_port_serves_agents_until_it_ends(tmp_path: Path):
    """Off by default; a stop by an agent ends the command with its report."""
    async with http_program(
        tmp_path, "fuzz", TARGET, "--mcp-port", "0", "--timeout", "600", "--workers", "1", "--format", "json"
    ) as (url, token, process):
        assert url.startswith("http://127.0.0.1:")
        async with connected(url, token) as client:
            await until_fuzzing(client)
            refused = await client.call_tool("start_campaign", {"paths": ["."]})
            assert "NOT_AVAILABLE" in refused.content[0].text
            await client.call_tool("stop_campaign", {})
        report = b""
        with trio.fail_after(PATIENCE):
            async for part in process.stdout:
                report += part
            assert await process.wait() == 0
        assert json.loads(report)["campaign"]["stopReason"] == "stopped on request"


async def test_a_server_runs_campaigns_until_it_is_told_to_leave(tmp_path: Path):
    """The token file is private, and a signal ends campaign and server."""
    async with http_program(tmp_path, "serve", TARGET, "--mcp-port", "0", "--timeout", "600", "--workers", "1") as (
        url,
        token,
        process,
    ):
        tokens = tmp_path / "state" / "monotreme" / "mcp-tokens.json"
        assert tokens.stat().st_mode & 0o777 == 0o600
        assert json.loads(tokens.read_text())["control"] == token
        async with connected(url, token) as client:
            await until_fuzzing(client)
        process.send_signal(signal.SIGTERM)
        with trio.fail_after(PATIENCE):
            assert await process.wait() == 0


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--mcp-port", "99999"), "from 0 to 65535"),
        (("--mcp-port", "0", "--mcp-auth", "maybe"), "token or none"),
        (("--mcp-port", "0", "--mcp-auth", "none", "--config", "elsewhere.yaml"), "not a loopback address"),
    ],
)
def test_servers_that_would_be_open_to_others_are_refused(tmp_path: Path, arguments: tuple, part: str):
    """As wrong usage."""
    (tmp_path / "elsewhere.yaml").write_text("mcpHost: 0.0.0.0\n")
    given = [str(tmp_path / each) if each.endswith(".yaml") else each for each in arguments]
    done = subprocess.run(
        [sys.executable, *command("serve", *given)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2
    assert part in done.stderr
    assert "Traceback" not in done.stderr
