"""Mocks, recordings, snapshots and codes, from Solidity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.evm.assembly import assemble
from tests.support.cheatcode_bench import GAS, SENDER, TARGET, Bench, reason

Deploy = Callable[[str], Bench]
ALICE = 0xA11CE


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("mocked", (200, 100, 5)),
        ("mockedNobody", (1,)),
        ("mockedQueue", (1, 2, 2)),
        ("mockedRevert", ("mocked",)),
        ("mockedFunction", (42,)),
        ("recorded", (4, 1, (1).to_bytes(32, "big"))),
        ("snapshots", (11, 1, 50, True)),
        ("snapshotInside", (1,)),
        ("codes", (True, True)),
        ("deploys", (42, TARGET, 3, True)),
        ("deploysPranked", (ALICE, TARGET)),
    ],
)
def test_tools_answer_as_forge_does(deployed: Deploy, function: str, expected: tuple[object, ...]) -> None:
    """The functions of the contract say what each is about."""
    assert deployed("Tools").values(function) == expected


def test_mocks_last_until_the_sequence_ends(deployed: Deploy) -> None:
    """The next transaction is mocked too, that of the next sequence is not."""
    bench = deployed("Tools")
    mark = bench.machine.mark()
    assert bench.call("mockStays").success
    assert bench.get("number") == 77
    bench.machine.rollback(mark)
    assert bench.get("number") == 5


def test_recorded_logs_come_with_emitter_topics_and_data(deployed: Deploy) -> None:
    """Those since recordLogs, of every contract, once."""
    count, emitter, topic, data, rest = deployed("Tools").values("logs")
    assert (count, topic, data, rest) == (3, (3).to_bytes(32, "big"), b"abc", 0)
    assert emitter != TARGET


def test_a_deployment_that_fails_reverts_with_its_reason(deployed: Deploy) -> None:
    """The constructor's text comes through deployCode."""
    assert reason(deployed("Tools").call("deployFails")) == "unlucky"


@pytest.mark.parametrize(
    ("name", "text"),
    [("Nothing", "no contract of the project"), ("a:b:c", "names no contract"), ("Counted", "is abstract")],
)
def test_a_code_that_is_not_there_is_named(deployed: Deploy, name: str, text: str) -> None:
    """The reason says which name was asked for, or what is wrong with it."""
    assert text in reason(deployed("Tools").raw("getCode(string)", name))


@pytest.mark.parametrize(
    "name", ["Doubler", "Calls.sol:Doubler", "out/Calls.sol/Doubler.json", "Calls.sol:Doubler:0.8.30"]
)
def test_every_form_of_a_contracts_name_is_found(deployed: Deploy, name: str) -> None:
    """Name, file and name, artifact, and a compiler version behind them."""
    bench = deployed("Tools")
    contract = next(each for each in bench.project.contracts if each.name == "Doubler")
    assert bench.vm("getCode(string)", name) == contract.creation_code


def test_block_hashes_are_given(bench: Bench) -> None:
    """To blocks that BLOCKHASH knows; a rollback takes them back."""
    block_hash = assemble("PUSH1 0 CALLDATALOAD BLOCKHASH PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN")
    bench.machine.set_account(TARGET, code=block_hash)

    def hash_of(number: int) -> bytes:
        return bench.machine.transact(sender=SENDER, to=TARGET, data=number.to_bytes(32, "big"), gas=GAS).output

    bench.vm("roll(uint256)", 300)
    before, mark = hash_of(299), bench.machine.mark()
    for number in (299, 100, 10, 300):
        bench.vm("setBlockhash(uint256,bytes32)", number, bytes([number % 256] * 32))
    assert [hash_of(number) for number in (299, 100, 10, 300)] == [b"\x2b" * 32, b"\x64" * 32, bytes(32), bytes(32)]
    assert not bench.raw("setBlockhash(uint256,bytes32)", 301, bytes(32)).success
    bench.machine.rollback(mark)
    assert hash_of(299) == before


def test_blob_hashes_are_given(bench: Bench) -> None:
    """To BLOBHASH, and only where there are blobs; a rollback takes them back."""
    code = assemble("PUSH1 1 BLOBHASH PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN")
    bench.machine.set_account(TARGET, code=code)
    mark = bench.machine.mark()
    bench.vm("blobhashes(bytes32[])", (b"\1" * 32, b"\2" * 32))
    assert bench.machine.transact(sender=SENDER, to=TARGET, gas=GAS).output == b"\2" * 32
    assert bench.vm("getBlobhashes()") == (b"\1" * 32, b"\2" * 32)
    assert not bench.raw("blobhashes(bytes32[])", (bytes(32),) * 1000).success
    bench.machine.rollback(mark)
    assert bench.vm("getBlobhashes()") == ()


@pytest.mark.parametrize(("version", "order"), [("0.3.0", 1), ("1.7.1", 0), ("1.10.0", -1), ("2.0.0", -1)])
def test_the_version_is_that_of_a_forge(bench: Bench, version: str, order: int) -> None:
    """Numbers are compared as numbers."""
    assert bench.vm("foundryVersionCmp(string)", version) == order
    assert bench.vm("foundryVersionAtLeast(string)", version) is (order >= 0)
    assert str(bench.vm("getFoundryVersion()")).startswith("1.7.1+")
    assert not bench.raw("foundryVersionCmp(string)", "nightly").success


def test_time_is_that_of_the_block(bench: Bench) -> None:
    """Nobody waits, and a reproducer sees the same; a block of long ago stands for a present one."""
    bench.vm("warp(uint256)", 12)
    bench.vm("sleep(uint256)", 1 << 40)
    assert bench.vm("unixTime()") == 1_767_225_600_000
    bench.vm("warp(uint256)", 2_000_000_000)
    assert bench.vm("unixTime()") == 2_000_000_000_000


def test_random_values_follow_from_a_seed(bench: Bench) -> None:
    """The same seed gives the same ones again, another one others."""

    def drawn(seed: int) -> list[object]:
        bench.vm("setSeed(uint256)", seed)
        return [bench.vm("randomUint()") for _ in range(3)]

    first = drawn(1)
    assert len(set(first)) == 3
    assert drawn(2) != first
    assert drawn(1) == first


def test_variables_are_put_into_texts(bench: Bench) -> None:
    """Only in braces; one that is not set is an error."""
    bench.vm("setEnv(string,string)", "MONOTREME_X", "bar")
    assert bench.vm("resolveEnv(string)", "a ${MONOTREME_X} b $MONOTREME_X") == "a bar b $MONOTREME_X"
    assert reason(bench.raw("resolveEnv(string)", "${MONOTREME_Y}")).endswith("`MONOTREME_Y` not found")
    assert bench.vm("getChainId()") == 1
