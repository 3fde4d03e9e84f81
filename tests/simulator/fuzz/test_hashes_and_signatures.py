"""Hashes and signatures that contracts check, and the turns of the search."""

from __future__ import annotations

import coincurve
import pytest

from simulator.abi.hashing import keccak256
from simulator.fuzz.generation.dictionary import Dictionary
from simulator.fuzz.waypoints.known_keys import ACCOUNTS, KnownKeys, address_of, signed
from simulator.fuzz.waypoints.resting import SHARE, TURN, Rest
from simulator.transaction import Transaction
from simulator.worker.commands import Fuzz
from simulator.worker.reports import Falsified
from simulator.worker.session import Session
from simulator.worker.setup import Worker
from tests.simulator.fuzz.conftest import MakeWorker
from tests.simulator.fuzz.test_waypoints import Recorder

SIGNED = """
contract Signed {
    bool private permitted;
    address private guardian;
    uint256 public nonce = 7;
    constructor() { guardian = address(uint160(uint256(uint160(0x70997970C51812dc3A010C7d01b50e0d17dc79C8)))); }
    function permit(uint256 amount, uint8 v, bytes32 r, bytes32 s) external {
        require(amount > 1e6, "amount");
        bytes32 digest = keccak256(abi.encode(amount, nonce++, address(this)));
        require(ecrecover(digest, v, r, s) == guardian, "signer");
        permitted = true;
    }
    function echidna_not_permitted() external view returns (bool) { return !permitted; }
}
"""
IN_BYTES = """
contract InBytes {
    bool private permitted;
    function permit(uint256 amount, bytes calldata signature) external {
        require(signature.length == 65 && amount != 0);
        bytes32 digest = keccak256(abi.encode(amount));
        address signer = ecrecover(
            digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64])
        );
        require(signer == 0x328809Bc894f92807417D2dAD6b7C998c1aFdac6, "signer");
        permitted = true;
    }
    function label() external pure returns (string memory) { return "alice"; }
    function echidna_not_permitted() external view returns (bool) { return !permitted; }
}
"""
KEYED = """
contract Keyed {
    mapping(bytes32 => uint256) private values;
    bool private hit;
    function put(address owner, uint8 kind, uint256 value) external {
        require(value != 0 && kind < 4);
        values[keccak256(abi.encodePacked(owner, kind))] = value;
    }
    function take(bytes32 key, uint256 value) external {
        require(value > 0 && values[key] == value, "no such value");
        hit = true;
    }
    function echidna_not_hit() external view returns (bool) { return !hit; }
}
"""


def is_falsified(worker: Worker, calls: int) -> bool:
    channel = Recorder()
    session = Session(worker, channel)  # type: ignore[arg-type]
    session.ready()
    session.fuzz(Fuzz(calls))
    return any(isinstance(frame, Falsified) for frame in channel.frames)


@pytest.mark.integration
@pytest.mark.parametrize("source", [SIGNED, IN_BYTES, KEYED])
def test_a_signature_and_a_hashed_key_are_made_as_they_are_asked_for(make_worker: MakeWorker, source: str) -> None:
    """By a key that tests use, over the digest that the contract makes; a key that another call has hashed."""
    for seed in (1, 2):
        assert is_falsified(make_worker(source, seed=seed), 20_000), seed


def test_keys_of_tests_are_known_by_their_addresses() -> None:
    """Small numbers, the accounts of anvil, names and numbers of the source; no key that is none."""
    dictionary = Dictionary()
    dictionary.add_bytes(b"alice")
    dictionary.numbers |= {0: None, 0xA11CE: None, 1 << 256 - 1: None}
    known = KnownKeys(dictionary).by_address
    assert known[0x7E5F4552091A69125D5DFCB7B8C2659029395BDF] == 1
    assert known[0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266] == ACCOUNTS[0]
    assert known[0x328809BC894F92807417D2DAD6B7C998C1AFDAC6] == int.from_bytes(keccak256(b"alice"), "big")
    assert known[address_of(0xA11CE)] == 0xA11CE
    assert 0 not in known.values()


def test_a_signature_recovers_to_the_address_of_its_key() -> None:
    """In the form of `ecrecover`."""
    digest = keccak256(b"order")
    v, r, s = signed(0xB0B, digest)
    public = coincurve.PublicKey.from_signature_and_message(r + s + bytes([v - 27]), digest, hasher=None)
    assert int.from_bytes(keccak256(public.format(compressed=False)[1:])[12:], "big") == address_of(0xB0B)


class Counting:
    """An engine that only counts."""

    calls = given_calls = 0


def test_single_sequences_and_the_native_loop_take_turns() -> None:
    """A share of as many calls as single sequences took are the native loop's."""
    engine = Counting()
    rest = Rest(engine)  # type: ignore[arg-type]
    assert not rest.is_due()
    engine.given_calls = TURN + 5
    assert rest.is_due()
    assert rest.until == (TURN + 5) // SHARE
    engine.calls = (TURN + 5) // SHARE - 1
    assert rest.is_due()
    engine.calls = (TURN + 5) // SHARE
    assert not rest.is_due()


@pytest.mark.integration
def test_what_calls_hash_is_known(make_worker: MakeWorker) -> None:
    """All but pairs of words, which are mostly places of mappings."""
    worker = make_worker(KEYED)
    put = next(each for each in worker.functions if each.function.name == "put")
    data = put.function.encode_call((0x1234, 3, 5))
    call = Transaction(worker.settings.senders[0], worker.settings.contract_address, data)
    wanted = int.from_bytes(keccak256((0x1234).to_bytes(20, "big") + b"\x03"), "big")
    assert worker.engine.digests_of((call,)) == [wanted]
