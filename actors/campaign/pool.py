"""The workers of a campaign: how many there are, and who comes and goes."""

from __future__ import annotations

from collections.abc import Callable

import trio

from actors.campaign.slot import Slot
from actors.runtime.errors import CommandRejected
from actors.workers.services import WorkerServices
from actors.workers.worker import FuzzWorker
from simulator.transaction import Sequence

MAX_WORKERS = 255
MAX_HIRED = 1_024
"""In the life of a campaign, which keeps the figures of those that have left."""


class WorkerPool:
    """Slots by worker index. Indexes are never given twice: whatever is booked under one stays that worker's.
    `processes` are those that workers have had, by index, in the campaign that is continued. `wanted` is how many
    workers were last asked for, whatever has become of them. `excuses` is asked, at each failure of a worker, whether
    what its process was executing excuses it."""

    def __init__(self, services: WorkerServices, workers: int, processes: tuple[int, ...] = ()) -> None:
        self._services = services
        self._processes = processes
        self.wanted = workers
        self.excuses: Callable[[Slot, Sequence], bool] = lambda _slot, _executed: False
        self.slots: list[Slot] = []
        for _ in range(workers):
            self._hire()

    def start(self, nursery: trio.Nursery) -> None:
        for slot in self.slots:
            self._start(slot, nursery)

    @property
    def live(self) -> list[Slot]:
        """Workers whose process is ready and accepts commands."""
        return [slot for slot in self.slots if slot.live]

    @property
    def has_replayed(self) -> bool:
        """A worker has executed the corpus, and whatever else it was to replay."""
        return any(slot.live and slot.has_replayed for slot in self.slots)

    @property
    def size(self) -> int:
        """Workers that there are to be, restarting ones included."""
        return max(1, sum(not slot.ended and not slot.leaving for slot in self.slots))

    @property
    def all_ended(self) -> bool:
        return all(slot.ended for slot in self.slots)

    @property
    def processes(self) -> tuple[int, ...]:
        """Number of processes that each worker has had, by index, including those of the continued campaign."""
        own = tuple(slot.worker.processes for slot in self.slots)
        return own + self._processes[len(own) :]

    def resize(self, count: int, nursery: trio.Nursery) -> int:
        """Hire workers, or let those with the highest indexes leave. Returns how many there were to be before; raises
        `CommandRejected`."""
        if not 1 <= count <= MAX_WORKERS:
            raise CommandRejected(f"a campaign has 1 to {MAX_WORKERS} workers, not {count}")
        staying = [slot for slot in self.slots if not slot.ended and not slot.leaving]
        if len(self.slots) + count - len(staying) > MAX_HIRED:
            raise CommandRejected(f"a campaign has at most {MAX_HIRED} workers in its life, those that left included")
        self.wanted = count
        for slot in staying[count:]:
            slot.leave()
        for _ in range(count - len(staying)):
            self._start(self._hire(), nursery)
        return len(staying)

    def _hire(self) -> Slot:
        index = len(self.slots)
        earlier = self._processes[index] if index < len(self._processes) else 0
        slot = Slot(FuzzWorker(index, self._services, earlier), index)
        slot.worker.excuses = lambda executed: self.excuses(slot, executed)
        self.slots.append(slot)
        return slot

    def _start(self, slot: Slot, nursery: trio.Nursery) -> None:
        nursery.start_soon(slot.worker.run, name=f"worker {slot.index}")
