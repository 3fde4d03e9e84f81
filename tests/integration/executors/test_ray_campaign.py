"""The one campaign on a Ray cluster that every run of the tests has, where Ray is installed; others are nightly."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.support.patience import wait_for
from tests.support.ray_cluster import ROOT, fuzz, running_cluster

TOKEN = ROOT / "examples" / "token"


@pytest.mark.integration
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: monotreme[ray]")
def test_a_campaign_over_three_nodes_finds_what_the_example_plants(tmp_path: Path):
    arguments = (str(TOKEN), "--contract", "TokenHarness", "--config", str(TOKEN / "echidna.yaml"), "--workers", "3")
    with running_cluster(3) as cluster:
        campaign = fuzz(cluster, tmp_path, *arguments)
        report = campaign.end()
        assert campaign.process.returncode == 1
        failed = [test for test in report["tests"] if test["status"] == "falsified"]
        assert [test["name"] for test in failed] == ["echidna_balances_are_within_supply"]
        assert "Ray: 3 nodes with 3 cores" in campaign.messages()
        assert len(report["campaign"]["workerNodes"]) == 3
        wait_for(lambda: not cluster.workers(), "no process stays on any node")
