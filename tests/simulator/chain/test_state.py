"""State of the forked block: what is fetched when, and what never again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.chain.opening import open_state, pin_block
from simulator.chain.state import ChainState, read_access_list
from simulator.chain.values import word_text
from simulator.errors import ChainError, ChainUnavailableError
from simulator.evm.forked_state import ChainAccount, RunningCall
from simulator.forked_block import ForkedBlock
from tests.simulator.chain.conftest import FakeTime
from tests.support.fake_chain import FakeChain, disconnect, serve, status

TOKEN = 0x70
Open = Callable[..., ChainState]


@pytest.fixture
def open_chain(chain: FakeChain, tmp_path: Path, time: FakeTime) -> Iterator[Open]:
    """The state of the chain's newest block, opened as often as wanted over one cache."""
    opened: list[ChainState] = []

    def open_(urls: str = "", block: ForkedBlock | None = None) -> ChainState:
        block = block or pin_block(chain.url, None, tmp_path, time.clock()).block
        opened.append(open_state(urls or chain.url, block, tmp_path, time.clock(), pytest.fail))
        chain.requests.clear()
        chain.exchanges.clear()
        return opened[-1]

    yield open_
    for state in opened:
        state.close()


def asked(chain: FakeChain, method: str) -> list[str]:
    return [params[1] for name, params in chain.requests if name == method]


def test_an_account_comes_in_one_batch_and_only_once(chain: FakeChain, open_chain: Open) -> None:
    """Balance, nonce and code of the pinned block, after the endpoint was checked."""
    chain.balances[TOKEN], chain.nonces[TOKEN], chain.codes[TOKEN] = 5, 2**64 - 1, b"\x00"
    state = open_chain()
    assert state.account(TOKEN) == state.account(TOKEN) == ChainAccount(5, 2**64 - 1, b"\x00")
    assert chain.exchanges == [2, 3]
    assert {params[1] for _, params in chain.requests[2:]} == {hex(100)}
    assert state.account(0x71) == ChainAccount()
    assert chain.exchanges == [2, 3, 3]


def test_many_accounts_come_together(chain: FakeChain, open_chain: Open) -> None:
    """Only those that are missing are asked for."""
    chain.balances.update({1: 10, 2: 20, 3: 30})
    state = open_chain()
    state.account(2)
    assert [account.balance for account in state.accounts([1, 2, 3])] == [10, 20, 30]
    assert chain.exchanges == [2, 3, 6]


def test_the_first_slot_of_a_contract_brings_the_plain_variables(chain: FakeChain, open_chain: Open) -> None:
    """One exchange for slots 0 to 15 and the one that was missed; later ones come alone."""
    chain.slots.update({(TOKEN, 3): 33, (TOKEN, 2**255): 44})
    state = open_chain()
    assert state.slot(TOKEN, 2**255) == 44
    assert (state.slot(TOKEN, 3), state.slot(TOKEN, 4)) == (33, 0)
    assert chain.exchanges == [2, 17]
    assert state.slot(TOKEN, 99) == 0
    assert chain.exchanges == [2, 17, 1]


def test_slots_that_follow_each_other_come_together(chain: FakeChain, open_chain: Open) -> None:
    """As in arrays and structs: after the second one, the next seven come along, around the end of all keys too."""
    state = open_chain()
    last = 2**256 - 1
    for key in (last - 1, last, *range(6)):
        state.slot(TOKEN, key)
    assert chain.exchanges == [2, 17, 8]
    chain.exchanges.clear()
    for key in range(1000, 1009):
        state.slot(TOKEN, key)
    assert chain.exchanges == [1, 8]


def test_another_process_needs_no_requests(chain: FakeChain, open_chain: Open) -> None:
    """Accounts, slots and block hashes are on disk, also those that the chain does not have."""
    chain.slots[TOKEN, 3] = 33
    first = open_chain()
    expected = (first.account(TOKEN), first.slot(TOKEN, 3), first.slot(TOKEN, 99), first.block_hash(98))
    second = open_chain()
    assert (second.account(TOKEN), second.slot(TOKEN, 3), second.slot(TOKEN, 99), second.block_hash(98)) == expected
    assert expected == (ChainAccount(), 33, 0, 98)
    assert chain.requests == []


