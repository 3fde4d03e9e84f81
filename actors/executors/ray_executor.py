"""Ray as an executor: a bridge process that connects to a cluster, with an environment that keeps Ray quiet."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import trio

from actors.executors.bridge import BridgeStream, ProcessStream
from actors.executors.messages import Connect
from actors.executors.spawner import RemoteSpawner
from actors.processes.environment import scrubbed_environment
from actors.runtime.errors import ActorError
from simulator.own_process import module_command
from simulator.policy import WORKER_VARIABLES
from simulator.printable import one_line

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # telemetry: the user's own setting counts
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_BACKEND_LOG_LEVEL": "error",
    "RAY_DEDUP_LOGS": "0",
    "RAY_enable_metrics_collection": "0",
    "GRPC_VERBOSITY": "NONE",
}
_LOCAL_DRIVER = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Without it a driver takes the machine's own address in place of 127.0.0.1, and waits forever."""
_CURRENT_CLUSTER = Path("/tmp/ray/ray_current_cluster")  # noqa: S108  # Ray's own place
PROBE_SECONDS = 5.0
HOW_TO_START = (
    "start one with `ray start --head`, let machines join with `ray start --address=HOST:6379`,"
    " and name it with --ray-address or RAY_ADDRESS"
)
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


class NoCluster(ActorError):  # noqa: N818  # it says what happened
    """There is no cluster at the address; the message says how to start one."""

    code = "E_NO_CLUSTER"


def is_installed() -> bool:
    """Return whether Ray can be imported. Imports nothing of it."""
    return importlib.util.find_spec("ray") is not None


async def find_cluster(address: str) -> str:
    """HOST:PORT of the cluster: the address given, else RAY_ADDRESS, else what `ray start` left on this machine.
    Raises `NoCluster` when nobody listens there."""
    found = address or os.environ.get("RAY_ADDRESS", "")
    if found in ("", "auto"):
        with suppress(OSError, UnicodeDecodeError):
            found = (await trio.Path(_CURRENT_CLUSTER).read_text()).strip()
    host, separator, port = found.rpartition(":")
    if found in ("", "auto"):
        raise NoCluster(f"there is no Ray cluster on this machine: {HOW_TO_START}")
    if "://" in found or not separator or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise NoCluster(
            f"{one_line(found)}: not an address of a Ray cluster: expected HOST:PORT, such as 10.0.0.1:6379"
        )
    try:
        with trio.fail_after(PROBE_SECONDS):
            await (await trio.open_tcp_stream(host.strip("[]"), int(port))).aclose()
    except (OSError, trio.TooSlowError):
        raise NoCluster(f"no Ray cluster answers at {one_line(found)}: {HOW_TO_START}") from None
    return found


def bridge_environment(address: str) -> dict[str, str]:
    """Environment of the bridge: no secrets of ours, and the user's settings of Ray, its token among them."""
    own = {name: value for name, value in os.environ.items() if name.startswith("RAY_")}
    quiet = {name: value for name, value in _QUIET.items() if name not in own}
    local = _LOCAL_DRIVER if address.startswith(_LOCAL) else {}
    return scrubbed_environment(WORKER_VARIABLES) | quiet | local | own


def ray_spawner(
    connect: Connect,
    nursery: trio.Nursery,
    say: Callable[[str], None],
    on_nodes: Callable[[], None] = lambda: None,
) -> RemoteSpawner:
    """A spawner over the cluster that `connect` names; the bridge starts with the first worker."""
    argv = module_command("actors.executors.ray_bridge")
    environment = bridge_environment(connect.address)

    async def open_stream() -> BridgeStream:
        return await ProcessStream.start(argv, environment, nursery)

    return RemoteSpawner(open_stream, connect, nursery, say, on_nodes)
