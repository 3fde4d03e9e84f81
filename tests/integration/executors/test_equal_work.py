"""Nodes of a cluster do the work of one machine: as many calls, equal coverage, the same findings."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.support.ray_cluster import Cluster, fuzz, running_cluster

CALLS = 2_000_000
TOLERANCE = 0.05
SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
contract Doors {
    uint256 public opened;
    bool public isBroken;
    mapping(address => uint256) public visits;
    function visit(uint8 door) public { visits[msg.sender] += 1; if (door == opened % 7) opened += 1; }
    function leave() public { require(visits[msg.sender] > 0); visits[msg.sender] -= 1; }
    function force(uint256 key) public { if (opened > 5 && key == 0xb0a7) isBroken = true; }
    function echidna_is_whole() public view returns (bool) { return !isBroken; }
    function echidna_few_are_open() public view returns (bool) { return opened < 4; }
    function echidna_holds() public view returns (bool) { return opened < type(uint256).max; }
}
"""

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: monotreme[ray]"),
]


def worked(cluster: Cluster | None, folder: Path, workers: int) -> dict[str, Any]:
    """The report of a campaign with so many workers."""
    folder.mkdir()
    (folder / "Doors.sol").write_text(SOURCE)
    limits = ("--workers", str(workers), "--test-limit", str(CALLS), "--corpus-dir", "corpus")
    campaign = fuzz(cluster, folder, "Doors.sol", *limits)
    report: dict[str, Any] = campaign.end()
    assert campaign.process.returncode == 1, campaign.messages()
    return report


@pytest.mark.parametrize("nodes", [2, 4, 8])
def test_nodes_do_the_work_that_workers_of_one_machine_do(nodes: int, tmp_path: Path):
    local = worked(None, tmp_path / "local", nodes)
    with running_cluster(nodes) as cluster:
        remote = worked(cluster, tmp_path / "ray", nodes)
    for report in (local, remote):
        assert report["campaign"]["calls"] == pytest.approx(CALLS, rel=TOLERANCE)
        assert report["corpus"]["sequences"] > 0
    assert len(remote["campaign"]["workerNodes"]) == nodes
    assert verdicts(remote) == verdicts(local)
    assert remote["coverage"] == local["coverage"]


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {test["name"]: test["status"] for test in report["tests"]}
