"""One process that tries mutants, and its frames with deadlines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import trio

from actors.runtime.errors import WorkerLost, WorkerRefused
from actors.workers.frames import describe_exit
from actors.workers.process import Spawner, WorkerProcess
from simulator.errors import FrameError
from simulator.mutation.frames import Begin, Begun, FromTrier, TargetRefused, Tried, Try
from simulator.worker.framing import FrameDecoder, encode_frame

Answer = TypeVar("Answer", Begun, Tried)
DEPLOY_SECONDS = 900.0
TRIAL_SECONDS = 86_400.0
"""Ends for what has deadlines of its own in the process: they only bound a process that does not keep them."""
_TAIL_LINES = 3


class TrierProcess:
    """A running process. Raises `WorkerLost` when it ends or is silent, `WorkerRefused` when it refuses the target."""

    def __init__(self, process: WorkerProcess) -> None:
        self._process = process
        union: Any = FromTrier
        self._decoder: FrameDecoder[FromTrier] = FrameDecoder(union)
        self._pending: list[FromTrier] = []

    @staticmethod
    @asynccontextmanager
    async def started(spawner: Spawner, number: int, nursery: trio.Nursery) -> AsyncIterator[TrierProcess]:
        """A process that ends with the block; its stderr is read in `nursery`."""
        process = await spawner(number)
        try:
            nursery.start_soon(process.drain_stderr)
            yield TrierProcess(process)
        finally:
            await process.end()

    async def begin(self, begin: Begin) -> Begun:
        """Have it deploy the code as it is and execute the corpus."""
        return await self._ask(begin, Begun, DEPLOY_SECONDS)

    async def attempt(self, index: int) -> Tried:
        """Have it try one mutant."""
        return await self._ask(Try(index), Tried, TRIAL_SECONDS)

    async def _ask(self, question: Begin | Try, kind: type[Answer], seconds: float) -> Answer:
        with trio.move_on_after(seconds):
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._process.send(encode_frame(question))
            while not self._pending:
                data = await self._process.receive()
                if not data:
                    raise WorkerLost(await self._ending())
                try:
                    self._pending += self._decoder.feed(data)
                except FrameError as error:
                    raise WorkerLost(str(error)) from error
            answer = self._pending.pop(0)
            if isinstance(answer, TargetRefused):
                raise WorkerRefused(answer.code, answer.message)
            if not isinstance(answer, kind):
                raise WorkerLost(f"{type(answer).__name__} instead of {kind.__name__}")
            return answer
        raise WorkerLost(f"no answer within {seconds:g} s")

    async def _ending(self) -> str:
        """Describe how the process exited, and the last it wrote to stderr."""
        text = "it closed its output"
        with trio.move_on_after(1.0):
            text = describe_exit(await self._process.wait())
        tail = " ".join(self._process.stderr_tail().splitlines()[-_TAIL_LINES:])
        return f"{text}: {tail}" if tail else text
