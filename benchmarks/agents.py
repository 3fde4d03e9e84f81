"""Latency of each tool and size of its answers, while two workers keep both cores busy on a large target with a corpus
of thousands of entries; and what an idle server costs.

python -m benchmarks.agents                                 # prints the tables
python -m benchmarks.agents --write docs/agents.md          # writes them between the markers of that page
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import httpx2
import psutil
import trio
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult

from benchmarks.agents_target import ENTRIES, FUNCTIONS, MODULES, NAME, write_target
from benchmarks.contestants.targets import TARGETS, Target
from benchmarks.contestants.whole_command import run_command
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.surroundings import describe
from benchmarks.measuring.tables import markdown_table, write_between_markers

WORKERS = 2
READY_SECONDS = 180.0
WARM_UP = 20
# Arguments that a campaign on the large target answers; each call of a command has its effect.
CALLS: dict[str, dict[str, Any]] = {
    "read_logs": {"count": 100},
    "show_coverage": {},
    "dump_lcov": {},
    "get_corpus_size": {},
    "inspect_corpus_transactions": {"limit": 100},
    "find_transaction_in_corpus": {"functionSignature": "post0(uint256,address)"},
    "inject_transaction": {"sequence": ["post0(?, ?)"]},
    "prioritize_function": {"functionSignature": "post0(uint256,address)"},
    "clear_priorities": {},
    "status": {},
    "target": {},
    "list_findings": {},
    "function_statistics": {},
    "explain_uncovered": {},
    "campaign_health": {},
    "read_source": {"function": "post0"},
    "search_corpus": {"function": "post0", "limit": 20},
    "sample_function": {"function": "post0"},
    "list_steering": {},
    "list_campaigns": {},
    "list_commands": {},
    "evaluate": {"expression": "keccak256(abi.encode(uint256(5)))"},
    "execute_sequence": {"sequence": [{"call": "post0(5, 0x20000)"}]},
    "wait_for_event": {"timeoutSeconds": 0},
}
SEARCH = "find_transaction_in_corpus"
Times = dict[str, tuple[list[float], int]]


@dataclass(frozen=True)
class Measured:
    """Seconds and failures of each tool; how many transactions the corpus had and the last search found; the largest
    answer of each tool in bytes; the share of a core that the server took beside its workers."""

    times: Times
    corpus: int
    found: int
    sizes: Mapping[str, int]
    share: float


@asynccontextmanager
async def stdio_agent(file: Path) -> AsyncIterator[Client]:
    arguments = ["-m", "orchestrator", "mcp", *_campaign(file)]
    environment = dict(os.environ)
    async with Client(StdioServerParameters(command=sys.executable, args=arguments, env=environment)) as client:
        yield client


@asynccontextmanager
async def http_agent(file: Path) -> AsyncIterator[Client]:
    environment = {**os.environ, "XDG_STATE_HOME": str(file.parent / "state")}
    options = ["--mcp-port", "0", "--dashboard-port", "0"]
    command = [sys.executable, "-m", "orchestrator", "serve", *options, *_campaign(file)]
    process = await trio.lowlevel.open_process(command, stderr=subprocess.PIPE, env=environment)
    try:
        url, token = await _address(process)
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield client
    finally:
        process.terminate()
        with trio.CancelScope(shield=True):
            await process.wait()


def _campaign(file: Path) -> list[str]:
    return [
        str(file), "--contract", NAME, "--config", str(file.parent / "campaign.yaml"), "--workers", str(WORKERS),
        "--seed", "1", "--timeout", "3600", "--corpus-dir", str(file.parent / "corpus"),
    ]  # fmt: skip


async def _address(process: trio.Process) -> tuple[str, str]:
    assert process.stderr is not None, "stderr is a pipe"
    told = ""
    with trio.fail_after(READY_SECONDS):
        while "kept in" not in told:
            part = await process.stderr.receive_some()
            if not part:
                raise BenchmarkError(f"monotreme serve ended: {told.strip()[-500:]}")
            told += part.decode()
    url, token = re.search(r"connect to (\S+)", told), re.search(r"control: (\S+)", told)
    if url is None or token is None:
        raise BenchmarkError(f"monotreme serve told no address: {told[-500:]}")
    return url.group(1), token.group(1)


async def measure_tools(client: Client, calls: int) -> Measured:
    """Seconds of each call by tool, and how many failed. Tools take turns, so that all meet the same campaign."""
    with trio.fail_after(READY_SECONDS):
        while True:
            status = await client.call_tool("status", {})
            facts = status.structured_content or {}
            if not status.is_error and facts["phase"] == "fuzzing" and facts["callsPerSecond"] > 0:
                break
            if facts.get("phase") == "failed":
                raise BenchmarkError(f"the campaign failed: {facts['failure']}")
            await trio.sleep(0.5)
    times: Times = {name: ([], 0) for name in CALLS}
    found = 0
    sizes = dict.fromkeys(CALLS, 0)
    corpus = facts["corpus"]["sequences"]
    server, began_at = _server(), time.monotonic()
    used = _seconds_of(server)
    gc.freeze()  # pauses of the client are not the server's
    gc.disable()
    for turn in range(WARM_UP + calls):
        for name, arguments in CALLS.items():
            began = time.perf_counter()
            result = await _call(client, name, arguments)
            took = time.perf_counter() - began
            if name == SEARCH and result.structured_content:
                found = result.structured_content["count"]
            sizes[name] = max(sizes[name], _size(result))
            if turn >= WARM_UP:
                taken, failed = times[name]
                taken.append(took)
                times[name] = taken, failed + bool(result.is_error)
    share = (_seconds_of(server) - used) / (time.monotonic() - began_at)
    return Measured(times, corpus, found, sizes, share)


def _server() -> psutil.Process:
    """The only child of this process."""
    (child,) = psutil.Process().children()
    return child


def _seconds_of(server: psutil.Process) -> float:
    """Processor time of the server itself, without its workers."""
    times = server.cpu_times()
    return float(times.user + times.system)


def _size(result: CallToolResult) -> int:
    """Bytes of the answer's texts."""
    return sum(len(getattr(part, "text", "").encode()) for part in result.content)


