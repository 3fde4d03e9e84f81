"""State of the forked block: from memory, from the cache on disk, from the chain; what is likely wanted next comes
along."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from simulator.chain.cache import StateCache
from simulator.chain.client import ChainClient
from simulator.chain.json_rpc import RpcError, RpcRequest
from simulator.chain.patience import Clock
from simulator.chain.single_flight import SingleFlight
from simulator.chain.values import (
    MalformedValueError,
    address_text,
    number_text,
    parse_bytes,
    parse_fixed,
    parse_number,
    word_text,
)
from simulator.errors import ChainError
from simulator.evm.forked_state import ChainAccount, RunningCall
from simulator.forked_block import ForkedBlock

FIRST_SLOTS: Final = 16
"""Slots 0 to 15 hold most contracts' plain variables: they come with the first slot that is missed."""
RUN_LENGTH: Final = 8
WORDS: Final = 1 << 256
MAX_PREDICTED: Final = 2_000
MAX_FORESEEN_ACCOUNTS: Final = 64
MAX_LOADED: Final = 50_000
MAX_IN_MEMORY: Final = 500_000
_NONCE_MAX: Final = (1 << 64) - 1
Value = TypeVar("Value")


class ChainState:
    """The `ChainSource` of a campaign. `older` are caches of other blocks of the chain: the slots that mattered there
    are fetched in one go with a contract's first slot. `clock.pulse` is called while something is awaited."""

    def __init__(
        self,
        block: ForkedBlock,
        client: ChainClient,
        clock: Clock,
        cache: StateCache,
        flight: SingleFlight,
        older: Callable[[], Iterable[Path]] = tuple,
    ) -> None:
        self.block = block
        self.clock = clock
        self._client = client
        self._cache = cache
        self._flight = flight
        self._older = older
        self._accounts: dict[int, ChainAccount] = {}
        self._slots: dict[tuple[int, int], int] = {}
        self._visited: set[int] = set()
        self._seeded: set[int] = set()
        self._hashes: dict[int, int] = {}
        self._foreseen: set[tuple[int, bytes]] = set()
        self._foresees = True

    def close(self) -> None:
        """Close connections and files."""
        self._client.close()
        self._cache.close()
        self._flight.close()

    # --- the source --------------------------------------------------------------------------------------------------

    def account(self, address: int) -> ChainAccount:
        return self.accounts([address])[0]

    def accounts(self, addresses: list[int]) -> list[ChainAccount]:
        self._bound()
        self._load_accounts(addresses)
        if missing := [address for address in addresses if address not in self._accounts]:
            with self._flight.only(b"account" + missing[0].to_bytes(20, "big")):
                self._load_accounts(missing)
                if missing := [address for address in missing if address not in self._accounts]:
                    self._fetch_accounts(missing)
        return [self._accounts[address] for address in addresses]

    def slot(self, address: int, key: int, call: RunningCall | None = None) -> int:
        self._bound()
        if address not in self._visited:
            self._visited.add(address)
            known = self._cache.slots_of(address, MAX_LOADED)
            self._slots.update(((address, each), value) for each, value in known.items())
            self._seeded.update((address,) if known else ())
        if (value := self._known_slot(address, key)) is not None:
            return value
        with self._flight.only(b"slot" + address.to_bytes(20, "big") + key.to_bytes(32, "big")):
            if (value := self._known_slot(address, key)) is None:
                foreseen = self._foresee(address, call) if call is not None else []
                self._fetch_slots([*((address, each) for each in self._wanted_with(address, key)), *foreseen])
                value = self._slots[address, key]
        return value

    def block_hash(self, number: int) -> int:
        if number == self.block.number:
            return int.from_bytes(self.block.hash, "big")
        if number not in self._hashes:
            known = self._cache.block_hash(number)
            self._hashes[number] = self._fetch_hash(number) if known is None else known
        return self._hashes[number]

    # --- what is there already ---------------------------------------------------------------------------------------

    def _bound(self) -> None:
        if len(self._slots) + len(self._accounts) > MAX_IN_MEMORY:
            self._slots.clear()
            self._accounts.clear()
            self._visited.clear()

    def _load_accounts(self, addresses: list[int]) -> None:
        for address in addresses:
            if address not in self._accounts and (known := self._cache.account(address)) is not None:
                self._accounts[address] = known

    def _known_slot(self, address: int, key: int) -> int | None:
        value = self._slots.get((address, key))
        if value is None and (value := self._cache.slot(address, key)) is not None:
            self._slots[address, key] = value
        return value

    def _wanted_with(self, address: int, key: int) -> list[int]:
        """The key; with the first one of a contract the others that it will probably read, and with one that follows on
        a known one the next ones, as in arrays, structs and texts."""
        if address in self._seeded:
            follows = (address, (key - 1) % WORDS) in self._slots
            return [(key + step) % WORDS for step in range(RUN_LENGTH if follows else 1)]
        self._seeded.add(address)
        wanted = dict.fromkeys((key, *range(FIRST_SLOTS), *self._predicted(address)))
        return list(wanted)[: MAX_PREDICTED + FIRST_SLOTS]

    def _predicted(self, address: int) -> Iterable[int]:
        for path in self._older():
            older = StateCache(path)
            try:
                if keys := older.slots_of(address, MAX_PREDICTED):
                    return keys
            finally:
                older.close()
        return ()

    # --- fetching ----------------------------------------------------------------------------------------------------

    def _fetch_accounts(self, addresses: list[int]) -> None:
        methods = ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")
        answers = self._ask([RpcRequest(method, (address_text(a), self._tag)) for a in addresses for method in methods])
        found = [
            (address, _read(lambda parts: _account(*parts), answers[3 * index : 3 * index + 3]))
            for index, address in enumerate(addresses)
        ]
        self._accounts.update(found)
        self._cache.keep_accounts(found)

    def _fetch_slots(self, wanted: list[tuple[int, int]]) -> None:
        slots = list(dict.fromkeys(wanted))
        answers = self._ask(
            [RpcRequest("eth_getStorageAt", (address_text(each), word_text(key), self._tag)) for each, key in slots]
        )
        found = dict(zip(slots, (_read(parse_number, answer) for answer in answers), strict=True))
        self._slots.update(found)
        self._cache.keep_slots((each, key, value) for (each, key), value in found.items())

    def _foresee(self, address: int, call: RunningCall) -> list[tuple[int, int]]:
        """Slots that the call would touch in the forked block, which the node tells; asked once for each function of a
        contract. The accounts in its answer are fetched along."""
        function = (address, call.data[:4])
        if not self._foresees or function in self._foreseen:
            return []
        self._foreseen.add(function)
        message = {"from": address_text(call.caller), "to": address_text(address), "data": "0x" + call.data.hex()}
        request = RpcRequest("eth_createAccessList", (message, self._tag))
        (answer,) = self._client.ask([request], errors_are_answers=True)
        if isinstance(answer, RpcError):
            self._foresees = not answer.no_method
            return []
        touched = read_access_list(answer)
        accounts = [each for each in dict.fromkeys(each for each, _ in touched) if each not in self._accounts]
        self.accounts(accounts[:MAX_FORESEEN_ACCOUNTS])
        return [(each, key) for each, key in touched if self._known_slot(each, key) is None][:MAX_PREDICTED]

    def _fetch_hash(self, number: int) -> int:
        (header,) = self._ask([RpcRequest("eth_getBlockByNumber", (number_text(number), False))])
        digest = header.get("hash") if isinstance(header, dict) else None
        value = int.from_bytes(_read(lambda value: parse_fixed(value, 32), digest), "big")
        self._cache.keep_block_hash(number, value)
        return value

    @property
    def _tag(self) -> str:
        return number_text(self.block.number)

    def _ask(self, requests: list[RpcRequest]) -> list[Any]:
        answers = self._client.ask(requests)
        for answer in answers:
            if isinstance(answer, RpcError):
                raise ChainError(f"the forked chain cannot be read: {answer}") from answer
        return answers


def read_access_list(answer: Any) -> list[tuple[int, int]]:
    """(address, key) of every slot in an answer to `eth_createAccessList`. It is a hint: parts of another form are left
    out."""
    entries = answer.get("accessList") if isinstance(answer, dict) else None
    found: list[tuple[int, int]] = []
    for entry in entries if isinstance(entries, list) else ():
        with suppress(MalformedValueError, AttributeError, TypeError):
            address = parse_number(entry.get("address"), (1 << 160) - 1)
            found += [(address, parse_number(key)) for key in entry.get("storageKeys")]
    return found


def _account(balance: object, nonce: object, code: object) -> ChainAccount:
    return ChainAccount(parse_number(balance), parse_number(nonce, _NONCE_MAX), parse_bytes(code))


def _read(parse: Callable[[Any], Value], answer: Any) -> Value:
    try:
        return parse(answer)
    except MalformedValueError as error:
        raise ChainError(f"a node of the forked chain answers in an unknown form: {error}") from error
