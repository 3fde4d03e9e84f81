"""Executors: where a campaign's workers run: processes of this machine, or nodes of a Ray cluster.

A new executor is a function in `EXECUTORS`. Nothing of Ray is imported here: a process of its own talks to it.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import msgspec
import trio

from actors.campaign.actor import Campaign
from actors.campaign.pool import MAX_WORKERS
from actors.executors.messages import Connect
from actors.executors.ray_executor import find_cluster, is_installed, ray_spawner
from actors.executors.spawner import RemoteSpawner
from actors.processes.environment import scrubbed_environment
from actors.runtime.errors import ActorError
from actors.steering.commands import SetWorkers
from actors.workers.process import LocalSpawner, Spawner
from orchestrator.assembly.errors import ExecutorUnavailable
from orchestrator.configuration.request import CampaignRequest
from simulator.policy import WORKER_VARIABLES
from simulator.settings import CampaignSettings

_REMOTE_PROJECT = b"project"
_REMOTE_CHAIN = b"chain"
"""Names in the folder of a worker on another machine."""


class Executor(Protocol):
    """`project` is the project's file as workers name it."""

    @property
    def spawner(self) -> Spawner: ...

    @property
    def project(self) -> bytes: ...

    def adapt(self, settings: CampaignSettings) -> CampaignSettings:
        """Settings as workers need them, wherever they run."""

    async def follow(self, campaign: Campaign) -> None:
        """Keep a running campaign at the size that was asked for. Returns when there is nothing to follow."""


@dataclass(frozen=True)
class Ground:
    """Parts of a campaign that an executor needs. `command` starts a worker, `say` takes sentences for the user,
    `tell` says what is being done."""

    request: CampaignRequest
    command: Sequence[str]
    project_file: Path
    say: Callable[[str], None]
    tell: Callable[[str], None]


OpenExecutor = Callable[[Ground], AbstractAsyncContextManager[Executor]]


@dataclass(frozen=True)
class _Local:
    spawner: LocalSpawner
    project: bytes

    def adapt(self, settings: CampaignSettings) -> CampaignSettings:
        return settings

    async def follow(self, campaign: Campaign) -> None:
        await trio.lowlevel.checkpoint()


@asynccontextmanager
async def open_local(ground: Ground) -> AsyncIterator[Executor]:
    """Processes of this machine. Hash randomisation is off in them, so that no order depends on it."""
    environment = scrubbed_environment(WORKER_VARIABLES, PYTHONHASHSEED="0")
    spawner = LocalSpawner(ground.command, environment, ground.project_file.parent)
    yield _Local(spawner, os.fsencode(ground.project_file))


class _Ray:
    project = _REMOTE_PROJECT

    def __init__(self, ground: Ground, address: str, nursery: trio.Nursery) -> None:
        request = ground.request
        self._say = ground.say
        self._takes_all = request.takes_all_cores
        self._changed = trio.Event()
        self._told = ""
        self._asked = request.workers
        connect = Connect(
            address,
            os.fsencode(ground.project_file),
            *_own_kernel(),
            workers=request.workers,
        )
        self.spawner: RemoteSpawner = ray_spawner(connect, nursery, ground.say, self._hear_of_nodes)

    def adapt(self, settings: CampaignSettings) -> CampaignSettings:
        """Each node keeps what it reads of a forked chain beside its project."""
        if settings.fork is None:
            return settings
        return msgspec.structs.replace(settings, fork=msgspec.structs.replace(settings.fork, cache=_REMOTE_CHAIN))

    async def follow(self, campaign: Campaign) -> None:
        while self._takes_all:
            changed = self._changed
            cores = min(self._cores(), MAX_WORKERS)
            if 0 < cores != self._asked:
                self._asked = cores
                with suppress(ActorError):  # it may be over
                    await campaign.ask(SetWorkers(cores))
            await changed.wait()

    def _cores(self) -> int:
        return sum(node.cores for node in self.spawner.nodes if not node.refusal)

    def _hear_of_nodes(self) -> None:
        nodes = [node for node in self.spawner.nodes if not node.refusal]
        told = f"Ray: {len(nodes)} node{'' if len(nodes) == 1 else 's'} with {self._cores()} cores"
        if told != self._told:
            self._told = told
            self._say(told)
        self._changed.set()
        self._changed = trio.Event()


def _own_kernel() -> tuple[str, bytes]:
    """Key and file of this machine's kernel, for nodes with the same processor and versions."""
    from simulator.kernel_loader import object_path, source_key

    path = object_path()
    return (source_key(), os.fsencode(path)) if path.exists() else ("", b"")


@asynccontextmanager
async def open_ray(ground: Ground) -> AsyncIterator[Executor]:
    """Nodes of a Ray cluster. Raises `ExecutorUnavailable` when there is none."""
    if not is_installed():
        raise ExecutorUnavailable("--executor ray needs the package Ray: pip install 'monotreme[ray]'")
    async with trio.open_nursery() as nursery:
        try:
            address = await find_cluster(ground.request.configuration.ray_address or "")
            executor = _Ray(ground, address, nursery)
            ground.tell(f"connecting to the Ray cluster at {address}")
            await executor.spawner.open()
        except ActorError as error:
            raise ExecutorUnavailable(str(error)) from error
        yield executor
        nursery.cancel_scope.cancel(reason="the campaign is over")


EXECUTORS: Final[Mapping[str, OpenExecutor]] = {"local": open_local, "ray": open_ray}