def test_slots_that_mattered_at_another_block_come_with_the_first(chain: FakeChain, open_chain: Open) -> None:
    """All in a few exchanges, with the values of the new block."""
    old = open_chain()
    for key in range(1000, 1100):
        old.slot(TOKEN, key)
    chain.number, chain.members["hash"] = 101, word_text(0xFF)
    chain.slots[TOKEN, 1050] = 7
    state = open_chain()
    assert state.slot(TOKEN, 1000) == 0
    assert chain.exchanges == [2, 64, 57]
    assert state.slot(TOKEN, 1050) == 7
    assert chain.exchanges == [2, 64, 57]


def test_the_pinned_block_has_the_hash_that_is_known(chain: FakeChain, open_chain: Open) -> None:
    """No request for it; for earlier ones there is one."""
    state = open_chain()
    assert state.block_hash(100) == int(32 * "ab", 16)
    assert chain.requests == []
    assert state.block_hash(99) == 99


def test_an_endpoint_of_another_chain_is_not_believed(chain: FakeChain, open_chain: Open) -> None:
    """The other one stands in; alone, it is an error that says so."""
    with serve(FakeChain(chain_id=2, balances={TOKEN: 666})) as other:
        block = open_chain().block
        chain.balances[TOKEN] = 5
        assert open_chain(f"{other.url},{chain.url}", block).account(TOKEN).balance == 5
        with pytest.raises(ChainError, match="different chains: 1 and 2"):
            open_chain(other.url, block).account(0x71)


def test_an_endpoint_with_another_block_is_not_believed(chain: FakeChain, open_chain: Open) -> None:
    """As when a test chain was started anew."""
    state = open_chain()
    chain.members["hash"] = word_text(0xFF)
    with pytest.raises(ChainError, match=r"does not have the forked block, chain 1, block 100"):
        state.account(TOKEN)


def test_a_fault_in_between_costs_nothing(chain: FakeChain, open_chain: Open) -> None:
    """Rate limits, server errors and lost connections are tried again."""
    chain.slots[TOKEN, 1] = 11
    state = open_chain()
    chain.faults.extend([None, status(429), status(500), disconnect])
    assert state.slot(TOKEN, 1) == 11


def test_what_cannot_be_had_is_asked_for_again_later(chain: FakeChain, open_chain: Open) -> None:
    """Nothing is remembered of a failed fetch."""
    state = open_chain()
    chain.always = status(429)
    with pytest.raises(ChainUnavailableError, match="HTTP 429"):
        state.slot(TOKEN, 1)
    chain.always = None
    chain.slots[TOKEN, 1] = 11
    assert state.slot(TOKEN, 1) == 11


def test_values_of_another_form_are_an_error(chain: FakeChain, open_chain: Open) -> None:
    """A node that answers nonsense is not read as zeros."""
    chain.balances[TOKEN] = -1
    with pytest.raises(ChainError, match="in an unknown form: expected 0x"):
        open_chain().account(TOKEN)


# --- choosing the block ----------------------------------------------------------------------------------------------


def test_the_newest_block_is_pinned(chain: FakeChain, tmp_path: Path, time: FakeTime) -> None:
    """And its state is asked for once, because nodes keep headers longer than states."""
    pinned = pin_block(chain.url, None, tmp_path, time.clock())
    assert (pinned.block.number, pinned.block.chain_id, pinned.offline) == (100, 1, "")
    methods = sorted(method for method, _ in chain.requests)
    assert methods == ["eth_chainId", "eth_getBalance", "eth_getBlockByNumber"]


def test_a_known_block_is_enough_when_nothing_answers(chain: FakeChain, tmp_path: Path, time: FakeTime) -> None:
    """Asked for by its number, after an earlier campaign; the reason is told."""
    pinned = pin_block(chain.url, 100, tmp_path, time.clock())
    chain.always = status(503)
    again = pin_block(chain.url, 100, tmp_path, time.clock())
    assert again.block == pinned.block
    assert "HTTP 503" in again.offline
    for number in (None, 99):
        with pytest.raises(
            ChainError, match=r"^rpcUrl: no answer from the chain: http://127.0.0.1:\d+ answered HTTP 503$"
        ):
            pin_block(chain.url, number, tmp_path, time.clock())


