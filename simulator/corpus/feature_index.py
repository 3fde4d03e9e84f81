"""Index from features to the corpus entries that cover them: rarity, energy, and the shortest entry that reaches a
place.

A feature is a number; the features of an entry are an integer with those bits set, so that union and difference cost
microseconds for tens of thousands of features. A feature that few entries cover is rare, and an entry is worth more
the rarer its features are (the idea of AFL's rare branches: Lemieux and Sen, FairFuzz, ASE 2018).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec
import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
_NO_OWNER = -1
_LONGEST = np.iinfo(np.int64).max


class EntryRarity(msgspec.Struct, frozen=True):
    """`features` an entry covers; `unique` ones that no other entry covers; `rare` ones that at most one entry in
    fifty covers (unique ones included); `energy` is the sum of 1 / (entries that cover it) over its features."""

    features: int
    unique: int
    rare: int
    energy: float


def feature_set(numbers: Iterable[int]) -> int:
    """The set as an integer with these bits set."""
    indexes = np.fromiter(numbers, np.int64)
    if not indexes.size:
        return 0
    bits = np.zeros(int(indexes.max()) + 1, np.uint8)
    bits[indexes] = 1
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def feature_numbers(features: int) -> Numbers:
    """The numbers in a set, ascending."""
    data = np.frombuffer(features.to_bytes((features.bit_length() + 7) // 8, "little"), np.uint8)
    return np.nonzero(np.unpackbits(data, bitorder="little"))[0].astype(np.int64)


class FeatureIndex:
    """Entries are known by a number of the caller's; `length` is an entry's number of transactions."""

    def __init__(self) -> None:
        self._features: dict[int, int] = {}
        self._lengths: dict[int, int] = {}
        self._counts = np.zeros(0, np.int64)
        self._nearest = np.zeros(0, np.int64)
        self._shortest = np.zeros(0, np.int64)

    def __contains__(self, entry: int) -> bool:
        return entry in self._features

    def __len__(self) -> int:
        return len(self._features)

    @property
    def features(self) -> Mapping[int, int]:
        """The feature set of each entry."""
        return self._features

    @property
    def covered(self) -> int:
        """Number of features that any entry covers."""
        return int(np.count_nonzero(self._counts))

    def add(self, entry: int, features: int, length: int) -> None:
        """Add an entry, unless it is there."""
        if entry in self._features:
            return
        numbers = feature_numbers(features)
        self._reserve(int(numbers[-1]) + 1 if numbers.size else 0)
        self._counts[numbers] += 1
        shorter = numbers[self._shortest[numbers] > length]
        self._shortest[shorter] = length
        self._nearest[shorter] = entry
        # Last, so that a thread that asks for an entry's rarity finds it counted.
        self._lengths[entry] = length
        self._features[entry] = features

    def without(self, entries: Collection[int]) -> FeatureIndex:
        """An index of the same entries but these. Costs as much as adding them all, and leaves this one as it is."""
        rest = FeatureIndex()
        for entry, features in self._features.items():
            if entry not in entries:
                rest.add(entry, features, self._lengths[entry])
        return rest

    def rarity(self, entry: int) -> EntryRarity | None:
        """Return the current rarity of an entry's features; None for an entry that was not measured."""
        features = self._features.get(entry)
        if features is None:
            return None
        counts = self._counts[feature_numbers(features)]
        few = max(1, len(self._features) // 50)
        return EntryRarity(
            features=int(counts.size),
            unique=int(np.count_nonzero(counts == 1)),
            rare=int(np.count_nonzero(counts <= few)),
            energy=float((1.0 / counts).sum()) if counts.size else 0.0,
        )

    def shortest(self, numbers: Iterable[int]) -> int | None:
        """The entry with the fewest transactions that covers one of these features, the oldest of several."""
        known = [
            (int(self._shortest[number]), int(self._nearest[number]))
            for number in numbers
            if number < self._nearest.size and self._nearest[number] != _NO_OWNER
        ]
        return min(known)[1] if known else None

    def _reserve(self, size: int) -> None:
        missing = size - self._counts.size
        if missing > 0:
            missing += size // 4 + 64
            self._counts = np.concatenate([self._counts, np.zeros(missing, np.int64)])
            self._nearest = np.concatenate([self._nearest, np.full(missing, _NO_OWNER)])
            self._shortest = np.concatenate([self._shortest, np.full(missing, _LONGEST)])
