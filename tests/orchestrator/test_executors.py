"""Where workers run: what is said when there is no cluster, and what reaches the process that talks to one."""

from __future__ import annotations

import socket

import pytest

from actors.executors.ray_executor import NoCluster, bridge_environment, find_cluster
from orchestrator.configuration.decide import DecisionInputs, make_request
from orchestrator.configuration.layers import flag_layer
from orchestrator.configuration.resolve import resolve

SURROUNDINGS = DecisionInputs(6, 1, False, False, False)


@pytest.mark.parametrize("address", ["ray://10.0.0.1:10001", "10.0.0.1", "10.0.0.1:many", "10.0.0.1:0", ":\x1b[31m"])
async def test_what_is_no_address_is_refused_with_the_allowed_form(address: str):
    with pytest.raises(NoCluster, match=r"expected HOST:PORT") as raised:
        await find_cluster(address)
    assert "\x1b" not in str(raised.value)


async def test_a_cluster_that_does_not_answer_is_named_with_the_way_to_start_one():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NoCluster, match=rf"no Ray cluster answers at 127\.0\.0\.1:{port}: start one with `ray start"):
        await find_cluster(f"127.0.0.1:{port}")


async def test_a_cluster_is_found_by_the_flag_and_by_the_environment(monkeypatch: pytest.MonkeyPatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert await find_cluster(address) == address
        monkeypatch.setenv("RAY_ADDRESS", address)
        assert await find_cluster("") == address


def test_secrets_of_the_user_stay_out_of_the_bridge_and_rays_own_settings_reach_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MONOTREME_TOKEN", "ours")
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    environment = bridge_environment("10.0.0.1:6379")
    assert "MONOTREME_TOKEN" not in environment
    assert environment["RAY_AUTH_MODE"] == "token"
    assert environment["RAY_USAGE_STATS_ENABLED"] == "0"
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    assert bridge_environment("10.0.0.1:6379")["RAY_USAGE_STATS_ENABLED"] == "1"


@pytest.mark.parametrize(("executor", "workers"), [("local", 6), ("ray", 1)])
def test_max_is_a_worker_for_each_core_which_a_cluster_counts_itself(executor: str, workers: int, tmp_path):
    keys = resolve([flag_layer({"workers": ("--workers", "max"), "executor": ("--executor", executor)})]).configuration
    request = make_request([tmp_path], keys, SURROUNDINGS)
    assert (request.workers, request.takes_all_cores) == (workers, True)
