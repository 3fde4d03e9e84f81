"""Campaigns on a real Ray cluster of several nodes on this machine; `pip install 'monotreme[ray]'` brings Ray."""

from __future__ import annotations

import importlib.util
import json
import random
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.workers.process import NICE
from tests.support.patience import PATIENCE, wait_for
from tests.support.ray_cluster import Cluster, fuzz, running_cluster

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


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with running_cluster(3) as cluster:
        yield cluster


def test_workers_of_a_node_have_the_priority_of_those_of_one_machine(cluster: Cluster, tmp_path: Path):
    """Ray's own is lower. Who may not raise it is told how to."""
    (tmp_path / "Holds.sol").write_text(HOLDS)
    campaign = fuzz(cluster, tmp_path, "Holds.sol", "--workers", "3", "--test-limit", "20000000000")
    wait_for(lambda: "fuzzing" in campaign.messages(), "fuzzing")
    found = {worker.nice() for worker in cluster.workers()}
    campaign.process.send_signal(signal.SIGINT)
    campaign.process.wait(PATIENCE)
    assert found == {NICE} or "RAY_worker_niceness=0 ray start" in campaign.messages()


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


def test_a_cluster_with_token_authentication_takes_who_has_the_token(tmp_path: Path):
    """Others are refused with a sentence that names the settings."""
    (tmp_path / "Holds.sol").write_text(HOLDS)
    arguments = ("Holds.sol", "--workers", "1", "--test-limit", "10000")
    with_token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    with running_cluster(1, **with_token) as cluster:
        campaign = fuzz(cluster, tmp_path, *arguments, **with_token)
        campaign.process.wait(PATIENCE)
        assert campaign.process.returncode == 0, campaign.messages()
        for other in ({}, {**with_token, "RAY_AUTH_TOKEN": secrets.token_hex(32)}):
            campaign = fuzz(cluster, tmp_path, *arguments, **other)
            campaign.process.wait(PATIENCE)
            assert campaign.process.returncode == 3, campaign.messages()
            assert "Traceback" not in campaign.messages()
            assert with_token["RAY_AUTH_TOKEN"] not in campaign.messages()


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
