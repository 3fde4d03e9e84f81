"""The bridge's side of one node: the host actor there, the poll that is always under way, and the sends."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import ray
from ray.exceptions import ActorUnavailableError, RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.executors.messages import (
    WINDOW,
    Connect,
    Ended,
    Exited,
    FromBridge,
    OutputEnded,
    ProcessMeasured,
    ProcessOutput,
    Written,
)
from actors.executors.ray_bridge.host import Greeting, Heard, NodeHost
from actors.executors.ray_bridge.niceness import ASKED
from actors.workers.process import NICE, STDERR_TAIL
from simulator.printable import one_line
from simulator.transaction import Sequence
from simulator.worker.frame import PROTOCOL_VERSION

INTERVAL_SECONDS = 0.1
LINGER_SECONDS = 0.01
RETRY_SECONDS = 0.2
UNAVAILABLE_SECONDS = 60.0
"""A node that cannot be reached for so long is given up."""
REACHABLE_SECONDS = 15.0
"""A node that did not answer for so long gets no new workers."""
_SEQUENCE = msgspec.msgpack.Decoder(Sequence)
_MAX_EXECUTED = 2 << 20
_Answers = dict[str, Heard]


class NodeRefusedError(Exception):
    """The node is of no use; the message says why."""


class HostFailedError(Exception):
    """The host raised an error, and lives; the message is the error's."""


@dataclass
class _Stream:
    """Stream of one process as the bridge knows it: offsets of its output, input and what the supervisor was told."""

    def credit(self) -> int:
        """How many more bytes of its output are taken."""
        return max(0, WINDOW - (self.received - self.consumed))

    received: int = 0
    consumed: int = 0
    sent: int = 0
    written: int = 0
    usage: tuple[int, float] | None = None
    output_ended: bool = False
    exited: bool = False


@dataclass
class Content:
    """Files that nodes are given, once each, through Ray's object store."""

    project: bytes
    kernel_key: str
    kernel: bytes
    _references: dict[bytes, Any] = field(default_factory=dict)

    @staticmethod
    def of(connect: Connect) -> Content:
        """Read the files. Raises `OSError`."""
        kernel = Path(os.fsdecode(connect.kernel_file)).read_bytes() if connect.kernel_file else b""
        return Content(Path(os.fsdecode(connect.project_file)).read_bytes(), connect.kernel_key, kernel)

    def reference(self, data: bytes) -> tuple[str, Any]:
        """The digest of the content, and Ray's reference to it."""
        digest = hashlib.sha256(data).hexdigest()
        if data not in self._references:
            self._references[data] = ray.put(data)
        return digest, self._references[data]


