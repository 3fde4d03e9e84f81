"""Transactions of a corpus as people and agents read them."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from simulator.abi.hashing import selector
from simulator.abi.text import format_call, format_raw
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction

WAIT_TEXT = "*wait*"
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_CACHED = 20_000


class ReadableTransaction(msgspec.Struct, frozen=True, rename="camel"):
    """`index` is the flat index in the corpus, `sequence` the entry's id; `call` is Solidity-like, `sender` lower-case
    hex, `value` decimal wei, `gas_used` None until it is measured."""

    index: int
    call: str
    sender: str
    value: str
    gas_used: int | None
    sequence: str


class CallReader:
    """Reads calls with the names and ABIs of one address book. May be used by several threads."""

    def __init__(self, book: AddressBook) -> None:
        self._book = book
        self.call_text = lru_cache(maxsize=_CACHED)(self._call_text)

    def read(self, transaction: Transaction, index: int, sequence: str, gas_used: int | None) -> ReadableTransaction:
        """One transaction of the corpus."""
        sender = f"0x{transaction.sender.hex()}"
        text = self.call_text(transaction.to, transaction.data)
        return ReadableTransaction(index, text, sender, str(transaction.wei), gas_used, sequence)

    def _call_text(self, to: bytes, data: bytes) -> str:
        """`f(1,true)`; `*wait*` for a delay without a call, `*fallback*(0x...)` for calldata of no known function."""
        if not to:
            return WAIT_TEXT
        function = self._book.function(to, data)
        return format_call(function, data) if function is not None else f"*fallback*({format_raw(data)})"

    def selectors(self, signature: str) -> frozenset[bytes]:
        """Selectors of the functions that a search for `signature` means: with parentheses exactly that canonical
        signature, a bare name every overload of that name; both case-sensitive. Empty when there is none."""
        if "(" in signature:
            return frozenset((selector(signature),))
        if not _NAME.fullmatch(signature):
            return frozenset()
        return frozenset(self._book.selectors_named(signature))
