"""The corpus keeper: once each, on disk first, news for the others."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from actors.corpus.keeper import MINIMISE_FROM, CorpusKeeper
from actors.corpus.messages import EntryMeasured, EntrySummary, Found, Loaded, Measure, Stored
from actors.corpus.reader import CorpusReader
from actors.events.types import CorpusMinimised
from actors.runtime.errors import MailboxClosed
from simulator.corpus.feature_index import feature_set
from simulator.corpus.identity import sequence_hash
from simulator.errors import CorpusError
from simulator.trace.address_book import AddressBook
from simulator.transaction import Sequence, Transaction


def sequence(number: int, calls: int = 1) -> Sequence:
    return (Transaction(b"\x01" * 20, b"\x02" * 20, number.to_bytes(4, "big")),) * calls


class Folder:
    """A folder in memory, which may be full."""

    def __init__(self, stored: tuple[Sequence, ...] = ()) -> None:
        self.stored = stored
        self.written: list[tuple[str, Sequence]] = []
        self.full = False

    def load(self) -> Loaded:
        return Loaded(tuple(Stored(each, "coverage") for each in self.stored), ("coverage/x.txt: not JSON",))

    def save_coverage(self, sequence: Sequence) -> None:
        self._write("coverage", sequence)

    def save_injected(self, sequence: Sequence) -> None:
        self._write("injected", sequence)

    def supersede(self, sequence: Sequence) -> None:
        self._write("superseded", sequence)

    def save_reproducer(self, sequence: Sequence, shrunk: bool) -> None:
        self._write("shrunk" if shrunk else "unshrunk", sequence)

    def restore(self) -> int:
        if self.full:
            raise CorpusError("coverage/y.txt: No space left on device")
        return len(self.written)

    def _write(self, kind: str, sequence: Sequence) -> None:
        if self.full:
            raise CorpusError("coverage/y.txt: No space left on device")
        self.written.append((kind, sequence))


@pytest.fixture
async def keeper_of(nursery):
    def make(folder: Folder | None = None, minimise_from: int = MINIMISE_FROM) -> CorpusKeeper:
        keeper = CorpusKeeper(folder, minimise_from=minimise_from)
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


async def test_what_was_removed_is_written_again(keeper_of):
    """As soon as the disk lets us; without a folder there is nothing to write."""
    folder = Folder()
    keeper = keeper_of(folder)
    await keeper.keep(0, (sequence(1),))
    folder.full = True
    assert await keeper.restore_folder() == 0
    folder.full = False
    assert await keeper.restore_folder() == 1
    assert await keeper_of().restore_folder() == 0


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


async def entries_of(keeper: CorpusKeeper) -> tuple[EntrySummary, ...]:
    return (await CorpusReader(keeper, lambda: AddressBook({}, {})).entries(0, 9)).entries


def measure(*numbers: int, gas: tuple[int, ...] = ()) -> Measure:
    return Measure(feature_set(numbers), gas)


async def test_a_shrunk_failure_joins_the_corpus_for_good(keeper_of):
    """What a restart will load counts now; the unshrunk one is a file only."""
    folder = Folder()
    keeper = keeper_of(folder)
    await keeper.keep_reproducer(sequence(1, calls=4), shrunk=False)
    await keeper.keep_reproducer(sequence(1, calls=2), shrunk=True)
    figures = keeper.statistics()
    assert (figures.sequences, figures.transactions, figures.kept_always) == (1, 2, 1)
    assert keeper.news(0, 0, 0).sequences == (sequence(1, calls=2),)


async def test_an_injected_sequence_stays_and_reaches_everybody(keeper_of):
    """It has a place of its own on disk, is news to each worker, and minimisation leaves it."""
    folder = Folder()
    keeper = keeper_of(folder, minimise_from=2)
    await keeper.take(0, (Found(sequence(1), measure(1, 2)),))
    (kept,) = await keeper.keep_injected((sequence(2, calls=9),))
    assert kept.new
    (measured,) = await keeper.take(0, (EntryMeasured(sequence_hash(sequence(2, calls=9)), measure(1)),))
    assert measured.minimised.superseded == 0
    assert folder.written == [("coverage", sequence(1)), ("injected", sequence(2, calls=9))]
    assert sequence(2, calls=9) in keeper.news(0, 0, 0).sequences
    assert sequence(2, calls=9) in keeper.news(1, 0, 0).sequences


async def test_minimisation_sets_aside_what_others_cover(keeper_of):
    """Files move first; indexes, news and totals follow; what nobody measured stays."""
    folder = Folder()
    keeper = keeper_of(folder, minimise_from=2)
    items = (Found(sequence(1), measure(1)), Found(sequence(3)), Found(sequence(2), measure(1, 2)))
    *_, kept = await keeper.take(0, items)
    assert kept.minimised == CorpusMinimised(1, 2, 2)
    assert folder.written[-1] == ("superseded", sequence(1))
    assert keeper.sequences() == (sequence(3), sequence(2))
    assert keeper.news(1, 0, 0).sequences == (sequence(3), sequence(2))
    assert [entry.position for entry in await entries_of(keeper)] == [0, 1]
    (kept,) = await keeper.keep(1, (sequence(1),))
    assert not kept.new, "a superseded entry is known and does not come back by itself"
    assert keeper.statistics().superseded == 1


async def test_a_superseded_entry_that_fails_a_test_comes_back(keeper_of):
    """A failing sequence is part of the corpus, whatever was thought of it before."""
    keeper = keeper_of(Folder(), minimise_from=2)
    await keeper.take(0, (Found(sequence(1), measure(1)), Found(sequence(2), measure(1, 2))))
    assert keeper.sequences() == (sequence(2),)
    await keeper.keep_reproducer(sequence(1), shrunk=True)
    assert set(keeper.sequences()) == {sequence(1), sequence(2)}
    assert keeper.statistics().transactions == 2


async def test_minimisation_begins_by_count_and_is_told_with_the_next_answer(nursery):
    """Not the clock but the number of measured entries decides, and again when it has grown enough."""
    keeper = CorpusKeeper(minimise_from=4)
    nursery.start_soon(keeper.run)
    told = []
    for number in range(12):
        (kept,) = await keeper.take(0, (Found(sequence(number), measure(*range(number + 1))),))
        told.append(kept.minimised)
    assert [index for index, event in enumerate(told) if event is not None] == [3, 6, 9]
    assert told[3] == CorpusMinimised(3, 1, 1)


@pytest.mark.parametrize("cuts", [(12,), (1,) * 12, (5, 4, 3), (3, 9)])
async def test_answers_do_not_depend_on_what_came_together(nursery, cuts: tuple[int, ...]):
    """However a worker's frames are grouped, the totals after each entry are the same."""
    keeper = CorpusKeeper(minimise_from=4)
    nursery.start_soon(keeper.run)
    items = [Found(sequence(number), measure(*range(number + 1))) for number in range(12)]
    answers = []
    for cut in cuts:
        answers += await keeper.take(0, tuple(items[:cut]))
        items = items[cut:]
    assert [(kept.sequences, kept.minimised is not None) for kept in answers] == [
        (1, False), (2, False), (3, False), (1, True), (2, False), (3, False), (1, True), (2, False), (3, False),
        (1, True), (2, False), (3, False),
    ]  # fmt: skip