async def _call(client: Client, name: str, arguments: dict[str, Any]) -> CallToolResult:
    """Without the client's own check against the output schema: how long that takes is not the server's doing."""
    request = CallToolRequest(params=CallToolRequestParams(name=name, arguments=arguments))
    return await client.session.send_request(request, CallToolResult)


def latency_table(by_transport: dict[str, Times], sizes: Mapping[str, int]) -> list[str]:
    """Milliseconds, and the largest answer; a call that failed counts with the time that it took."""
    head = ["tool, ms"]
    for transport in by_transport:
        head += [f"{transport} p50", "p95", "p99", "failed"]
    head.append("bytes")
    rows = []
    for name in CALLS:
        row = [f"`{name}`"]
        for times in by_transport.values():
            taken, failed = times[name]
            row += [f"{1000 * _quantile(taken, share):.1f}" for share in (0.5, 0.95, 0.99)]
            row.append(str(failed) if failed else "–")
        row.append(f"{sizes[name]:,}")
        rows.append(row)
    return markdown_table(head, rows)


def _largest(measured: Mapping[str, Measured]) -> dict[str, int]:
    return {name: max(each.sizes[name] for each in measured.values()) for name in CALLS}


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def idle_cost(target: Target, calls: int, rounds: int) -> str:
    """A sentence: calls per second without and with an idle server, in turns."""
    rates: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory(prefix="monotreme-benchmark-") as name:
        alone = _on_its_own(target, Path(name) / "project")
        os.environ["XDG_STATE_HOME"] = str(Path(name) / "state")  # where the server's tokens and its memory go
        for _ in range(rounds):
            for served in (False, True):
                os.environ["ECHIDNA_MCP_PORT"] = "0" if served else ""
                run = run_command(alone, workers=WORKERS, calls=calls, seed=1)
                rates[served].append(run.calls / run.seconds)
    os.environ.pop("ECHIDNA_MCP_PORT")
    without, having = statistics.median(rates[False]), statistics.median(rates[True])
    cost = 100 * (1 - having / without)
    return (
        f"An idle server costs {cost:.1f}%: {without:,.0f} calls/s without and {having:,.0f} with one"
        f" (medians of {rounds} rounds in turns, {calls:,} calls each)."
    )


def _on_its_own(target: Target, folder: Path) -> Target:
    """The target in a project without other code, so that indexing it is no part of what idling costs."""
    folder.mkdir()
    shutil.copy2(target.file, folder)
    return replace(target, folder=folder)


async def measure_transports(calls: int) -> dict[str, Measured]:
    results: dict[str, Measured] = {}
    for name, agent in (("stdio", stdio_agent), ("HTTP", http_agent)):
        with tempfile.TemporaryDirectory(prefix="monotreme-benchmark-") as folder:
            file = await trio.to_thread.run_sync(write_target, Path(folder) / "project")
            async with agent(file) as client:
                results[name] = await measure_tools(client, calls)
    return results


@click.command()
@click.option("--calls", default=300, help="Calls of each tool on each transport.")
@click.option("--rounds", default=5, help="Rounds for the cost of an idle server; 0 leaves it out.")
@click.option("--command-calls", default=20_000_000, help="Calls of each of these campaigns.")
@click.option(
    "--write",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Page for the result, between its markers: docs/agents.md.",
)
def main(calls: int, rounds: int, command_calls: int, write: Path | None) -> None:
    """Measure on this machine, which should do nothing else meanwhile, and print Markdown tables. A large target with a
    corpus of 5,000 entries is written and fuzzed for each transport."""
    measured = trio.run(measure_transports, calls)
    found = " and ".join(f"{each.found:,} over {name}" for name, each in measured.items())
    corpus = " and ".join(f"{each.corpus:,}" for each in measured.values())
    shares = " and ".join(f"{100 * each.share:.0f}% over {name}" for name, each in measured.items())
    lines = [
        f"`python -m benchmarks.agents`, {calls} calls of each tool in turns; {WORKERS} workers fuzz a target of"
        f" {MODULES * FUNCTIONS} functions with {ENTRIES:,} branches.",
        "",
        *(f"* {fact}" for fact in describe(None)),
        f"* corpus at the start: {corpus} entries",
        "",
        *latency_table({name: each.times for name, each in measured.items()}, _largest(measured)),
        "",
        f"The last search found {found} transactions. The server itself took of one core: {shares}.",
    ]
    if rounds:
        lines += ["", idle_cost(TARGETS[0], command_calls, rounds)]
    if write:
        write_between_markers(write, "agents", lines)
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
