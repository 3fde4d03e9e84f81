"""Mocks, recordings, snapshots and codes, from Solidity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.cheatcode_bench import TARGET, Bench, reason

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
