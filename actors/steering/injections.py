"""Injected sequences: how many a campaign takes, and which of them each worker has yet to answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from actors.runtime.errors import CommandRejected
from simulator.transaction import Sequence
from simulator.worker.commands import Inject

MAX_KEPT = 256
"""Injected sequences that later processes get as well; older ones reach them with the corpus, where they covered."""
MAX_INJECTIONS = 10_000
MAX_INJECTED_BYTES = 1 << 26
"""Injected sequences stay in the corpus, whatever they cover."""
MAX_UNANSWERED = 512
_BYTES_OF_A_CALL = 256


class InjectionBook:
    """Plain state; the steering of workers owns it. `count` is of all sequences of the campaign."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: deque[Sequence] = deque(maxlen=MAX_KEPT)
        self._bytes = 0
        self._unanswered: dict[int, dict[int, Sequence]] = {}

    @property
    def kept(self) -> tuple[Sequence, ...]:
        """The last ones, for processes that come later."""
        return tuple(self._kept)

    @property
    def unanswered(self) -> int:
        """The number of sequences that workers have yet to execute."""
        return sum(map(len, self._unanswered.values()))

    def admit(self, sequences: tuple[Sequence, ...]) -> None:
        """Raise `CommandRejected` where these sequences are too much, else count their bytes."""
        size = self._bytes + sum(map(_size, sequences))
        if self.count + len(sequences) > MAX_INJECTIONS or size > MAX_INJECTED_BYTES:
            raise CommandRejected(
                f"a campaign takes {MAX_INJECTIONS} injected sequences of {MAX_INJECTED_BYTES >> 20} MiB together;"
                f" {self.count} are in its corpus already"
            )
        waiting = max(map(len, self._unanswered.values()), default=0)
        if waiting and waiting + len(sequences) > MAX_UNANSWERED:
            raise CommandRejected(f"a worker has {waiting} injected sequences to execute; try again")
        self._bytes = size

    def add(self, sequences: tuple[Sequence, ...]) -> None:
        """They were handed to all workers."""
        self._kept.extend(sequences)
        self.count += len(sequences)

    def give(self, worker: int, frames: Iterable[Inject]) -> None:
        """A worker is to answer these."""
        self._unanswered.setdefault(worker, {}).update({frame.id: frame.sequence for frame in frames})

    def answered(self, worker: int, number: int) -> None:
        self._unanswered.get(worker, {}).pop(number, None)

    def given(self, worker: int) -> tuple[Sequence, ...]:
        """Sequences that a worker has yet to answer."""
        return tuple(self._unanswered.get(worker, {}).values())

    def lose(self, worker: int) -> tuple[Sequence, ...]:
        """A worker's process is gone. Returns what it had yet to answer."""
        return tuple(self._unanswered.pop(worker, {}).values())


def _size(sequence: Sequence) -> int:
    """Bytes that a sequence takes, roughly."""
    return sum(_BYTES_OF_A_CALL + len(call.data) for call in sequence)
