"""Changing several places of a sequence at once: numbers that only make sense together.

Argument words are taken as they stand in calldata, without their types, offsets and lengths included: a caller who asks
for a rewritten sequence decides whether it still means something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction, wei_bytes

WORD_SIZE = 32
MAX_NUMBERS = 16


def argument_words(transaction: Transaction) -> Iterator[int]:
    """The whole words behind the selector."""
    data = transaction.data[SELECTOR_SIZE:]
    for start in range(0, len(data) - WORD_SIZE + 1, WORD_SIZE):
        yield int.from_bytes(data[start : start + WORD_SIZE], "big")


def repeated_numbers(sequence: Sequence) -> list[int]:
    """Numbers above 1 that stand in more than one place (arguments and values), the largest first."""
    counts: Counter[int] = Counter()
    for transaction in sequence:
        counts.update(argument_words(transaction))
        counts[transaction.wei] += 1
    return sorted((number for number, count in counts.items() if count > 1 and number > 1), reverse=True)[:MAX_NUMBERS]


def with_number(sequence: Sequence, old: int, new: int) -> Sequence:
    """The sequence with a number replaced wherever it stands."""
    return tuple(_with_words(call, {old: new}, value=new if call.wei == old else call.wei) for call in sequence)


def with_senders(transaction: Transaction, changes: dict[bytes, bytes]) -> Transaction:
    """The call with senders, and arguments that name them, replaced by others."""
    words = {int.from_bytes(old, "big"): int.from_bytes(new, "big") for old, new in changes.items()}
    renamed = _with_words(transaction, words, value=transaction.wei)
    return msgspec.structs.replace(renamed, sender=changes.get(transaction.sender, transaction.sender))


def _with_words(transaction: Transaction, changes: dict[int, int], value: int) -> Transaction:
    words = [changes.get(word, word) for word in argument_words(transaction)]
    head = transaction.data[:SELECTOR_SIZE]
    rest = transaction.data[SELECTOR_SIZE + WORD_SIZE * len(words) :]
    data = head + b"".join(word.to_bytes(WORD_SIZE, "big") for word in words) + rest
    return msgspec.structs.replace(transaction, data=data, value=wei_bytes(value))
