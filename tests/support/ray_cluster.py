"""A Ray cluster of several nodes on this machine, and the program's campaigns on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "benchmarks" / "executors" / "cluster_program.py"
ENVIRONMENT = {"RAY_AUTH_MODE": "disabled", "RAY_gcs_rpc_server_reconnect_timeout_s": "5"}
"""Of the cluster and the bridge: a head that is gone is given up soon."""


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
def running_cluster(nodes: int, **settings: str) -> Iterator[Cluster]:
    """With settings of Ray in its environment."""
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(nodes), "1"],
        env={**os.environ, **ENVIRONMENT, **settings},
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
    cluster: Cluster | None,
    folder: Path,
    *arguments: str,
    program: tuple[str, ...] = ("-m", "orchestrator"),
    **settings: str,
) -> Campaign:
    """Start a campaign on the cluster, with settings of Ray in its environment; without one, in processes of this
    machine."""
    place = ("--executor", "ray", "--ray-address", cluster.address) if cluster is not None else ()
    command = [sys.executable, *program, "fuzz", *arguments, *place, "--format", "json", "--seed", "1"]
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(ROOT), **settings}
    with open(folder / "report.json", "wb") as report, open(folder / "messages", "wb") as messages:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=report,
            stderr=messages,
        )
    return Campaign(process, folder)
