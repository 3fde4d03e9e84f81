"""Costs of actors in one process: messages and asks through a mailbox, events into the log, pages of the corpus."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import trio

from actors.corpus.keeper import CorpusKeeper
from actors.corpus.messages import Found
from actors.corpus.reader import CorpusReader
from actors.events.file import EventFile
from actors.events.log import EventLog
from actors.events.types import AnyEvent, CoverageIncreased
from actors.runtime.mailbox import Ask, Mailbox, ask
from simulator.abi.contract import ContractAbi
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction

CAPACITY = 256
EVENTS_AT_ONCE = 10_000
CALLS_AN_ENTRY = 10
TOKEN, SENDER = b"\xaa" * 20, b"\x01" * 20
FUNCTION = {
    "type": "function",
    "name": "transfer",
    "inputs": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}],
    "outputs": [],
}


@dataclass(frozen=True)
class MessageCosts:
    """Seconds of one message, its receipt included."""

    send: float
    post: float
    ask: float


@dataclass(frozen=True)
class EventCosts:
    """Seconds of one event: until `append` returns, and in the thread that writes its line."""

    append: float
    write: float


@dataclass(frozen=True)
class PageCosts:
    """Seconds of a page by its number of transactions, in a corpus of `transactions`."""

    transactions: int
    pages: dict[int, float]


async def measure_messages(count: int, rounds: int) -> MessageCosts:
    """Best of `rounds`, each of `count` messages."""
    return MessageCosts(
        min([await _send(count) for _ in range(rounds)]),
        min([await _post(count) for _ in range(rounds)]),
        min([await _ask(count) for _ in range(rounds)]),
    )


async def _send(count: int) -> float:
    mailbox: Mailbox[int] = Mailbox("measured", CAPACITY)

    async def say() -> None:
        for number in range(count):
            await mailbox.send(number)

    began = time.perf_counter()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(say)
        for _ in range(count):
            await mailbox.receive()
    return (time.perf_counter() - began) / count


async def _post(count: int) -> float:
    mailbox: Mailbox[int] = Mailbox("measured", CAPACITY)
    began = time.perf_counter()
    for _ in range(0, count, CAPACITY):
        for number in range(CAPACITY):
            mailbox.post(number)
        mailbox.receive_nowait(CAPACITY)
    spent = time.perf_counter() - began
    return spent / mailbox.statistics().received


async def _ask(count: int) -> float:
    mailbox: Mailbox[Ask[int, int]] = Mailbox("measured", CAPACITY)

    async def answer() -> None:
        for _ in range(count):
            question = await mailbox.receive()
            question.reply.set(question.message)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        began = time.perf_counter()
        for number in range(count):
            await ask(mailbox, number, 10.0)
        return (time.perf_counter() - began) / count


def measure_events(folder: Path, rounds: int) -> EventCosts:
    """Best of `rounds`, each of `EVENTS_AT_ONCE` events, in a log with a file."""
    event = CoverageIncreased(points=1_000, codes=1, sequences=100, transactions=1_000)
    appends, writes = [], []
    for number in range(rounds):
        appends.append(_append(folder / f"appended{number}.jsonl", event))
        writes.append(_write(folder / f"written{number}.jsonl", event))
    return EventCosts(min(appends), min(writes))


def _append(path: Path, event: AnyEvent) -> float:
    log = EventLog(path, wall_clock=time.time)
    began = time.perf_counter()
    for _ in range(EVENTS_AT_ONCE):
        log.append(0, event)
    return (time.perf_counter() - began) / EVENTS_AT_ONCE


def _write(path: Path, event: AnyEvent) -> float:
    log = EventLog(wall_clock=time.time)
    batch = [log.append(0, event) for _ in range(EVENTS_AT_ONCE)]
    file = EventFile(path)
    began = time.perf_counter()
    file.write(batch)
    spent = time.perf_counter() - began
    file.close()
    return spent / EVENTS_AT_ONCE


async def measure_pages(entries: int, sizes: tuple[int, ...], rounds: int) -> PageCosts:
    """Best of `rounds` for each size, in the middle of a corpus of this many entries. It stays in memory."""
    keeper = CorpusKeeper()
    abi = ContractAbi.from_json([FUNCTION])
    book = AddressBook({"T.sol:Token": abi}, {TOKEN: "T.sol:Token"})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keeper.run)
        for number in range(entries):
            await keeper.take(0, (Found(_entry(abi, number)),))
        reader = CorpusReader(keeper, lambda: book)
        pages = {size: min([await _read(reader, size) for _ in range(rounds)]) for size in sizes}
        nursery.cancel_scope.cancel()
    return PageCosts(reader.size, pages)


def _entry(abi: ContractAbi, number: int) -> tuple[Transaction, ...]:
    (function,) = abi.by_selector.values()
    amounts = range(number * CALLS_AN_ENTRY, (number + 1) * CALLS_AN_ENTRY)
    return tuple(Transaction(SENDER, TOKEN, function.encode_call((1, amount))) for amount in amounts)


async def _read(reader: CorpusReader, size: int) -> float:
    began = time.perf_counter()
    page = await reader.page(reader.size // 2, size)
    assert len(page.transactions) == size, "the corpus is larger than the page"
    return time.perf_counter() - began