@pytest.mark.parametrize(
    ("number", "prepare", "message"),
    [
        (101, {}, "rpcBlock|the chain has no block 101"),
        (None, {"members": {"hash": "0x12"}}, "describes the block in an unknown form"),
        (
            5,
            {"errors": {"eth_getBalance": {"code": -32000, "message": "missing trie node"}}},
            "missing trie node .*archive node, or a later rpcBlock",
        ),
        (None, {"errors": {"eth_chainId": {"code": -32601, "message": "no"}}}, "not an Ethereum node"),
        (None, {"always": status(401)}, "HTTP 401"),
    ],
)
def test_a_block_that_cannot_be_forked_is_refused_in_one_line(
    chain: FakeChain, tmp_path: Path, time: FakeTime, number: int | None, prepare: dict[str, object], message: str
) -> None:
    """Each with what to do about it."""
    for name, value in prepare.items():
        setattr(chain, name, value)
    with pytest.raises(ChainError, match=message) as caught:
        pin_block(chain.url, number, tmp_path, time.clock())
    assert str(caught.value).startswith("rpcUrl: ")
    assert "\n" not in str(caught.value)


def test_endpoints_must_be_of_one_chain(chain: FakeChain, tmp_path: Path, time: FakeTime) -> None:
    """Found at the start, not in the middle; one that does not answer now is let be."""
    with serve(FakeChain(chain_id=2)) as other:
        with pytest.raises(ChainError, match="different chains"):
            pin_block(f"{chain.url},{other.url}", None, tmp_path, time.clock())
        other.always = status(500)
        assert pin_block(f"{chain.url},{other.url}", None, tmp_path, time.clock()).block.chain_id == 1


# --- foreseeing ------------------------------------------------------------------------------------------------------

CALL = RunningCall(0xA, b"\x12\x34\x56\x78" + bytes(32))


def test_what_a_call_will_touch_comes_with_its_first_slot(chain: FakeChain, open_chain: Open) -> None:
    """The node is asked once for each function; the slots of all contracts come together."""
    keys = [word_text(key) for key in range(1000, 1040)]
    chain.access_list = [{"address": "0x70", "storageKeys": keys}, {"address": "0x71", "storageKeys": keys}]
    chain.slots.update({(TOKEN, 1001): 5, (0x71, 1002): 6})
    state = open_chain()
    state.account(TOKEN)
    chain.exchanges.clear()
    assert state.slot(TOKEN, 1000, CALL) == 0
    assert chain.exchanges == [1, 3, 64, 32]
    assert (state.slot(TOKEN, 1001, CALL), state.slot(0x71, 1002, CALL)) == (5, 6)
    assert state.account(0x71) == ChainAccount()
    assert chain.exchanges == [1, 3, 64, 32]
    assert state.slot(TOKEN, 5000, CALL) == 0
    assert [method for method, _ in chain.requests].count("eth_createAccessList") == 1


@pytest.mark.parametrize("error", [None, {"code": 3, "message": "execution reverted"}])
def test_a_node_that_cannot_foresee_is_no_failure(
    chain: FakeChain, open_chain: Open, error: dict[str, object] | None
) -> None:
    """It may not know the method, which it is then not asked for again, or the call may fail there."""
    if error is not None:
        chain.access_list, chain.errors["eth_createAccessList"] = [], error
    chain.slots[TOKEN, 7] = 70
    state = open_chain()
    assert state.slot(TOKEN, 7, CALL) == 70
    state.slot(TOKEN, 1000, RunningCall(0xA, b"other"))
    asked_for = [method for method, _ in chain.requests].count("eth_createAccessList")
    assert asked_for == (1 if error is None else 2)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda deeper: (
            st.lists(deeper) | st.dictionaries(st.sampled_from(["accessList", "address", "storageKeys"]), deeper)
        ),
    )
)
def test_a_hint_of_another_form_is_no_hint(answer: object) -> None:
    """Nothing in it can fail."""
    assert isinstance(read_access_list(answer), list)