class NodeLink:
    """A host and its processes. `tell` queues messages for the supervisor."""

    def __init__(self, node: str, address: str, lease: float, tell: Callable[[FromBridge], None]) -> None:
        self._lease = lease
        self.node = node
        self.address = address
        self._tell = tell
        self._streams: dict[str, _Stream] = {}
        self._outgoing: deque[tuple[str, int, bytes]] = deque()
        self._has_outgoing = asyncio.Event()
        self._has_streams = asyncio.Event()
        self._last_answer = time.monotonic()
        self._actor: Any = None
        self._tasks: list[asyncio.Task[None]] = []
        self.lost: str | None = None

    @property
    def workers(self) -> int:
        return len(self._streams)

    @property
    def is_reachable(self) -> bool:
        """It can take another worker."""
        silent = time.monotonic() - self._last_answer if self._streams else 0.0
        return self.lost is None and silent < REACHABLE_SECONDS

    async def open(self, version: str, content: Content) -> str:
        """Start the host and give it what it needs. Returns a line for the user, empty for none.

        Raises `NodeRefusedError`, `HostFailedError`, and `RayError` when the node is gone.
        """
        affinity = NodeAffinitySchedulingStrategy(self.node, soft=False)
        self._actor = (
            ray.remote(NodeHost)
            .options(num_cpus=0, max_restarts=0, max_task_retries=0, scheduling_strategy=affinity)
            .remote(INTERVAL_SECONDS, LINGER_SECONDS, self._lease)
        )
        hello = _checked(await self._ask(self._actor.hello), Greeting)
        if (hello["version"], hello["protocol"]) != (version, PROTOCOL_VERSION):
            raise NodeRefusedError(
                f"monotreme {one_line(hello['version'])} (protocol {hello['protocol']}) is installed there,"
                f" not {version} (protocol {PROTOCOL_VERSION})"
            )
        said = ""
        if not hello["has_kernel"]:
            said = await self._give_kernel(hello["kernel"], content)
        if hello["niceness"]:
            said = "; ".join(filter(None, (said, self._words_on_niceness(hello["niceness"]))))
        await self._ask(self._actor.install_project, *content.reference(content.project))
        self._last_answer = time.monotonic()
        self._tasks = [asyncio.create_task(self._poll()), asyncio.create_task(self._send())]
        return said

    async def _give_kernel(self, key: str, content: Content) -> str:
        if content.kernel and key == content.kernel_key:
            await self._ask(self._actor.install_kernel, *content.reference(content.kernel))
            return f"node {self.address}: the compiled kernel was copied there"
        if problem := _checked(await self._ask(self._actor.build_kernel), str):
            raise NodeRefusedError(f"the kernel could not be compiled there: {one_line(problem)}")
        return f"node {self.address}: the kernel was compiled there (other processor or other versions)"

    def _words_on_niceness(self, niceness: int) -> str:
        return (
            f"node {self.address}: workers run at niceness {niceness} there, as Ray starts its own;"
            f" `{ASKED}=0 ray start ...` gives them {NICE}, that of workers on one machine"
        )

    async def start(self, key: str, argv: tuple[str, ...]) -> int:
        """The process's id. Raises `HostFailedError`, and `RayError` when the node is gone."""
        pid: int = _checked(await self._ask(self._actor.start, key, argv), int)
        self._streams[key] = _Stream()
        self._has_streams.set()
        self._wake()
        return pid

    def send(self, key: str, data: bytes) -> None:
        if (stream := self._streams.get(key)) is not None:
            self._outgoing.append((key, stream.sent, data))
            stream.sent += len(data)
            self._has_outgoing.set()

    def consumed(self, key: str, total: int) -> None:
        if (stream := self._streams.get(key)) is not None:
            was_full = stream.received - stream.consumed >= WINDOW
            stream.consumed = total
            if was_full:
                self._wake()

    async def end(self, key: str) -> None:
        """End a process; the supervisor hears `Ended`, whatever becomes of the node."""
        self._streams.pop(key, None)
        executed: Sequence = ()
        reached = False
        try:
            if self.lost is None:
                data = await asyncio.wait_for(asyncio.shield(self._ask(self._actor.end, key)), UNAVAILABLE_SECONDS)
                reached = True
                data = _checked(data, bytes)
                executed = _SEQUENCE.decode(data) if 0 < len(data) <= _MAX_EXECUTED else ()
        except (RayError, HostFailedError, TimeoutError, msgspec.MsgspecError):
            pass  # its lease ends it
        self._tell(Ended(key, executed, cut_off=not reached))

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._actor is not None:
            ray.kill(self._actor)

    def lose(self, reason: str) -> None:
        """The node is gone, and so are its processes."""
        if self.lost is not None:
            return
        self.lost = reason
        for key in self._streams:
            self._tell(OutputEnded(key))
            self._tell(Exited(key, -9, reason.encode(), cut_off=True))
        self._streams.clear()
        for task in self._tasks:
            task.cancel()

    async def _ask(self, method: Any, *arguments: Any) -> Any:
        """Call the host. The task outlives a caller that no longer waits: Ray aborts the process when a reference is
        dropped before its answer."""
        return await asyncio.shield(asyncio.ensure_future(_answer_of(method.remote(*arguments))))

    def _wake(self) -> None:
        asyncio.ensure_future(_quietly(self._ask(self._actor.wake)))  # noqa: RUF006  # nobody needs the answer

    async def _poll(self) -> None:
        """Exactly one poll is under way while there are processes."""
        unavailable_since: float | None = None
        while True:
            if not self._streams:
                self._has_streams.clear()
                await self._has_streams.wait()
            wants = {key: (stream.received, stream.credit()) for key, stream in self._streams.items()}
            try:
                answer = _checked(await self._ask(self._actor.poll, wants), _Answers)
                for key, heard in answer.items():
                    if (stream := self._streams.get(key)) is not None:
                        self._hear(key, stream, heard)
            except ActorUnavailableError as error:  # perhaps it comes back; offsets make repeating safe
                unavailable_since = unavailable_since or time.monotonic()
                if time.monotonic() - unavailable_since > UNAVAILABLE_SECONDS:
                    return self.lose(_first_line(error))
                await asyncio.sleep(RETRY_SECONDS)
                continue
            except Exception as error:  # the node's boundary: what it answers may not be readable, or not be sendable
                return self.lose(_first_line(error))
            unavailable_since = None
            self._last_answer = time.monotonic()

    def _hear(self, key: str, stream: _Stream, heard: Heard) -> None:
        """Raises `HostFailedError` for output that nobody asked for: memory here is not the node's to fill."""
        base, data, output_ended, code, tail, written, usage = heard
        new = data[max(0, stream.received - base) :]
        if base > stream.received or len(new) > stream.credit():
            raise HostFailedError("the node breaks the protocol of its stream")
        if new:
            stream.received += len(new)
            self._tell(ProcessOutput(key, new))
        if written > stream.written:
            stream.written = written
            self._tell(Written(key, written))
        if usage is not None and usage != stream.usage:
            stream.usage = usage
            self._tell(ProcessMeasured(key, *usage))
        if output_ended and not stream.output_ended:
            stream.output_ended = True
            self._tell(OutputEnded(key))
        if code is not None and not stream.exited:
            stream.exited = True
            self._tell(Exited(key, code, tail[-STDERR_TAIL:]))

    async def _send(self) -> None:
        """One call at a time, with all that was queued meanwhile."""
        while True:
            await self._has_outgoing.wait()
            self._has_outgoing.clear()
            items = tuple(self._outgoing)
            self._outgoing.clear()
            while True:
                try:
                    await self._ask(self._actor.send_many, items)
                    break
                except ActorUnavailableError:
                    await asyncio.sleep(RETRY_SECONDS)
                except (RayError, HostFailedError) as error:
                    return self.lose(_first_line(error))


async def _answer_of(reference: Any) -> Any:
    try:
        return await reference
    except RayTaskError as error:
        raise HostFailedError(_first_line(error.cause)) from error


def _checked(answer: Any, kind: Any) -> Any:
    """The answer of a node, which may be anything. Raises `HostFailedError`: what reached the supervisor would end the
    bridge, and with it the workers of all nodes."""
    try:
        return msgspec.convert(answer, kind, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        raise HostFailedError(f"the node breaks the protocol: {error}") from error


async def _quietly(call: Any) -> None:
    with suppress(RayError, HostFailedError):
        await call


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {one_line(text.splitlines()[0]) if text else 'no reason given'}"
