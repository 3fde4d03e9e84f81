"""Reading the corpus as tools do: pages, searches, nearest entries."""

from __future__ import annotations

import pytest

from actors.corpus.keeper import CorpusKeeper
from actors.corpus.messages import Found, Measure
from actors.corpus.reader import CorpusReader
from simulator.abi.contract import ContractAbi
from simulator.corpus.feature_index import feature_set
from simulator.corpus.identity import sequence_hash
from simulator.trace.address_book import AddressBook
from simulator.transaction import Transaction, wei_bytes

TOKEN, ALICE, BOB = b"\xaa" * 20, b"\x01" * 20, b"\x02" * 20
ABI = ContractAbi.from_json(
    [
        {"type": "function", "name": name, "inputs": [{"name": "", "type": "uint256"}], "outputs": []}
        for name in ("mint", "burn")
    ]
)
BOOK = AddressBook({"T.sol:Token": ABI}, {TOKEN: "T.sol:Token"})
MINT, BURN = (next(f for f in ABI.by_selector.values() if f.name == name) for name in ("mint", "burn"))


def call(function, number: int, sender: bytes = ALICE, value: int = 0) -> Transaction:
    return Transaction(sender, TOKEN, function.encode_call((number,)), wei_bytes(value))


@pytest.fixture
async def reader(nursery) -> CorpusReader:
    keeper = CorpusKeeper()
    nursery.start_soon(keeper.run)
    await keeper.take(
        0,
        (
            Found((call(MINT, 1), call(BURN, 2, BOB, 5)), Measure(feature_set({1, 2}), (100, 200))),
            Found((call(MINT, 3, BOB),)),
            *(Found((call(MINT, 100 + n), call(BURN, n, value=n))) for n in range(40)),
        ),
    )
    return CorpusReader(keeper, lambda: BOOK)


@pytest.mark.requirement("004-18", "004-20", "004-21")
async def test_pages_are_cut_from_the_flat_index(reader: CorpusReader):
    """Ascending, with the true total; behind the end is an empty page."""
    page = await reader.page(0, 3)
    assert [(t.index, t.call, t.value, t.gas_used) for t in page.transactions] == [
        (0, "mint(1)", "0", 100),
        (1, "burn(2)", "5", 200),
        (2, "mint(3)", "0", None),
    ]
    assert page.total == reader.size == 83
    assert (await reader.page(80, 20)).transactions[-1].index == 82
    assert (await reader.page(83, 20)).transactions == ()
    assert (await reader.page(10**9, 100)).total == 83


async def test_a_long_page_is_the_same_in_a_thread(reader: CorpusReader):
    """However many are read at once, each transaction reads the same."""
    whole = (await reader.page(0, 100)).transactions
    pieces = [t for offset in range(0, 83, 7) for t in (await reader.page(offset, 7)).transactions]
    assert list(whole) == pieces


@pytest.mark.requirement("004-22", "004-23", "004-24")
async def test_criteria_are_joined_by_and(reader: CorpusReader):
    """Signature, sender and minimum value, the last one inclusive."""
    found = await reader.find(signature="burn(uint256)", sender=BOB, minimum_value=5)
    assert [(match.index, match.call, match.sender) for match in found.matches] == [(1, "burn(2)", "0x" + "02" * 20)]
    assert found.count == 1
    assert (await reader.find(signature="burn", sender=BOB, minimum_value=6)).count == 0
    assert (await reader.find(signature="burn")).count == 41
    assert (await reader.find(sender=BOB)).count == 2
    assert (await reader.find(minimum_value=38)).count == 2
    assert (await reader.find(signature="nothing(uint256)")).matches == ()


async def test_results_are_capped_and_the_count_is_true(reader: CorpusReader):
    """The first matches come back, all are counted."""
    found = await reader.find(signature="mint", limit=2)
    assert ([match.index for match in found.matches], found.count) == ([0, 2], 42)


async def test_the_nearest_entry_is_the_shortest_that_covers_it(reader: CorpusReader):
    """By feature; none for what nobody covers."""
    identity = reader.nearest([2, 77])
    assert identity == sequence_hash((call(MINT, 1), call(BURN, 2, BOB, 5)))
    assert reader.sequence(identity) == (call(MINT, 1), call(BURN, 2, BOB, 5))
    assert reader.nearest([77]) is None
    assert reader.sequence("0" * 32) is None


async def test_names_follow_the_address_book(nursery):
    """Once the target is deployed, calls that could not be named get their names."""
    keeper = CorpusKeeper()
    nursery.start_soon(keeper.run)
    await keeper.keep(0, ((call(MINT, 1),),))
    book = AddressBook({}, {})
    reader = CorpusReader(keeper, lambda: book)
    assert (await reader.page(0, 1)).transactions[0].call.startswith("*fallback*")
    book = BOOK
    assert (await reader.page(0, 1)).transactions[0].call == "mint(1)"
