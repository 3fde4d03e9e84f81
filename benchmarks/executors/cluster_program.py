"""A Ray cluster on 127.0.0.1: `python -m benchmarks.executors.cluster_program NODES CORES`.

Prints its address, adds a node for each line `add` on stdin, takes the newest away for each `remove`, and ends with
stdin.
"""

from __future__ import annotations

import os
import sys

os.environ.update(
    RAY_USAGE_STATS_ENABLED="0",
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0",
    RAY_enable_metrics_collection="0",
)
os.environ.setdefault("RAY_AUTH_MODE", "disabled")

from ray.cluster_utils import Cluster


def main() -> None:
    nodes, cores = map(int, sys.argv[1:3])
    each = {
        "num_cpus": cores,
        "object_store_memory": 150 << 20,
        "node_ip_address": "127.0.0.1",
        "include_dashboard": False,
    }
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Ray prints to stdout
    cluster = Cluster(initialize_head=True, head_node_args=each, shutdown_at_exit=True)
    added = [cluster.add_node(**each) for _ in range(1, nodes)]
    answers.write(f"{cluster.address}\n")
    answers.flush()
    for line in sys.stdin:
        if line.strip() == "add":
            added.append(cluster.add_node(**each))
        elif line.strip() == "remove" and added:
            cluster.remove_node(added.pop(), allow_graceful=False)
    cluster.shutdown()


if __name__ == "__main__":
    main()
