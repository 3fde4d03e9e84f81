"""Sequences that kill workers: suspected after one death, quarantined after two.

A worker that dies leaves the sequence that it was executing, where that is known: the suspect is tried again, alone. If
the worker that tries it lives, the death had another cause."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec

from actors.workers.sequence_groups import sequence_groups
from simulator.corpus.identity import sequence_hash
from simulator.transaction import Sequence

DEATHS = 2
MAX_SUSPECTS = 100_000
MAX_TRIALS = 256


class QuarantineStatistics(msgspec.Struct, frozen=True):
    """`suspects` were in the hands of a worker that died, and `trials` of them wait to be tried alone; `quarantined`
    twice, and are no longer executed."""

    suspects: int
    quarantined: int
    trials: int = 0


class Quarantine:
    """A worker that dies with several sequences assigned makes all of them suspects. A suspect is then executed alone,
    so that a second death names the culprit and the others are cleared."""

    def __init__(self) -> None:
        self._deaths: dict[str, int] = {}
        self._quarantined: set[str] = set()
        self._trials: deque[Sequence] = deque(maxlen=MAX_TRIALS)

    def suspect(self, sequences: Iterable[Sequence]) -> None:
        """A worker died with these assigned, and the cause is unknown."""
        for sequence in sequences:
            if len(self._deaths) < MAX_SUSPECTS:
                self._deaths.setdefault(sequence_hash(sequence), 1)

    def blame(self, sequence: Sequence) -> bool:
        """A worker died with only this one assigned. True when it is quarantined by that."""
        digest = sequence_hash(sequence)
        self._deaths[digest] = self._deaths.get(digest, 0) + 1
        if self._deaths[digest] < DEATHS or digest in self._quarantined:
            return False
        self._quarantined.add(digest)
        return True

    def try_again(self, sequence: Sequence) -> None:
        """A worker died executing this one, which is no longer assigned."""
        self._trials.append(sequence)

    @property
    def has_trials(self) -> bool:
        """Suspects wait to be executed, each alone."""
        return bool(self._trials)

    def next_trial(self) -> Sequence | None:
        """The next of them, for the caller to have executed."""
        while self._trials:
            sequence = self._trials.popleft()
            if self.admits(sequence):
                return sequence
        return None

    def condemn(self, sequence: Sequence) -> None:
        """An earlier campaign has quarantined this one."""
        digest = sequence_hash(sequence)
        self._deaths[digest] = DEATHS
        self._quarantined.add(digest)

    def clear(self, sequences: Iterable[Sequence]) -> None:
        """A worker has executed these and lives."""
        if self._deaths:
            for sequence in sequences:
                digest = sequence_hash(sequence)
                if digest not in self._quarantined:
                    self._deaths.pop(digest, None)

    def admits(self, sequence: Sequence) -> bool:
        """True if a sequence may be executed."""
        return not self._quarantined or sequence_hash(sequence) not in self._quarantined

    def groups(self, sequences: tuple[Sequence, ...]) -> Iterable[tuple[Sequence, ...]]:
        """Sequences that may be executed, cut into groups for frames: suspects first and alone, the others together."""
        if not self._deaths:
            yield from sequence_groups(sequences)
            return
        digests = [sequence_hash(sequence) for sequence in sequences]
        for sequence, digest in zip(sequences, digests, strict=True):
            if digest in self._deaths and digest not in self._quarantined:
                yield (sequence,)
        yield from sequence_groups(
            tuple(s for s, digest in zip(sequences, digests, strict=True) if digest not in self._deaths)
        )

    def statistics(self) -> QuarantineStatistics:
        quarantined = len(self._quarantined)
        return QuarantineStatistics(len(self._deaths) - quarantined, quarantined, len(self._trials))
