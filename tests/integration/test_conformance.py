"""Every server scenario of the official conformance suite of MCP, against a server with its fixtures.

Runs where npm is reachable and Node.js 22 or newer is there, as `test_real_clients.py` does.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.test_real_clients import environment, packages
from tests.support.patience import PATIENCE

__all__ = ["packages"]
pytestmark = [pytest.mark.integration, pytest.mark.nightly]

ROOT = Path(__file__).parents[2]
SCENARIOS = (
    "server-initialize",
    "logging-set-level",
    "ping",
    "completion-complete",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "json-schema-2020-12",
    "elicitation-sep1034-defaults",
    "server-sse-polling",
    "server-sse-multiple-streams",
    "elicitation-sep1330-enums",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "dns-rebinding-protection",
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The transport of `tools.serving` with the suite's fixtures behind it."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "tests.support.conformance_server"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        line = process.stdout.readline().strip()
        assert line.startswith("http://"), line
        yield line
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def run(packages: tuple[Path, Path], *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    node, modules = packages
    program = str(modules / ".bin" / "conformance")
    return subprocess.run(
        [node / "node", program, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env=environment(node),
        cwd=cwd,
    )


def scenarios(listed: str) -> list[str]:
    """Names of the server scenarios, as the suite lists them."""
    servers, _, _ = listed.partition("Client scenarios")
    return re.findall(r"^  - (\S+)", servers, re.MULTILINE)


def test_the_suite_has_no_other_server_scenarios(packages: tuple[Path, Path], tmp_path: Path):
    assert scenarios(run(packages, "list", cwd=tmp_path).stdout) == list(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_server_scenario_passes(packages: tuple[Path, Path], url: str, tmp_path: Path, scenario: str):
    done = run(packages, "server", "--url", url, "--scenario", scenario, "-o", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-500:]
    assert "0 failed" in done.stdout
