"""The corpus keeper: once each, on disk first, news for the others."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from actors.corpus_keeper import CorpusKeeper
from actors.errors import MailboxClosed
from simulator.errors import CorpusError
from simulator.transaction import Sequence, Transaction


def sequence(number: int, calls: int = 1) -> Sequence:
    return (Transaction(b"\x01" * 20, b"\x02" * 20, number.to_bytes(4, "big")),) * calls


class Folder:
    """A folder in memory, which may be full."""

    def __init__(self, stored: tuple[Sequence, ...] = ()) -> None:
        self.stored = stored
        self.written: list[tuple[str, Sequence]] = []
        self.full = False

    def load(self) -> tuple[tuple[Sequence, ...], tuple[str, ...]]:
        return self.stored, ("coverage/x.txt: not JSON",)

    def save_coverage(self, sequence: Sequence) -> None:
        self._write("coverage", sequence)

    def save_reproducer(self, sequence: Sequence, shrunk: bool) -> None:
        self._write("shrunk" if shrunk else "unshrunk", sequence)

    def _write(self, kind: str, sequence: Sequence) -> None:
        if self.full:
            raise CorpusError("coverage/y.txt: No space left on device")
        self.written.append((kind, sequence))


@pytest.fixture
async def keeper_of(nursery):
    def make(folder: Folder | None = None) -> CorpusKeeper:
        keeper = CorpusKeeper(folder)
        nursery.start_soon(keeper.run)
        return keeper

    return make


async def test_an_entry_is_kept_once(keeper_of):
    """The same content from two workers is one entry and one file."""
    folder = Folder()
    keeper = keeper_of(folder)
    (first,) = await keeper.keep(0, (sequence(1, calls=3),))
    (second,) = await keeper.keep(1, (sequence(1, calls=3),))
    assert (first.new, second.new) == (True, False)
    assert (second.sequences, second.transactions) == (1, 3)
    assert folder.written == [("coverage", sequence(1, calls=3))]


async def test_an_entry_is_on_disk_before_anybody_is_told(keeper_of):
    """When `keep` returns, and when others see the news, the file has been written."""
    folder = Folder()
    keeper = keeper_of(folder)
    await keeper.keep(0, (sequence(1), sequence(2)))
    assert len(folder.written) == 2
    assert keeper.news(1, 0, 0).sequences == (sequence(1), sequence(2))


async def test_news_are_what_others_found_since(keeper_of):
    """A worker gets neither its own entries nor anything twice; loaded entries reach everybody."""
    keeper = keeper_of(Folder(stored=(sequence(9),)))
    assert await keeper.load() == ("coverage/x.txt: not JSON",)
    await keeper.keep(0, (sequence(1),))
    await keeper.keep(1, (sequence(2),))
    news = keeper.news(0, 0, 0)
    assert news.sequences == (sequence(9), sequence(2))
    await keeper.keep(1, (sequence(3),))
    assert keeper.news(0, news.entry_cursor, 0).sequences == (sequence(3),)


async def test_words_reach_the_others_once(keeper_of):
    """Dictionary words go to all but their finder."""
    keeper = keeper_of()
    keeper.keep_words(0, (b"a" * 32, b"b" * 32))
    keeper.keep_words(1, (b"a" * 32, b"c" * 32))
    await wait_all_tasks_blocked()
    assert keeper.news(0, 0, 0).words == (b"c" * 32,)
    assert keeper.news(1, 0, 0).words == (b"a" * 32, b"b" * 32)


async def test_a_full_disk_keeps_the_entry_and_tries_again(keeper_of):
    """The first asker learns why; entries count all the same; `save_rest` writes them once there is room."""
    folder = Folder()
    keeper = keeper_of(folder)
    folder.full = True
    (kept,) = await keeper.keep(0, (sequence(1),))
    assert kept.new
    assert kept.problem == "coverage/y.txt: No space left on device"
    assert (await keeper.keep(0, (sequence(2),)))[0].problem is None
    assert await keeper.save_rest() == 2
    folder.full = False
    assert await keeper.save_rest() == 0
    assert folder.written == [("coverage", sequence(1)), ("coverage", sequence(2))]


async def test_askers_hear_of_the_keepers_end(nursery):
    """An ask that nobody will answer fails at once instead of at its deadline."""
    keeper = CorpusKeeper()
    heard = trio.Event()

    async def asker() -> None:
        with pytest.raises(MailboxClosed):
            await keeper.keep(0, (sequence(1),))
        heard.set()

    nursery.start_soon(asker)
    await wait_all_tasks_blocked()
    with trio.CancelScope() as scope:
        scope.cancel()
        await keeper.run()
    await heard.wait()
