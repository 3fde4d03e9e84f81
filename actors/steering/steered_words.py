"""Dictionary entries from users: each word once, within a bound, for later processes too."""

from __future__ import annotations

from collections.abc import Iterable

from actors.runtime.errors import CommandRejected
from simulator.worker.commands import AddWords

MAX_WORDS = 150_000
"""Ten thousand numbers: each counts with its neighbours, up to 15 words."""
MAX_BYTES = 1 << 20
"""Of byte strings and texts together."""


class SteeredWords:
    """Plain state; owned by the steering actor."""

    def __init__(self) -> None:
        # By field of `AddWords`: insertion order is kept, so that every process gets the words in the same order.
        self._pools: dict[str, dict[bytes, None]] = {field: {} for field in AddWords.__struct_fields__}

    def __len__(self) -> int:
        return sum(map(len, self._pools.values()))

    def add(self, addition: AddWords) -> AddWords:
        """Take these words; returns those that are new. Raises `CommandRejected` where there is no room for all."""
        fresh = {field: tuple(_unknown(getattr(addition, field), pool)) for field, pool in self._pools.items()}
        words = sum(map(len, fresh.values()))
        if len(self) + words > MAX_WORDS:
            raise CommandRejected(
                f"the dictionary of a campaign takes {MAX_WORDS} words from its users (a number counts with its"
                f" neighbours, up to 15 words): {len(self)} are there, and these values bring {words}"
            )
        size = sum(map(len, self._pools["blobs"])) + sum(map(len, fresh["blobs"]))
        if size > MAX_BYTES:
            raise CommandRejected(
                f"the dictionary of a campaign takes {MAX_BYTES} bytes of byte strings and texts from its users; with"
                f" these values it would have {size}"
            )
        for field, pool in self._pools.items():
            pool.update(dict.fromkeys(fresh[field]))
        return AddWords(**fresh)

    def addition(self) -> AddWords:
        """All of it."""
        return AddWords(**{field: tuple(pool) for field, pool in self._pools.items()})


def _unknown(words: Iterable[bytes], pool: dict[bytes, None]) -> Iterable[bytes]:
    return (word for word in dict.fromkeys(words) if word not in pool)