async def test_nothing_is_set_aside_while_the_disk_refuses(keeper_of):
    """An entry leaves the corpus only when its file has moved."""
    folder = Folder()
    keeper = keeper_of(folder, minimise_from=2)
    await keeper.take(0, (Found(sequence(1), measure(1)),))
    folder.full = True
    (kept,) = await keeper.take(0, (Found(sequence(2), measure(1, 2)),))
    assert (kept.sequences, kept.minimised) == (2, None)
    folder.full = False
    assert await keeper.save_rest() == 0
    (kept,) = await keeper.take(0, (Found(sequence(3), measure(1, 2, 3)),))
    assert kept.minimised == CorpusMinimised(2, 1, 1)


async def test_a_file_that_cannot_be_moved_stays_in_the_corpus(keeper_of):
    """The disk refuses only the moving."""
    folder = Folder()
    keeper = keeper_of(folder, minimise_from=2)
    await keeper.take(0, (Found(sequence(1), measure(1)),))
    await keeper.keep_injected((sequence(2),))
    folder.full = True
    (kept,) = await keeper.take(0, (EntryMeasured(sequence_hash(sequence(2)), measure(1, 2)),))
    assert kept.minimised == CorpusMinimised(0, 2, 2)


async def test_a_folder_is_read_again_without_doubling(keeper_of):
    """New files join, known ones and known problems are not told again."""
    folder = Folder(stored=(sequence(1),))
    keeper = keeper_of(folder)
    assert len(await keeper.load()) == 1
    folder.stored = (sequence(1), sequence(2))
    assert await keeper.load() == ()
    assert keeper.sequences() == (sequence(1), sequence(2))


async def test_entries_know_their_rarity(keeper_of):
    """Finder, origin, place in the flat index and rarity of each entry; None while nobody measured it."""
    keeper = keeper_of()
    await keeper.take(
        3, (Found(sequence(1, calls=2), measure(1, 2)), Found(sequence(2), measure(2)), Found(sequence(3)))
    )
    first, second, third = await entries_of(keeper)
    assert (first.finder, first.origin, first.first_transaction, first.transactions) == (3, "coverage", 0, 2)
    assert (first.rarity.unique, first.rarity.energy) == (1, 1.5)
    assert (second.first_transaction, second.rarity.unique, third.rarity) == (2, 0, None)
    assert not keeper.is_measured(sequence(3))
    assert keeper.is_measured(sequence(1, calls=2))
    assert keeper.is_measured(sequence(99)), "what is no entry need not be measured"
