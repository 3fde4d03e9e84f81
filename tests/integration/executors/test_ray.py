"""Campaigns on a real Ray cluster of several nodes on this machine; `pip install 'monotreme[ray]'` brings Ray."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.support.patience import PATIENCE, wait_for

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "benchmarks" / "executors" / "cluster_program.py"
TOKEN = ROOT / "examples" / "token"
ENVIRONMENT = {"RAY_AUTH_MODE": "disabled", "RAY_gcs_rpc_server_reconnect_timeout_s": "5"}
"""Of the cluster and the bridge: a head that is gone is given up soon."""
HOLDS = """// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
contract Holds {
    uint256 public total;
    mapping(uint256 => uint256) seen;
    function add(uint256 key) public { seen[key % 4] += 1; total += 1; }
    function echidna_total() public view returns (bool) { return total < type(uint256).max; }
}
"""

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: monotreme[ray]"),
]


@dataclass
class Cluster:
    address: str
    process: subprocess.Popen[str]

    def add_node(self) -> None:
        self._tell("add")

    def remove_node(self) -> None:
        """The newest one, without a word to anybody."""
        self._tell("remove")

    def _tell(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def workers(self) -> list[psutil.Process]:
        """Worker processes on its nodes."""
        return [each for each in self._tree() if "simulator.worker" in each.cmdline()]

    def hosts(self) -> list[psutil.Process]:
        """Host actors that own workers."""
        return list({worker.ppid(): worker.parent() for worker in self.workers()}.values())

    def kill_head(self) -> None:
        """The process that knows the cluster, with the node that it runs on."""
        for each in self._tree():
            if "gcs_server" in each.name() or "raylet" in each.name():
                each.kill()
                if "raylet" in each.name():
                    return

    def _tree(self) -> Iterator[psutil.Process]:
        for each in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if each.status() != psutil.STATUS_ZOMBIE and each.cmdline():
                    yield each
            except psutil.Error:
                continue


@contextmanager
def running_cluster(nodes: int) -> Iterator[Cluster]:
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(nodes), "1"],
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield Cluster(process.stdout.readline().strip(), process)
        process.stdin.close()
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.stdout.close()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with running_cluster(3) as cluster:
        yield cluster


@dataclass
class Campaign:
    process: subprocess.Popen[bytes]
    folder: Path

    def end(self) -> dict[str, object]:
        """The report, once the campaign is over."""
        self.process.wait(PATIENCE)
        return json.loads((self.folder / "report.json").read_bytes())

    def messages(self) -> str:
        return (self.folder / "messages").read_text()


def fuzz(
    cluster: Cluster, folder: Path, *arguments: str, program: tuple[str, ...] = ("-m", "orchestrator")
) -> Campaign:
    command = [sys.executable, *program, "fuzz", *arguments, "--executor", "ray", "--format", "json"]
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(ROOT)}
    with open(folder / "report.json", "wb") as report, open(folder / "messages", "wb") as messages:
        process = subprocess.Popen(
            [*command, "--ray-address", cluster.address, "--seed", "1"],
            cwd=folder,
            env=environment,
            stdout=report,
            stderr=messages,
        )
    return Campaign(process, folder)


def test_a_campaign_over_three_nodes_finds_what_the_example_plants(cluster: Cluster, tmp_path: Path):
    arguments = (str(TOKEN), "--contract", "TokenHarness", "--config", str(TOKEN / "echidna.yaml"), "--workers", "3")
    campaign = fuzz(cluster, tmp_path, *arguments)
    report = campaign.end()
    assert campaign.process.returncode == 1
    failed = [test for test in report["tests"] if test["status"] == "falsified"]
    assert [test["name"] for test in failed] == ["echidna_balances_are_within_supply"]
    assert "Ray: 3 nodes with 3 cores" in campaign.messages()
    wait_for(lambda: not cluster.workers(), "no process stays on any node")


def test_whatever_is_killed_nothing_found_is_lost(cluster: Cluster, tmp_path: Path):
    """Processes, host actors and the bridge die at 20 moments: the campaign makes all of its calls."""
    (tmp_path / "Holds.sol").write_text(HOLDS)
    campaign = fuzz(cluster, tmp_path, "Holds.sol", "--workers", "6", "--timeout", "60", "--corpus-dir", "corpus")
    rng = random.Random(1)
    for _ in range(20):
        wait_for(lambda: cluster.workers() or campaign.process.poll() is not None, "workers")
        if campaign.process.poll() is not None:
            break
        victim = rng.choice((*cluster.workers(), *cluster.hosts()))
        with_it = {worker.pid for worker in cluster.workers() if worker == victim or worker.ppid() == victim.pid}
        victim.kill()
        wait_for(lambda gone=with_it: not gone & {worker.pid for worker in cluster.workers()}, "the dead are gone")
    report = campaign.end()
    assert campaign.process.returncode == 0, campaign.messages()
    assert report["campaign"]["calls"] > 0
    assert list((tmp_path / "corpus" / "coverage").iterdir())
    wait_for(lambda: not cluster.workers(), "no process stays on any node")


def test_workers_end_with_a_driver_that_was_killed_and_it_resumes(cluster: Cluster, tmp_path: Path):
    (tmp_path / "Holds.sol").write_text(HOLDS)
    arguments = ("Holds.sol", "--workers", "2", "--test-limit", "20000000000", "--corpus-dir", "corpus")
    campaign = fuzz(cluster, tmp_path, *arguments)
    wait_for(lambda: (tmp_path / "corpus" / "campaign.json").exists() or cluster.workers(), "workers")
    campaign.process.kill()
    campaign.process.wait(PATIENCE)
    wait_for(lambda: not cluster.workers(), "workers end with the driver")
    again = fuzz(cluster, tmp_path, *arguments, "--resume")
    wait_for(cluster.workers, "workers of the campaign that continues")
    wait_for(lambda: "fuzzing" in again.messages(), "fuzzing")
    again.process.send_signal(signal.SIGINT)
    again.process.wait(PATIENCE)
    assert again.process.returncode == 130


def test_a_campaign_of_all_cores_grows_and_shrinks_with_the_cluster(cluster: Cluster, tmp_path: Path):
    (tmp_path / "Holds.sol").write_text(HOLDS)
    limits = ("--test-limit", "20000000000", "--corpus-dir", "corpus")
    campaign = fuzz(cluster, tmp_path, "Holds.sol", "--workers", "max", *limits)
    wait_for(lambda: len(cluster.workers()) == 3, "a worker for each core")
    cluster.add_node()
    wait_for(lambda: len(cluster.workers()) == 4, "a worker for the new core")
    wait_for(lambda: checkpoint_calls(tmp_path) > 0, "a checkpoint with calls")
    cluster.remove_node()
    wait_for(lambda: "Ray: 3 nodes with 3 cores" in campaign.messages().split("Ray: 4 nodes")[-1], "the node is missed")
    wait_for(lambda: len(cluster.workers()) == 3, "no worker without a core")
    before = checkpoint_calls(tmp_path)
    wait_for(lambda: checkpoint_calls(tmp_path) > before, "the campaign goes on")
    campaign.process.send_signal(signal.SIGINT)
    campaign.process.wait(PATIENCE)
    wait_for(lambda: not cluster.workers(), "no process stays on any node")


IMPATIENT = (
    "import sys, actors.executors.spawner as spawner, orchestrator.__main__ as program;"
    " spawner.RECONNECT_SECONDS = 5.0; sys.exit(program.main())"
)
"""The program, which waits five seconds for a cluster that is gone."""


def test_a_campaign_whose_head_dies_ends_with_a_sentence_and_resumes(tmp_path: Path):
    (tmp_path / "Holds.sol").write_text(HOLDS)
    arguments = ("Holds.sol", "--workers", "2", "--test-limit", "20000000000", "--corpus-dir", "corpus")
    with running_cluster(2) as cluster:
        campaign = fuzz(cluster, tmp_path, *arguments, program=("-c", IMPATIENT))
        wait_for(lambda: checkpoint_calls(tmp_path) > 0, "a checkpoint with calls")
        cluster.kill_head()
        report = campaign.end()
        assert campaign.process.returncode == 3, campaign.messages()
        assert "the cluster did not come back within 5 s" in campaign.messages()
        assert "Traceback" not in campaign.messages()
        assert report["campaign"]["calls"] > 0
        wait_for(lambda: not cluster.workers(), "no process stays on any node")
    before = checkpoint_calls(tmp_path)
    with running_cluster(1) as cluster:
        again = fuzz(cluster, tmp_path, *arguments, "--resume")
        wait_for(lambda: checkpoint_calls(tmp_path) > before, "the campaign goes on")
        again.process.send_signal(signal.SIGINT)
        again.process.wait(PATIENCE)


def checkpoint_calls(folder: Path) -> int:
    """Calls of the last checkpoint; 0 without one."""
    file = folder / "corpus" / "checkpoint.json"
    return json.loads(file.read_bytes())["state"]["calls"] if file.exists() else 0
