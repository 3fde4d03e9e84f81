"""The cluster: which nodes there are, which of them can have workers, and where the next worker goes."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import traceback
from collections.abc import Callable
from typing import Any

import ray
from ray.exceptions import RayError

from actors.executors.messages import (
    Connect,
    Consumed,
    End,
    Ended,
    FromBridge,
    Node,
    Nodes,
    NotStarted,
    Said,
    Send,
    Start,
    Started,
    ToBridge,
)
from actors.executors.ray_bridge.node_link import Content, HostFailedError, NodeLink, NodeRefusedError
from simulator.printable import one_line

WATCH_SECONDS = 2.0
OPEN_SECONDS = 10.0
PLACE_SECONDS = 600.0
"""A worker waits so long for a node: clusters grow in minutes."""


class NoRoomError(Exception):
    """No node of the cluster can have workers; the message says why."""


class Cluster:
    """All nodes, and the processes on them by key. `tell` queues messages for the supervisor. Raises `OSError` when the
    project cannot be read."""

    def __init__(self, connect: Connect, tell: Callable[[FromBridge], None]) -> None:
        self._tell = tell
        self._argv = connect.argv
        self._lease = connect.lease
        self._content = Content.of(connect)
        self._wanted = connect.workers
        self._version = importlib.metadata.version("monotreme")
        self._links: dict[str, NodeLink] = {}
        self._nodes: dict[str, Node] = {}
        self._places: dict[str, NodeLink] = {}
        self._promised: dict[str, int] = {}
        self._opening: set[str] = set()
        self._changed = asyncio.Event()
        self._patient_until = asyncio.get_running_loop().time() + OPEN_SECONDS
        self._tasks: set[asyncio.Task[None]] = set()
        self._has_asked_for_more = False
        self._has_looked = False

    async def watch(self) -> None:
        """Follow who joins and who leaves, until cancelled. Raises `RayError` when the cluster is gone."""
        while True:
            alive = {node["NodeID"]: node for node in await asyncio.to_thread(ray.nodes) if node["Alive"]}
            for identity in [identity for identity in self._nodes if identity not in alive]:
                self._leave(identity)
            for identity in [identity for identity, link in self._links.items() if link.lost is not None]:
                self._forget(identity)  # its host died: the node gets another one
            for identity, node in alive.items():
                if identity not in self._nodes:
                    self._join(identity, node)
            self._has_looked = True
            await asyncio.sleep(WATCH_SECONDS)

    def obey(self, message: ToBridge) -> None:
        """Carry out a command of the supervisor, in the order of commands for each process."""
        match message:
            case Start():
                self._spawn(self._start(message))
            case Send(key=key, data=data):
                if (link := self._places.get(key)) is not None:
                    link.send(key, data)
            case Consumed(key=key, total=total):
                if (link := self._places.get(key)) is not None:
                    link.consumed(key, total)
            case End(key=key):
                if (link := self._places.pop(key, None)) is not None:
                    self._spawn(link.end(key))
                else:
                    self._tell(Ended(key, ()))
            case Connect():
                pass

    def close(self) -> None:
        """End all processes."""
        self._ask_for_workers(0)
        for link in self._links.values():
            with contextlib.suppress(RayError):
                link.close()

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _join(self, identity: str, node: dict[str, Any]) -> None:
        cores = int(node["Resources"].get("CPU", 0))
        address = one_line(str(node["NodeManagerAddress"]))
        self._nodes[identity] = Node(identity, address, cores)
        link = NodeLink(identity, address, self._lease, self._tell)
        self._opening.add(identity)
        self._spawn(self._open(identity, link))

    async def _open(self, identity: str, link: NodeLink) -> None:
        try:
            if said := await link.open(self._version, self._content):
                self._tell(Said(said))
        except (NodeRefusedError, HostFailedError, RayError) as error:
            reason = _brief(error) if isinstance(error, RayError) else str(error)
            self._refuse(identity, reason)
            self._tell(Said(f"node {link.address} gets no workers: {reason}"))
        else:
            if identity in self._nodes:
                self._links[identity] = link
        self._opening.discard(identity)
        self._report()

    def _refuse(self, identity: str, reason: str) -> None:
        if (node := self._nodes.get(identity)) is not None:
            self._nodes[identity] = Node(node.id, node.address, node.cores, reason)

    def _leave(self, identity: str) -> None:
        node = self._nodes.pop(identity)
        if (link := self._links.pop(identity, None)) is not None:
            link.lose(f"node {node.address} has left the cluster")
        self._report()

    def _forget(self, identity: str) -> None:
        del self._links[identity]
        self._nodes.pop(identity, None)

    def _report(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
        if not self._opening:
            self._tell(Nodes(tuple(self._nodes.values())))

    # --- processes ---------------------------------------------------------------------------------------------------

    async def _start(self, start: Start) -> None:
        try:
            async with asyncio.timeout(PLACE_SECONDS):
                while True:
                    link = await self._place(start.key)
                    try:
                        pid = await link.start(start.key, self._argv)
                        break
                    except RayError as error:
                        self._places.pop(start.key, None)
                        link.lose(_brief(error))
                    finally:
                        self._promised[link.node] -= 1
        except TimeoutError:
            self._tell(NotStarted(start.key, f"the cluster has no node for it{self._refusals()}"))
        except (NoRoomError, HostFailedError) as error:
            self._places.pop(start.key, None)
            self._tell(NotStarted(start.key, str(error)))
        except Exception as error:  # the process boundary: the one who waits for the worker must hear of a bug
            traceback.print_exc()
            self._places.pop(start.key, None)
            self._tell(NotStarted(start.key, _brief(error)))
        else:
            self._tell(Started(start.key, pid, link.address))

    async def _place(self, key: str) -> NodeLink:
        """The node with the most room for a worker; waits for one, and a moment for nodes that are being opened: the
        first is not to get all workers."""
        while (self._opening or not self._has_looked) and asyncio.get_running_loop().time() < self._patient_until:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), WATCH_SECONDS)
        while not (reachable := [link for link in self._links.values() if link.is_reachable]):
            changed = self._changed
            if self._nodes and not self._opening and all(node.refusal for node in self._nodes.values()):
                raise NoRoomError(f"the cluster has no node for it{self._refusals()}")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), WATCH_SECONDS)
        link = min(reachable, key=self._crowding)
        self._promised[link.node] = self._promised.get(link.node, 0) + 1
        self._places[key] = link
        self._ask_for_workers(self._wanted)
        return link

    def _crowding(self, link: NodeLink) -> tuple[float, str]:
        node = self._nodes.get(link.node)
        cores = max(0.5, node.cores if node is not None else 0.5)
        return ((link.workers + self._promised.get(link.node, 0) + 1) / cores, link.node)

    def _refusals(self) -> str:
        reasons = [f"{node.address}: {node.refusal}" for node in self._nodes.values() if node.refusal]
        return f" ({'; '.join(reasons)})" if reasons else ""

    def _ask_for_workers(self, count: int) -> None:
        """Tell an autoscaler, where there is one, what is wanted. Without one it changes nothing."""
        cores = sum(node.cores for node in self._nodes.values())
        if count <= cores and not self._has_asked_for_more:
            return
        self._has_asked_for_more = count > 0
        with contextlib.suppress(Exception):  # the autoscaler's interface is not there on every cluster
            from ray.autoscaler.sdk import request_resources

            request_resources(num_cpus=count)

    def _spawn(self, call: Any) -> None:
        task = asyncio.create_task(call)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _brief(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {one_line(text.splitlines()[0]) if text else 'no reason given'}"
